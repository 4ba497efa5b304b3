"""From pairs of cells to differences: within one scenario, and pooled over scenarios.

A rate of a scenario is the mean of the rates of its cells; a difference is that of the arm less
the baseline's. A pair counts where both sides have an eligible trial; where either has none, the
attack never arrived there, and nobody can be credited. So a scenario without such a pair is left
out of the pooled difference and named. Exposure and invalid trials are counted over all pairs.

Within a scenario stand Newcombe's interval and Boschloo's p over the summed trials. Where its cells
have unequal numbers of trials the sums may tell something else than the mean of the rates: then the
row says that it is `uneven`. Over scenarios stands `ledgers.stats.clustered`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum

from grid.vocabulary import Alarm
from ledgers.comparable import Cell, Counted, Measure
from ledgers.compare_arms import Pair
from ledgers.stats.clustered import Clustered, clustered, mean_interval
from ledgers.stats.proportion import Interval, boschloo, exact_bound, newcombe, wilson
from ledgers.stats.several import benjamini_hochberg

APART = 0.2
"""Exposure of two arms, or failures, that differ by more than this are marked."""
UNEVEN = 0.01
"""Difference of the sums and mean of the differences that are further apart than this."""

type Count = Callable[[Cell], Counted]
"""What is counted in a cell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """How often the attack arrived, and what failed on the way."""

    trials: int
    """Trials of the cells."""
    invalid: int
    """Those that failed unplanned."""
    eligible: int
    """Those that can show harm."""
    exposure: float | None
    """Eligible over those that are not invalid; None if all are."""
    failed: float | None
    """Invalid over all; None without a trial."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A rate of one side."""

    hits: int
    """Trials that count."""
    counted: int
    """Eligible trials of the pairs that count."""
    rate: float | None
    """Mean of the rates below it (cells of a scenario, scenarios of a pool); None: nothing is."""
    interval: Interval | None
    """Of a scenario Wilson's over its trials, of a pool BCa over its scenarios."""
    bound: float | None
    """One-sided exact 95 % bound over the trials: the upper one at no hit, the lower one if all
    are; it speaks of these scenarios, not of others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioDifference:
    """An arm against the baseline in one scenario."""

    scenario: str
    """Scenario id, without the name of a variant."""
    cells: int
    """Pairs of cells."""
    arm_arrival: Arrival
    """Trials of the arm."""
    base_arrival: Arrival
    """Trials of the baseline."""
    arm: Share
    """Rate of the arm."""
    base: Share
    """Rate of the baseline."""
    difference: float | None
    """Arm less baseline; None where either has no eligible trial."""
    interval: Interval | None
    """Newcombe's 95 % interval over the summed trials."""
    p: float | None
    """Boschloo's p over the summed trials."""
    adjusted: float | None
    """That by Benjamini and Hochberg over the scenarios of the arm."""
    exposure_differs: bool
    """The two were not attacked alike."""
    uneven: bool
    """The sums tell another difference than the mean of the cells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """An arm against the baseline over scenarios."""

    arm: Share
    """Rate of the arm."""
    base: Share
    """Rate of the baseline."""
    difference: Clustered | None
    """Arm less baseline, over scenarios; None without a scenario that counts."""
    left_out: tuple[str, ...]
    """Scenarios in which either side has no eligible trial."""


def counting(measure: Measure) -> Count:
    """Return what counts for a measure."""
    return lambda cell: cell.counted(measure)


def alarms(cell: Cell) -> Counted:
    """Return how many trials of a twin raised an alarm, of those that could be judged."""
    loud = cell.row.alarms[Alarm.ALARM]
    return Counted(hits=loud, eligible=loud + cell.row.alarms[Alarm.QUIET])


def by_scenario(pairs: Iterable[Pair]) -> dict[str, list[Pair]]:
    """Return the pairs of each scenario, in plan order."""
    found: dict[str, list[Pair]] = {}
    for pair in pairs:
        found.setdefault(pair.scenario, []).append(pair)
    return found


def usable(pairs: Iterable[Pair], count: Count) -> list[Pair]:
    """Return the pairs in which both sides have an eligible trial."""
    return [pair for pair in pairs if count(pair.arm).eligible and count(pair.base).eligible]


def mean_difference(pairs: Sequence[Pair], count: Count) -> float | None:
    """Return the mean over cells of arm less baseline; None where no pair counts."""
    found = usable(pairs, count)
    if not found:
        return None
    return _mean_rate([pair.arm for pair in found], count) - _mean_rate(
        [pair.base for pair in found], count
    )


def _mean_rate(cells: Sequence[Cell], count: Count) -> float:
    counts = [count(cell) for cell in cells]
    return fsum(one.hits / one.eligible for one in counts) / len(counts)


def arrival_of(cells: Sequence[Cell]) -> Arrival:
    """Return how often the attack arrived in some cells."""
    trials = sum(cell.row.trials for cell in cells)
    invalid = sum(cell.invalid for cell in cells)
    eligible = sum(cell.eligible for cell in cells)
    return Arrival(
        trials=trials,
        invalid=invalid,
        eligible=eligible,
        exposure=eligible / (trials - invalid) if trials > invalid else None,
        failed=invalid / trials if trials else None,
    )


def far(one: float | None, other: float | None) -> bool:
    """Tell whether two shares are too far apart for the two sides to be treated alike."""
    if one is None or other is None:
        return one != other
    return abs(one - other) > APART


def share_in(cells: Sequence[Cell], count: Count) -> Share:
    """Return the rate of some cells of one scenario that all have an eligible trial."""
    counts = [count(cell) for cell in cells]
    hits, counted = sum(one.hits for one in counts), sum(one.eligible for one in counts)
    return Share(
        hits=hits,
        counted=counted,
        rate=_mean_rate(cells, count) if cells else None,
        interval=wilson(hits, counted) if counted else None,
        bound=exact_bound(hits, counted),
    )


def _pooled(shares: Sequence[Share]) -> Share:
    """Return the rate over scenarios, each weighing the same."""
    rates = [share.rate for share in shares if share.rate is not None]
    hits, counted = sum(one.hits for one in shares), sum(one.counted for one in shares)
    return Share(
        hits=hits,
        counted=counted,
        rate=fsum(rates) / len(rates) if rates else None,
        interval=mean_interval(rates),
        bound=exact_bound(hits, counted),
    )


def effect(pairs: Iterable[Pair], count: Count) -> Effect:
    """Return the pooled difference over scenarios."""
    arms: list[Share] = []
    bases: list[Share] = []
    differences: list[float] = []
    left_out: list[str] = []
    for scenario, group in by_scenario(pairs).items():
        found = usable(group, count)
        difference = mean_difference(found, count)
        if difference is None:
            left_out.append(scenario)
            continue
        arms.append(share_in([pair.arm for pair in found], count))
        bases.append(share_in([pair.base for pair in found], count))
        differences.append(difference)
    return Effect(
        arm=_pooled(arms),
        base=_pooled(bases),
        difference=clustered(differences) if differences else None,
        left_out=tuple(left_out),
    )


def scenario_differences(pairs: Iterable[Pair], count: Count) -> tuple[ScenarioDifference, ...]:
    """Return the difference in each scenario, adjusted for their number."""
    found = [_one(scenario, group, count) for scenario, group in by_scenario(pairs).items()]
    adjusted = adjust({n: one.p for n, one in enumerate(found)}, benjamini_hochberg)
    return tuple(replace(one, adjusted=adjusted[n]) for n, one in enumerate(found))


def adjust[K](
    ps: Mapping[K, float | None], method: Callable[[Sequence[float]], tuple[float, ...]]
) -> dict[K, float | None]:
    """Return p values adjusted for the number of those that there are."""
    there = {key: p for key, p in ps.items() if p is not None}
    new = dict(zip(there, method(tuple(there.values())), strict=True))
    return {key: new.get(key) for key in ps}


def _one(scenario: str, pairs: Sequence[Pair], count: Count) -> ScenarioDifference:
    found = usable(pairs, count)
    arm = share_in([pair.arm for pair in found], count)
    base = share_in([pair.base for pair in found], count)
    difference = mean_difference(found, count)
    counts = (arm.hits, arm.counted, base.hits, base.counted)
    arrivals = (
        arrival_of([pair.arm for pair in pairs]),
        arrival_of([pair.base for pair in pairs]),
    )
    return ScenarioDifference(
        scenario=scenario,
        cells=len(pairs),
        arm_arrival=arrivals[0],
        base_arrival=arrivals[1],
        arm=arm,
        base=base,
        difference=difference,
        interval=None if difference is None else newcombe(*counts),
        p=None if difference is None else boschloo(*counts),
        adjusted=None,
        exposure_differs=far(arrivals[0].exposure, arrivals[1].exposure),
        uneven=_is_uneven(difference, counts),
    )


def _is_uneven(difference: float | None, counts: tuple[int, int, int, int]) -> bool:
    if difference is None:
        return False
    summed = counts[0] / counts[1] - counts[2] / counts[3]
    return abs(summed - difference) > UNEVEN
