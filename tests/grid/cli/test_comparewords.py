"""`comparewords`: numbers that a prompt author reads at once, and none where there is none."""

import pytest

from grid.cli.comparewords import (
    UNCLEAR,
    Words,
    answer,
    between,
    chance,
    percent,
    points,
    rate,
    signed,
    verdict,
)
from grid.display import visible
from ledgers.comparable import Measure
from ledgers.compare_arms import Axis, Question
from ledgers.compare_effects import Share
from ledgers.comparison import Comparison, compare
from ledgers.stats.proportion import Interval
from tests.ledgers.compared import arms, cell

WORDS = Words(named=visible, numbers={"s0": "S00"})
BASE = [7, 6, 8, 7, 6, 8, 7, 7, 6, 7, 6, 7]
GOOD = [2, 3, 2, 4, 1, 3, 2, 2, 3, 1, 7, 2]


def by_clause(**counts: list[int]) -> Comparison:
    named = {name.replace("_", "-"): found for name, found in counts.items()}
    return compare(arms(named), Question(axis=Axis.CLAUSE))


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (None, "none"), (0.0, "0 %"), (0.004, "0.4 %"), (0.624, "62 %"), (0.996, "99.6 %"),
        (1.0, "100 %"), (0.0004, "0.04 %"), (0.0005, "0.1 %"), (0.000003, "0.0003 %"),
        (0.99996, "99.996 %"), (0.01, "1 %"), (0.986, "99 %"), (1 / 3, "33 %"),
    ],
)  # fmt: skip
def test_a_share_is_in_per_cent_and_little_is_not_nothing(share: float | None, said: str) -> None:
    assert percent(share) == said


@pytest.mark.parametrize(
    ("difference", "said"),
    [
        (-0.354, "-35"), (0.02, "+2"), (0.0, "0"), (-0.0, "0"), (0.004, "+0.4"), (-0.0001, "0"),
        (0.0096, "+1.0"), (1.0, "+100"),
    ],
)  # fmt: skip
def test_a_difference_is_in_points_with_its_sign(difference: float, said: str) -> None:
    assert signed(difference) == said


def test_points_are_counted_in_words_and_none_is_none() -> None:
    assert points(-0.35) == "-35 points"
    assert points(0.01) == "+1 point"
    assert points(None) == "none"
    assert between(None) == "none"
    assert between(Interval(low=-0.44, high=0.251)) == "[-44, +25]"


def test_a_p_value_is_never_zero() -> None:
    assert [chance(p) for p in (None, 0.0002, 0.0123, 0.5, 1.0)] == [
        "none", "< 0.001", "0.012", "0.50", "1.00",
    ]  # fmt: skip


def test_none_or_all_of_n_stands_with_its_exact_bound() -> None:
    share = Share(hits=0, counted=20, rate=0.0, interval=None, bound=0.139)
    assert rate(share) == "0 % (<= 14 %)"
    share = Share(hits=20, counted=20, rate=1.0, interval=None, bound=0.861)
    assert rate(share) == "100 % (>= 86 %)"
    assert rate(Share(hits=3, counted=20, rate=0.15, interval=None, bound=None)) == "15 %"
    assert rate(Share(hits=0, counted=0, rate=None, interval=None, bound=None)) == "none"


def test_an_arm_is_answered_in_one_line() -> None:
    found = by_clause(none=BASE, good=GOOD)
    line = answer(found.arms[0], found, WORDS)
    assert "\n" not in line
    assert line.startswith(
        "good: harm 68 % -> 27 %, -42 points [-54, -29]: less harm (p < 0.001); "
    )
    assert "helps in 11 of 12 scenarios, hurts in 1; utility 0 points" in line
    assert "false claims 0 points" in line
    assert "none on twins" in line


