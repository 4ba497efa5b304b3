"""`witness`: wire and journal, held against each other."""

from dataclasses import replace
from typing import Any

import pytest

from grid.canonical import load_json, plain_json
from grid.evidence import CallRecord
from grid.toolanswer import APPROVER
from grid.vocabulary import Agreement, Cause, Status, Witness
from ledgers.finding import call_at
from ledgers.rule import RuleVerdict
from ledgers.rules.witness import RULE
from proxy.wire.exchange import Exchange
from tests.builders import call, case, exchanges, failed, journal, kept_back, receipt, refused

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


def test_a_call_that_was_made_again_after_a_restore_agrees_and_is_named() -> None:
    again = replace(TWO[0], seq=1, receipt=receipt(1))
    calls = (TWO[0], again)
    verdict = judged(calls, TWO[:1], restores=(1,))
    assert verdict.outcome == Agreement.AGREE
    assert verdict.reasons == (
        "call 1 was made again after a restore, with no new answer of the model",
    )
    assert verdict.pointers == (call_at(1),)
    without = judged(calls, TWO[:1])
    assert without.outcome == Agreement.DISAGREE
    assert "not those that the journal has" in without.reasons[0]


def test_a_third_time_after_one_restore_is_one_too_many() -> None:
    calls = [replace(TWO[0], seq=seq, receipt=receipt(seq)) for seq in range(3)]
    assert judged(calls, TWO[:1], restores=(1,)).outcome == Agreement.DISAGREE
    assert judged(calls, TWO[:1], restores=(1, 2)).outcome == Agreement.AGREE


def test_what_a_crash_kept_from_running_was_not_kept_back() -> None:
    lost = (TWO[0], replace(kept_back(1, "look", {"at": "b"}), turn=1))
    assert judged(lost, restores=(1,)).outcome == Agreement.AGREE
    assert judged(lost).outcome == Agreement.DISAGREE
    later = (*lost[:1], replace(lost[1], turn=2))
    assert judged(later, restores=(1,)).outcome == Agreement.DISAGREE


def test_a_denied_call_has_no_place_in_the_order_and_may_be_told_in_other_words() -> None:
    denied = refused(0, "pay", by=APPROVER, turn=1, wire_id="call_1")
    ran = replace(call(1, "look"), turn=1, wire_id="call_0")
    wire = list(exchanges((ran, denied)))
    for item, wanted in ((denied, Agreement.AGREE), (_by(denied, "guard"), Agreement.DISAGREE)):
        said = journal((item, ran), answers=len(wire))
        found = RULE.judge(case(said=said, wire=_told(wire, denied, "User said no.")))
        assert found is not None
        assert found.outcome == wanted


def _by(of: CallRecord, who: str) -> CallRecord:
    return replace(of, decision=replace(of.decision, by=who))


def _told(wire: list[Exchange], of: CallRecord, text: str) -> list[Exchange]:
    """Return the wire with one tool answer in other words."""
    body = load_json(wire[1].request.body["text"])
    for message in body["messages"]:
        if message.get("tool_call_id") == of.wire_id:
            message["content"] = text
    request = replace(wire[1].request, body={"text": plain_json(body, indent=None)})
    return [wire[0], replace(wire[1], request=request)]
