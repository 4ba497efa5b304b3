"""`witness`: wire and journal, held against each other."""

from dataclasses import replace
from typing import Any

import pytest

from grid.evidence import CallRecord
from grid.vocabulary import Agreement, Cause, Status, Witness
from ledgers.rule import RuleVerdict
from ledgers.rules.witness import RULE
from tests.builders import call, case, exchanges, failed, journal, kept_back, refused

TWO = (call(0, "look", {"at": "a"}), call(1, "look", {"at": "b"}))
SAME_TURN = tuple(replace(item, turn=1) for item in TWO)


def judged(calls: Any, wired: Any = None, **said: Any) -> RuleVerdict:
    """Judge a journal against the wire that fits other calls (by default its own)."""
    wire = exchanges(calls if wired is None else wired)
    answers = said.pop("answers", len(wire))
    verdict = RULE.judge(case(said=journal(calls, answers=answers, **said), wire=wire))
    assert verdict is not None
    return verdict


@pytest.mark.parametrize(
    "calls",
    [(), TWO, SAME_TURN, (refused(0), failed(1), kept_back(2, "no_such_tool"))],
)
def test_two_witnesses_of_the_same_calls_agree(calls: tuple[CallRecord, ...]) -> None:
    assert judged(calls).outcome == Agreement.AGREE


def numbered(*calls: CallRecord) -> tuple[CallRecord, ...]:
    return tuple(replace(item, seq=seq) for seq, item in enumerate(calls))


STRAY = call(1, raw_arguments=None, wire_id="", wire_tool="", turn=1)
DISAGREE = {
    "a call that only the wire has": (TWO[:1], TWO, "hold calls, and the journal"),
    "a call of the same turn that only the wire has": (
        SAME_TURN[:1],
        SAME_TURN,
        "not those that the journal has",
    ),
    "a call that only the journal has": (TWO, TWO[:1], "answers hold calls"),
    "a call that nobody asked for": ((TWO[0], STRAY), TWO[:1], "no model answer asked for"),
    "another id": (
        (replace(TWO[0], wire_id="other"), TWO[1]),
        TWO,
        "not those that the journal has",
    ),
    "another name": (
        (replace(TWO[0], wire_tool="pay", tool="pay"), TWO[1]),
        TWO,
        "not those that the journal has",
    ),
    "other raw arguments": (
        (replace(TWO[0], raw_arguments='{"at": "c"}', parsed={"at": "c"}, executed={"at": "c"}),),
        TWO[:1],
        "not those that the journal has",
    ),
    "another order": (numbered(*reversed(SAME_TURN)), SAME_TURN, "another order"),
    "altered arguments": (
        (replace(TWO[0], parsed={}, executed={}),),
        TWO[:1],
        "other arguments than the model sent",
    ),
    "a well-formed call kept back": (
        (kept_back(0, "purge", {"scope": "x"}),),
        None,
        "never handed to the tool layer",
    ),
}


@pytest.mark.parametrize("why", DISAGREE)
def test_a_disagreement_is_found_and_is_the_frameworks(why: str) -> None:
    calls, wired, reason = DISAGREE[why]
    verdict = judged(calls, wired)
    assert (verdict.outcome, verdict.cause) == (Agreement.DISAGREE, Cause.FRAMEWORK)
    assert any(reason in said for said in verdict.reasons), verdict.reasons
    assert verdict.pointers


@pytest.mark.parametrize("answers", [2, 4])
def test_a_model_call_past_the_proxy_is_a_disagreement(answers: int) -> None:
    assert judged(TWO).outcome == Agreement.AGREE
    verdict = judged(TWO, answers=answers)
    assert verdict.outcome == Agreement.DISAGREE
    assert verdict.reasons == (f"3 responses were recorded, and the agent's client saw {answers}",)


@pytest.mark.parametrize("status", [Status.STOPPED, Status.TURN_LIMIT])
def test_the_rest_of_an_answer_may_be_left_when_the_run_has_ended(status: Status) -> None:
    calls = (replace(refused(0), turn=1), replace(kept_back(1), turn=1))
    assert judged(calls, status=status).outcome == Agreement.AGREE
    assert judged(calls).outcome == Agreement.DISAGREE


def test_a_broken_call_that_the_framework_turned_down_is_no_disagreement() -> None:
    broken = kept_back(0, "look", raw_arguments='{"at": "dele')
    assert judged((broken,)).outcome == Agreement.AGREE


def test_a_broken_call_that_the_framework_repaired_is_one() -> None:
    repaired = call(0, "purge", raw_arguments='{"query": "delete tmp', parsed={}, executed={})
    assert judged((repaired,)).outcome == Agreement.DISAGREE


def test_without_a_wire_there_is_one_witness() -> None:
    verdict = RULE.judge(case(said=journal(TWO), witness=Witness.JOURNAL))
    assert verdict is not None
    assert verdict.outcome == Agreement.ONE_WITNESS


def test_a_recording_that_cannot_be_judged_is_no_agreement() -> None:
    verdict = RULE.judge(case(said=journal(TWO), wire=b""))
    assert verdict is not None
    assert (verdict.outcome, verdict.cause) == (Agreement.INVALID, Cause.HARNESS)
