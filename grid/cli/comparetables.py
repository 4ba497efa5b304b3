"""The tables of a comparison as data: what the terminal and Markdown both show, in this order.

Whether the attack arrived; the difference over scenarios; what it costs; each scenario; the same in
each level of the other coordinates. Below stands what was left out, and what the reader must know.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import batched

from grid.cli.comparewords import (
    NONE,
    Words,
    between,
    brief,
    chance,
    change,
    floor,
    percent,
    pooled,
    rate,
    signed,
)
from ledgers.compare_arms import Axis
from ledgers.compare_effects import Arrival, Effect, ScenarioDifference
from ledgers.comparison import ALPHA, Arm, Comparison

FEW = 3
"""Arms up to which each has its own table of scenarios; more share one, unless all is asked for."""
WIDE = 6
"""Arms that stand side by side in a shared table."""
MOST_NAMED = 12
"""Names that one line lists."""
CAUTION = " !"
"""Marks exposure, and failures, that differ."""
UNEVEN = " ~"
"""Marks a scenario whose cells have unequal numbers of trials."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table."""

    title: str
    """What it shows."""
    heads: tuple[str, ...]
    """Heads of the columns."""
    rows: tuple[tuple[str, ...], ...]
    """Its cells; names in them have been made harmless."""


def tables(comparison: Comparison, words: Words, *, full: bool) -> Iterator[Table]:
    """Return the tables, in the order in which they are read."""
    yield _arrivals(comparison, words)
    yield _effects(comparison, words)
    yield _costs(comparison, words)
    if full or len(comparison.arms) <= FEW:
        for arm in comparison.arms:
            yield _scenarios(arm, comparison, words)
    else:
        for few in batched(comparison.arms, WIDE, strict=False):
            yield _matrix(few, comparison, words)
    yield from _interactions(comparison, words)


def _arrivals(comparison: Comparison, words: Words) -> Table:
    return Table(
        title=f"Did the attack arrive? Arm / baseline ({words.named(comparison.baseline)})",
        heads=("arm", "cells", "trials", "invalid", "exposed, of those not invalid"),
        rows=tuple(
            (
                words.named(arm.level),
                str(arm.cells),
                *_marked(arm),
                _exposures(arm.arm_arrival, arm.base_arrival) + CAUTION * arm.exposure_differs,
            )
            for arm in comparison.arms
        ),
    )


def _marked(arm: Arm) -> tuple[str, str]:
    trials, failed = _sides(arm.arm_arrival, arm.base_arrival)
    return trials, failed + CAUTION * arm.failures_differ


def _sides(arm: Arrival, base: Arrival) -> tuple[str, str]:
    return (
        f"{arm.trials} / {base.trials}",
        f"{percent(arm.failed)} / {percent(base.failed)}",
    )


def _exposures(arm: Arrival, base: Arrival) -> str:
    return f"{percent(arm.exposure)} / {percent(base.exposure)}"


def _effects(comparison: Comparison, words: Words) -> Table:
    return Table(
        title=(
            f"Difference in {comparison.measure} over scenarios, in points, less is better (b/w/e: "
            "scenarios in which the arm is better, worse, equal; noise: its floor)"
        ),
        heads=(
            "arm",
            comparison.measure.value,
            "points, t 95 %",
            "BCa 95 %",
            "p (Holm)",
            "b/w/e",
            "noise",
        ),
        rows=tuple(_effect_row(arm, comparison, words) for arm in comparison.arms),
    )


def _effect_row(arm: Arm, comparison: Comparison, words: Words) -> tuple[str, ...]:
    found = arm.effect.difference
    return (
        words.named(arm.level),
        change(arm.effect),
        brief(found),
        between(found.bca) if found else NONE,
        chance(arm.adjusted),
        f"{found.lower}/{found.higher}/{found.equal}" if found else NONE,
        floor(comparison).removesuffix(" points"),
    )


def _costs(comparison: Comparison, words: Words) -> Table:
    return Table(
        title="What it costs: baseline -> arm, difference in points with its t interval",
        heads=(
            "arm",
            "utility, attacked",
            "utility, twins",
            "false claims",
            "alarms, twins",
        ),
        rows=tuple(
            (
                words.named(arm.level),
                _cost(arm.utility_attacked),
                _cost(arm.utility_twins),
                _cost(arm.false_claims),
                _cost(arm.alarms),
            )
            for arm in comparison.arms
        ),
    )


def _cost(found: Effect) -> str:
    if found.difference is None:
        return NONE
    return f"{change(found)}: {brief(found.difference)}"


def _scenarios(arm: Arm, comparison: Comparison, words: Words) -> Table:
    return Table(
        title=f"{words.named(arm.level)} in each scenario: arm / baseline",
        heads=(
            "scenario",
            "trials",
            "invalid",
            "exposed",
            comparison.measure.value,
            "points",
            "Newcombe 95 %",
            "p (BH)",
        ),
        rows=tuple(_scenario_row(one, words) for one in arm.scenarios),
    )


def _scenario_row(one: ScenarioDifference, words: Words) -> tuple[str, ...]:
    return (
        words.scenario(one.scenario) + UNEVEN * one.uneven,
        *_sides(one.arm_arrival, one.base_arrival),
        _exposures(one.arm_arrival, one.base_arrival) + CAUTION * one.exposure_differs,
        f"{rate(one.arm)} / {rate(one.base)}",
        NONE if one.difference is None else signed(one.difference),
        between(one.interval),
        chance(one.adjusted),
    )


