import importlib
from itertools import product
from math import comb

import pytest

from ledgers.stats.proportion import (
    LARGEST,
    Alternative,
    Interval,
    boschloo,
    exact_bound,
    newcombe,
    wilson,
)

FISHER = importlib.import_module("scipy.stats").fisher_exact
HUGE = 10**8


# --- one rate -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [  # Newcombe (1998), "Two-sided confidence intervals for the single proportion", table I
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_gives_the_published_intervals(hits: int, n: int, low: float, high: float) -> None:
    found = wilson(hits, n)
    assert (found.low, found.high) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


def test_wilson_solves_the_equation_that_defines_it() -> None:
    for hits, n in ((1, 7), (3, 20), (19, 20), (50, 1000)):
        for end in (wilson(hits, n).low, wilson(hits, n).high):
            z = abs(hits / n - end) / (end * (1 - end) / n) ** 0.5
            assert z == pytest.approx(1.959964, abs=1e-6)


def test_without_a_trial_nothing_is_known_of_a_rate() -> None:
    assert wilson(0, 0) == Interval(low=0.0, high=1.0)
    assert exact_bound(0, 0) is None


def test_none_and_all_end_exactly_at_the_edge() -> None:
    for n in (1, 3, 20, 999, HUGE):
        assert wilson(0, n).low == 0
        assert wilson(n, n).high == 1
        assert 0 < wilson(0, n).high < 1
        assert 0 < wilson(n, n).low < 1


@pytest.mark.parametrize("n", [1, 10, 20, 30, 59, 149, 299, HUGE])
def test_the_exact_bound_is_the_rate_at_which_no_hit_would_be_one_in_twenty(n: int) -> None:
    upper, lower = exact_bound(0, n), exact_bound(n, n)
    assert upper == pytest.approx(1 - 0.05 ** (1 / n), rel=1e-6)
    assert lower == pytest.approx(0.05 ** (1 / n), rel=1e-6)


@pytest.mark.parametrize(
    ("n", "bound"),
    [(10, 0.259), (20, 0.139), (30, 0.095), (59, 0.05), (149, 0.02), (299, 0.01)],
)
def test_the_exact_bound_has_the_known_values_near_the_rule_of_three(n: int, bound: float) -> None:
    found = exact_bound(0, n)
    assert found is not None
    assert found == pytest.approx(bound, abs=6e-4)
    assert found < 3 / n


def test_between_none_and_all_there_is_no_bound() -> None:
    assert [exact_bound(hits, 5) for hits in range(1, 5)] == [None] * 4


# --- two rates ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "low", "high"),
    [  # Newcombe (1998), "Interval estimation for the difference between independent proportions",
        # table II, method 10
        ((56, 70, 48, 80), 0.0524, 0.3339),
        ((9, 10, 3, 10), 0.1705, 0.8090),
        ((6, 7, 2, 7), 0.0582, 0.8062),
        ((5, 56, 0, 29), -0.0381, 0.1926),
        ((0, 10, 0, 20), -0.1611, 0.2775),
        ((0, 10, 0, 10), -0.2775, 0.2775),
        ((10, 10, 0, 20), 0.6791, 1.0000),
        ((10, 10, 0, 10), 0.6075, 1.0000),
    ],
)
def test_newcombe_gives_the_published_intervals(
    counts: tuple[int, int, int, int], low: float, high: float
) -> None:
    found = newcombe(*counts)
    assert (found.low, found.high) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


def test_a_difference_with_an_empty_side_is_not_known() -> None:
    for counts in ((0, 0, 0, 0), (3, 5, 0, 0), (0, 0, 5, 5)):
        assert newcombe(*counts) == Interval(low=-1.0, high=1.0)
        assert boschloo(*counts) == 1.0


def test_every_small_table_has_an_interval_that_holds_the_difference() -> None:
    for n_a, n_b in ((1, 1), (3, 20), (20, 20)):
        for a, b in product(range(n_a + 1), range(n_b + 1)):
            found = newcombe(a, n_a, b, n_b)
            assert -1 <= found.low <= a / n_a - b / n_b <= found.high <= 1
            assert found.low < found.high


