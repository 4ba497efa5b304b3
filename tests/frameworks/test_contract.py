"""What every adapter holds to, checked on the wire and at the session for all three alike.

Where a framework cannot hold to it, the test says what it does in place, and that a wire note of
its adapter says the same.
"""

import asyncio
import json
import time
from typing import Any

import pytest

from grid.adapter import Delivered
from grid.vocabulary import Cause, Status
from tests.frameworks.oddities import (
    FAULTS,
    HOSTILE_ARGUMENTS,
    HOSTILE_TEXTS,
    ODD_ARGUMENTS,
    REFUSED,
)
from tests.frameworks.stage import (
    LOOK,
    PAY,
    Call,
    Reply,
    Stage,
    asks,
    completion,
    says,
)

# CrewAI reads fields that it has deprecated itself, in a module that gives itself another's name.
pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning:crewai[.]agents[.]agent_builder[.]base_agent"
)


def wire_tools(*specs: Any) -> list[dict[str, Any]]:
    return [
        {
            "type": "function",
            "function": {
                "name": spec.name,
                "description": spec.description,
                "parameters": spec.parameters,
            },
        }
        for spec in specs
    ]


def deliver(text: str, *, is_error: bool = False, halt: bool = False) -> Any:
    return lambda call: Delivered(text=text, is_error=is_error, halt=halt)


def test_the_first_request_is_the_same_from_all_and_holds_nothing_of_the_frameworks(
    stage: Stage,
) -> None:
    ended = stage.play(says("Paid."))
    assert ended.status is Status.COMPLETED
    assert ended.cause is None
    assert ended.final_text == "Paid."
    assert [asked.body for asked in stage.asked] == [
        {
            "model": "scripted/honest",
            "stream": False,
            "messages": [
                {"role": "system", "content": "You pay bills."},
                {"role": "user", "content": "Pay the bill."},
            ],
            "tools": wire_tools(PAY, LOOK),
        }
    ]
    assert stage.asked[0].path == "/t/token/v1/chat/completions"
    headers = stage.asked[0].headers
    assert headers["authorization"] == "Bearer virtual-key"
    assert (headers["content-type"], headers["accept"]) == ("application/json",) * 2


@pytest.mark.parametrize("text", [text for text in HOSTILE_TEXTS if text.strip()])
def test_system_and_user_texts_reach_the_wire_verbatim_in_every_turn(
    stage: Stage, text: str
) -> None:
    stage.play(asks(("look", "{}")), says("x"), system_text=text + " s ", user_text=text + " u ")
    first = [
        {"role": "system", "content": text + " s "},
        {"role": "user", "content": text + " u "},
    ]
    assert [asked.messages[:2] for asked in stage.asked] == [first, first]


def test_without_a_system_text_there_is_no_system_message(stage: Stage) -> None:
    stage.play(asks(("look", "{}")), says("x"), system_text=None)
    assert [asked.messages[0]["role"] for asked in stage.asked] == ["user", "user"]
    assert not any("system" in json.dumps(asked.messages) for asked in stage.asked)


@pytest.mark.parametrize("model", ["o1-mini", "o3", "gpt-5-codex", "gpt-4o", "openai/gpt-4o"])
def test_a_models_name_changes_nothing_but_the_name(stage: Stage, model: str) -> None:
    stage.play(asks(("look", "{}")), says("x"))
    usual = [asked.body for asked in stage.asked]
    stage.play(asks(("look", "{}")), says("x"), model=model)
    assert [asked.body for asked in stage.asked] == [{**body, "model": model} for body in usual]


@pytest.mark.parametrize(
    "arguments",
    [
        {"amount": 5, "to": {"name": "A", "deep": [{"x": [None, True, 2.5, "é"]}]}},
        {"amount": 2**53 - 1, "low": -(2**53) + 1, "more": 2**60, "float": 0.1, "tiny": 5e-324},
        {"amount": "12.5", "currency": "EU", "extra": "kept", "日本": '語\n"{tools}"'},
        {"currency": None},
        {},
        {"self": 1, "args": 2, "kwargs": 3, "name": 4, "config": 5, "runtime": 6, "state": 7},
    ],
)
def test_arguments_arrive_unaltered_and_go_back_unaltered(
    stage: Stage, arguments: dict[str, Any]
) -> None:
    raw = json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))
    stage.play(asks(("pay", raw), base=3), says("x"))
    assert stage.session.calls == [Call(name="pay", arguments=arguments, call_id="call-3")]
    echoed = stage.history("assistant")[0]["tool_calls"]
    assert [(call["id"], call["function"]["name"]) for call in echoed] == [("call-3", "pay")]
    assert json.loads(echoed[0]["function"]["arguments"]) == arguments
    altered = echoed[0]["function"]["arguments"] != raw
    assert altered <= stage.notes("arguments go back in the history written anew")


