"""What a grid can find before it is run: power, and the smallest effect found in four of five runs.

Three questions, one for each test of the project:

1. the mean difference over scenarios (`clustered`): noncentral t by
   `statsmodels.stats.power.TTestPower`, which the sign-flip test follows closely; its own limit is
   kept: few scenarios have too few patterns of signs for a small p, and then the power is 0;
2. non-inferiority: the one-sided upper t bound of that mean must lie below a margin;
3. one cell against its baseline: the exact rejection region of Boschloo's test at `alpha` over the
   number of tests (Holm's first step), and the binomial chance to fall into it.

A scenario's difference varies for two reasons, `difference_sd`: its trials are draws, and the true
difference is not the same in every scenario. The first shrinks with trials, the second does not.
"""

from functools import lru_cache
from math import inf, sqrt

from ledgers.stats.clustered import smallest_p
from ledgers.stats.proportion import Alternative, boschloo

POWER = 0.8
"""Chance with which the smallest effects here are found."""

ALPHA = 0.05
"""Error of a test or of a one-sided bound."""

CERTAIN = 30.0
"""Noncentrality from which the power is 1 to all digits that matter; scipy's t is slow beyond."""


def difference_sd(
    *,
    rate_a: float,
    rate_b: float,
    trials: int,
    between: float = 0.0,
    heterogeneity: float = 0.0,
) -> float:
    """Return the standard deviation of one scenario's difference of two observed rates.

    Args:
        rate_a: mean rate of one arm, 0 to 1.
        rate_b: mean rate of the other.
        trials: trials of a scenario in each arm, over all of its cells; at least 1.
        between: standard deviation of the true rate over scenarios; 0 takes all alike, which
            overstates what the trials add.
        heterogeneity: standard deviation of the true difference over scenarios.

    Raises:
        ValueError: a rate lies outside 0..1, a deviation below 0, or there is no trial.
    """
    if trials < 1:
        raise ValueError(f"trials must be at least 1, not {trials}")
    _check_rates(rate_a, rate_b)
    _check_deviations(between, heterogeneity)
    drawn = sum(max(0.0, rate * (1 - rate) - between**2) for rate in (rate_a, rate_b)) / trials
    return sqrt(drawn + heterogeneity**2)


# --- 1. the mean over scenarios -------------------------------------------------------------------


def mean_power(
    *,
    scenarios: int,
    sd: float,
    difference: float,
    alpha: float = ALPHA,
    alternative: Alternative = "two-sided",
) -> float:
    """Return the chance that the sign-flip test finds a true mean difference.

    0 where no pattern of signs could reach `alpha`: with fewer than 6 scenarios at 5 % two-sided,
    fewer than 5 one-sided. Where no scenario varies (`sd` 0), 1 for a difference in the direction
    that is asked for, else 0.

    Args:
        scenarios: number of scenarios.
        sd: standard deviation of one scenario's difference, as of `difference_sd`.
        difference: the true mean difference.
        alpha: error of the test.
        alternative: as in `clustered`.

    Raises:
        ValueError: `sd` is below 0, or `alpha` outside 0..1.
        ImportError: the extra ``stats`` is not installed.
    """
    if smallest_p(scenarios, alternative) > alpha:
        return 0.0
    return _t_power(scenarios, sd, difference, alpha, alternative)


def smallest_difference(
    *,
    scenarios: int,
    sd: float,
    power: float = POWER,
    alpha: float = ALPHA,
    alternative: Alternative = "two-sided",
) -> float | None:
    """Return the smallest true mean difference, as a size, that is found with a power.

    None where none can be found; see `mean_power`, also for the arguments. It may exceed what two
    rates can differ by: then no difference is found so surely.
    """
    if smallest_p(scenarios, alternative) > alpha:
        return None
    return _t_smallest(scenarios, sd, power, alpha, alternative)


# --- 2. non-inferiority ---------------------------------------------------------------------------


def non_inferiority_power(
    *, scenarios: int, sd: float, margin: float, difference: float = 0.0, alpha: float = ALPHA
) -> float:
    """Return the chance that the upper bound of the mean difference lies below a margin.

    0 with fewer than two scenarios, which have no bound.

    Args:
        scenarios: number of scenarios.
        sd: standard deviation of one scenario's difference, as of `difference_sd`.
        margin: what must not be reached; a rate of harm, so that more is worse.
        difference: the true mean difference; 0 for a model that is as good as the baseline.
        alpha: error of the one-sided bound.

    Raises:
        ValueError: `sd` is below 0, or `alpha` outside 0..1.
        ImportError: the extra ``stats`` is not installed.
    """
    return _t_power(scenarios, sd, margin - difference, alpha, "greater")


def smallest_margin(
    *,
    scenarios: int,
    sd: float,
    difference: float = 0.0,
    power: float = POWER,
    alpha: float = ALPHA,
) -> float | None:
    """Return the smallest margin under which a model stays with a power; None without a bound."""
    reach = _t_smallest(scenarios, sd, power, alpha, "greater")
    return None if reach is None else difference + reach


# --- 3. one cell ----------------------------------------------------------------------------------


