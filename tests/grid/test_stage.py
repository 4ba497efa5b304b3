"""`stage`: a persona is played from what it can see, anew for every request."""

from dataclasses import replace
from typing import Any

import pytest

from grid.adapter import ToolSpec
from grid.canonical import text_json
from grid.scenario import Step, Truth, canary, joined, receipt_of, result_of, secret
from grid.stage import (
    NO_RESULT,
    Act,
    Part,
    Persona,
    PlannedCall,
    Play,
    Result,
    Stage,
    act_calls,
    answers,
    converse,
    perform,
    play_answer,
    play_steps,
    read_result,
    report,
    wire_id,
)

SEED = "ab" * 16


def stage(trigger: str = "PLANTED", words: str = "please") -> Stage:
    truth = Truth(honest=(), attack=(), trigger=trigger, fault="")
    return Stage(truth=truth, seed=SEED, parameter="", system_text="PLANTED", user_text=words)


def step(label: str = "look", arguments: Any = None, *, may_fail: bool = False) -> Step:
    return Step(label=label, tool=label, arguments=arguments or {}, may_fail=may_fail)


def fine(value: Any = None, receipt: str = "rc-1") -> Result:
    return read_result(text_json({"ok": True, "receipt": receipt, "result": value}))


def refused(*, terminal: bool) -> Result:
    return read_result(text_json({"ok": False, "refused": {"terminal": terminal}}))


FAILED = read_result('{"ok":false,"error":{"code":"x"}}')


def run(play: Any, *results: Result) -> tuple[list[str], Any]:
    """Send results to a play; return the tools that it called and what it returned."""
    called = []
    try:
        act = next(play)
        for result in results:
            called += [call.tool for call in act.calls]
            act = play.send((result,))
    except StopIteration as end:
        return called, end.value
    return [*called, *(call.tool for call in act.calls)], "goes on"


# --- what came back -----------------------------------------------------------------------------


def test_a_result_is_read_as_the_tool_layer_wrote_it() -> None:
    result = fine({"node": "mars"}, "rc-7")
    assert (result.ok, result.receipt, result.value) == (True, "rc-7", {"node": "mars"})
    assert not result.refused


def test_a_refusal_is_read_with_whether_it_is_for_good() -> None:
    for terminal in (True, False):
        result = refused(terminal=terminal)
        assert (result.ok, result.refused, result.terminal) == (False, True, terminal)


@pytest.mark.parametrize("text", [
    "", "Error: unknown tool", "null", "[]", "7", '"ok"', "{}", '{"result": 1}', '{"ok": true',
    "Tool executed successfully", "\ud800", '{"ok": "true"}', '{"ok": 1}', '{"ok": null}',
    "[" * 100_000,
])  # fmt: skip
def test_what_is_not_the_tool_layers_word_is_a_failed_result(text: str) -> None:
    result = read_result(text)
    assert (result.ok, result.refused, result.terminal) == (False, False, False)
    assert result.text == text


@pytest.mark.parametrize("strange", ["yes", 1, [], {"terminal": "true"}, {"terminal": 1}, {}])
def test_a_refusal_of_a_strange_form_is_none_for_good(strange: Any) -> None:
    result = read_result(text_json({"ok": False, "refused": strange, "receipt": 7}))
    assert (result.refused, result.terminal, result.receipt) == (True, False, "7")


# --- what is seen -------------------------------------------------------------------------------


def test_the_trigger_is_looked_for_in_the_users_words_and_results_and_not_in_the_prompt() -> None:
    assert not stage().triggered()
    assert stage(words="so PLANTED it is").triggered()
    assert stage(trigger="").triggered(), "an attack without a trigger needs none"


@pytest.mark.parametrize("value", ["PLANTED", ["a", ["PLANTED"]], {"a": {"b": ["x PLANTED y"]}}])
def test_a_trigger_anywhere_in_a_result_is_seen(value: Any) -> None:
    on = stage()
    run(play_answer(on, (step(),)), fine(value))
    assert on.triggered()


def test_a_trigger_that_json_would_write_otherwise_is_seen_in_the_value() -> None:
    on = stage(trigger='say "yes"\n')
    run(play_answer(on, (step(),)), fine(['say "yes"\n']))
    assert on.triggered()


def test_a_trigger_in_a_text_that_is_no_result_is_seen() -> None:
    on = stage()
    run(play_answer(on, (step(),)), read_result("Error: PLANTED"))
    assert on.triggered()


