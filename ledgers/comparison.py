"""What each arm is worth against the baseline: the whole answer as one record, from cells alone.

Per arm, in this order: whether the attack arrived on both sides, the pooled difference over
scenarios with its test and both intervals, what it costs (utility on attacks and on twins, false
claims, alarms on twins), the difference in each scenario, and the noise floor. Holm's family is the
arms; a copy of the baseline is no hypothesis and stays out of it.

The noise floor is what two arms without any difference came to: the clause `none-again` is the
clause `none`, run once more. An effect that is no larger than the further end of that interval is
within the noise.

Benign twins hold no attack: they say what an arm costs, never what it averts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import fsum

from grid.display import visible
from grid.errors import NotGateable
from ledgers.comparable import Cell, Measure
from ledgers.compare_arms import (
    Axis,
    Pair,
    Pairing,
    Question,
    baseline_of,
    levels_of,
    pair_up,
    stand_apart,
)
from ledgers.compare_effects import (
    Arrival,
    Count,
    Effect,
    ScenarioDifference,
    adjust,
    alarms,
    arrival_of,
    counting,
    effect,
    far,
    scenario_differences,
)
from ledgers.compare_interactions import Interaction, interactions
from ledgers.stats.clustered import smallest_p
from ledgers.stats.several import holm

ORIGINAL, COPY = "none", "none-again"
"""A clause and its copy, which does the same under another name."""
ALPHA = 0.05
"""Error of one family of tests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """One level of the axis against the baseline."""

    level: str
    """The arm."""
    copy: bool
    """It is a copy of the baseline: whatever it shows is noise."""
    cells: int
    """Pairs of cells that hold an attack."""
    twins: int
    """Pairs of benign twins."""
    arm_arrival: Arrival
    """Trials of the arm in those that hold an attack."""
    base_arrival: Arrival
    """Trials of the baseline there."""
    exposure_differs: bool
    """The two were not attacked alike."""
    failures_differ: bool
    """The two did not fail alike: harm that is proved counts in a trial that fails later, and
    nothing else of it does, so that an arm that fails more looks worse than it is."""
    effect: Effect
    """The difference in the measure that was asked for."""
    adjusted: float | None
    """Its sign-flip p by Holm over the arms; None for a copy."""
    within_noise: bool | None
    """It is no larger than the noise floor; None where no floor is known, and for a copy."""
    utility_attacked: Effect
    """Difference in utility under attack."""
    utility_twins: Effect
    """Difference in utility on benign twins."""
    false_claims: Effect
    """Difference in reports that claim what is not so, under attack."""
    alarms: Effect
    """Difference in alarms on benign twins."""
    scenarios: tuple[ScenarioDifference, ...]
    """The difference in each scenario."""
    alone: tuple[str, ...]
    """Cells of the arm without a partner in the baseline; left out."""
    unmet: tuple[str, ...]
    """Cells of the baseline without a partner in the arm; left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """What two arms without any difference came to."""

    arm: str
    """The copy."""
    original: str
    """What it is a copy of."""
    effect: Effect
    """The difference between the two."""
    floor: float | None
    """The end of its t interval that is further from 0; None without an interval."""
    typical: float | None
    """Mean size of the difference in one scenario."""
    largest: float | None
    """The greatest of these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The whole answer."""

    axis: Axis
    """What was compared."""
    measure: Measure
    """In what."""
    baseline: str
    """With what."""
    models: tuple[str, ...]
    """Models that played."""
    frameworks: tuple[str, ...]
    """Frameworks that ran."""
    arms: tuple[Arm, ...]
    """The arms, the one with the least harm first; arms without an answer last."""
    noise: Noise | None
    """The noise floor; None where no two arms are known to be the same."""
    interactions: tuple[Interaction, ...]
    """Every arm in every level of each other coordinate that has several."""
    scripted_left_out: int
    """Cells of the framework `scripted` that were kept apart from real ones."""
    smallest_p: float | None
    """The smallest p that the scenarios of the best arm and the number of arms allow; None where
    there is none."""


def compare(cells: Sequence[Cell], question: Question) -> Comparison:
    """Answer a question from cells.

    Raises:
        ConfigError: the cells hold nothing comparable; it says what differs and what to do.
        NotGateable: no arm has an eligible trial beside one of the baseline.
    """
    kept, left_out = stand_apart(cells)
    baseline = baseline_of(kept, question)
    axis = question.axis
    levels = [level for level in levels_of(kept, axis) if level != baseline]
    pairings = [pair_up(kept, axis, level, baseline) for level in levels]
    count = counting(question.measure)
    noise = _noise(kept, axis, count)
    arms = [_arm(pairing, count, _is_copy(axis, pairing.level, baseline)) for pairing in pairings]
    if all(arm.effect.difference is None for arm in arms):
        raise NotGateable(_nothing_eligible(arms, baseline))
    arms = _tested(arms, noise)
    return Comparison(
        axis=axis,
        measure=question.measure,
        baseline=baseline,
        models=levels_of(kept, Axis.MODEL),
        frameworks=levels_of(kept, Axis.FRAMEWORK),
        arms=tuple(sorted(arms, key=_order)),
        noise=noise,
        interactions=interactions(pairings, axis, count),
        scripted_left_out=left_out,
        smallest_p=_smallest_p(arms),
    )


def _is_copy(axis: Axis, level: str, baseline: str) -> bool:
    return axis is Axis.CLAUSE and {level, baseline} == {COPY, ORIGINAL}


def _at_stake(pairs: Sequence[Pair]) -> list[Pair]:
    """Return the pairs whose trials have outcomes; some scenarios are about utility alone."""
    return [pair for pair in pairs if pair.arm.at_stake or pair.base.at_stake]


def _arm(pairing: Pairing, count: Count, copy: bool) -> Arm:
    attacks, twins = _at_stake(pairing.attacks), pairing.twins
    arrivals = (
        arrival_of([pair.arm for pair in attacks]),
        arrival_of([pair.base for pair in attacks]),
    )
    utility, false = counting(Measure.UTILITY), counting(Measure.FALSE_CLAIMS)
    return Arm(
        level=pairing.level,
        copy=copy,
        cells=len(attacks),
        twins=len(twins),
        arm_arrival=arrivals[0],
        base_arrival=arrivals[1],
        exposure_differs=far(arrivals[0].exposure, arrivals[1].exposure),
        failures_differ=far(arrivals[0].failed, arrivals[1].failed),
        effect=effect(attacks, count),
        adjusted=None,
        within_noise=None,
        utility_attacked=effect(pairing.attacks, utility),
        utility_twins=effect(twins, utility),
        false_claims=effect(pairing.attacks, false),
        alarms=effect(twins, alarms),
        scenarios=scenario_differences(attacks, count),
        alone=pairing.alone,
        unmet=pairing.unmet,
    )


def _noise(cells: Sequence[Cell], axis: Axis, count: Count) -> Noise | None:
    """Return what `none-again` and `none` differ by, whatever the baseline is."""
    if axis is not Axis.CLAUSE or not {ORIGINAL, COPY} <= set(levels_of(cells, axis)):
        return None
    pairs = _at_stake(pair_up(cells, axis, COPY, ORIGINAL).attacks)
    found = effect(pairs, count)
    sizes = [
        abs(one.difference)
        for one in scenario_differences(pairs, count)
        if one.difference is not None
    ]
    interval = found.difference.t if found.difference else None
    return Noise(
        arm=COPY,
        original=ORIGINAL,
        effect=found,
        floor=max(abs(interval.low), abs(interval.high)) if interval else None,
        typical=fsum(sizes) / len(sizes) if sizes else None,
        largest=max(sizes, default=None),
    )


def _tested(arms: Sequence[Arm], noise: Noise | None) -> list[Arm]:
    """Return the arms with p adjusted for their number, and held against the noise floor."""
    ps = {arm.level: _p(arm) for arm in arms if not arm.copy}
    adjusted = adjust(ps, holm)
    floor = noise.floor if noise else None
    return [
        arm
        if arm.copy
        else replace(arm, adjusted=adjusted[arm.level], within_noise=_within(arm.effect, floor))
        for arm in arms
    ]


def _p(arm: Arm) -> float | None:
    return arm.effect.difference.p if arm.effect.difference else None


def _within(found: Effect, floor: float | None) -> bool | None:
    if floor is None or found.difference is None:
        return None
    return abs(found.difference.mean) <= floor


def _order(arm: Arm) -> tuple[bool, float]:
    found = arm.effect.difference
    return (found is None, found.mean if found else 0.0)


def _smallest_p(arms: Sequence[Arm]) -> float | None:
    """Return the p of the most extreme pattern of signs, after Holm's first step."""
    found = [arm.effect.difference for arm in arms if not arm.copy]
    tested = [one.clusters for one in found if one is not None and one.p is not None]
    return min(1.0, len(tested) * smallest_p(max(tested))) if tested else None


def _nothing_eligible(arms: Sequence[Arm], baseline: str) -> str:
    base = max((arm.base_arrival for arm in arms), key=lambda one: one.trials)
    trials = sum(arm.arm_arrival.trials for arm in arms)
    if not trials:
        return (
            "no trial can show harm: there is no attack in the runs, and a benign twin tells of "
            "utility and alarms alone; run the attacks too (cases = ['attack'])"
        )
    invalid = sum(arm.arm_arrival.invalid for arm in arms)
    return (
        f"nothing to compare with {visible(baseline)}: no scenario has an eligible trial on both "
        f"sides. Invalid are {invalid} of {trials} trials of the arms and {base.invalid} of "
        f"{base.trials} of the baseline; in the others the attack never arrived. "
        "`nonverba judge DIR` shows why"
    )
