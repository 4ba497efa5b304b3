"""A run whose model answers were played from another one: it holds as any run does."""

from dataclasses import replace
from pathlib import Path

import pytest

from grid.errors import VerificationError
from ledgers.chain import Head
from ledgers.manifest import Manifest, Source
from ledgers.reading import SealedRun
from ledgers.seal import seal
from ledgers.store import RunDirectory
from ledgers.verify import verify
from tests.ledgers.crossed import crossed_manifest, make_crossed, played
from tests.ledgers.runs import ENVIRONMENT


@pytest.fixture
def original(sealed: tuple[Path, Head]) -> SealedRun:
    return SealedRun(sealed[0])


def manifest(original: SealedRun) -> Manifest:
    return crossed_manifest(original, "strands", ["crewai", "langgraph"])


def test_a_played_run_verifies_and_has_the_seeds_of_the_recorded_trials(
    original: SealedRun, tmp_path: Path
) -> None:
    head = make_crossed(tmp_path / "run", original, manifest(original))
    report = verify(tmp_path / "run", head.head)
    assert report.trials == 6
    seeds = {str(entry.trial): entry.seed for entry in original.trials}
    for entry in SealedRun(tmp_path / "run").trials:
        assert entry.seed == seeds[str(replace(entry.trial, framework="strands"))]


def test_its_manifest_says_which_run_and_framework_its_answers_are_of(
    original: SealedRun, tmp_path: Path
) -> None:
    make_crossed(tmp_path / "run", original, manifest(original))
    found = SealedRun(tmp_path / "run").manifest.source
    assert found == Source(head=original.head.head, framework="strands")


@pytest.mark.parametrize("source", [None, "crewai-native"])
def test_seeds_that_are_not_those_of_the_named_source_fail_at_the_plan(
    original: SealedRun, tmp_path: Path, source: str | None
) -> None:
    """The same trials under a manifest that names no source, or another one."""
    named = Source(head=original.head.head, framework=source) if source else None
    forged = replace(manifest(original), source=named)
    with RunDirectory.create(tmp_path / "run", forged) as run:
        for trial in forged.trials:
            run.keep(played(original, trial, "strands"), {})
        seal(run, ENVIRONMENT)
    with pytest.raises(VerificationError) as found:
        verify(tmp_path / "run")
    assert (found.value.step, found.value.name) == (9, "plan")
