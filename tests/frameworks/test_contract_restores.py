"""What every adapter holds to where a session crashes, is sent back, or waits for a person's word.

Where a framework does it in a way of its own, the test says what it does in place.
"""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from grid.adapter import Asked, Delivered
from grid.vocabulary import Cause, Status
from tests.frameworks.stage import Call, FakeSession, Stage, asks, says

# CrewAI reads fields that it has deprecated itself, in a module that gives itself another's name.
pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning:crewai[.]agents[.]agent_builder[.]base_agent"
)

LOOK = ("look", "{}")
PAY = ("pay", '{"amount": 5}')
PAY_MORE = ("pay", '{"amount": 7}')


def crashing(tool: str) -> Callable[[Call], Delivered]:
    """Deliver; the first result of a tool is lost in a crash."""
    left = [tool]

    def deliver(call: Call) -> Delivered:
        if call.name in left:
            left.remove(call.name)
            return Delivered(text="LOST", is_error=False, halt=False, crash=True)
        return Delivered(text=f"ran {call.name}", is_error=False, halt=False)

    return deliver


def keeping(tool: str) -> Callable[[Call], Delivered]:
    """Deliver; a checkpoint is wanted after the first result of a tool."""
    left = [tool]

    def deliver(call: Call) -> Delivered:
        keep = call.name in left
        if keep:
            left.remove(call.name)
        return Delivered(text=f"ran {call.name}", is_error=False, halt=False, keep=keep)

    return deliver


def deciding(*words: Delivered | None) -> Callable[[Sequence[Asked]], tuple[Any, ...]]:
    """Decide on the calls of the first question in these ways; of later ones, on all with yes."""
    left = [words]

    def decide(calls: Sequence[Asked]) -> tuple[Any, ...]:
        return left.pop() if left else (None,) * len(calls)

    return decide


NO = Delivered(text='{"ok":false,"denied":"{tools}"}', is_error=True, halt=False)


# --- a crash ------------------------------------------------------------------------------------


def test_after_a_crash_the_call_is_made_again_and_its_lost_result_is_never_shown(
    stage: Stage,
) -> None:
    replies = (asks(PAY), *([asks(PAY)] if stage.framework == "crewai" else []), says("Paid."))
    ended = stage.play(*replies, restorable=True, deliver=crashing("pay"))
    assert (ended.status, ended.final_text) == (Status.COMPLETED, "Paid.")
    again = ["answer 200 pay"] if stage.framework == "crewai" else []
    assert stage.session.journal == [
        "answer 200 pay", "call pay", "restored", *again, "call pay", "answer 200",
    ]  # fmt: skip
    assert not any(b"LOST" in asked.raw for asked in stage.asked)
    assert [message["content"] for message in stage.history("tool")] == ["ran pay"]


def test_after_a_crash_the_conversation_is_as_if_nothing_had_happened(stage: Stage) -> None:
    again = [asks(PAY, base=1)] if stage.framework == "crewai" else []
    stage.play(asks(LOOK), asks(PAY, base=1), *again, says("x"), restorable=True,
               deliver=crashing("pay"))  # fmt: skip
    crashed = stage.asked[-1].body
    stage.play(asks(LOOK), asks(PAY, base=1), says("x"))
    assert stage.asked[-1].body == crashed


def test_what_of_an_answer_is_made_again_after_a_crash_in_its_midst(stage: Stage) -> None:
    replies = [asks(LOOK, PAY)] * (2 if stage.framework == "crewai" else 1)
    ended = stage.play(*replies, says("x"), restorable=True, deliver=crashing("pay"))
    assert ended.status is Status.COMPLETED
    calls = [call.name for call in stage.session.calls]
    # LangGraph keeps the result of a call that had finished; the others make every call again
    only_the_lost_one = stage.framework == "langgraph"
    assert calls == ["look", "pay", *([] if only_the_lost_one else ["look"]), "pay"]


def test_a_crash_takes_no_turn_away_and_gives_none(stage: Stage) -> None:
    ended = stage.play(
        asks(PAY), asks(LOOK, base=1), asks(LOOK, base=2), says("x"),
        restorable=True, deliver=crashing("pay"), turn_limit=2,
    )  # fmt: skip
    assert (ended.status, ended.cause) == (Status.TURN_LIMIT, Cause.AGENT)
    assert len(stage.asked) == 2