def _matrix(arms: Sequence[Arm], comparison: Comparison, words: Words) -> Table:
    """Return the differences of several arms in one table; a star is p below ALPHA after BH."""
    found = [{one.scenario: one for one in arm.scenarios} for arm in arms]
    scenarios = tuple(dict.fromkeys(name for arm in found for name in arm))
    return Table(
        title=(
            f"Difference in {comparison.measure} in each scenario, in points "
            f"(*: p < {ALPHA} by BH; --full shows trials, rates and intervals)"
        ),
        heads=("scenario", *(words.named(arm.level) for arm in arms)),
        rows=tuple(
            (words.scenario(name), *(_short(arm.get(name)) for arm in found)) for name in scenarios
        ),
    )


def _short(one: ScenarioDifference | None) -> str:
    if one is None or one.difference is None:
        return NONE
    star = "*" if one.adjusted is not None and one.adjusted < ALPHA else ""
    return signed(one.difference) + star + CAUTION * one.exposure_differs


def _interactions(comparison: Comparison, words: Words) -> Iterator[Table]:
    coordinates = dict.fromkeys(one.coordinate for one in comparison.interactions)
    for name in coordinates:
        yield Table(
            title=f"{comparison.axis} x {name}: does an arm do the same in every {name}?",
            heads=("arm", name, "scenarios", "points, t 95 %", "less the others", "p (Holm)"),
            rows=tuple(
                (
                    words.named(one.arm),
                    words.named(one.level),
                    str(one.effect.clusters) if one.effect else NONE,
                    brief(one.effect),
                    brief(one.contrast),
                    chance(one.adjusted),
                )
                for arm in comparison.arms
                for one in comparison.interactions
                if (one.arm, one.coordinate) == (arm.level, name)
            ),
        )


def notes(comparison: Comparison, words: Words) -> Iterator[str]:
    """Return what the reader must know beside the tables, and what was left out."""
    yield _noise(comparison, words)
    for arm in comparison.arms:
        yield from _left_out(arm, words)
    arms = comparison.arms
    if comparison.scripted_left_out:
        yield (
            f"{comparison.scripted_left_out} cells of the framework scripted are left out: it has "
            "no wire and is never pooled with real frameworks"
        )
    if comparison.smallest_p is not None and comparison.smallest_p >= ALPHA:
        yield (
            f"with so few scenarios and {len(arms)} arms no p below {comparison.smallest_p:.2g} is "
            "possible, whatever an arm does: add scenarios"
        )
    if any(arm.arm_arrival.trials != arm.base_arrival.trials for arm in arms):
        yield "arms have unequal numbers of trials: a rate is the mean over cells, not over trials"
    if any(one.uneven for arm in arms for one in arm.scenarios):
        yield (
            f"{UNEVEN.strip()}: the cells of this scenario have unequal numbers of eligible "
            "trials; interval and p are of the summed trials, rates and points of the mean cell"
        )
    yield from _cautions(comparison)


def _cautions(comparison: Comparison) -> Iterator[str]:
    """Say what the marks of sides mean that were not treated alike."""
    arms = comparison.arms
    rows = (one.exposure_differs for arm in arms for one in arm.scenarios)
    if any((*(arm.exposure_differs for arm in arms), *rows)):
        yield (
            f"{CAUTION.strip()}: exposure differs by more than 20 points; where fewer attacks "
            "arrive, fewer can do harm, and the arm gets no credit for that"
        )
    if any(arm.failures_differ for arm in arms):
        yield (
            f"{CAUTION.strip()}: invalid trials differ by more than 20 points; harm that is proved "
            "counts in a trial that fails later, and nothing else of it does, so that whoever "
            "fails more looks worse than it is"
        )


def _noise(comparison: Comparison, words: Words) -> str:
    noise = comparison.noise
    if noise is None:
        if comparison.axis is Axis.CLAUSE:
            return "noise floor: unknown; run the clause none-again beside none to see it"
        return (
            f"noise floor: unknown; no two levels of {comparison.axis} are known to be the same "
            "thing"
        )
    found = noise.effect.difference
    typical = (
        ""
        if noise.typical is None or noise.largest is None
        else f", {100 * noise.typical:.1f} points in the mean scenario and up to "
        f"{100 * noise.largest:.0f} in one"
    )
    return (
        f"noise floor: {words.named(noise.arm)} differs from {words.named(noise.original)}, which "
        f"is the same thing, by {pooled(found)}{typical}; an effect up to {floor(comparison)} is "
        "within the noise"
    )


def _left_out(arm: Arm, words: Words) -> Iterator[str]:
    name = words.named(arm.level)
    if arm.effect.left_out:
        yield (
            f"{name}: {_named(arm.effect.left_out, words)} left out of the pooled difference, "
            "because no attack arrived on one of the sides"
        )
    alone = len(arm.alone) + len(arm.unmet)
    if alone:
        shown = ", ".join(words.named(cell) for cell in (*arm.alone, *arm.unmet)[:FEW])
        yield f"{name}: {alone} cells left out that have no partner, such as {shown}"


def _named(scenarios: Sequence[str], words: Words) -> str:
    shown = ", ".join(words.scenario(name) for name in scenarios[:MOST_NAMED])
    more = len(scenarios) - MOST_NAMED
    return f"{len(scenarios)} scenarios ({shown}{f' and {more} more' if more > 0 else ''})"
