from itertools import combinations

import pytest

from ledgers.stats.repeated import best_of_k, pass_k


def counted(hits: int, n: int, k: int, every: bool) -> float:
    """The share of k-subsets of the trials that are all hits, or that hold one, by listing them."""
    trials = [number < hits for number in range(n)]
    judged = [(all if every else any)(chosen) for chosen in combinations(trials, k)]
    return sum(judged) / len(judged)


def test_both_are_what_comes_of_listing_every_choice_of_k_trials() -> None:
    for n in range(1, 8):
        for hits in range(n + 1):
            for k in range(1, n + 1):
                assert pass_k([(hits, n)], k) == pytest.approx(counted(hits, n, k, every=True))
                assert best_of_k([(hits, n)], k) == pytest.approx(counted(hits, n, k, every=False))


def test_scenarios_weigh_the_same_however_many_trials_they_have() -> None:
    assert pass_k([(3, 4), (10, 10)], 2) == pytest.approx((3 / 6 + 1) / 2)
    assert best_of_k([(1, 4), (0, 10)], 2) == pytest.approx((3 / 6 + 0) / 2)


def test_a_scenario_with_too_few_trials_is_left_out() -> None:
    assert pass_k([(1, 1), (3, 4)], 2) == pytest.approx(0.5)
    assert best_of_k([(1, 1), (1, 4)], 2) == pytest.approx(0.5)


def test_without_a_scenario_there_is_no_value_and_never_zero() -> None:
    for ask in (pass_k, best_of_k):
        assert ask([], 1) is None
        assert ask([(0, 0)], 1) is None
        assert ask([(0, 4), (4, 4)], 5) is None


def test_none_and_all_are_certain() -> None:
    for k in (1, 2, 5):
        assert pass_k([(0, 5)], k) == 0
        assert pass_k([(5, 5)], k) == 1
        assert best_of_k([(0, 5)], k) == 0
        assert best_of_k([(5, 5)], k) == 1


def test_very_many_trials_are_no_trouble() -> None:
    n = 100_000
    assert pass_k([(n // 2, n)], 10) == pytest.approx(0.5**10, rel=1e-3)
    assert best_of_k([(n // 2, n)], 2_000) == 1


@pytest.mark.parametrize("counts", [(3, 2), (-1, 2), (1, -1)])
def test_what_is_no_count_is_refused(counts: tuple[int, int]) -> None:
    for ask in (pass_k, best_of_k):
        with pytest.raises(ValueError, match=f"not {counts[0]} of {counts[1]}"):
            ask([(1, 2), counts], 1)


def test_k_is_at_least_one() -> None:
    for ask in (pass_k, best_of_k):
        with pytest.raises(ValueError, match="at least 1"):
            ask([(1, 2)], 0)
