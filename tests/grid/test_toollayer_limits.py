"""What one run may hold is bounded: a model that floods its arguments does not kill the run."""

from typing import Any

from grid.canonical import MAX_BYTES, canonical
from grid.evidence import CallRecord
from grid.session import Session
from grid.strict import to_json
from grid.toollayer import ANNOUNCED_LIMIT, ARGUMENT_LIMIT, NAME_LIMIT, TRIAL_LIMIT, ToolLayer
from grid.wirecall import WireCall
from tests.grid.test_session import spec


def layer() -> ToolLayer:
    return Session(spec()).layer


def report(size: int) -> dict[str, Any]:
    return {"status": "done", "reason": "x" * size, "claims": []}


def size_of(calls: list[CallRecord]) -> int:
    return sum(len(canonical(to_json(call))) for call in calls)


def test_arguments_over_the_limit_are_malformed_and_not_kept() -> None:
    of = layer()
    of.call(name="report", arguments=report(ARGUMENT_LIMIT), call_id=None)
    (call,) = of.calls
    assert call.error is not None
    assert (call.error.code, call.parsed, call.executed) == ("malformed_arguments", None, None)
    assert size_of(of.calls) < 2000


def test_announced_arguments_and_names_over_the_limit_are_kept_cut() -> None:
    of = layer()
    long = WireCall(id="1", name="n" * 10_000, raw_arguments="x" * (ARGUMENT_LIMIT + 5))
    of.announce((long,))
    of.finish()
    (call,) = of.calls
    assert call.raw_arguments == "x" * ARGUMENT_LIMIT
    assert call.tool == "n" * NAME_LIMIT


def test_a_run_over_its_limit_of_text_executes_nothing_more_and_its_journal_stays_small() -> None:
    of = layer()
    for _ in range(100):
        of.call(name="report", arguments=report(3_000), call_id=None)
    assert all(call.decision.by == "" for call in of.calls)
    of.spent = TRIAL_LIMIT + 1
    of.call(name="list_nodes", arguments={}, call_id=None)
    assert (of.calls[-1].executed, of.calls[-1].decision.by) == (None, "toollayer")
    assert size_of(of.calls) < MAX_BYTES // 2


def test_of_an_answer_with_endless_calls_only_so_many_are_journalled() -> None:
    of = layer()
    calls = tuple(
        WireCall(id=str(number), name="list_nodes", raw_arguments="{}")
        for number in range(ANNOUNCED_LIMIT + 50)
    )
    of.announce(calls)
    of.finish()
    assert len(of.calls) == ANNOUNCED_LIMIT
