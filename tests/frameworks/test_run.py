"""frameworks._run: how a run ends, whatever the framework made of it."""

from typing import Any

import pytest

from frameworks._run import (
    CAUSES,
    NOT_RUN,
    Crashed,
    Foreign,
    Run,
    current_run,
    meaning,
    running,
)
from grid.adapter import Asked, Delivered
from grid.vocabulary import Cause, Status
from grid.wirecall import WireCall
from tests.frameworks.stage import Call, FakeSession, asks, says

OPEN = FakeSession(base_url="http://127.0.0.1:1/v1")
NO_FOREIGN: Foreign = {}


def a_run(**changes: Any) -> tuple[Run, FakeSession]:
    session = FakeSession(base_url=OPEN.base_url, **changes)
    return Run(session), session


def ended(run: Run, error: Exception | None = None, foreign: Foreign = NO_FOREIGN) -> Status:
    return run.end(foreign=foreign, error=error, final_text="").status


def test_a_run_with_all_calls_handed_over_is_completed() -> None:
    run, session = a_run()
    run.answered(200, asks(("pay", "{}")).body)
    run.call(name="pay", arguments={}, call_id="call-0")
    run.answered(200, says("x").body)
    assert run.end(foreign={}, error=None, final_text="bye").final_text == "bye"
    assert ended(run) is Status.COMPLETED
    assert [status for status, _ in session.answers] == [200, 200]


def test_calls_left_over_at_the_end_are_invalid_tool_calls() -> None:
    run, _ = a_run()
    run.answered(200, asks(("pay", "{}"), ("look", "{}")).body)
    run.call(name="pay", arguments={}, call_id="call-0")
    assert ended(run) is Status.INVALID_TOOL_CALLS


@pytest.mark.parametrize("call_id", ["call-1", None, "", "made-up"])
def test_a_call_is_struck_off_by_its_id_else_by_its_name(call_id: str | None) -> None:
    run, _ = a_run()
    run.answered(200, asks(("pay", "{}"), ("pay", "{}"), ("look", "{}")).body)
    run.call(name="pay", arguments={}, call_id=call_id)
    left = {"call-0", "call-2"} if call_id == "call-1" else {"call-1", "call-2"}
    assert {item.id for item in run.waiting} == left


def test_an_id_strikes_off_a_call_that_the_framework_renamed() -> None:
    run, _ = a_run()
    run.answered(200, asks(("Pay", "{}")).body)
    run.call(name="pay", arguments={}, call_id="call-0")
    assert run.waiting == []


def test_a_halt_lets_no_further_call_through_and_outranks_every_other_end() -> None:
    run, session = a_run(deliver=lambda call: Delivered(text="no", is_error=True, halt=True))
    run.answered(200, asks(("pay", "{}"), ("look", "{}")).body)
    assert run.call(name="pay", arguments={}, call_id="call-0").text == "no"
    assert run.call(name="look", arguments={}, call_id="call-1") is NOT_RUN
    assert len(session.calls) == 1
    assert run.over
    run.broke(Status.PROVIDER_ERROR)
    assert ended(run, RuntimeError("crash")) is Status.STOPPED


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (200, says("x").body, Status.COMPLETED),
        (201, says("x").body, Status.PROVIDER_ERROR),
        (302, b"", Status.PROVIDER_ERROR),
        (500, says("x").body, Status.PROVIDER_ERROR),
        (200, b"", Status.PROVIDER_ERROR),
        (200, b"[]", Status.PROVIDER_ERROR),
        (200, b'{"choices": {}}', Status.PROVIDER_ERROR),
        (200, b'{"choices": [{"message": null}]}', Status.PROVIDER_ERROR),
        (200, b"\xff", Status.PROVIDER_ERROR),
        (200, b"[" * 100_000, Status.PROVIDER_ERROR),
    ],
)
def test_only_a_sound_completion_is_an_answer(status: int, body: bytes, expected: Status) -> None:
    run, session = a_run()
    run.answered(status, body)
    assert session.answers == [(status, body)]
    assert ended(run) is expected


def test_a_later_sound_answer_clears_an_earlier_fault() -> None:
    run, _ = a_run()
    run.broke(Status.TIMEOUT)
    assert ended(run, RuntimeError("crash")) is Status.TIMEOUT
    run.answered(200, says("x").body)
    assert ended(run) is Status.COMPLETED


