import re
from pathlib import Path

from grid.canonical import canonical, digest, load_json
from grid.strict import from_json, to_json
from ledgers.adjudicate import judge
from ledgers.chain import EntryKind, Head, check_chain, entry_lines
from ledgers.entries import LEDGER_FORMAT, Header, Seal, TrialEntry, ledger_entries, trial_entry
from ledgers.manifest import build_manifest, manifest_bytes, manifest_digest
from ledgers.reading import Kept, case_of
from ledgers.store import LEDGER
from tests.ledgers.runs import TRIALS, finished, plan

MANIFEST = build_manifest(plan())


def entry(number: int) -> TrialEntry:
    made = finished(TRIALS[number], MANIFEST)
    kept = Kept(
        evidence=made.evidence, evidence_bytes=made.evidence_bytes, recording=made.recording_bytes
    )
    return trial_entry(made.evidence, made.evidence_bytes, judge(case_of(kept, MANIFEST)))


def test_an_entry_reads_back_from_its_canonical_bytes() -> None:
    for number in range(len(TRIALS)):
        made = entry(number)
        assert from_json(TrialEntry, load_json(canonical(to_json(made)))) == made


def test_an_entry_names_evidence_and_recording_by_digest() -> None:
    made, of = finished(TRIALS[2], MANIFEST), entry(2)
    assert of.evidence == digest("evidence", made.evidence_bytes)
    assert made.recording_bytes is not None
    assert of.recording is not None
    assert of.recording.digest == digest("recording", made.recording_bytes)
    assert of.recording.count == made.recording_bytes.count(b"\n")
    assert entry(0).recording is None


def test_a_ledger_is_header_trials_in_order_and_seal() -> None:
    data = manifest_bytes(MANIFEST)
    entries = ledger_entries(data, (entry(0), entry(1)))
    check_chain(entries)
    assert [item.kind for item in entries] == [
        EntryKind.HEADER, EntryKind.TRIAL, EntryKind.TRIAL, EntryKind.SEAL,
    ]  # fmt: skip
    assert from_json(Header, entries[0].body) == Header(
        format=LEDGER_FORMAT, manifest=manifest_digest(data), trials=2
    )
    assert from_json(Seal, entries[-1].body) == Seal(trials=2)
    assert entry_lines(entries) == entry_lines(ledger_entries(data, (entry(0), entry(1))))


def test_entries_hold_no_clock_host_path_offset_or_version(sealed: tuple[Path, Head]) -> None:
    text = (sealed[0] / LEDGER).read_text("utf-8")
    assert not re.search(
        r"\d{4}-\d\d-\d\d[T ]\d\d:|\"offset\"|wall_ms|127\.0\.0\.1|/tmp|/home", text
    )
