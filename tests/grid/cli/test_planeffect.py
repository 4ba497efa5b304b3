"""grid.cli.planeffect: what a grid can find, against the tests themselves."""

import sys

import pytest

from grid.cli.planeffect import Detectable, detectable
from grid.plan import Plan
from ledgers.stats.power import cell_power, difference_sd, mean_power
from ledgers.stats.proportion import boschloo
from tests.ledgers.runs import plan, trial


def grid(scenarios: int, trials: int, model: str = "wavering/0.5", **more: str) -> Plan:
    return plan([
        trial(name, "strands", model, number=n, guards=guards, **more)
        for name in [f"s{n}" for n in range(scenarios)]
        for guards in ("off", "on")
        for n in range(trials)
    ])  # fmt: skip


def only(of: Plan) -> Detectable:
    (found,) = detectable(of)
    return found


def test_a_deterministic_persona_has_no_effect_to_be_found() -> None:
    found = only(grid(24, 10, "substituter"))
    assert "repeats are no samples" in found.why_not
    assert (found.pooled, found.per_cell) == ((), ())


def test_the_pooled_effect_is_what_the_test_finds_in_four_of_five_runs() -> None:
    found = only(grid(24, 10))
    assert (found.scenarios, found.trials) == (24, 10), "guards on are not counted"
    for item in found.pooled:
        assert item.difference is not None
        sd = difference_sd(rate_a=item.rate, rate_b=item.rate, trials=10)
        power = mean_power(scenarios=24, sd=sd, difference=item.difference)
        assert power == pytest.approx(0.8, abs=0.005)


def test_more_scenarios_and_more_trials_find_less() -> None:
    sizes = [only(of).pooled[1].difference for of in (grid(8, 5), grid(24, 5), grid(24, 20))]
    first, second, third = sizes
    assert first is not None
    assert second is not None
    assert third is not None
    assert first > second > third > 0


def test_variants_of_one_attack_are_one_scenario_with_more_trials() -> None:
    of = plan([
        trial(f"{name}.log_line.{form}", "strands", "wavering/0.5", number=n, guards="off")
        for name in ("a", "b", "c")
        for form in ("plain", "tags")
        for n in range(5)
    ])  # fmt: skip
    assert (only(of).scenarios, only(of).trials) == (3, 10)


def test_too_small_a_grid_finds_nothing_and_says_none() -> None:
    found = only(grid(3, 2))
    assert [item.difference for item in found.pooled] == [None, None, None]
    assert found.per_cell[0].fails_at is found.per_cell[0].rate is None


def test_the_cell_gate_is_the_exact_test_at_the_first_step_of_holm() -> None:
    found = only(grid(24, 20))
    assert (found.cell_trials, found.tests) == (20, 24)
    first = found.per_cell[0]
    assert first.hits == 0
    assert first.fails_at is not None
    assert first.rate is not None
    assert boschloo(first.fails_at, 20, 0, 20, "greater") <= 0.05 / 24
    assert boschloo(first.fails_at - 1, 20, 0, 20, "greater") > 0.05 / 24
    assert cell_power(first.rate, 0, 20, 20, 24) == pytest.approx(0.8, abs=0.001)


def test_the_reference_adapter_is_not_pooled_with_real_frameworks() -> None:
    wired = grid(24, 10)
    more = tuple(trial(f"s{n}", "scripted", "wavering/0.5", number=k)
                 for n in range(24) for k in range(50))  # fmt: skip
    assert only(plan((*wired.trials, *more))).trials == 10
    assert only(plan(more)).trials == 50, "alone, it is what there is"


def test_two_clauses_are_two_arms_and_twins_are_none() -> None:
    trials = [trial(f"s{n}", "strands", "wavering/0.5", clause=clause, number=k)
              for n in range(8) for clause in ("none", "penalty") for k in range(4)]  # fmt: skip
    assert only(plan(trials)).trials == 4
    twins = [trial(f"s{n}.benign", "strands", "wavering/0.5") for n in range(8)]
    assert "only twins" in only(plan(twins)).why_not


def test_without_the_extra_it_is_said_and_nothing_else_stops(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("statsmodels.stats.power", "statsmodels.stats", "statsmodels"):
        monkeypatch.setitem(sys.modules, name, None)
    assert "install nonverba[stats]" in only(grid(24, 10)).why_not
