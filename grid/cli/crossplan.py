"""Which trials a cross-framework replay consists of: every recorded one of a framework, in others.

The model answers of one framework are played to the others, so that what the model does stays the
same and only the framework changes. A trial that is played has the coordinates of the recorded one,
but for the framework, and its seed: so receipts, names and canaries that answers cite are there.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from grid.adapters import SCRIPTED, check_framework
from grid.catalogue import scenario, why_not
from grid.display import visible
from grid.errors import ConfigError
from grid.evidence import TrialId
from grid.plan import Plan
from ledgers.manifest import Manifest, Source, build_manifest
from ledgers.reading import SealedRun


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossing:
    """A planned cross-framework replay."""

    source: str
    """Framework whose answers are played."""
    targets: tuple[str, ...]
    """Frameworks that they are played to."""
    manifest: Manifest
    """The run that is to be made."""
    left_out: tuple[str, ...]
    """Which scenarios are left out in which framework, and why, in sentences."""

    def origin(self, trial: TrialId) -> TrialId:
        """Return the trial whose answers are played to one."""
        return replace(trial, framework=self.source)


def plan_crossing(original: SealedRun, targets: Sequence[str], source: str | None) -> Crossing:
    """Plan the replay of a run's answers in other frameworks.

    Args:
        original: the run that the answers were recorded in.
        targets: frameworks to play them to.
        source: framework that they were recorded from; None: the only one it can be.

    Raises:
        ConfigError: a framework does not fit; the sentence names those that do.
    """
    manifest = original.manifest
    if manifest.source is not None:
        raise ConfigError(
            f"{original.path} asked no model: its answers were played from the run with the head "
            f"{visible(manifest.source.head)}; name the folder of that one"
        )
    wanted = tuple(dict.fromkeys(targets))
    for name in wanted:
        check_framework(name)
        if name == SCRIPTED:
            raise ConfigError(
                f"--framework: {SCRIPTED!r} has no wire, so no answer can be played to it; write "
                "another one"
            )
    chosen = _source(original, wanted, source)
    planned = [trial for trial in manifest.trials if trial.framework == chosen]
    crossed = [replace(trial, framework=name) for trial in planned for name in wanted]
    trials = tuple(trial for trial in crossed if not _why_not(trial))
    left_out = tuple(dict.fromkeys(_left_out(crossed)))
    if not trials:
        raise ConfigError(f"--framework: nothing is left to play: {left_out[0]}")
    plan = Plan(name=manifest.name, seed=manifest.seed, trials=trials, tamper=manifest.tamper)
    return Crossing(
        source=chosen,
        targets=wanted,
        manifest=replace(
            build_manifest(plan, models=manifest.models),
            source=Source(head=original.head.head, framework=chosen),
        ),
        left_out=left_out,
    )


def _source(original: SealedRun, targets: Sequence[str], source: str | None) -> str:
    there = dict.fromkeys(
        trial.framework for trial in original.manifest.trials if trial.framework != SCRIPTED
    )
    told = ", ".join(visible(name) for name in there) or "none with a recording"
    if source is not None:
        if source not in there:
            raise ConfigError(
                f"--from: {original.path} holds no recorded answers from {source!r}; it has those "
                f"of: {told}"
            )
        if source in targets:
            raise ConfigError(
                f"--framework: the answers are those of {source!r}; name another framework"
            )
        return source
    others = [name for name in there if name not in targets]
    if not others:
        raise ConfigError(
            f"--framework: {original.path} holds no answers of another framework than "
            f"{', '.join(targets)} to play; it has those of: {told}"
        )
    if len(others) > 1:
        raise ConfigError(
            f"--from: {original.path} holds answers of several frameworks; write one of: "
            f"{', '.join(map(visible, others))}"
        )
    return others[0]


def _why_not(trial: TrialId) -> str:
    return why_not(scenario(trial.scenario), trial.framework)


def _left_out(trials: Sequence[TrialId]) -> Iterator[str]:
    for trial in trials:
        if reason := _why_not(trial):
            number = scenario(trial.scenario).number
            yield f"{number} cannot be run in {trial.framework}: {reason}"