def test_a_session_that_could_crash_and_does_not_goes_as_any_other(stage: Stage) -> None:
    stage.play(asks(LOOK), asks(PAY, base=1), says("x"))
    usual, journal = [asked.body for asked in stage.asked], stage.session.journal
    stage.play(asks(LOOK), asks(PAY, base=1), says("x"), restorable=True)
    assert ([asked.body for asked in stage.asked], stage.session.journal) == (usual, journal)


def test_a_terminal_refusal_ends_a_session_that_could_crash(stage: Stage) -> None:
    def halt(call: Call) -> Delivered:
        return Delivered(text="no", is_error=True, halt=True)

    ended = stage.play(asks(PAY, LOOK), says("x"), restorable=True, deliver=halt)
    assert ended.status is Status.STOPPED
    assert [call.name for call in stage.session.calls] == ["pay"]
    assert len(stage.asked) == 1


# --- a session that goes on from an earlier point -----------------------------------------------


def rewound(stage: Stage, *first: Any, keep: str = "look") -> FakeSession:
    """Play a first session, then one that goes on from the checkpoint that was kept."""
    stage.play(*first, restorable=True, deliver=keeping(keep))
    before = stage.session
    (kept,) = before.kept
    stage.play(says("Yes."), restorable=True, checkpoint=kept, user_text="And now {input}?")
    return before


def test_a_session_goes_on_right_after_the_result_with_new_words_of_the_user(stage: Stage) -> None:
    before = rewound(stage, asks(LOOK), asks(PAY, base=1), says("Paid."))
    assert [call.name for call in before.calls] == ["look", "pay"]
    assert stage.asked[0].messages == [
        {"role": "system", "content": "You pay bills."},
        {"role": "user", "content": "Pay the bill."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "call-0",
                    "type": "function",
                    "function": {"name": "look", "arguments": "{}"},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "call-0", "content": "ran look"},
        {"role": "user", "content": "And now {input}?"},
    ]
    assert stage.session.calls == []


def test_results_of_calls_beside_it_belong_to_the_checkpoint(stage: Stage) -> None:
    rewound(stage, asks(LOOK, PAY), says("Paid."))
    assert [message["content"] for message in stage.history("tool")] == ["ran look", "ran pay"]


def test_a_checkpoint_holds_nothing_that_opens_a_door(stage: Stage) -> None:
    stage.play(asks(LOOK), says("x"), restorable=True, deliver=keeping("look"))
    (kept,) = stage.session.kept
    parts = kept if isinstance(kept, tuple) else (kept,)
    for part in parts:
        assert "virtual-key" not in repr(part)
        assert "virtual-key" not in repr(vars(part) if hasattr(part, "__dict__") else part)
    assert "ran look" in "".join(repr(vars(p) if hasattr(p, "__dict__") else p) for p in parts)


def test_a_session_that_was_sent_back_can_crash_too(stage: Stage) -> None:
    stage.play(asks(LOOK), says("x"), restorable=True, deliver=keeping("look"))
    (kept,) = stage.session.kept
    again = [asks(PAY, base=1)] if stage.framework == "crewai" else []
    ended = stage.play(
        asks(PAY, base=1), *again, says("y"), restorable=True, checkpoint=kept, user_text="Pay.",
        deliver=crashing("pay"),
    )  # fmt: skip
    assert ended.status is Status.COMPLETED
    assert [call.name for call in stage.session.calls] == ["pay", "pay"]
    roles = [message["role"] for message in stage.asked[-1].messages]
    assert roles == ["system", "user", "assistant", "tool", "user", "assistant", "tool"]


def test_a_new_session_knows_nothing_of_one_whose_checkpoint_it_was_not_given(
    stage: Stage,
) -> None:
    rewound(stage, asks(LOOK), says("x"))
    stage.play(says("y"), restorable=True, user_text="Anew.")
    assert [message["content"] for message in stage.asked[0].messages] == [
        "You pay bills.", "Anew.",
    ]  # fmt: skip


# --- a person's word ----------------------------------------------------------------------------


