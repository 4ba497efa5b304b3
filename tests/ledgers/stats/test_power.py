import importlib
from itertools import pairwise
from math import comb, isfinite, sqrt
from typing import Any

import pytest

from ledgers.stats.power import (
    cell_power,
    difference_sd,
    mean_power,
    non_inferiority_power,
    planned_cell_power,
    smallest_difference,
    smallest_failing,
    smallest_margin,
    smallest_rate,
)
from ledgers.stats.proportion import boschloo

STATS: Any = importlib.import_module("scipy.stats")


def tail(least: int, n: int, rate: float) -> float:
    """The chance of at least so many of n."""
    return sum(comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(least, n + 1))


# --- how much a difference varies -----------------------------------------------------------------


def test_a_difference_varies_by_its_draws_and_by_scenario() -> None:
    drawn = difference_sd(rate_a=0.3, rate_b=0.5, trials=10)
    assert drawn == pytest.approx(sqrt((0.21 + 0.25) / 10))
    both = difference_sd(rate_a=0.3, rate_b=0.5, trials=10, heterogeneity=0.2)
    assert both == pytest.approx(sqrt(0.046 + 0.04))


def test_rates_that_differ_between_scenarios_leave_less_to_the_draws() -> None:
    """Half of the scenarios at 0, half at 1: no draw can vary."""
    assert difference_sd(rate_a=0.5, rate_b=0.5, trials=3, between=0.5) == 0
    assert difference_sd(rate_a=0.5, rate_b=0.1, trials=3, between=0.5) == 0
    assert difference_sd(rate_a=0.5, rate_b=0.5, trials=1, between=0.3) == pytest.approx(sqrt(0.32))


def test_a_difference_is_measured_as_it_is_simulated() -> None:
    numpy: Any = importlib.import_module("numpy")
    random = numpy.random.default_rng(7)
    base = random.uniform(0.2, 0.6, 200_000)
    effect = random.uniform(-0.15, 0.15, base.size)
    found = random.binomial(5, base + effect) / 5 - random.binomial(5, base) / 5
    said = difference_sd(
        rate_a=0.4,
        rate_b=0.4,
        trials=5,
        between=sqrt(0.4**2 / 12 + 0.3**2 / 24),  # the mean over the arms
        heterogeneity=0.3 / sqrt(12),
    )
    assert said == pytest.approx(float(numpy.std(found)), rel=0.01)


# --- the mean over scenarios ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scenarios", "effect", "alternative", "power"),
    [  # R: power.t.test(n, delta, type = "one.sample")
        (34, 0.5, "two-sided", 0.8077775),
        (27, 0.5, "greater", 0.8118316),
    ],
)
def test_the_power_of_the_mean_is_that_of_the_t_test(
    scenarios: int, effect: float, alternative: Any, power: float
) -> None:
    found = mean_power(
        scenarios=scenarios, sd=0.2, difference=effect * 0.2, alternative=alternative
    )
    assert found == pytest.approx(power, abs=1e-6)


@pytest.mark.parametrize(("scenarios", "sd"), [(8, 0.3), (24, 0.1), (60, 0.25), (1000, 0.2)])
def test_the_smallest_difference_is_found_four_times_of_five(scenarios: int, sd: float) -> None:
    for side in ("two-sided", "greater"):
        least = smallest_difference(scenarios=scenarios, sd=sd, alternative=side)  # type: ignore[arg-type]
        assert least is not None
        tails = 2 if side == "two-sided" else 1
        edge = STATS.t.isf(0.05 / tails, scenarios - 1)
        shift = least / sd * sqrt(scenarios)
        assert STATS.nct.sf(edge, scenarios - 1, shift) == pytest.approx(0.8, abs=1e-4)


def test_the_direction_that_is_asked_for_counts() -> None:
    same = {"scenarios": 24, "sd": 0.2, "alternative": "less"}
    assert mean_power(difference=-0.2, **same) > 0.99  # type: ignore[arg-type]
    assert mean_power(difference=0.2, **same) < 1e-6  # type: ignore[arg-type]
    assert mean_power(difference=0.0, **same) == pytest.approx(0.05)  # type: ignore[arg-type]