def test_an_unknown_exception_is_a_crash_of_the_framework_and_stands_in_the_note() -> None:
    run, _ = a_run()
    end = run.end(foreign={}, error=KeyError("x"), final_text="")
    assert (end.status, end.cause) == (Status.FRAMEWORK_ERROR, Cause.FRAMEWORK)
    assert end.note == "KeyError: 'x'"


def test_the_first_class_that_fits_says_what_an_exception_means() -> None:
    foreign: Foreign = {KeyError: Status.TURN_LIMIT, LookupError: Status.PROVIDER_ERROR}
    assert meaning(foreign, KeyError) is Status.TURN_LIMIT
    assert meaning(foreign, IndexError) is Status.PROVIDER_ERROR
    assert meaning(foreign, ValueError) is Status.FRAMEWORK_ERROR


def test_an_exception_that_means_completed_still_leaves_unrun_calls_invalid() -> None:
    run, _ = a_run()
    foreign: Foreign = {KeyError: Status.COMPLETED}
    assert ended(run, KeyError("cut"), foreign) is Status.COMPLETED
    run.answered(200, asks(("pay", "{")).body)
    assert ended(run, KeyError("cut"), foreign) is Status.INVALID_TOOL_CALLS


def test_every_bad_end_has_somebody_answerable() -> None:
    good = {Status.COMPLETED, Status.STOPPED}
    never_ours = {Status.HARNESS_ERROR}
    assert set(CAUSES) == set(Status) - good - never_ours


def test_the_limit_is_counted_in_answers() -> None:
    run, _ = a_run(turn_limit=2)
    run.answered(200, says("x").body)
    assert not run.spent
    run.answered(500, b"")
    assert run.spent


def test_a_fault_in_the_session_ends_the_run_and_is_raised_at_its_end() -> None:
    def break_down(call: Call) -> Delivered:
        raise ZeroDivisionError

    run, session = a_run(deliver=break_down)
    run.answered(200, asks(("pay", "{}"), ("look", "{}")).body)
    assert run.call(name="pay", arguments={}, call_id="call-0") is NOT_RUN
    assert run.call(name="look", arguments={}, call_id="call-1") is NOT_RUN
    assert len(session.calls) == 1
    with pytest.raises(ZeroDivisionError):
        ended(run, RuntimeError("what the framework made of it"))


def test_a_closed_run_reports_nothing_more() -> None:
    session = FakeSession(base_url=OPEN.base_url)
    with running(session) as run:
        assert current_run() is run
    run.answered(200, asks(("pay", "{}")).body)
    assert run.call(name="pay", arguments={}, call_id="call-0") is NOT_RUN
    assert (session.answers, session.calls) == ([], [])
    with pytest.raises(LookupError):
        current_run()


# --- a person's word, and a crash -----------------------------------------------------------------


def asked(identity: str) -> Asked:
    return Asked(name="pay", arguments={}, call_id=identity)


def test_a_denied_call_is_not_waited_for_and_an_approved_one_is() -> None:
    no = Delivered(text="no", is_error=True, halt=False)
    session = FakeSession(base_url="", decide=lambda _calls: (None, no))
    run = Run(session)
    run.waiting = [WireCall(id=name, name="pay", raw_arguments="{}") for name in ("a", "b")]
    assert run.ask([asked("a"), asked("b")]) == (None, no)
    assert [item.id for item in run.waiting] == ["a"]


def test_in_a_run_that_is_over_nobody_is_asked_and_nothing_is_approved() -> None:
    session = FakeSession(base_url="", halted=True)
    assert Run(session).ask([asked("a")]) == (NOT_RUN,)
    assert session.journal == []


def test_a_fault_in_the_question_approves_nothing_and_is_raised_in_the_end() -> None:
    def decide(_calls: object) -> tuple[None]:
        raise RuntimeError("ours")

    run = Run(FakeSession(base_url="", decide=decide))
    assert run.ask([asked("a")]) == (NOT_RUN,)
    with pytest.raises(RuntimeError, match="ours"):
        run.end(foreign={}, error=None, final_text="")


def test_a_crash_is_no_exception_that_a_framework_may_handle() -> None:
    assert not issubclass(Crashed, Exception)
