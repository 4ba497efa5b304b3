from dataclasses import replace

import pytest

from grid.canonical import canonical, digest, load_json
from grid.evidence import Evidence
from grid.strict import from_json, to_json
from grid.vocabulary import Witness
from ledgers.assemble import MISSING, PROXY_FAILED, UNDECODABLE, TrialFacts, Wired, assemble
from proxy.wire.exchange import Gap, exchange_lines, read_exchanges
from tests.builders import SEED, TRIAL, call, exchange, exchanges, journal, recorder_lines

FACTS = TrialFacts(trial=TRIAL, seed=SEED, scenario="s" * 64, clause_text="", witness=Witness.PROXY)
SAID = journal([call(0)])
WIRE = exchanges(SAID.calls)
LINES = recorder_lines(WIRE)


def reason(wired: Wired | None) -> str:
    made = assemble(FACTS, SAID, wired)
    assert made.evidence.recording is not None
    assert made.evidence.recording.complete == (not made.evidence.recording.reason)
    assert bool(made.detail) == (not made.evidence.recording.complete)
    return made.evidence.recording.reason


def test_evidence_reads_back_from_its_canonical_bytes() -> None:
    made = assemble(FACTS, SAID, Wired(raw=LINES, complete=True))
    assert from_json(Evidence, load_json(made.evidence_bytes)) == made.evidence
    assert canonical(to_json(made.evidence)) == made.evidence_bytes


def test_a_whole_recording_is_kept_as_exchanges_and_named_by_digest() -> None:
    made = assemble(FACTS, SAID, Wired(raw=LINES, complete=True))
    reference = made.evidence.recording
    assert made.recording_bytes == exchange_lines(WIRE)
    assert reference is not None
    assert (reference.complete, reference.count, reference.reason) == (True, 2, "")
    assert reference.digest == digest("recording", made.recording_bytes)


def test_without_a_wire_there_is_no_recording() -> None:
    made = assemble(replace(FACTS, witness=Witness.JOURNAL), SAID, None)
    assert (made.evidence.recording, made.recording_bytes) == (None, None)


def test_a_recording_that_nobody_handed_over_is_missing() -> None:
    assert reason(None) == MISSING


@pytest.mark.parametrize("gap", list(Gap))
def test_the_recorders_own_word_is_kept(gap: Gap) -> None:
    assert reason(Wired(raw=recorder_lines(WIRE, gap.value), complete=False)) == gap.value


def test_the_proxys_word_is_believed_when_its_lines_say_nothing() -> None:
    assert reason(Wired(raw=LINES, complete=False)) == PROXY_FAILED


def test_lines_cut_anywhere_are_incomplete_and_what_was_whole_is_kept() -> None:
    for end in range(0, len(LINES), 97):
        made = assemble(FACTS, SAID, Wired(raw=LINES[:end], complete=True))
        assert made.evidence.recording is not None
        assert not made.evidence.recording.complete
        assert made.recording_bytes is not None
        assert len(read_exchanges(made.recording_bytes)) == made.evidence.recording.count


def test_an_answer_that_cannot_be_decoded_makes_the_recording_incomplete() -> None:
    wire = [exchange(0, {"model": "m", "messages": []}, "<html>busy</html>")]
    assert reason(Wired(raw=recorder_lines(wire), complete=True)) == UNDECODABLE


def test_what_went_wrong_is_a_fixed_word_whatever_the_bytes_say() -> None:
    hostile = b'{"event":"close","count":0,"reason":"<b>trust me</b>"}\n'
    assert reason(Wired(raw=hostile, complete=True)) == Gap.BAD_LINE
    assert (
        b"trust me" not in assemble(FACTS, SAID, Wired(raw=hostile, complete=True)).evidence_bytes
    )


def test_equal_runs_give_equal_bytes() -> None:
    one, two = (assemble(FACTS, SAID, Wired(raw=LINES, complete=True)) for _ in range(2))
    assert one == two
