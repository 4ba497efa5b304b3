from dataclasses import replace

import pytest

from grid.vocabulary import Cause, Status, Witness
from ledgers.case import Case
from ledgers.validity import OURS, UNPLANNED, invalidity
from proxy.wire.exchange import Gap
from tests.builders import call, case, exchange, exchanges, journal, recorder_lines


def ended(status: Status, cause: Cause | None = None) -> Case:
    return case(said=journal(status=status, cause=cause))


@pytest.mark.parametrize(
    ("status", "cause"),
    [
        (Status.PROVIDER_ERROR, Cause.PROVIDER),
        (Status.HARNESS_ERROR, Cause.HARNESS),
        (Status.TIMEOUT, Cause.HARNESS),
    ],
)
def test_an_unplanned_failure_cannot_be_judged(status: Status, cause: Cause) -> None:
    found = invalidity(ended(status))
    assert found is not None
    assert (found.cause, status.value in found.reason) == (cause, True)
    told = invalidity(ended(status, Cause.TOOL))
    assert told is not None
    assert told.cause is Cause.TOOL


@pytest.mark.parametrize("status", [item for item in Status if item not in UNPLANNED])
def test_every_other_end_can_be_judged(status: Status) -> None:
    assert invalidity(ended(status, Cause.FRAMEWORK)) is None


def test_without_a_wire_nothing_is_missing() -> None:
    assert invalidity(case(witness=Witness.JOURNAL)) is None


@pytest.mark.parametrize("gap", list(Gap))
def test_an_incomplete_recording_cannot_be_judged(gap: Gap) -> None:
    found = invalidity(case(wire=recorder_lines(exchanges([]), gap.value)))
    assert found is not None
    assert found.reason == f"the recording is incomplete: {gap.value}"
    assert found.cause is Cause.HARNESS


@pytest.mark.parametrize("gap", list(Gap))
def test_a_fault_of_our_own_recorder_comes_before_what_it_did_to_the_run(gap: Gap) -> None:
    said = journal(status=Status.PROVIDER_ERROR, cause=Cause.PROVIDER)
    found = invalidity(case(said=said, wire=recorder_lines(exchanges([]), gap.value)))
    assert found is not None
    assert found.cause is (Cause.HARNESS if gap.value in OURS else Cause.PROVIDER)


@pytest.mark.parametrize(
    ("gap", "cause"),
    [
        (Gap.REPLAY_SPENT, Cause.HARNESS),
        (Gap.REPLAY_MISMATCH, Cause.HARNESS),
        (Gap.REQUEST_CUT, Cause.PROVIDER),
    ],
)
def test_a_replay_without_an_answer_is_no_failure_of_a_provider(gap: Gap, cause: Cause) -> None:
    said = journal(status=Status.PROVIDER_ERROR, cause=Cause.PROVIDER)
    found = invalidity(case(said=said, wire=recorder_lines(exchanges([]), gap.value)))
    assert found is not None
    assert found.cause is cause


def test_a_missing_recording_is_ours_whatever_the_status() -> None:
    said = journal(status=Status.PROVIDER_ERROR, cause=Cause.PROVIDER)
    for spoiled in (case(said=said, wire=b""), replace(case(said=said), recording=None)):
        found = invalidity(spoiled)
        assert found is not None
        assert found.cause is Cause.HARNESS
    assert {"recorder_failed", "internal_error", "not_closed", "cut_tail", "empty"} <= OURS
    assert not {"unanswered", "in_flight", "request_cut"} & OURS


def test_a_recording_cut_anywhere_cannot_be_judged() -> None:
    lines = recorder_lines(exchanges([call(0)]))
    for end in (0, 10, len(lines) - 1, lines.rfind(b"\n", 0, -1) + 1):
        assert invalidity(case(wire=lines[:end])) is not None


def test_a_missing_recording_cannot_be_judged() -> None:
    found = invalidity(replace(case(), recording=None))
    assert found is not None
    assert found.reason == "there is no recording"


def test_a_recording_that_lost_an_exchange_cannot_be_judged() -> None:
    assert invalidity(replace(case(), exchanges=())) is not None


def test_an_answer_that_cannot_be_decoded_cannot_be_judged() -> None:
    asked = {"model": "m", "messages": []}
    found = invalidity(case(wire=[exchange(0, asked, "<html>")]))
    assert found is not None
    assert found.reason == "the recording is incomplete: undecodable"


def test_a_case_says_itself_which_exchange_is_undecodable() -> None:
    whole = case()
    broken = replace(whole.exchanges[0], trouble="the answer cannot be decoded")
    found = invalidity(replace(whole, exchanges=(broken,)))
    assert found is not None
    assert found.reason == "exchange 0: the answer cannot be decoded"


def test_a_providers_error_that_did_not_end_the_run_is_judged() -> None:
    asked = {"model": "m", "messages": []}
    busy = exchange(0, asked, {"error": {"message": "busy"}}, status=503)
    last = exchanges([])[0]
    wire = [busy, replace(last, n=1)]
    assert invalidity(case(said=journal(answers=2), wire=wire)) is None