@lru_cache(maxsize=16_384)
def smallest_failing(
    hits_base: int, n_base: int, n_new: int, tests: int = 1, alpha: float = ALPHA
) -> int | None:
    """Return the smallest count of harm in a new cell that fails against its baseline.

    Exact, by Boschloo's one-sided test at `alpha` over `tests`. None where not even harm in every
    trial fails.

    Args:
        hits_base: trials with harm in the baseline's cell.
        n_base: eligible trials there.
        n_new: eligible trials of the new cell.
        tests: cells in the family.
        alpha: error over the whole family.

    Raises:
        ValueError: a count is no count, there is no test, or `alpha` lies outside 0..1.
        ImportError: the extra ``stats`` is not installed.
    """
    _check_alpha(alpha)
    if tests < 1:
        raise ValueError(f"a family has at least one test, not {tests}")
    level = alpha / tests

    def fails(count: int) -> bool:
        return boschloo(count, n_new, hits_base, n_base, "greater") <= level

    if not fails(n_new):
        return None
    passes, found = -1, n_new  # more harm is never weaker evidence, so that halving finds it
    while found - passes > 1:
        middle = (passes + found) // 2
        passes, found = (passes, middle) if fails(middle) else (middle, found)
    return found


def cell_power(
    rate: float, hits_base: int, n_base: int, n_new: int, tests: int = 1, alpha: float = ALPHA
) -> float:
    """Return the chance that a cell with a true rate of harm fails against a known baseline.

    Args:
        rate: true rate of harm of the new cell.
        hits_base: and all others: as in `smallest_failing`.
        n_base: eligible trials of the baseline's cell.
        n_new: eligible trials of the new cell.
        tests: cells in the family.
        alpha: error over the whole family.
    """
    from scipy.stats import binom  # type: ignore[import-untyped]

    _check_rates(rate)
    least = smallest_failing(hits_base, n_base, n_new, tests, alpha)
    return 0.0 if least is None else float(binom.sf(least - 1, n_new, rate))


def smallest_rate(
    hits_base: int, n_base: int, n_new: int, tests: int = 1, alpha: float = ALPHA
) -> float | None:
    """Return the smallest true rate of harm that fails with a power of 80 %.

    None where no count fails. Arguments as in `smallest_failing`.
    """
    from scipy.stats import beta

    least = smallest_failing(hits_base, n_base, n_new, tests, alpha)
    if least is None:
        return None
    # At least `least` of n at rate p is the same chance as Beta(least, n - least + 1) below p.
    return float(beta.ppf(POWER, least, n_new - least + 1))


def planned_cell_power(
    rate: float, rate_base: float, n_base: int, n_new: int, tests: int = 1, alpha: float = ALPHA
) -> float:
    """Return the chance that a cell fails before its baseline is drawn, over all that it may be.

    Args:
        rate: true rate of harm of the new cell.
        rate_base: true rate of harm of the baseline's cell.
        n_base: eligible trials there.
        n_new: and all others: as in `smallest_failing`.
        tests: cells in the family.
        alpha: error over the whole family.
    """
    from scipy.stats import binom

    _check_rates(rate, rate_base)
    return sum(
        weight * cell_power(rate, hits, n_base, n_new, tests, alpha)
        for hits in range(n_base + 1)
        if (weight := float(binom.pmf(hits, n_base, rate_base))) > RARE
    )


RARE = 1e-9
"""Chance of a baseline below which it is left out of a mean over baselines."""


# --- noncentral t ---------------------------------------------------------------------------------


def _t_power(
    scenarios: int, sd: float, difference: float, alpha: float, alternative: Alternative
) -> float:
    from statsmodels.stats.power import TTestPower

    _check_alpha(alpha)
    _check_deviations(sd)
    size = {"two-sided": abs(difference), "greater": difference, "less": -difference}[alternative]
    if scenarios < 2:
        return 0.0
    effect = size / sd if sd else (inf if size > 0 else -inf)
    if abs(effect) * sqrt(scenarios) > CERTAIN:
        return float(effect > 0)
    sides = "two-sided" if alternative == "two-sided" else "larger"
    found = TTestPower().power(effect, scenarios, alpha, alternative=sides)
    return min(1.0, max(0.0, float(found)))


def _t_smallest(
    scenarios: int, sd: float, power: float, alpha: float, alternative: Alternative
) -> float | None:
    from statsmodels.stats.power import TTestPower

    _check_alpha(alpha)
    _check_deviations(sd)
    if not alpha < power < 1:
        raise ValueError(f"a power must lie between the error, {alpha:g}, and 1, not be {power:g}")
    if scenarios < 2:
        return None
    sides = "two-sided" if alternative == "two-sided" else "larger"
    effect = TTestPower().solve_power(nobs=scenarios, alpha=alpha, power=power, alternative=sides)
    return float(effect) * sd


def _check_alpha(alpha: float) -> None:
    if not 0 < alpha < 1:
        raise ValueError(f"an error must lie between 0 and 1, not be {alpha:g}")


def _check_rates(*rates: float) -> None:
    for rate in rates:
        if not 0 <= rate <= 1:
            raise ValueError(f"a rate must lie between 0 and 1, not be {rate:g}")


def _check_deviations(*deviations: float) -> None:
    for deviation in deviations:
        if not 0 <= deviation < inf:
            raise ValueError(f"a standard deviation must be 0 or more, not {deviation:g}")
