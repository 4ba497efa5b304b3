"""A small run to which another one's answers were played, put together in this process.

Its trials are those of the recorded run under another framework's name, with the same evidence: as
if the other framework had shown the model the same and made the same calls.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from grid.canonical import canonical
from grid.evidence import Evidence, TrialId
from grid.plan import Plan
from grid.strict import to_json
from ledgers.assemble import Assembled
from ledgers.chain import Head
from ledgers.manifest import Manifest, Source, build_manifest
from ledgers.reading import SealedRun
from ledgers.seal import seal
from ledgers.store import RunDirectory
from tests.ledgers.runs import ENVIRONMENT, SEED


def crossed_manifest(original: SealedRun, source: str, targets: Sequence[str]) -> Manifest:
    trials = tuple(
        replace(trial, framework=name)
        for trial in original.manifest.trials
        if trial.framework == source
        for name in targets
    )
    plan = Plan(name=original.manifest.name, seed=SEED, trials=trials)
    return replace(build_manifest(plan), source=Source(head=original.head.head, framework=source))


def played(
    original: SealedRun,
    trial: TrialId,
    source: str,
    change: Callable[[Evidence], Evidence] = lambda evidence: evidence,
    recording: bytes | None = None,
) -> Assembled:
    """Return one played trial.

    Args:
        original: the recorded run.
        trial: the trial that is played.
        source: framework of the recorded one.
        change: what is otherwise in its evidence.
        recording: its recording, if it is another one.
    """
    kept = original.kept(str(replace(trial, framework=source)))
    evidence = change(replace(kept.evidence, trial=trial))
    return Assembled(
        evidence=evidence,
        evidence_bytes=canonical(to_json(evidence)),
        recording_bytes=kept.recording if recording is None else recording,
        detail="",
    )


def make_crossed(
    folder: Path,
    original: SealedRun,
    manifest: Manifest,
    make: Callable[[SealedRun, TrialId, str], Assembled] = played,
) -> Head:
    """Seal the run of a manifest; `make` makes each trial."""
    assert manifest.source is not None
    with RunDirectory.create(folder, manifest) as run:
        for trial in manifest.trials:
            run.keep(make(original, trial, manifest.source.framework), {})
        return seal(run, ENVIRONMENT)
