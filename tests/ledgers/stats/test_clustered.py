from itertools import product
from math import fsum, isfinite, sqrt

import pytest

from ledgers.stats.clustered import MOST, Clustered, clustered, mean_interval, smallest_p
from ledgers.stats.proportion import Alternative, Interval

MIXED = (0.3, -0.1, 0.2, 0.5, 0.1, 0.0, -0.2, 0.4)
T_7 = 2.364624
"""97.5 % point of Student's t with 7 degrees of freedom, from a printed table."""


def flips(values: tuple[float, ...], side: Alternative) -> float:
    """The p value over every pattern of signs, from whole tenths so that equal means are equal."""
    tenths = [round(10 * value) for value in values]
    seen = sum(tenths)
    sums = [
        sum(sign * value for sign, value in zip(signs, tenths, strict=True))
        for signs in product((1, -1), repeat=len(tenths))
    ]
    greater = sum(one >= seen for one in sums) / len(sums)
    less = sum(one <= seen for one in sums) / len(sums)
    return {"greater": greater, "less": less, "two-sided": min(1.0, 2 * min(greater, less))}[side]


@pytest.mark.parametrize("side", ["two-sided", "greater", "less"])
@pytest.mark.parametrize(
    "values",
    [
        MIXED,
        (0.1, 0.2, -0.3),  # the mean is 0 but for rounding, and so are means of other signs
        (0.1, 0.1, 0.1, -0.1, 0.3, -0.3, 0.2),
        (0.7, 0.1),
        (-0.6,) * 13,
    ],
)
def test_few_scenarios_have_every_pattern_of_signs_tried(
    values: tuple[float, ...], side: Alternative
) -> None:
    assert clustered(values, alternative=side).p == pytest.approx(flips(values, side), abs=1e-12)


def test_many_scenarios_have_signs_drawn_and_the_same_answer_each_time() -> None:
    values = tuple((n * 7 % 11 - 4) / 10 for n in range(16))
    first, again = clustered(values), clustered(values)
    assert first == again
    assert first.p == pytest.approx(flips(values, "two-sided"), abs=0.015)
    strong = clustered([0.2 + n / 100 for n in range(24)], alternative="greater")
    assert strong.p == pytest.approx(1 / 10_000)
    weak = clustered([0.2 + n / 100 for n in range(24)], alternative="less")
    assert weak.p == 1


def test_the_t_interval_is_that_of_the_textbook() -> None:
    found = clustered(MIXED)
    mean = fsum(MIXED) / 8
    error = sqrt(fsum((value - mean) ** 2 for value in MIXED) / 7 / 8)
    assert found.mean == pytest.approx(0.15)
    assert found.t is not None
    assert found.t.low == pytest.approx(mean - T_7 * error, abs=1e-6)
    assert found.t.high == pytest.approx(mean + T_7 * error, abs=1e-6)


def test_the_bca_interval_of_symmetric_values_is_near_that_of_the_normal() -> None:
    values = tuple(float(n) for n in range(-10, 11))
    found = clustered(values)
    assert found.bca is not None
    spread = sqrt(fsum(value * value for value in values) / 21 / 21)
    assert found.bca.high == pytest.approx(1.96 * spread, abs=0.1)
    assert found.bca.low == pytest.approx(-found.bca.high, abs=0.15)


def test_the_bca_interval_leans_where_the_values_lean() -> None:
    found = clustered([0.0] * 7 + [0.1] * 4 + [0.9])
    assert found.bca is not None
    assert found.t is not None
    assert found.bca.high - found.mean > found.mean - found.bca.low
    assert found.bca.low >= 0 > found.t.low


def test_a_lower_level_gives_a_narrower_interval() -> None:
    wide, narrow = clustered(MIXED), clustered(MIXED, level=0.90)
    assert wide.t is not None
    assert narrow.t is not None
    assert wide.bca is not None
    assert narrow.bca is not None
    assert wide.t.low < narrow.t.low < narrow.t.high < wide.t.high
    assert wide.bca.low < narrow.bca.low < narrow.bca.high < wide.bca.high
    mean, half = 0.15, (wide.t.high - wide.t.low) / 2
    assert narrow.t.high == pytest.approx(mean + half * 1.894579 / T_7, abs=1e-6)


def test_better_worse_and_equal_are_counted_but_for_rounding() -> None:
    found = clustered([0.1 + 0.2 - 0.3, 0.0, 0.5, 0.25, -0.25])
    assert (found.lower, found.higher, found.equal) == (1, 2, 2)


@pytest.mark.parametrize("values", [(0.3,), (0.0,), (-1.0,)])
def test_one_scenario_has_a_mean_and_no_statistics(values: tuple[float]) -> None:
    found = clustered(values)
    assert (found.clusters, found.mean) == (1, values[0])
    assert (found.p, found.t, found.bca) == (None, None, None)