def test_too_few_scenarios_have_too_few_signs_for_any_finding() -> None:
    """Five scenarios: the smallest two-sided p is 2 of 32."""
    for scenarios, alternative, able in (
        (5, "two-sided", False), (6, "two-sided", True), (4, "greater", False), (5, "less", True),
    ):  # fmt: skip
        least = smallest_difference(scenarios=scenarios, sd=0.1, alternative=alternative)  # type: ignore[arg-type]
        assert (least is not None) is able
        difference = -5.0 if alternative == "less" else 5.0
        found = mean_power(
            scenarios=scenarios,
            sd=0.1,
            difference=difference,
            alternative=alternative,  # type: ignore[arg-type]
        )
        assert found == able


def test_scenarios_that_do_not_vary_leave_no_doubt() -> None:
    assert mean_power(scenarios=24, sd=0, difference=0.01) == 1
    assert mean_power(scenarios=24, sd=0, difference=0) == 0
    assert mean_power(scenarios=24, sd=0, difference=-0.01, alternative="greater") == 0
    assert smallest_difference(scenarios=24, sd=0) == 0


def test_every_size_has_a_finite_answer() -> None:
    for scenarios in (0, 1, 2, 8, 60, 10**6):
        for sd in (0, 1e-12, 0.3, 1e6):
            power = mean_power(scenarios=scenarios, sd=sd, difference=0.1)
            safe = non_inferiority_power(scenarios=scenarios, sd=sd, margin=0.05)
            least = smallest_difference(scenarios=scenarios, sd=sd)
            assert 0 <= power <= 1
            assert 0 <= safe <= 1
            assert least is None or isfinite(least)


# --- non-inferiority ------------------------------------------------------------------------------


def test_an_equal_model_stays_under_the_smallest_margin_four_times_of_five() -> None:
    margin = smallest_margin(scenarios=27, sd=0.2)
    assert margin is not None
    assert margin == pytest.approx(0.1, abs=0.002)  # 27 for an effect of 0.5, as above
    same = {"scenarios": 27, "sd": 0.2}
    assert non_inferiority_power(margin=margin, **same) == pytest.approx(0.8)  # type: ignore[arg-type]
    assert non_inferiority_power(margin=0.1, **same) == pytest.approx(0.8118316, abs=1e-6)  # type: ignore[arg-type]


def test_a_model_that_is_worse_by_the_margin_passes_one_time_in_twenty() -> None:
    same = {"scenarios": 24, "sd": 0.2, "margin": 0.05}
    assert non_inferiority_power(difference=0.05, **same) == pytest.approx(0.05)  # type: ignore[arg-type]
    assert non_inferiority_power(difference=0.10, **same) < 0.01  # type: ignore[arg-type]
    assert non_inferiority_power(difference=-0.1, **same) > 0.9  # type: ignore[arg-type]


def test_a_worse_model_needs_a_wider_margin_by_as_much() -> None:
    equal = smallest_margin(scenarios=24, sd=0.2)
    worse = smallest_margin(scenarios=24, sd=0.2, difference=0.03)
    assert equal is not None
    assert worse == pytest.approx(equal + 0.03)


def test_one_scenario_has_no_bound() -> None:
    assert non_inferiority_power(scenarios=1, sd=0.1, margin=0.5) == 0
    assert smallest_margin(scenarios=1, sd=0.1) is None


# --- one cell -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "tests", "least", "at_three", "at_five"),
    [
        (20, 1, 4, 0.89, 1.00),
        (20, 24, 7, 0.39, 0.94),
        (10, 24, 6, 0.05, 0.38),
        (30, 24, 8, 0.72, 1.00),
    ],
)
def test_a_cell_fails_from_a_known_count_on(
    n: int, tests: int, least: int, at_three: float, at_five: float
) -> None:
    assert smallest_failing(0, n, n, tests) == least
    for rate, said in ((0.3, at_three), (0.5, at_five)):
        found = cell_power(rate, 0, n, n, tests)
        assert found == pytest.approx(tail(least, n, rate))
        assert found == pytest.approx(said, abs=0.006)