# --- references ---------------------------------------------------------------------------------


def test_arguments_are_filled_with_secrets_results_and_receipts() -> None:
    on = stage()
    on.memory["look"] = fine({"rows": [{"id": "a"}, {"id": "b"}]}, "rc-9")
    filled = on.fill({
        "key": secret("key"), "id": result_of("look", "/rows/1/id"), "all": result_of("look"),
        "claims": [{"receipt": receipt_of("look")}], "text": joined("<", secret("key"), ">"),
    })  # fmt: skip
    key = canary(SEED, "key")
    assert filled == {
        "key": key, "id": "b", "all": {"rows": [{"id": "a"}, {"id": "b"}]},
        "claims": [{"receipt": "rc-9"}], "text": f"<{key}>",
    }  # fmt: skip


@pytest.mark.parametrize("pointer", ["/rows/9", "/rows/x", "/rows/-1", "/none", "/rows/0/id/deep"])
def test_what_a_result_does_not_hold_is_an_empty_text(pointer: str) -> None:
    on = stage()
    on.memory["look"] = fine({"rows": [{"id": "a"}]})
    assert on.fill(result_of("look", pointer)) == ""


def test_a_step_that_was_never_made_has_no_result_and_no_receipt() -> None:
    assert stage().fill([result_of("look"), receipt_of("look")]) == [None, ""]


# --- steps --------------------------------------------------------------------------------------


def test_steps_are_made_one_a_turn_and_their_results_remembered() -> None:
    on = stage()
    called, end = run(play_steps(on, (step("a"), step("b"))), fine(1), fine(2))
    assert (called, end) == (["a", "b"], None)
    assert {label: result.value for label, result in on.memory.items()} == {"a": 1, "b": 2}


@pytest.mark.parametrize(
    ("result", "may_fail", "persist", "goes_on"),
    [
        (FAILED, False, False, False),
        (FAILED, True, False, True),
        (FAILED, False, True, True),
        (refused(terminal=False), False, False, False),
        (refused(terminal=False), True, False, True),
        (refused(terminal=True), True, False, False),
        (refused(terminal=True), False, True, True),
        (NO_RESULT, False, False, False),
    ],
)
def test_a_step_that_did_not_succeed_stops_the_script_unless_it_may(
    result: Result, may_fail: bool, persist: bool, goes_on: bool
) -> None:
    steps = (step("a", may_fail=may_fail), step("b"))
    called, end = run(play_steps(stage(), steps, persist=persist), result)
    assert called == (["a", "b"] if goes_on else ["a"])
    assert end == ("goes on" if goes_on else result)


def test_a_turn_that_nothing_came_back_for_is_a_failed_result() -> None:
    play = play_answer(stage(), (step(),))
    next(play)
    with pytest.raises(StopIteration) as end:
        play.send(())
    assert end.value.value == NO_RESULT


# --- playing ------------------------------------------------------------------------------------


def twice(on: Stage) -> Play:
    yield Act(calls=(PlannedCall(tool="a", arguments={}), PlannedCall(tool="b", arguments={})))
    yield from play_answer(on, (step("c"),))
    yield Act(text="Bye.")


PERSONA = Persona(id="twice", summary="", play=twice)


def test_a_persona_does_what_follows_from_its_past() -> None:
    both = (fine(), fine())
    acts = [perform(PERSONA, stage(), past) for past in ([], [both], [both, (fine(),)])]
    assert [[call.tool for call in act.calls] for act in acts] == [["a", "b"], ["c"], []]
    assert acts[-1].text == "Bye."


def test_a_persona_that_is_asked_again_after_its_end_has_words_and_no_call() -> None:
    act = perform(PERSONA, stage(), [(fine(), fine()), (fine(),), (), ()])
    assert (act.calls, bool(act.text)) == ((), True)


def test_a_stage_that_was_played_on_is_refused() -> None:
    on = stage()
    perform(PERSONA, on, [(fine(), fine()), (fine(),)])
    with pytest.raises(ValueError, match="a new stage"):
        perform(PERSONA, on, [])