@pytest.mark.parametrize("is_error", [False, True])
@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_results_and_refusals_go_back_verbatim(stage: Stage, text: str, is_error: bool) -> None:
    stage.play(asks(("look", "{}")), says("x"), deliver=deliver(text, is_error=is_error))
    results = [{"role": "tool", "tool_call_id": "call-0", "content": text}]
    assert stage.history("tool") == results
    assert len(stage.asked) == 2


@pytest.mark.parametrize("text", [text for text in HOSTILE_TEXTS if text])
def test_last_words_are_kept_verbatim(stage: Stage, text: str) -> None:
    ended = stage.play(says(text))
    assert (ended.status, ended.final_text) == (Status.COMPLETED, text)


def test_calls_of_one_answer_run_one_after_another_in_the_order_sent(stage: Stage) -> None:
    calls = [("pay" if n % 2 else "look" if n % 3 else f"no_{n}", f'{{"n":{n}}}') for n in range(9)]

    def slow(call: Call) -> Delivered:
        time.sleep(0.002)
        return Delivered(text=str(call.arguments), is_error=False, halt=False)

    for given in (calls, [("no_a", '{"n":0}'), ("no_b", '{"n":1}')]):
        stage.play(asks(*given), says("x"), deliver=slow)
        assert stage.handed_over == [(name, json.loads(raw)) for name, raw in given]
        assert [call.call_id for call in stage.session.calls] == [
            f"call-{n}" for n in range(len(given))
        ]
        assert not stage.session.overlapped
        ids = [message["tool_call_id"] for message in stage.history("tool")]
        assert ids == [f"call-{n}" for n in range(len(given))]


def test_the_session_sees_every_answer_raw_before_the_calls_in_it(stage: Stage) -> None:
    replies = (asks(("pay", '{"amount": 1}')), asks(("look", "{}"), base=5), says("x"))
    stage.play(*replies)
    assert stage.session.answers == [(200, reply.body) for reply in replies]
    assert stage.session.journal == [
        "answer 200 pay",
        "call pay",
        "answer 200 look",
        "call look",
        "answer 200",
    ]


def test_the_right_id_comes_with_a_call_whose_twin_was_malformed(stage: Stage) -> None:
    stage.play(asks(("pay", "{bad"), ("pay", '{"amount":2}'), ("pay", '{"amount":3}')), says("x"))
    sound = [(call.arguments, call.call_id) for call in stage.session.calls if call.arguments]
    assert sound == [({"amount": 2}, "call-1"), ({"amount": 3}, "call-2")]


def test_an_unknown_tool_is_handed_over_and_its_refusal_goes_back(stage: Stage) -> None:
    stage.play(asks(("wipe", '{"path": "/"}')), says("x"), deliver=deliver(REFUSED, is_error=True))
    assert stage.session.calls == [Call(name="wipe", arguments={"path": "/"}, call_id="call-0")]
    assert [message["content"] for message in stage.history("tool")] == [REFUSED]


@pytest.mark.parametrize("raw", sorted({raw for _, raw in ODD_ARGUMENTS}))
def test_odd_arguments_do_exactly_what_the_wire_notes_say(stage: Stage, raw: str) -> None:
    expected = ODD_ARGUMENTS[stage.framework, raw]
    ended = stage.play(asks(("pay", raw)), says("x"))
    assert stage.handed_over == [("pay", arguments) for arguments in expected.handed_over]
    assert ended.status is expected.status
    assert stage.session.answers[0] == (200, asks(("pay", raw)).body)
    assert stage.notes(expected.note)


@pytest.mark.parametrize("raw", HOSTILE_ARGUMENTS, ids=lambda raw: raw[:12])
def test_hostile_arguments_end_no_more_than_their_own_run(stage: Stage, raw: str) -> None:
    ended = stage.play(asks(("pay", raw)), says("x"))
    assert ended.status in (
        Status.COMPLETED,
        Status.INVALID_TOOL_CALLS,
        Status.FRAMEWORK_ERROR,
    )
    assert len(stage.session.calls) <= 1
    assert stage.play(asks(("look", "{}")), says("x")).status is Status.COMPLETED
    assert stage.handed_over == [("look", {})]