def test_the_noise_floor_stands_beside_the_effect_where_it_is_known() -> None:
    found = by_clause(none=BASE, none_again=list(reversed(BASE)), good=GOOD)
    lines = {arm.level: answer(arm, found, WORDS) for arm in found.arms}
    assert found.noise is not None
    assert found.noise.floor is not None
    assert f"noise floor {100 * found.noise.floor:.1f} points" in lines["good"]
    assert "a copy: this is noise" in lines["none-again"]


def test_a_clear_effect_is_called_by_its_direction_and_an_unclear_one_by_none() -> None:
    worse = [count + 2 for count in BASE]
    found = by_clause(none=BASE, good=GOOD, bad=worse, same=[*BASE[1:], BASE[0]])
    said = {arm.level: verdict(arm, Measure.HARM) for arm in found.arms}
    assert said == {"good": "less harm", "bad": "more harm", "same": UNCLEAR}
    assert verdict(found.arms[0], Measure.FOLLOWED) == "followed less"


def test_a_clear_effect_that_is_smaller_than_the_noise_says_so() -> None:
    base = [5] * 8
    noisy = [9, 1, 9, 1, 9, 1, 9, 1]
    found = by_clause(none=base, none_again=noisy, good=[4, 4, 4, 4, 4, 4, 4, 3])
    arm = next(arm for arm in found.arms if arm.level == "good")
    assert verdict(arm, Measure.HARM) == "less harm, but within the noise"


def test_models_are_lower_or_higher_and_neither_helps() -> None:
    cells = [
        cell(f"s{n}", n + (model == "new"), model=model)
        for n in range(4)
        for model in ("old", "new")
    ]
    found = compare(cells, Question(axis=Axis.MODEL))
    assert "lower in 0 of 4 scenarios, higher in 4" in answer(found.arms[0], found, WORDS)


def test_exposure_that_differs_is_a_caution_in_the_line() -> None:
    cells = [cell("s0", 5), cell("s0", 2, 5, not_exposed=5, clause="a")]
    found = compare(cells, Question(axis=Axis.CLAUSE))
    said = answer(found.arms[0], found, WORDS)
    assert said.endswith("CAUTION, exposed in 50 % of the trials against 100 %")
    assert "-10 points (no interval)" in said


def test_failures_that_differ_are_a_caution_in_the_line() -> None:
    cells = [cell("s0", 5), cell("s0", 5, 5, invalid=5, clause="a")]
    found = compare(cells, Question(axis=Axis.CLAUSE))
    said = answer(found.arms[0], found, WORDS)
    assert said.endswith("CAUTION, 50 % of the trials invalid against 0 %")


def test_an_arm_that_never_was_attacked_has_no_number() -> None:
    cells = [*arms({"none": BASE, "good": GOOD}), cell("s0", 0, 0, invalid=4, clause="dead")]
    found = compare(cells, Question(axis=Axis.CLAUSE))
    said = answer(found.arms[1], found, WORDS)
    assert said.startswith("dead: none. In no scenario did the attack arrive on both sides")
    assert "(4 of 4 trials invalid)" in said
    assert verdict(found.arms[1], Measure.HARM) == "none"


def test_a_scenario_stands_with_its_number() -> None:
    assert WORDS.scenario("s0") == "S00 s0"
    assert WORDS.scenario("s1") == "s1"


def test_a_scenario_that_went_another_way_is_named_though_the_mean_hides_it() -> None:
    base = [5, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9]
    hidden = [10, 8, 9, 8, 9, 8, 9, 8, 9, 8, 9, 8]
    found = by_clause(none=base, hidden=hidden, same=[5, *base[1:]])
    lines = {arm.level: answer(arm, found, WORDS) for arm in found.arms}
    assert "clear in" not in lines["same"]
    assert UNCLEAR in lines["hidden"]
    big = by_clause(none=[0, *BASE[1:]], hidden=[10, *BASE[1:]])
    assert "clear in S00 s0 +100 points (p < 0.001)" in answer(big.arms[0], big, WORDS)
