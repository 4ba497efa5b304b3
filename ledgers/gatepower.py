"""How little a gate can see, once the baseline is known, and how much it would need."""

import math
from collections.abc import Sequence
from statistics import stdev

from ledgers.stats.clustered import MOST, smallest_p
from ledgers.stats.power import smallest_difference, smallest_failing, smallest_rate

MOST_TRIALS = 1_000
"""Trials up to which a sample size is looked for."""


def smallest_rise(baseline: tuple[int, int], trials: int, tests: int, alpha: float) -> float | None:
    """Return the smallest rise above a baseline's share that one cell's test finds at 80 % power.

    None where not even a candidate that always goes wrong would be found.

    Args:
        baseline: bad trials of the baseline, and its trials.
        trials: trials of the candidate.
        tests: cells of the family.
        alpha: error of the family.
    """
    hits, before = baseline
    if not before or not trials:
        return None
    rate = smallest_rate(hits, before, trials, tests, alpha)
    return None if rate is None else max(0.0, rate - hits / before)


def shows_anything(before: int, after: int, tests: int, alpha: float) -> bool:
    """Tell whether a change from none to all would be found in one cell."""
    return smallest_failing(0, before, after, tests, alpha) is not None


def trials_to_see(tests: int, alpha: float) -> int:
    """Return how many trials a side show a change from none to all."""
    sizes = range(1, MOST_TRIALS)
    return next((n for n in sizes if shows_anything(n, n, tests, alpha)), MOST_TRIALS)


def scenarios_to_see(alpha: float) -> int:
    """Return how many scenarios a sign-flip test needs before it can find anything."""
    return next(n for n in range(2, MOST + 2) if smallest_p(n, "greater") <= alpha)


def smallest_mean(
    differences: Sequence[float], noise: Sequence[float], alpha: float
) -> float | None:
    """Return the smallest rise of the mean over scenarios that is found at 80 % power.

    None where too few scenarios could show any, and where nothing varies.

    Args:
        differences: one per scenario.
        noise: the variance of each that drawing trials alone gives it.
        alpha: error of the test.
    """
    count = len(differences)
    if count < 2:
        return None
    spread = max(stdev(differences), math.sqrt(math.fsum(noise) / count))
    if spread == 0:
        return None
    return smallest_difference(scenarios=count, sd=spread, alpha=alpha, alternative="greater")


def none_of(trials: int, alpha: float) -> float:
    """Return the exact upper bound of a rate of which no trial was a case."""
    from statsmodels.stats.proportion import proportion_confint

    # One side of the exact two-sided interval at twice the error is the one-sided bound.
    return float(proportion_confint(0, trials, alpha=2 * alpha, method="beta")[1])


def trials_without(rate: float, alpha: float) -> int:
    """Return in how many trials no case must be seen for the exact upper bound to lie below a rate.

    The bound of n trials is the rate at which n trials without a case have the chance `alpha`.
    """
    return math.floor(math.log(alpha) / math.log1p(-rate)) + 1
