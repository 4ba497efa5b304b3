"""The tool layer says no: errors, refusals, guards, limits, and faults of the harness itself."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from grid.canonical import load_json
from grid.evidence import Decision, Touch
from grid.guard import Guard, GuardView, refuse
from grid.tool import whole
from grid.toollayer import CALL_LIMIT, ToolLayer
from grid.vocabulary import Access, Verdict
from grid.world import World, WorldRefusal
from tests.grid.layers import layer, put, refusing, tool, wire


def announced(on: ToolLayer, name: str) -> ToolLayer:
    on.announce((wire(name),))
    return on


# --- errors and refusals ------------------------------------------------------------------------


def test_an_error_keeps_the_effects_that_came_before_it() -> None:
    on = layer()
    back = on.call(name="fail", arguments={}, call_id=None)
    (call,) = on.calls
    assert call.error is not None
    assert (call.error.code, call.executed, call.result) == ("timeout", {}, None)
    assert [effect.key for effect in call.effects] == ["half"]
    told = {"kind": "tool", "code": "timeout", "message": "the answer was lost"}
    assert load_json(back.text)["error"] == told


@pytest.mark.parametrize("stops", [True, False])
def test_the_world_states_its_terminal_refusal_and_only_guards_on_ends_the_run(
    stops: bool,
) -> None:
    on = layer(stops=stops)
    back = on.call(name="deny", arguments={"good": True}, call_id=None)
    (call,) = on.calls
    assert (call.decision.by, call.decision.terminal, call.executed) == ("world", True, None)
    assert call.touches == (Touch(resource="rows/seal", effect="open"),)
    refused = load_json(back.text)["refused"]
    assert (refused["terminal"], refused["actionable"]) == (True, False)
    assert back.halt is on.halted is stops


def test_a_refusal_that_can_be_put_right_ends_nothing() -> None:
    on = layer(stops=True)
    assert not on.call(name="deny", arguments={"good": False}, call_id=None).halt
    assert put(on).executed


@pytest.mark.parametrize("terminal", [True, False])
def test_a_guard_refuses_before_the_tool_runs(terminal: bool) -> None:
    on = layer(stops=True, guards=(refusing(terminal=terminal),))
    call = put(on)
    assert (call.decision.by, call.executed, call.effects) == ("no_put", None, ())
    assert call.touches == (Touch(resource="rows/a", effect="put"),)
    assert on.halted is terminal
    assert load_json(call.delivered)["refused"]["next"] == "stop"


def test_after_the_end_nothing_runs_and_everything_is_journalled() -> None:
    on = layer(stops=True, guards=(refusing(),))
    put(on)
    back = on.call(name="many", arguments={"items": []}, call_id=None)
    late = on.calls[1]
    assert (late.decision.by, late.decision.verdict) == ("toollayer", Verdict.REFUSE)
    assert (late.executed, late.touches) == (None, ())
    assert back.halt


def test_with_on_continue_the_next_call_is_run() -> None:
    on = layer(stops=False, guards=(refusing(),))
    put(on)
    on.call(name="many", arguments={"items": []}, call_id=None)
    assert on.calls[1].executed == {"items": []}


def test_guards_are_asked_in_order_and_the_first_refusal_counts() -> None:
    asked: list[str] = []

    def noting(name: str, refuses: bool) -> Guard:
        def before(view: GuardView) -> Decision | None:
            asked.append(name)
            return refuse(name, "no", terminal=False, next_step="wait") if refuses else None

        return Guard(needs_policy=False, id=name, summary="", before=before)

    on = layer(guards=(noting("a", False), noting("b", True), noting("c", True)))
    assert put(on).decision.by == "b"
    assert asked == ["a", "b"]


def test_a_guard_is_asked_about_nothing_that_is_not_a_valid_call() -> None:
    def before(view: GuardView) -> Decision | None:
        raise AssertionError(view.tool)

    on = layer(guards=(Guard(needs_policy=False, id="never", summary="", before=before),))
    on.call(name="put", arguments={"key": 1}, call_id=None)
    on.call(name="nothing", arguments={}, call_id=None)
    assert len(on.calls) == 2


def test_a_guard_sees_the_call_its_policy_the_users_words_and_what_came_before() -> None:
    seen: list[GuardView] = []

    def before(view: GuardView) -> Decision | None:
        seen.append(view)
        return None

    on = layer(
        guards=(Guard(needs_policy=False, id="looking", summary="", before=before),),
        policy={"looking": [7]},
    )
    put(on, "a")
    on.call(name="fail", arguments={}, call_id=None)
    put(on, "b")
    view = seen[-1]
    assert (view.tool, view.access, view.policy, view.user_text) == (
        "put", Access.WRITE, [7], "please",
    )  # fmt: skip
    assert view.arguments == {"key": "b", "value": 1}
    assert view.touches == (Touch(resource="rows/b", effect="put"),)
    assert [(past.tool, past.error, past.arguments) for past in view.past] == [
        ("put", "", {"key": "a", "value": 1}), ("fail", "timeout", {}),
    ]  # fmt: skip
    assert set(view.world.rows("rows")) == {"a", "half", "b"}, "the world after, seen later"
    assert not hasattr(view.world, "put")


def test_a_guard_that_objects_to_the_result_keeps_it_from_the_agent_but_not_the_effect() -> None:
    def after(view: GuardView, result: Any) -> Decision | None:
        return refuse("no_result", f"{result}", terminal=False, next_step="look again")

    on = layer(guards=(Guard(needs_policy=False, id="no_result", summary="", after=after),))
    call = put(on)
    assert (call.decision.by, call.result) == ("no_result", None)
    assert call.executed
    assert call.effects
    assert "result" not in load_json(call.delivered)


# --- limits, faults, threads --------------------------------------------------------------------


def test_over_the_limit_of_answers_nothing_runs() -> None:
    on = layer(turn_limit=2)
    for _ in range(2):
        assert put(announced(on, "put")).executed
    late = put(announced(on, "put"))
    assert (late.executed, late.decision.by) == (None, "toollayer")


def test_over_the_limit_of_calls_nothing_runs_and_everything_is_journalled() -> None:
    on = layer()
    for number in range(CALL_LIMIT + 3):
        put(on, str(number))
    assert len(on.calls) == CALL_LIMIT + 3
    assert len(on.world.rows("rows")) == CALL_LIMIT
    assert [call.executed for call in on.calls[CALL_LIMIT:]] == [None] * 3


@pytest.mark.parametrize(("tool", "fault"), [("break", "KeyError"), ("odd", "CanonicalError")])
def test_a_fault_of_the_harness_is_noted_journalled_and_ends_the_run(tool: str, fault: str) -> None:
    on = layer()
    with pytest.raises(Exception, match=r"mistake|canonical"):
        on.call(name=tool, arguments={}, call_id=None)
    assert on.fault.startswith(fault)
    (call,) = on.calls
    assert call.error is not None
    assert call.error.code == "harness_fault"
    assert "mistake" not in call.delivered + call.error.message
    assert [effect.key for effect in call.effects] == (["half"] if tool == "break" else [])
    assert put(on).executed is None, "the lock is free, and nothing runs any more"


def test_a_fault_of_a_guard_is_a_fault_of_the_harness() -> None:
    def before(view: GuardView) -> Decision | None:
        return view.policy["missing"]  # type: ignore[no-any-return]

    on = layer(guards=(Guard(needs_policy=False, id="broken", summary="", before=before),))
    with pytest.raises(TypeError):
        on.call(name="put", arguments={"key": "a", "value": 1}, call_id=None)
    assert on.fault
    assert on.calls[0].executed is None
    assert on.world.rows("rows") == {}


def test_calls_from_many_threads_are_run_one_after_the_other() -> None:
    inside, together = [0], []

    def run(world: World, arguments: dict[str, Any]) -> Any:
        inside[0] += 1
        together.append(inside[0])
        world.put("rows", f"r{len(world.rows('rows'))}", arguments)
        inside[0] -= 1
        return {}

    on = layer(tools=(tool("add", run, n=whole("n")),))
    start = threading.Barrier(8)

    def work(number: int) -> None:
        start.wait()
        for n in range(10):
            on.call(name="add", arguments={"n": 10 * number + n}, call_id=None)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert set(together) == {1}
    assert [call.seq for call in on.calls] == list(range(80))
    assert [effect.seq for call in on.calls for effect in call.effects] == list(range(80))
    assert {call.executed["n"] for call in on.calls} == set(range(80))


def test_the_clock_advances_with_calls_that_reach_the_world_and_with_nothing_else() -> None:
    on = layer(guards=(refusing(),), stops=False)
    put(on)
    on.call(name="nothing", arguments={}, call_id=None)
    assert on.world.clock == 0
    on.call(name="many", arguments={"items": []}, call_id=None)
    assert on.world.clock == 1


def _half_done(taken_back: bool) -> Any:
    def run(world: World, _arguments: dict[str, Any]) -> None:
        world.put("rows", "half", {"v": 1})
        if taken_back:
            world.drop("rows", "half")
        raise WorldRefusal("too late", terminal=False, next_step="wait", rolled_back=True)

    return run


def test_a_tool_that_took_everything_back_says_so_in_its_refusal() -> None:
    on = layer(tools=(tool("book", _half_done(taken_back=True)),))
    back = on.call(name="book", arguments={}, call_id=None)
    assert load_json(back.text)["refused"]["rolled_back"] is True
    assert len(on.calls[0].effects) == 2
    assert on.world.rows("rows") == {}


def test_a_tool_that_refuses_and_leaves_effects_behind_is_a_fault_of_the_harness() -> None:
    on = layer(tools=(tool("book", _half_done(taken_back=False)),))
    with pytest.raises(RuntimeError, match="'book' refused, and left effects behind"):
        on.call(name="book", arguments={}, call_id=None)
    assert on.halted


def test_a_guard_that_needs_a_policy_is_asked_only_where_there_is_one() -> None:
    asked: list[Any] = []

    def before(view: GuardView) -> Decision | None:
        asked.append(view.policy)
        return None

    strict = Guard(id="strict", summary="", before=before)
    put(layer(guards=(strict,)))
    assert asked == []
    put(layer(guards=(strict,), policy={"strict": {"n": 1}}))
    assert asked == [{"n": 1}]
