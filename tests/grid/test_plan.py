"""Seeds derive from coordinates, not from position."""

from dataclasses import replace

from grid.evidence import TrialId
from grid.plan import trial_seed

TRIAL = TrialId(
    scenario="moon_for_mars",
    framework="strands",
    model="scripted/honest",
    clause="none",
    guards="off",
    language="en",
    number=0,
)


def test_a_seed_is_fixed_for_coordinates_and_grid_seed() -> None:
    assert trial_seed(1, TRIAL) == trial_seed(1, replace(TRIAL))
    assert len(trial_seed(1, TRIAL)) == 32


def test_every_coordinate_and_the_grid_seed_change_the_seed() -> None:
    changed = [
        replace(TRIAL, scenario="x"),
        replace(TRIAL, framework="x"),
        replace(TRIAL, model="x"),
        replace(TRIAL, clause="x"),
        replace(TRIAL, guards="on"),
        replace(TRIAL, language="ja"),
        replace(TRIAL, number=1),
    ]
    seeds = {trial_seed(1, trial) for trial in (TRIAL, *changed)} | {trial_seed(2, TRIAL)}
    assert len(seeds) == 9


def test_a_trial_that_is_played_anothers_answers_has_its_seed() -> None:
    played = replace(TRIAL, framework="crewai")
    assert trial_seed(1, played, "strands") == trial_seed(1, TRIAL)
    assert trial_seed(1, played) != trial_seed(1, TRIAL)
    assert trial_seed(1, TRIAL, "strands") == trial_seed(1, TRIAL)
