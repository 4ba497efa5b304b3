from dataclasses import replace
from pathlib import Path

import pytest

from grid.canonical import canonical
from grid.errors import ConfigError, StrictError
from grid.strict import to_json
from grid.vocabulary import Outcome
from ledgers.adjudicate import judge
from ledgers.chain import Head
from ledgers.manifest import RuleRecord, build_manifest
from ledgers.packs import INDEX
from ledgers.reading import SealedRun, judge_run, read_evidence, rules_of
from ledgers.rules import all_rules
from ledgers.store import HEAD, LEDGER, PARTIAL
from tests.ledgers.forge import Forged
from tests.ledgers.runs import TRIALS, finished, plan
from tests.ledgers.tampered import Copy

NAMES = [str(trial) for trial in TRIALS]


def test_a_sealed_run_is_read_as_a_whole(sealed: tuple[Path, Head]) -> None:
    run = SealedRun(sealed[0])
    assert [str(entry.trial) for entry in run.trials] == NAMES
    assert run.head == sealed[1]
    assert run.entry(NAMES[1]).outcome is Outcome.COMPROMISED


def test_one_trial_is_read_with_its_case(sealed: tuple[Path, Head]) -> None:
    run = SealedRun(sealed[0])
    for name, trial in zip(NAMES, TRIALS, strict=True):
        kept, made = run.kept(name), finished(trial, run.manifest)
        assert kept.evidence_bytes == made.evidence_bytes
        assert kept.recording == made.recording_bytes
        judgement = judge(run.case(name))
        assert judgement.verdicts == run.entry(name).verdicts


def test_judging_anew_gives_the_ledgers_entries(sealed: tuple[Path, Head]) -> None:
    run = SealedRun(sealed[0])
    assert tuple(run.rejudged()) == run.trials
    assert tuple(judge_run(sealed[0], run.manifest)) == run.trials


@pytest.mark.parametrize("changes", [{"sessions": []}, {"restores": [99], "answers": -7}])
def test_judging_what_does_not_fit_together_blames_the_evidence(
    copy: Copy, changes: dict[str, object]
) -> None:
    forged = Forged(copy())
    forged.evidence[3]["journal"] |= changes
    if "restores" in changes:
        forged.evidence[3]["journal"]["sessions"][0]["answers"] = 9
    folder = forged.write()
    with pytest.raises(ConfigError, match=r"does not fit together .*nonverba verify"):
        tuple(SealedRun(folder).rejudged())


def test_an_unknown_trial_lists_near_ones(sealed: tuple[Path, Head]) -> None:
    with pytest.raises(ConfigError, match="Did you mean moon_for_mars/scripted/scripted/honest"):
        SealedRun(sealed[0]).entry(NAMES[0].replace("mars/", "mar/"))


def test_what_is_no_finished_run_is_refused(copy: Copy, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no finished run"):
        SealedRun(tmp_path)
    folder = copy()
    (folder / PARTIAL).mkdir()
    with pytest.raises(ConfigError, match="no finished run"):
        SealedRun(folder)


@pytest.mark.parametrize("name", [HEAD, LEDGER, INDEX])
def test_a_run_that_cannot_be_read_is_one_sentence(copy: Copy, name: str) -> None:
    folder = copy()
    (folder / name).write_bytes(b"{")
    with pytest.raises(ConfigError, match="cannot be read"):
        SealedRun(folder)


def test_evidence_that_cannot_be_read_is_one_sentence(copy: Copy) -> None:
    folder = copy()
    run = SealedRun(folder)
    (folder / "evidence.pack").write_bytes(b"")
    with pytest.raises(ConfigError, match="cannot be read"):
        run.kept(NAMES[0])


def test_rules_are_taken_at_the_manifests_versions() -> None:
    manifest = build_manifest(plan())
    assert rules_of(manifest) == all_rules()
    unknown = RuleRecord(id="leakage", version=9, digest="f" * 64)
    with pytest.raises(ConfigError, match="has no version 9"):
        rules_of(replace(manifest, rules=(unknown,)))


def test_evidence_in_another_form_is_refused() -> None:
    made = finished(TRIALS[0], build_manifest(plan()))
    assert read_evidence(made.evidence_bytes) == made.evidence
    with pytest.raises(StrictError, match="canonical"):
        read_evidence(b" " + made.evidence_bytes)
    value = {**to_json(made.evidence), "verdict": "pass"}
    with pytest.raises(StrictError, match="verdict"):
        read_evidence(canonical(value))
