import pytest

from ledgers.gatepower import (
    none_of,
    scenarios_to_see,
    shows_anything,
    smallest_mean,
    smallest_rise,
    trials_to_see,
    trials_without,
)


def test_the_smallest_rise_is_the_one_that_the_notes_on_statistics_state() -> None:
    """0 of 20 fails at 7 of 20 among 24 tests, which a true half does 94 times of a hundred."""
    rise = smallest_rise((0, 20), 20, 24, 0.05)
    assert rise is not None
    assert 0.3 < rise < 0.5
    assert smallest_rise((0, 20), 20, 1, 0.05) < rise  # type: ignore[operator]


def test_no_rise_is_seen_without_trials_or_above_a_baseline_that_has_no_room() -> None:
    assert smallest_rise((0, 0), 20, 1, 0.05) is None
    assert smallest_rise((0, 20), 0, 1, 0.05) is None
    assert smallest_rise((19, 20), 20, 1, 0.05) is None
    assert smallest_rise((10, 20), 20, 1, 0.05) is not None


def test_so_many_trials_show_a_change_from_none_to_all_and_one_fewer_do_not() -> None:
    for tests in (1, 24):
        least = trials_to_see(tests, 0.05)
        assert shows_anything(least, least, tests, 0.05)
        assert not shows_anything(least - 1, least - 1, tests, 0.05)
    assert trials_to_see(24, 0.05) > trials_to_see(1, 0.05)


@pytest.mark.parametrize(("alpha", "scenarios"), [(0.05, 5), (0.025, 6), (0.0625, 4)])
def test_a_sign_flip_test_needs_so_many_scenarios(alpha: float, scenarios: int) -> None:
    assert scenarios_to_see(alpha) == scenarios
    assert 2**-scenarios <= alpha < 2 ** (1 - scenarios)


def test_the_smallest_mean_shrinks_with_scenarios_and_needs_some() -> None:
    few = smallest_mean([0.1, -0.1] * 3, [0.01] * 6, 0.05)
    more = smallest_mean([0.1, -0.1] * 12, [0.01] * 24, 0.05)
    assert few is not None
    assert more is not None
    assert 0 < more < few
    assert smallest_mean([0.1, -0.1], [0.01] * 2, 0.05) is None
    assert smallest_mean([0.1], [0.01], 0.05) is None
    assert smallest_mean([0.0] * 8, [0.0] * 8, 0.05) is None


def test_drawing_alone_makes_it_as_large_as_it_is_although_all_came_out_alike() -> None:
    assert smallest_mean([0.0] * 8, [0.01] * 8, 0.05) == pytest.approx(
        smallest_mean([0.1, -0.1] * 4, [0.01] * 8, 0.05), rel=0.1
    )


def test_none_of_many_trials_has_the_exact_bound() -> None:
    assert none_of(59, 0.05) == pytest.approx(1 - 0.05 ** (1 / 59))
    assert none_of(59, 0.05) < 0.05 < none_of(58, 0.05)
    assert none_of(59, 0.025) > 0.05


@pytest.mark.parametrize(
    ("rate", "alpha", "trials"), [(0.05, 0.05, 59), (0.01, 0.05, 299), (0.99, 0.01, 2)]
)
def test_so_many_trials_without_a_case_bound_a_rate(rate: float, alpha: float, trials: int) -> None:
    assert trials_without(rate, alpha) == trials
    assert none_of(trials, alpha) < rate
    assert none_of(trials - 1, alpha) >= rate - 1e-12


@pytest.mark.parametrize(("alpha", "scenarios"), [(0.05, 5), (0.025, 6), (0.001, 10), (1e-4, 14)])
def test_so_many_scenarios_can_reach_an_error(alpha: float, scenarios: int) -> None:
    assert scenarios_to_see(alpha) == scenarios