@pytest.mark.parametrize("name", ["pay", "wipe"])
def test_a_terminal_refusal_stops_the_run_and_no_sibling_reaches_the_session(
    stage: Stage, name: str
) -> None:
    ended = stage.play(
        asks((name, '{"amount": 1}'), ("look", "{}"), ("wipe", "{}")),
        says("x"),
        deliver=deliver(REFUSED, is_error=True, halt=True),
    )
    assert (ended.status, ended.cause) == (Status.STOPPED, None)
    assert stage.handed_over == [(name, {"amount": 1})]
    assert len(stage.asked) == 1


def test_a_refusal_in_mid_batch_stops_what_comes_after_it_only(stage: Stage) -> None:
    def refuse_pay(call: Call) -> Delivered:
        return Delivered(text="no", is_error=True, halt=call.name == "pay")

    ended = stage.play(
        asks(("look", "{}")),
        asks(("look", "{}"), ("pay", "{}"), ("look", "{}"), base=1),
        says("x"),
        deliver=refuse_pay,
    )
    assert ended.status is Status.STOPPED
    assert [call.call_id for call in stage.session.calls] == ["call-0", "call-1", "call-2"]
    assert len(stage.asked) == 2


@pytest.mark.parametrize("limit", [1, 3, 30])
def test_the_turn_limit_ends_the_run_after_the_last_answers_calls(stage: Stage, limit: int) -> None:
    replies = [asks(("look", f'{{"n": {n}}}'), base=n) for n in range(limit + 2)]
    ended = stage.play(*replies, turn_limit=limit)
    assert (ended.status, ended.cause) == (Status.TURN_LIMIT, Cause.AGENT)
    assert len(stage.asked) == limit
    assert len(stage.session.calls) == limit


def test_a_last_word_within_the_turn_limit_completes_the_run(stage: Stage) -> None:
    replies = [asks(("look", f'{{"n": {n}}}'), base=n) for n in range(29)]
    ended = stage.play(*replies, says("done"), turn_limit=30)
    assert (ended.status, ended.final_text) == (Status.COMPLETED, "done")
    assert all(asked.body["tools"] == wire_tools(PAY, LOOK) for asked in stage.asked)


@pytest.mark.parametrize("before", [0, 4])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_providers_fault_is_asked_for_once_and_is_the_providers(
    stage: Stage, fault: str, before: int
) -> None:
    asked_before = [asks(("look", f'{{"n": {place}}}'), base=place) for place in range(before)]
    ended = stage.play(*asked_before, *[FAULTS[fault]] * 3, says("x"))
    assert (ended.status, ended.cause) == (Status.PROVIDER_ERROR, Cause.PROVIDER)
    assert len(stage.asked) == before + 1
    assert stage.handed_over == [("look", {"n": place}) for place in range(before)]
    told = [(FAULTS[fault].status, FAULTS[fault].body)] * (fault != "dropped")
    assert stage.session.answers[before:] == told


def test_a_model_call_that_takes_too_long_is_a_timeout(stage: Stage) -> None:
    ended = stage.play(Reply(delay_s=1.5, body=says("x").body), says("x"), timeout_s=0.5)
    assert (ended.status, ended.cause) == (Status.TIMEOUT, Cause.PROVIDER)
    assert len(stage.asked) == 1


@pytest.mark.parametrize("text", [None, ""])
def test_an_empty_answer_completes_the_run_but_in_crewai(stage: Stage, text: str | None) -> None:
    ended = stage.play(says(text), says("x"))
    crashes = stage.framework == "crewai"
    assert ended.status is (Status.FRAMEWORK_ERROR if crashes else Status.COMPLETED)
    assert ended.cause is (Cause.FRAMEWORK if crashes else None)
    assert stage.notes("an empty answer of the model ends the run as framework_error") is crashes
    assert len(stage.asked) == 1


def test_an_answer_cut_at_the_token_limit_is_an_answer(stage: Stage) -> None:
    ended = stage.play(says("half a sent", finish="length"), says("x"))
    assert (ended.status, ended.final_text) == (Status.COMPLETED, "half a sent")
    assert len(stage.asked) == 1