def test_overseen_calls_of_one_answer_are_asked_about_together_and_the_denied_one_never_runs(
    stage: Stage,
) -> None:
    asked: list[Asked] = []

    def decide(calls: Sequence[Asked]) -> tuple[Any, ...]:
        asked.extend(calls)
        return (None, NO)

    ended = stage.play(asks(PAY, PAY_MORE), says("x"), overseen=("pay",), decide=decide)
    assert ended.status is Status.COMPLETED
    assert asked == [
        Asked(name="pay", arguments={"amount": 5}, call_id="call-0"),
        Asked(name="pay", arguments={"amount": 7}, call_id="call-1"),
    ]
    assert stage.session.journal == [
        "answer 200 pay,pay", "ask call-0,call-1", "call pay", "answer 200",
    ]  # fmt: skip
    assert stage.session.calls == [Call(name="pay", arguments={"amount": 5}, call_id="call-0")]
    told = {message["tool_call_id"]: message["content"] for message in stage.history("tool")}
    assert told["call-0"] == "ran pay"
    assert NO.text in told["call-1"]


def test_the_answers_go_to_the_calls_that_they_were_given_for_by_place(stage: Stage) -> None:
    stage.play(asks(PAY, PAY_MORE), says("x"), overseen=("pay",), decide=deciding(NO, None))
    assert stage.handed_over == [("pay", {"amount": 7})]


def test_calls_of_other_tools_wait_for_nobody(stage: Stage) -> None:
    stage.play(asks(LOOK), says("x"), overseen=("pay",))
    assert stage.session.journal == ["answer 200 look", "call look", "answer 200"]


def test_a_call_beside_a_denied_one_runs(stage: Stage) -> None:
    stage.play(asks(LOOK, PAY), says("x"), overseen=("pay",), decide=deciding(NO))
    assert stage.handed_over == [("look", {})]
    told = {message["tool_call_id"]: message["content"] for message in stage.history("tool")}
    assert told["call-0"] == "ran look"
    assert NO.text in told["call-1"]


def test_each_answer_of_the_model_is_asked_about_anew(stage: Stage) -> None:
    stage.play(asks(PAY), asks(PAY, base=1), says("x"), overseen=("pay",), decide=deciding(NO))
    assert stage.session.journal == [
        "answer 200 pay", "ask call-0", "answer 200 pay", "ask call-1", "call pay", "answer 200",
    ]  # fmt: skip


def test_an_approved_call_goes_as_any_other(stage: Stage) -> None:
    stage.play(asks(LOOK), asks(PAY, base=1), says("x"))
    usual = [asked.body for asked in stage.asked]
    stage.play(asks(LOOK), asks(PAY, base=1), says("x"), overseen=("pay",))
    assert [asked.body for asked in stage.asked] == usual


def test_a_question_takes_no_turn_away_and_gives_none(stage: Stage) -> None:
    ended = stage.play(
        asks(PAY), asks(PAY, base=1), asks(PAY, base=2), says("x"), overseen=("pay",), turn_limit=2
    )
    assert ended.status is Status.TURN_LIMIT
    assert len(stage.asked) == 2


def test_a_fault_of_the_harness_in_the_question_is_raised_and_nothing_runs(stage: Stage) -> None:
    def decide(calls: Sequence[Asked]) -> tuple[Any, ...]:
        raise RuntimeError("our own bug")

    with pytest.raises(RuntimeError, match="our own bug"):
        stage.play(asks(PAY), says("x"), overseen=("pay",), decide=decide)
    assert stage.session.calls == []


def test_a_terminal_refusal_of_an_approved_call_ends_the_session(stage: Stage) -> None:
    def halt(call: Call) -> Delivered:
        return Delivered(text="no", is_error=True, halt=True)

    ended = stage.play(asks(PAY, PAY_MORE), says("x"), overseen=("pay",), deliver=halt)
    assert ended.status is Status.STOPPED
    assert [call.arguments for call in stage.session.calls] == [{"amount": 5}]
    assert len(stage.asked) == 1


def test_an_approved_call_that_crashes_is_made_again(stage: Stage) -> None:
    again = [asks(PAY)] if stage.framework == "crewai" else []
    ended = stage.play(
        asks(PAY), *again, says("x"), overseen=("pay",), restorable=True, deliver=crashing("pay")
    )
    assert ended.status is Status.COMPLETED
    assert [call.name for call in stage.session.calls] == ["pay", "pay"]
