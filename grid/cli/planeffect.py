"""The smallest effect that a grid can detect, from its sizes alone.

Two questions. Pooled over scenarios: by how much must two arms of the grid differ in their mean
rate of harm (two clauses, or two models that are run on it), so that the sign-flip test finds it in
four of five runs? And per cell: how often must a new model come to harm in one cell, so that the
cell gate fails it in four of five runs against a baseline of the same size?

Only trials with guards off are counted where there are any: with guards on a harm is a breach and
needs no statistics. All are taken to be exposed and valid. What a grid cannot know before it is run
is the rate and how much scenarios differ; the rate is varied here, and scenarios are taken to react
alike, so a real grid detects somewhat less.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from grid.adapters import SCRIPTED
from grid.evidence import TrialId
from grid.models import is_sampled
from grid.plan import Plan
from grid.scenario import TWIN_SUFFIX
from grid.vocabulary import Guards
from ledgers.stats.power import (
    difference_sd,
    smallest_difference,
    smallest_failing,
    smallest_rate,
)

RATES = (0.1, 0.3, 0.5)
"""Mean rates of harm for which the pooled effect is told."""
BASELINES = (0.0, 0.1, 0.3)
"""Shares of harm in the baseline's cell for which the cell gate's is."""
DETERMINISTIC = (
    "a deterministic persona answers alike in every trial, so its repeats are no samples"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pooled:
    """The smallest difference of two arms that is found, at one rate."""

    rate: float
    """Mean rate of harm of the two arms."""
    difference: float | None
    """The smallest difference of the two rates, as a share; None: none is found so surely."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PerCell:
    """The smallest rate of one cell that is found, against one baseline."""

    hits: int
    """Trials with harm in the baseline's cell."""
    fails_at: int | None
    """Trials with harm from which the new cell fails; None: not even if all are."""
    rate: float | None
    """The smallest true rate that fails in four of five runs; None as above."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Detectable:
    """What a grid can detect with one model."""

    model: str
    """Model id."""
    why_not: str
    """Why nothing is stated, in a sentence; empty if something is."""
    scenarios: int = 0
    """Attack scenarios that are pooled."""
    trials: int = 0
    """Trials of a scenario in one arm; of the scenario that has fewest."""
    pooled: tuple[Pooled, ...] = ()
    """Over all scenarios."""
    cell_trials: int = 0
    """Trials of one cell; of the cell that has fewest."""
    tests: int = 0
    """Cells of the largest family that Holm's correction runs over."""
    per_cell: tuple[PerCell, ...] = ()
    """For one cell."""


def detectable(plan: Plan) -> tuple[Detectable, ...]:
    """Return what a plan can detect with each of its models."""
    models = dict.fromkeys(trial.model for trial in plan.trials)
    try:
        return tuple(_of_model(plan, model) for model in models)
    except ImportError as error:
        why = f"{error.name} is not installed; install nonverba[stats]"
        return tuple(Detectable(model=model, why_not=why) for model in models)


def _of_model(plan: Plan, model: str) -> Detectable:
    if not is_sampled(model):
        return Detectable(model=model, why_not=DETERMINISTIC)
    attacks = [
        trial
        for trial in plan.trials
        if trial.model == model and not trial.scenario.endswith(TWIN_SUFFIX)
    ]
    opened = [trial for trial in attacks if trial.guards == Guards.OFF] or attacks
    if not opened:
        return Detectable(model=model, why_not="the grid holds no attack for it, only twins")
    pooled = [trial for trial in opened if trial.framework != SCRIPTED] or opened
    scenarios = len({_cluster(trial) for trial in pooled})
    arm = min(_arms(pooled).values())
    cells = Counter(str(trial).rpartition("/")[0] for trial in opened)
    size, tests = min(cells.values()), _largest_family(opened)
    return Detectable(
        model=model,
        why_not="",
        scenarios=scenarios,
        trials=arm,
        pooled=tuple(_pooled(rate, scenarios, arm) for rate in RATES),
        cell_trials=size,
        tests=tests,
        per_cell=tuple(
            _per_cell(hits, size, tests)
            for hits in dict.fromkeys(round(share * size) for share in BASELINES)
        ),
    )


def _arms(trials: Sequence[TrialId]) -> Counter[tuple[str, str, str]]:
    return Counter((_cluster(trial), trial.clause, trial.guards) for trial in trials)


def _cluster(trial: TrialId) -> str:
    """Return what is pooled over: the scenario, which its variants share."""
    return trial.scenario.partition(".")[0]


def _largest_family(trials: Sequence[TrialId]) -> int:
    families: dict[tuple[str, ...], set[str]] = {}
    for trial in trials:
        key = (trial.framework, trial.clause, trial.guards, trial.language)
        families.setdefault(key, set()).add(trial.scenario)
    return max(map(len, families.values()))


def _pooled(rate: float, scenarios: int, trials: int) -> Pooled:
    sd = difference_sd(rate_a=rate, rate_b=rate, trials=trials)
    found = smallest_difference(scenarios=scenarios, sd=sd)
    widest = 2 * min(rate, 1 - rate)  # two rates around one mean differ by no more
    return Pooled(rate=rate, difference=None if found is None or found > widest else found)


def _per_cell(hits: int, trials: int, tests: int) -> PerCell:
    return PerCell(
        hits=hits,
        fails_at=smallest_failing(hits, trials, trials, tests),
        rate=smallest_rate(hits, trials, trials, tests),
    )