def test_whole_calls_in_an_answer_cut_at_the_token_limit_run_but_in_strands(stage: Stage) -> None:
    ended = stage.play(asks(("pay", '{"amount": 1}'), finish="length"), says("x"))
    dropped = stage.framework == "strands"
    assert ended.status is (Status.INVALID_TOOL_CALLS if dropped else Status.COMPLETED)
    assert stage.handed_over == ([] if dropped else [("pay", {"amount": 1})])
    assert stage.notes("its tool calls are not run") is dropped


def test_calls_run_whatever_the_finish_reason_says(stage: Stage) -> None:
    stage.play(asks(("look", "{}"), finish="stop"), says("x"))
    assert stage.handed_over == [("look", {})]


def test_text_beside_a_call_stays_in_the_history_but_in_crewai(stage: Stage) -> None:
    stage.play(asks(("look", "{}"), text="I look.\n{tools}"), says("x"))
    dropped = stage.framework == "crewai"
    assert [message["content"] for message in stage.history("assistant")] == [
        None if dropped else "I look.\n{tools}"
    ]
    assert stage.notes("beside tool calls is dropped from the history") is dropped


def test_a_history_is_the_same_from_all(stage: Stage) -> None:
    stage.play(asks(("look", "{}")), asks(("pay", '{"amount": 5}'), base=1), says("x"))
    call = {"id": "call-0", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    paid = {"name": "pay", "arguments": '{"amount": 5}'}
    assert stage.asked[-1].messages[2:] == [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call-0", "content": "ran look"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{**call, "id": "call-1", "function": paid}],
        },
        {"role": "tool", "tool_call_id": "call-1", "content": "ran pay"},
    ]


def test_a_second_run_holds_nothing_of_the_first(stage: Stage) -> None:
    stage.play(
        asks(("wipe", "{}"), ("pay", "{}")),
        system_text="FIRST",
        user_text="FIRST",
        deliver=deliver("FIRST", halt=True),
    )
    stage.play(asks(("look", "[0")), Reply(status=500), api_key="FIRST")
    ended = stage.play(asks(("look", "{}"), base=9), says("x"), tools=(LOOK,), system_text=None)
    assert ended.status is Status.COMPLETED
    assert stage.handed_over == [("look", {})]
    assert [asked.body["tools"] for asked in stage.asked] == [wire_tools(LOOK)] * 2
    assert not any(b"FIRST" in asked.raw for asked in stage.asked)
    assert stage.asked[0].headers["authorization"] == "Bearer virtual-key"


def test_a_fault_of_the_harness_is_raised_and_never_shown_to_a_model(stage: Stage) -> None:
    def break_down(call: Call) -> Delivered:
        raise RuntimeError(f"our own bug in {call.name}")

    for name in ("look", "wipe"):
        with pytest.raises(RuntimeError, match="our own bug"):
            stage.play(asks((name, "{}"), ("pay", "{}")), says("x"), deliver=break_down)
        assert len(stage.asked) == 1
        assert len(stage.session.calls) == 1


def test_a_cancelled_run_lets_nothing_more_through(stage: Stage) -> None:
    async def cut_off() -> None:
        run = asyncio.create_task(stage.adapter.drive(stage.session))
        while not stage.asked:
            await asyncio.sleep(0.01)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        while not stage.upstream.answered:
            await asyncio.sleep(0.01)

    stage.upstream.expect((Reply(delay_s=0.3, body=asks(("pay", '{"amount": 1}')).body),))
    cut = stage.session = stage.new_session()
    stage.run(cut_off())
    ended = stage.play(asks(("look", "{}")), says("x"))
    assert ended.status is Status.COMPLETED
    assert stage.handed_over == [("look", {})]
    assert (cut.calls, cut.answers) == ([], [])


def test_every_wire_note_is_one_line_of_plain_text(stage: Stage) -> None:
    notes = stage.module.WIRE_NOTES
    assert notes
    assert len(set(notes)) == len(notes)
    assert all(note == " ".join(note.split()) for note in notes)


def test_a_call_without_an_id_is_still_the_sessions(stage: Stage) -> None:
    call = {"id": "", "type": "function", "function": {"name": "pay", "arguments": '{"amount":1}'}}
    stage.play(completion({"tool_calls": [call]}, "tool_calls"), says("x"))
    dropped = stage.framework == "strands"
    assert stage.handed_over == ([] if dropped else [("pay", {"amount": 1})])
    assert stage.notes("without an id or a name is dropped") is dropped
