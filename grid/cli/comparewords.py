"""How a comparison is worded: rates, differences, intervals, and one sentence per arm.

Names of arms, scenarios and levels are other people's text: they pass through `Words.named`, which
makes them harmless for the place that they are shown in. Differences are in points of a hundred,
arm less baseline; an interval with one number is the t interval. A rate that no trial stands behind
is the word `none`, and 0 of n or n of n stands with its exact bound.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ledgers.comparable import Measure
from ledgers.compare_arms import Axis
from ledgers.compare_effects import Effect, Share
from ledgers.comparison import ALPHA, Arm, Comparison
from ledgers.stats.clustered import Clustered
from ledgers.stats.proportion import Interval

NONE = "none"
"""Stands where there is no rate and no difference."""
ORDERED = (Axis.CLAUSE, Axis.GUARDS)
"""Axes whose levels are meant to help; a model or a framework is only another one."""
LESS_MORE = {
    Measure.HARM: ("less harm", "more harm"),
    Measure.FOLLOWED: ("followed less", "followed more"),
}
MOST_DIGITS = 9
"""Decimals of a share; no run has trials enough for more."""
MOST_CLEAR = 3
"""Scenarios that an answer of one line names."""
UNCLEAR = "no clear difference"


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """How one place writes names."""

    named: Callable[[str], str]
    """Makes a name harmless for the place."""
    numbers: Mapping[str, str]
    """Scenario -> its number."""

    def scenario(self, identity: str) -> str:
        """Return a scenario with its number."""
        number = self.numbers.get(identity, "")
        return self.named(f"{number} {identity}".strip())


def percent(share: float | None) -> str:
    """Return a share in per cent; a small one with as many decimals as show that it is not none."""
    if share is None:
        return NONE
    value = 100 * share
    rest = min(value, 100 - value)  # to the nearer end, none or all
    digits = 0 if rest >= 1 else 1
    while 0.0 < rest < 0.5 * 10.0**-digits and digits < MOST_DIGITS:
        digits += 1
    return f"{value:.{digits if rest > 0 else 0}f} %"


def rate(share: Share) -> str:
    """Return a rate, at none or all of the trials with its exact bound."""
    if share.rate is None or share.bound is None:
        return percent(share.rate)
    return f"{percent(share.rate)} ({'>=' if share.hits else '<='} {percent(share.bound)})"


def signed(difference: float) -> str:
    """Return a difference in points with its sign."""
    value = 100 * difference
    digits = 1 if 0.05 <= abs(value) < 1 else 0
    rounded = round(value, digits)
    return f"{rounded:+.{digits}f}" if rounded else "0"


def points(difference: float | None) -> str:
    """Return a difference in words."""
    if difference is None:
        return NONE
    shown = signed(difference)
    return f"{shown} point{'' if shown in ('+1', '-1') else 's'}"


def between(interval: Interval | None) -> str:
    """Return an interval in points."""
    return NONE if interval is None else f"[{signed(interval.low)}, {signed(interval.high)}]"


def pooled(found: Clustered | None) -> str:
    """Return a pooled difference with its t interval, in words."""
    return NONE if found is None else f"{points(found.mean)} {_t(found)}"


def brief(found: Clustered | None) -> str:
    """Return the same for a table that says that it is in points."""
    return NONE if found is None else f"{signed(found.mean)} {_t(found)}"


def _t(found: Clustered) -> str:
    return "(no interval)" if found.t is None else between(found.t)


def chance(p: float | None) -> str:
    """Return a p value."""
    if p is None:
        return NONE
    if p < 0.001:
        return "< 0.001"
    return f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def change(found: Effect) -> str:
    """Return both rates of an effect, the baseline first."""
    return f"{rate(found.base)} -> {rate(found.arm)}"


def verdict(arm: Arm, measure: Measure) -> str:
    """Return in two words which way an arm goes, if it is clear."""
    found = arm.effect.difference
    if found is None:
        return NONE
    if arm.copy:
        return "a copy: this is noise"
    clear = arm.adjusted is not None and arm.adjusted < ALPHA and found.mean != 0
    if not clear:
        return UNCLEAR
    less, more = LESS_MORE[measure]
    word = less if found.mean < 0 else more
    return f"{word}, but within the noise" if arm.within_noise else word


def counts(found: Clustered, axis: Axis) -> str:
    """Return in how many scenarios an arm does better or worse."""
    better, worse = ("helps", "hurts") if axis in ORDERED else ("lower", "higher")
    return f"{better} in {found.lower} of {found.clusters} scenarios, {worse} in {found.higher}"


def answer(arm: Arm, comparison: Comparison, words: Words) -> str:
    """Return the answer about one arm in one line."""
    name, found = words.named(arm.level), arm.effect.difference
    if found is None:
        return (
            f"{name}: none. In no scenario did the attack arrive on both sides "
            f"({arm.arm_arrival.invalid} of {arm.arm_arrival.trials} trials invalid)"
        )
    parts = [
        f"{comparison.measure} {change(arm.effect)}, {pooled(found)}: "
        f"{verdict(arm, comparison.measure)}{_chance(arm)}",
        counts(found, comparison.axis),
        f"utility {_cost(arm)}",
        f"false claims {pooled(arm.false_claims.difference)}",
    ]
    if clear := _clear(arm, words):
        parts.append(clear)
    if comparison.noise is not None and not arm.copy:
        parts.append(f"noise floor {floor(comparison)}")
    if arm.exposure_differs:
        parts.append(
            f"CAUTION, exposed in {percent(arm.arm_arrival.exposure)} of the trials against "
            f"{percent(arm.base_arrival.exposure)}"
        )
    if arm.failures_differ:
        parts.append(
            f"CAUTION, {percent(arm.arm_arrival.failed)} of the trials invalid against "
            f"{percent(arm.base_arrival.failed)}"
        )
    return f"{name}: {'; '.join(parts)}"


def _clear(arm: Arm, words: Words) -> str:
    """Name the scenarios in which the difference is clear: a pooled one may hide them."""
    found = [
        (one.adjusted, one.difference, one.scenario)
        for one in arm.scenarios
        if one.adjusted is not None and one.difference is not None and one.adjusted < ALPHA
    ]
    if arm.copy or not found:
        return ""
    shown = [
        f"{words.scenario(scenario)} {points(difference)} (p {_equal(adjusted)})"
        for adjusted, difference, scenario in sorted(found)[:MOST_CLEAR]
    ]
    more = len(found) - len(shown)
    return f"clear in {', '.join(shown)}" + (f" and {more} more" if more else "")


def _chance(arm: Arm) -> str:
    return "" if arm.adjusted is None else f" (p {_equal(arm.adjusted)})"


def _equal(p: float) -> str:
    shown = chance(p)
    return shown if shown.startswith("<") else f"= {shown}"


def _cost(arm: Arm) -> str:
    attacked, twins = arm.utility_attacked.difference, arm.utility_twins.difference
    return f"{pooled(attacked)} under attack, {pooled(twins)} on twins"


def floor(comparison: Comparison) -> str:
    """Return the noise floor."""
    noise = comparison.noise
    if noise is None or noise.floor is None:
        return "unknown"
    return f"{100 * noise.floor:.1f} points"