def test_scenarios_that_are_all_alike_have_no_interval() -> None:
    zeros = clustered([0.0] * 24)
    assert zeros == Clustered(
        clusters=24, mean=0.0, p=1.0, t=None, bca=None, lower=0, higher=0, equal=24
    )
    same = clustered([0.1 + 0.2, 0.3, 0.3, 0.3])
    assert (same.t, same.bca) == (None, None)
    assert same.p == pytest.approx(2 / 16)


def test_two_scenarios_have_an_answer() -> None:
    found = clustered([0.0, 1.0])
    assert found.p == 1
    assert found.bca == Interval(low=0.0, high=1.0)
    assert found.t is not None
    assert found.t.high == pytest.approx(0.5 + 12.7062 * 0.5, abs=1e-3)


def test_every_pattern_of_four_scenarios_has_finite_answers() -> None:
    for values in product((-1.0, 0.0, 0.1, 0.3), repeat=4):
        found = clustered(values)
        assert found.p is not None
        assert 0 < found.p <= 1
        for interval in (found.t, found.bca):
            assert (interval is None) == (len(set(values)) == 1)
            if interval is not None:
                assert isfinite(interval.low)
                assert interval.low <= found.mean <= interval.high


@pytest.mark.parametrize("unit", [1e-300, 1e-9, 1e9, 1e150])
def test_the_unit_of_the_numbers_does_not_matter(unit: float) -> None:
    plain, other = clustered(MIXED), clustered([value * unit for value in MIXED])
    assert (other.p, other.lower, other.equal) == (plain.p, plain.lower, plain.equal)
    assert plain.bca is not None
    assert other.bca is not None
    assert other.bca.low == pytest.approx(plain.bca.low * unit)


def test_very_many_clusters_are_judged_by_t_alone() -> None:
    values = [(n % 7 - 2.9) / 10 for n in range(MOST + 1)]
    found = clustered(values)
    assert found.bca is None
    assert found.t is not None
    assert found.t.low < found.mean < found.t.high
    assert found.p is not None
    assert found.p < 0.05


def test_what_is_no_number_or_no_scenario_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one scenario"):
        clustered([])
    for value in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="finite"):
            clustered([0.1, value])
        with pytest.raises(ValueError, match="finite"):
            mean_interval([value])


def test_pooled_rates_have_an_interval_over_scenarios_that_stays_a_rate() -> None:
    found = mean_interval([0.0, 0.0, 0.05, 1.0, 0.9, 0.0, 0.1, 0.0])
    assert found is not None
    assert 0 < found.low < 0.25625 < found.high < 1


def test_pooled_rates_without_spread_have_no_interval() -> None:
    assert mean_interval([]) is None
    assert mean_interval([0.5]) is None
    assert mean_interval([0.0] * 9) is None


LONG = tuple((n * 7 % 19 - 6) / 20 for n in range(21))


@pytest.mark.parametrize("side", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("values", [MIXED, LONG, (0.3, -0.3) * 8, (0.1, 0.2, -0.3) * 6])
def test_the_order_of_the_scenarios_does_not_matter(
    values: tuple[float, ...], side: Alternative
) -> None:
    found = clustered(values, alternative=side)
    assert clustered(values[::-1], alternative=side) == found
    assert clustered(values[5:] + values[:5], alternative=side) == found
    assert mean_interval(values[::-1]) == mean_interval(values)


@pytest.mark.parametrize("values", [MIXED, LONG, (0.3, -0.3) * 8, (-0.25,) * 15, (0.0, 0.0)])
def test_two_arms_that_change_places_change_the_sign_and_nothing_else(
    values: tuple[float, ...],
) -> None:
    found, turned = clustered(values), clustered([-value for value in values])
    assert (turned.mean, turned.p) == (-found.mean, found.p)
    assert (turned.lower, turned.higher, turned.equal) == (found.higher, found.lower, found.equal)
    for one, other in ((found.t, turned.t), (found.bca, turned.bca)):
        assert (one and (one.low, one.high)) == (other and (-other.high, -other.low))
    less = clustered([-value for value in values], alternative="less")
    assert less.p == clustered(values, alternative="greater").p


@pytest.mark.parametrize("clusters", [2, 6, 13, 14, 40])
def test_the_smallest_p_is_that_of_differences_of_one_sign(clusters: int) -> None:
    same = [0.3 + n / 100 for n in range(clusters)]
    assert clustered(same).p == pytest.approx(smallest_p(clusters))
    assert clustered(same, alternative="greater").p == pytest.approx(
        smallest_p(clusters, "greater")
    )


def test_the_smallest_p_of_one_scenario_is_no_finding_and_of_very_many_none() -> None:
    assert (smallest_p(1), smallest_p(0), smallest_p(2_001)) == (1, 1, 0)
