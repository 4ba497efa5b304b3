"""What the trials of a finished run took, as the means that a plan rests on.

A trial of the plan is held against the trials of its own cell. Where the run has none that told
what is asked for, against those of a wider group: the same scenario, framework, model and language;
then without the model; then the scenario; then all that had a wire.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from grid.errors import ConfigError
from grid.evidence import TrialId
from ledgers.frames import trial_facts
from ledgers.reading import SealedRun

QUANTITIES = ("requests", "input_tokens", "output_tokens", "latency_ms")
"""Columns of `ledgers.frame` that are averaged."""
GROUPS = (
    "its own cell",
    "its scenario, framework, model and language",
    "its scenario, framework and language",
    "its scenario",
    "all trials on a wire",
)
"""What a mean can rest on, the closest first."""

type _Sums = dict[tuple[int, str, tuple[str, ...]], tuple[float, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """The mean of one quantity."""

    value: float
    """The mean."""
    group: int
    """Position in `GROUPS` of what it rests on."""


class Like:
    """The means of a run."""

    def __init__(self, run: SealedRun) -> None:
        """Read the run, one recording at a time.

        Raises:
            ConfigError: it cannot be read, or nothing of it went over a wire.
        """
        self.path = run.path
        self._sums: _Sums = {}
        for entry, facts in zip(run.trials, trial_facts(run), strict=True):
            self._take(entry.trial, facts)
        if not self._sums:
            raise ConfigError(
                f"--like: no trial of {run.path} went over a wire, so it tells nothing about model "
                "calls; name a run of a real framework"
            )

    def _take(self, trial: TrialId, facts: Mapping[str, Any]) -> None:
        if facts["requests"] is None:
            return
        for name in QUANTITIES:
            if facts[name] is None:
                continue
            for group, key in enumerate(_groups(trial)):
                total, count = self._sums.get((group, name, key), (0.0, 0))
                self._sums[group, name, key] = (total + facts[name], count + 1)

    def mean(self, trial: TrialId, name: str) -> Mean | None:
        """Return the mean of a quantity for a trial; None if no trial of the run told it."""
        for group, key in enumerate(_groups(trial)):
            if (found := self._sums.get((group, name, key))) is not None:
                return Mean(value=found[0] / found[1], group=group)
        return None


def _groups(trial: TrialId) -> Iterator[tuple[str, ...]]:
    scenario, framework, model = trial.scenario, trial.framework, trial.model
    yield (scenario, framework, model, trial.clause, trial.guards, trial.language)
    yield (scenario, framework, model, trial.language)
    yield (scenario, framework, trial.language)
    yield (scenario,)
    yield ()