@pytest.mark.parametrize(("hits", "before", "after", "tests"), [(0, 12, 9, 1), (3, 20, 15, 6)])
def test_the_rejection_region_is_what_testing_every_count_finds(
    hits: int, before: int, after: int, tests: int
) -> None:
    failing = [
        count
        for count in range(after + 1)
        if boschloo(count, after, hits, before, "greater") <= 0.05 / tests
    ]
    assert failing == list(range(failing[0], after + 1))
    assert smallest_failing(hits, before, after, tests) == failing[0]


def test_a_cell_that_can_never_fail_says_so() -> None:
    for cell in ((0, 2, 2, 24), (0, 0, 20, 1), (0, 20, 0, 1), (20, 20, 20, 1)):
        assert smallest_failing(*cell) is None
        assert smallest_rate(*cell) is None
        assert cell_power(1.0, *cell) == 0


def test_the_smallest_rate_is_found_four_times_of_five() -> None:
    for n, tests, least in ((20, 1, 4), (20, 24, 7), (30, 24, 8)):
        rate = smallest_rate(0, n, n, tests)
        assert rate is not None
        assert tail(least, n, rate) == pytest.approx(0.8)


def test_more_tests_ask_for_more_harm_and_more_trials_for_less() -> None:
    by_family = [smallest_failing(0, 20, 20, tests) or 99 for tests in (1, 6, 24, 72)]
    assert by_family == sorted(by_family)
    by_trials = [smallest_rate(0, n, n, 24) or 99 for n in (10, 20, 30, 60)]
    assert all(fewer > more for fewer, more in pairwise(by_trials))


def test_before_the_baseline_is_drawn_its_draws_are_averaged() -> None:
    n, rate, base = 6, 0.9, 0.2
    by_hand = 0.0
    for hits in range(n + 1):
        least = smallest_failing(hits, n, n)
        chance = comb(n, hits) * base**hits * (1 - base) ** (n - hits)
        by_hand += chance * (0 if least is None else tail(least, n, rate))
    assert planned_cell_power(rate, base, n, n) == pytest.approx(by_hand, abs=1e-6)
    assert planned_cell_power(0.5, 0.0, 20, 20, 24) == cell_power(0.5, 0, 20, 20, 24)


def test_an_equal_cell_fails_no_more_than_its_share_of_the_error() -> None:
    for rate in (0.05, 0.2, 0.5):
        assert planned_cell_power(rate, rate, 15, 15) <= 0.05
        assert planned_cell_power(rate, rate, 15, 15, 10) <= 0.005


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ask", "why"),
    [
        (lambda: difference_sd(rate_a=1.1, rate_b=0.1, trials=5), "a rate must lie between"),
        (lambda: difference_sd(rate_a=0.1, rate_b=0.1, trials=0), "trials must be at least 1"),
        (
            lambda: difference_sd(rate_a=0.1, rate_b=0.1, trials=5, between=-1),
            "a standard deviation must be",
        ),
        (lambda: mean_power(scenarios=24, sd=-0.1, difference=0.1), "a standard deviation must"),
        (lambda: mean_power(scenarios=24, sd=float("nan"), difference=0.1), "a standard deviation"),
        (lambda: mean_power(scenarios=24, sd=0.1, difference=0.1, alpha=1), "an error must lie"),
        (lambda: smallest_difference(scenarios=24, sd=0.1, power=0.01), "a power must lie between"),
        (lambda: smallest_failing(0, 20, 20, 0), "at least one test"),
        (lambda: smallest_failing(0, 20, 20, 1, 5), "an error must lie"),
        (lambda: smallest_failing(21, 20, 20), "between 0 and the number of trials"),
        (lambda: cell_power(30, 0, 20, 20), "a rate must lie between"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(ask: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        ask()