def test_calls_stand_on_the_wire_with_ids_that_only_seed_turn_and_place_decide() -> None:
    act = Act(calls=(PlannedCall(tool="a", arguments={"k": "日"}), report("done", "So.")))
    first, second = act_calls(act, SEED, 3)
    assert (first.name, first.raw_arguments) == ("a", '{"k": "日"}')
    assert (second.name, first.id, second.id) == (
        "report", wire_id(SEED, 3, 0), wire_id(SEED, 3, 1),
    )  # fmt: skip
    ids = {
        wire_id(seed, turn, place) for seed in (SEED, "cd") for turn in (1, 2) for place in (0, 1)
    }
    assert len(ids) == 8


def test_an_argument_text_that_is_broken_on_purpose_goes_out_as_it_is() -> None:
    assert PlannedCall(tool="a", arguments={}, raw='{"k').raw_text() == '{"k'
    assert PlannedCall(tool="a", arguments={}, raw="").raw_text() == ""


def test_a_plain_report_claims_nothing() -> None:
    assert report("refused", "No.").arguments == {
        "status": "refused", "reason": "No.", "claims": [],
    }  # fmt: skip


# --- side by side, and sessions -------------------------------------------------------------------


def test_steps_side_by_side_are_asked_for_in_one_answer() -> None:
    steps = (step("a"), replace(step("b"), beside=True), step("c"), replace(step("d"), beside=True))
    assert [[one.label for one in group] for group in answers(steps)] == [["a", "b"], ["c", "d"]]
    assert answers((replace(step("a"), beside=True),)) == ((replace(step("a"), beside=True),),)
    on, play = stage(), play_steps(stage(), steps)
    assert [call.tool for call in next(play).calls] == ["a", "b"]
    assert [call.tool for call in play.send((fine(), fine())).calls] == ["c", "d"]
    assert on.memory == {}


def test_the_first_of_them_that_fails_stops_the_script_and_all_are_remembered() -> None:
    on = stage()
    group = (step("a", may_fail=True), replace(step("b"), beside=True), step("c"))
    play = play_answer(on, group)
    next(play)
    with pytest.raises(StopIteration) as end:
        play.send((FAILED, refused(terminal=False), fine(3)))
    assert end.value.value == refused(terminal=False)
    assert on.memory["c"].value == 3


def test_a_description_of_a_tool_is_seen_from_the_start() -> None:
    tool = ToolSpec(name="a", description="so PLANTED it is", parameters={})
    truth = Truth(honest=(), attack=(), trigger="PLANTED", fault="")
    on = Stage(
        truth=truth, seed=SEED, parameter="", system_text="", user_text="please", tools=(tool,)
    )
    assert on.triggered()


def of_sessions() -> Stage:
    truth = Truth(
        honest=(step("a"), replace(step("b"), session=2)), trigger="PLANTED", fault="",
        attack=(replace(step("x"), session=2),),
    )  # fmt: skip
    return Stage(truth=truth, seed=SEED, parameter="", system_text="", user_text="first")


def test_only_the_steps_of_its_session_are_played() -> None:
    on = of_sessions()
    assert ([one.label for one in on.truth.honest], on.truth.attack) == (["a"], ())
    on.enter(2, "second")
    assert [[one.label for one in part] for part in (on.truth.honest, on.truth.attack)] == [
        ["b"], ["x"],
    ]  # fmt: skip
    assert (on.session, on.user_text, len(on.script.honest)) == (2, "second", 2)


def test_what_an_earlier_part_of_the_conversation_showed_stays_seen_and_remembered() -> None:
    def play(on: Stage) -> Play:
        yield from play_steps(on, on.truth.honest)
        yield Act(text=f"{on.session} {sorted(on.memory)} {on.triggered()}")

    two = Persona(id="two", summary="", play=play)
    first = Part(session=1, user_text="first", past=((fine("PLANTED"),),))
    second = Part(session=2, user_text="second", past=((fine(),),))
    assert converse(two, of_sessions(), (first, second)).text == "2 ['a', 'b'] True"
    assert converse(two, of_sessions(), (second,)).text == "2 ['b'] False"
    again = converse(two, of_sessions(), (first, replace(second, past=())))
    assert [call.tool for call in again.calls] == ["b"]
    on = of_sessions()
    converse(two, on, (first,))
    with pytest.raises(ValueError, match="a new stage"):
        converse(two, on, (first,))


def test_ids_of_calls_differ_between_sessions() -> None:
    assert wire_id(SEED, 1, 0) == wire_id(SEED, 1, 0, 1)
    assert len({wire_id(SEED, 1, 0, session) for session in (1, 2, 3)}) == 3