def suprema(a: int, n_a: int, b: int, n_b: int) -> float:
    """Boschloo's p of "rate a is greater", from its definition, over a fine grid of rates."""

    def fisher(x: int, y: int) -> float:
        of = comb(n_a + n_b, x + y)
        more = range(x, min(n_a, x + y) + 1)
        return sum(comb(n_a, i) * comb(n_b, x + y - i) for i in more) / of

    seen = fisher(a, b)
    tables = product(range(n_a + 1), range(n_b + 1))
    worse = [(x, y) for x, y in tables if fisher(x, y) <= seen * (1 + 1e-9)]
    return max(
        sum(
            comb(n_a, x) * comb(n_b, y) * p ** (x + y) * (1 - p) ** (n_a + n_b - x - y)
            for x, y in worse
        )
        for p in (step / 400 for step in range(401))
    )


@pytest.mark.parametrize(
    "counts", [(4, 20, 0, 20), (7, 20, 0, 20), (3, 10, 4, 25), (5, 6, 1, 9), (2, 9, 3, 4)]
)
def test_boschloo_is_what_its_definition_says(counts: tuple[int, int, int, int]) -> None:
    assert boschloo(*counts, "greater") == pytest.approx(suprema(*counts), rel=2e-3)


def test_boschloo_reads_the_samples_and_not_the_margins() -> None:
    """A table that is handed over transposed gives 0.0561 here."""
    assert boschloo(30, 300, 3, 10, "less") == pytest.approx(0.0473, abs=1e-4)
    assert boschloo(3, 10, 30, 300, "greater") == pytest.approx(0.0473, abs=1e-4)


@pytest.mark.parametrize("counts", [(4, 20, 0, 20), (3, 10, 4, 25), (9, 12, 9, 12), (0, 5, 5, 5)])
def test_the_sides_of_boschloo_mirror_each_other(counts: tuple[int, int, int, int]) -> None:
    a, n_a, b, n_b = counts
    greater, less = boschloo(*counts, "greater"), boschloo(*counts, "less")
    assert less == pytest.approx(boschloo(b, n_b, a, n_a, "greater"))
    assert boschloo(*counts) == pytest.approx(min(1.0, 2 * min(greater, less)))


def test_rates_that_cannot_differ_have_no_evidence_at_all() -> None:
    sides: tuple[Alternative, ...] = ("two-sided", "greater", "less")
    for side in sides:
        assert boschloo(0, 20, 0, 20, side) == 1.0
        assert boschloo(20, 20, 7, 7, side) == 1.0


def test_every_small_table_has_a_p_value_of_at_most_fisher_s() -> None:
    for a, b in product(range(7), range(5)):
        found = boschloo(a, 6, b, 4, "greater")
        assert 0 < found <= FISHER([[a, b], [6 - a, 4 - b]], alternative="greater").pvalue + 1e-9


def test_large_samples_are_judged_by_fisher_at_once() -> None:
    counts = (120, 400, 90, 400)
    assert LARGEST < 400 * 400
    exact = FISHER([[120, 90], [280, 310]], alternative="greater").pvalue
    assert boschloo(*counts, "greater") == pytest.approx(exact)
    assert boschloo(HUGE // 10, HUGE, HUGE // 2, HUGE) == 0
    assert boschloo(1, HUGE, 0, HUGE) == 1


@pytest.mark.parametrize(("hits", "n"), [(-1, 5), (6, 5), (1, 0), (0, -1)])
def test_what_is_no_count_is_refused(hits: int, n: int) -> None:
    for ask in (
        lambda: wilson(hits, n),
        lambda: exact_bound(hits, n),
        lambda: newcombe(hits, n, 1, 2),
        lambda: newcombe(1, 2, hits, n),
        lambda: boschloo(hits, n, 1, 2),
        lambda: boschloo(1, 2, hits, n),
    ):
        with pytest.raises(ValueError, match=f"between 0 and the number of trials, not {hits} of"):
            ask()


def test_two_sided_it_does_not_matter_which_rate_stands_first() -> None:
    for counts in ((3, 20, 9, 17), (0, 5, 2, 30), (11, 13, 4, 40)):
        assert boschloo(*counts) == boschloo(*counts[2:], *counts[:2])
