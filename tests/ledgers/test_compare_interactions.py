"""`compare_interactions`: whether an arm does the same in every framework, model and so on."""

from typing import Any

import pytest

from ledgers.comparable import Measure
from ledgers.compare_arms import Axis, Pairing
from ledgers.compare_effects import counting
from ledgers.compare_interactions import Interaction, interactions
from tests.ledgers.compared import pair, sign_flip

HARM = counting(Measure.HARM)
SCENARIOS = 6


def pairing(effects: dict[str, list[int]], level: str = "a", by: str = "framework") -> Pairing:
    """Return an arm that averts so many of 10 trials in each scenario, per level of `by`."""
    return Pairing(
        level=level,
        attacks=tuple(
            pair(f"s{n}", (8 - fewer, 10), (8, 10), **{by: name})
            for name, counts in effects.items()
            for n, fewer in enumerate(counts)
        ),
        twins=(),
        alone=(),
        unmet=(),
    )


def found(*arms: Pairing, axis: Axis = Axis.CLAUSE) -> dict[tuple[str, str], Interaction]:
    return {(one.arm, one.level): one for one in interactions(arms, axis, HARM)}


def mean(one: Any) -> float:
    assert one is not None
    return float(one.mean)


THREE = {
    "strands": [5, 6, 5, 7, 5, 6],
    "crewai": [0, 1, 0, 0, 1, 0],
    "langgraph": [5, 5, 6, 6, 5, 7],
}


def test_the_effect_within_each_level_and_its_distance_from_the_others() -> None:
    one = found(pairing(THREE))
    assert set(one) == {("a", name) for name in THREE}
    for name, counts in THREE.items():
        effect = -sum(counts) / 60
        others = -sum(sum(c) for other, c in THREE.items() if other != name) / 120
        assert mean(one["a", name].effect) == pytest.approx(effect)
        assert mean(one["a", name].contrast) == pytest.approx(effect - others)


def test_the_contrast_is_tested_by_sign_flips_of_the_scenarios_and_adjusted_by_holm() -> None:
    one = found(pairing(THREE))
    ps = {}
    for name, counts in THREE.items():
        others = [c for other, c in THREE.items() if other != name]
        ps[name] = sign_flip(
            -counts[n] / 10 + sum(c[n] for c in others) / 20 for n in range(SCENARIOS)
        )
    seen: dict[str, float] = {}
    for rank, name in enumerate(sorted(ps, key=lambda name: ps[name])):
        seen[name] = max([min(1.0, ps[name] * (len(ps) - rank)), *seen.values()])
    for name, p in ps.items():
        contrast = one["a", name].contrast
        assert contrast is not None
        assert contrast.p == pytest.approx(p)
        assert one["a", name].adjusted == pytest.approx(seen[name])


def test_an_arm_that_does_nothing_in_one_framework_is_found_and_an_even_one_is_not() -> None:
    """A family of one contrast: two levels, six scenarios, p at best 2/64."""
    odd = found(pairing({"strands": [5, 6, 5, 7, 5, 6], "crewai": [0, 1, 0, 0, 1, 0]}))
    even = found(pairing({"strands": [5, 6, 5, 7, 5, 6], "crewai": [6, 5, 6, 5, 6, 5]}))
    assert odd["a", "crewai"].adjusted == pytest.approx(2 / 64)
    assert (even["a", "crewai"].adjusted or 0) > 0.5


def test_of_two_levels_one_contrast_is_the_other_turned_round_and_tested_once() -> None:
    one = found(pairing({"strands": [5, 6, 5, 7, 5, 6], "crewai": [0, 1, 0, 0, 1, 0]}))
    left, right = one["a", "strands"], one["a", "crewai"]
    assert mean(left.contrast) == pytest.approx(-mean(right.contrast))
    assert left.contrast is not None
    assert left.adjusted == right.adjusted == left.contrast.p


def test_holms_family_spans_the_arms() -> None:
    effects = {"strands": [5, 6, 5, 7, 5, 6], "crewai": [0, 1, 0, 0, 1, 0]}
    both = found(pairing(effects), pairing(effects, level="b"))
    assert both["a", "crewai"].adjusted == pytest.approx(2 * 2 / 64)


def test_a_level_is_never_held_against_another_set_of_scenarios() -> None:
    """The second level lacks the scenarios in which the arm helps: no difference is left."""
    helps = [8, 8, 8, 0, 0, 0]
    arm = pairing({"strands": helps, "crewai": helps})
    lacking = Pairing(
        level="a",
        attacks=tuple(
            one
            for one in arm.attacks
            if one.arm.framework == "strands" or one.scenario in ("s3", "s4", "s5")
        ),
        twins=(),
        alone=(),
        unmet=(),
    )
    one = found(lacking)["a", "strands"]
    assert mean(one.effect) == pytest.approx(-0.4)
    assert mean(one.contrast) == 0
    assert one.contrast is not None
    assert one.contrast.clusters == 3


def test_levels_that_share_no_scenario_have_effects_and_no_contrast() -> None:
    attacks = (
        pair("s0", (1, 10), (5, 10), framework="strands"),
        pair("s1", (1, 10), (5, 10), framework="crewai"),
    )
    one = found(Pairing(level="a", attacks=attacks, twins=(), alone=(), unmet=()))
    assert [item.contrast for item in one.values()] == [None, None]
    assert [mean(item.effect) for item in one.values()] == pytest.approx([-0.4, -0.4])
    assert [item.adjusted for item in one.values()] == [None, None]


@pytest.mark.parametrize("by", ["framework", "model", "guards", "language"])
def test_every_other_coordinate_with_several_levels_is_looked_at(by: str) -> None:
    one = found(pairing({"x": [1, 2], "y": [1, 2]}, by=by))
    assert {item.coordinate for item in one.values()} == {by}


def test_a_coordinate_with_one_level_and_the_axis_itself_are_not_looked_at() -> None:
    assert not found(pairing({"strands": [1, 2]}))
    assert not found(pairing({"x": [1], "y": [2]}, by="framework"), axis=Axis.FRAMEWORK)


def test_a_level_without_an_eligible_trial_has_no_effect() -> None:
    attacks = (
        pair("s0", (1, 10), (5, 10), framework="strands"),
        pair("s0", (0, 0), (5, 10), framework="crewai", invalid=3),
    )
    one = found(Pairing(level="a", attacks=attacks, twins=(), alone=(), unmet=()))
    assert one["a", "crewai"].effect is None
    assert one["a", "strands"].contrast is None
