"""One rate, or two rates of one scenario: intervals and the exact test, from counts of trials.

Sources: Wilson (1927) and the exact bound of Clopper and Pearson (1934) by
`statsmodels.stats.proportion.proportion_confint`; Newcombe's hybrid score interval (1998, method
10) by `confint_proportions_2indep`; Boschloo (1970) by `scipy.stats.boschloo_exact`.

What is guarded: scipy reads the *columns* of its table as the two samples, and answers NaN where
one of them is empty; its cost grows with the product of the sizes; statsmodels divides by zero
without a trial, and its "score" method fails on small counts, so that it is not used.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

type Alternative = Literal["two-sided", "greater", "less"]

LEVEL = 0.95
"""Confidence of every interval and bound here."""

LARGEST = 40_000
"""Product of two sample sizes up to which Boschloo's test is computed (a third of a second)."""

CACHED = 65_536
"""Answers that are kept: many cells have the same counts, and each answer takes a while."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A two-sided interval; both ends are finite."""

    low: float
    """Lower end."""
    high: float
    """Upper end; never below the lower one."""


@lru_cache(maxsize=CACHED)
def wilson(hits: int, n: int) -> Interval:
    """Return the two-sided 95 % Wilson interval of a rate.

    Without a trial nothing is known: 0 to 1. At no hit the lower end is exactly 0, at n hits the
    upper end exactly 1.

    Raises:
        ValueError: the counts are no counts (`hits` outside 0..n).
        ImportError: the extra ``stats`` is not installed.
    """
    from statsmodels.stats.proportion import proportion_confint

    _check(hits, n)
    if n == 0:
        return Interval(low=0.0, high=1.0)
    low, high = proportion_confint(hits, n, alpha=1 - LEVEL, method="wilson")
    return Interval(
        low=max(0.0, float(low)) if hits else 0.0, high=min(1.0, float(high)) if hits < n else 1.0
    )


@lru_cache(maxsize=CACHED)
def exact_bound(hits: int, n: int) -> float | None:
    """Return the one-sided exact 95 % bound: the upper one at no hit, the lower one at n hits.

    None for any other count, and without a trial.

    Raises:
        ValueError: the counts are no counts.
        ImportError: the extra ``stats`` is not installed.
    """
    from statsmodels.stats.proportion import proportion_confint

    _check(hits, n)
    if n == 0 or 0 < hits < n:
        return None
    # One side of the exact two-sided interval at twice the error is the one-sided bound.
    ends = proportion_confint(hits, n, alpha=2 * (1 - LEVEL), method="beta")
    return float(ends[0] if hits else ends[1])


@lru_cache(maxsize=CACHED)
def newcombe(hits_a: int, n_a: int, hits_b: int, n_b: int) -> Interval:
    """Return Newcombe's 95 % interval of rate a minus rate b, independent samples.

    Where one of the two has no trial nothing is known: -1 to 1.

    Raises:
        ValueError: the counts are no counts.
        ImportError: the extra ``stats`` is not installed.
    """
    from statsmodels.stats.proportion import confint_proportions_2indep

    _check(hits_a, n_a)
    _check(hits_b, n_b)
    if n_a == 0 or n_b == 0:
        return Interval(low=-1.0, high=1.0)
    low, high = confint_proportions_2indep(
        hits_a, n_a, hits_b, n_b, method="newcomb", compare="diff", alpha=1 - LEVEL
    )
    return Interval(low=max(-1.0, float(low)), high=min(1.0, float(high)))


@lru_cache(maxsize=CACHED)
def boschloo(
    hits_a: int, n_a: int, hits_b: int, n_b: int, alternative: Alternative = "two-sided"
) -> float:
    """Return the p value of Boschloo's exact test of two independent rates.

    `greater` asks whether rate a is the greater one. Two-sided is twice the smaller side, at most
    1. Where one of the two has no trial, or neither rate can differ, p is 1. Where the product of
    the sizes is above `LARGEST`, Fisher's exact test stands in: never smaller than Boschloo's p,
    so that it errs on the side of no finding.

    Raises:
        ValueError: the counts are no counts.
        ImportError: the extra ``stats`` is not installed.
    """
    from scipy.stats import boschloo_exact, fisher_exact  # type: ignore[import-untyped]

    _check(hits_a, n_a)
    _check(hits_b, n_b)
    if n_a == 0 or n_b == 0 or hits_a + hits_b in (0, n_a + n_b):
        return 1.0
    if alternative == "two-sided":
        one, other = sorted(((hits_a, n_a), (hits_b, n_b)))  # either first: the same to all digits
        sides = (boschloo(*one, *other, "less"), boschloo(*one, *other, "greater"))
        return min(1.0, 2 * min(sides))
    columns = [[hits_a, hits_b], [n_a - hits_a, n_b - hits_b]]
    test = boschloo_exact if n_a * n_b <= LARGEST else fisher_exact
    return min(1.0, max(0.0, float(test(columns, alternative=alternative).pvalue)))


def _check(hits: int, n: int) -> None:
    """Refuse what is no count."""
    if not 0 <= hits <= n:
        raise ValueError(f"hits must lie between 0 and the number of trials, not {hits} of {n}")
