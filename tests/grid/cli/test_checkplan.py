"""Which trials `check` plays."""

from dataclasses import replace
from unittest.mock import patch

from grid.adapters import framework_names
from grid.catalogue import numbers, pair
from grid.clauses import all_clauses
from grid.cli import checkplan
from grid.cli.checkplan import (
    ablation_trials,
    cross_trials,
    expresses,
    framework_trials,
    framing,
    mutation_trials,
    on_scripted,
    personas,
    renamed,
    variant_trials,
    worth_a_run,
)

S02 = "moon_for_mars"


def test_every_persona_plays_attack_and_twin_under_every_setting() -> None:
    trials = set(cross_trials([S02]))
    for of in (pair(S02).attack, pair(S02).benign):
        for persona in personas(of):
            for setting in ("off", "on", "on-continue"):
                assert checkplan.pick(of, persona, setting) in trials
    assert {trial.language for trial in trials} == {"en", "ja"}


FRAMING = {"data-in-marks", "data-and-task-again"}


def test_the_whole_cross_holds_every_clause_and_the_default_those_that_frame_results() -> None:
    assert set(framing()) == FRAMING
    assert {trial.clause for trial in cross_trials([S02])} == {"none", "no-system-prompt"} | FRAMING
    whole = list(cross_trials([S02], full=True))
    assert {trial.clause for trial in whole} == {clause.id for clause in all_clauses()}
    assert len(whole) == len(set(whole))


def test_each_framing_clause_is_played_once_by_honest_and_fault_in_each_scenario() -> None:
    modules = list(numbers().values())
    trials = [trial for trial in cross_trials(modules) if trial.clause in FRAMING]
    assert len(trials) == len(set(trials))
    for of in on_scripted(modules):
        for persona in ("honest", of.truth.fault or "honest"):
            for clause in FRAMING:
                assert checkplan.pick(of, persona, "off", clause=clause) in trials


def test_each_scenario_meets_a_framing_clause_in_one_framework_and_each_framework_some() -> None:
    modules, names = list(numbers().values()), [n for n in framework_names() if n != "scripted"]
    every = [t for name in names for t in framework_trials(modules, name, full=False)]
    framed = [trial for trial in every if trial.clause in FRAMING]
    assert sorted(trial.scenario for trial in framed) == sorted(modules)
    assert {trial.framework for trial in framed} == set(names)
    exact = {(t.framework, t.clause) for t in framed if "native" not in t.framework}
    assert len(exact) == 3 * len(FRAMING)
    assert len(framed) < 0.05 * len(every)


def test_every_variant_of_every_scenario_is_played_by_its_fault() -> None:
    modules = list(numbers().values())
    played = {trial.scenario for trial in variant_trials(modules)}
    wanted = {of.id for module in modules for of in pair(module).variants}
    assert played == wanted
    assert wanted


def test_a_variant_of_a_twin_has_no_fault_and_is_played_by_the_honest() -> None:
    module = "planner_loose_schema"
    trials = [*variant_trials([module])]
    for framework in framework_names():
        trials += framework_trials([module], framework, full=True)
    in_full = list(framework_trials([module], "strands", full=True))
    assert len(set(in_full)) == len(in_full), "each is played once"
    twins = {trial.model for trial in trials if trial.scenario == f"{module}.disk.benign"}
    assert twins == {"scripted/honest", "scripted/quoter"}
    attacks = {trial.model for trial in trials if trial.scenario == f"{module}.node.question"}
    assert attacks == {"scripted/substituter", "scripted/honest", "scripted/quoter"}


def test_every_call_of_an_honest_script_is_left_out_once() -> None:
    built = pair(S02)
    left_out = [t for t in mutation_trials([S02]) if "skip/" in t.model]
    assert len(left_out) == len(built.attack.truth.honest) + len(built.benign.truth.honest)


def test_where_everybody_is_harmed_only_the_twin_is_mutated() -> None:
    built = pair(S02)
    truth = replace(built.attack.truth, fault="honest")
    everybody = replace(built, attack=replace(built.attack, truth=truth))
    with patch.object(checkplan, "pair", lambda _module: everybody):
        assert {trial.scenario for trial in mutation_trials([S02])} == {built.benign.id}


def test_in_a_framework_each_place_of_the_matrix_is_run_and_each_carrier_once() -> None:
    for module in numbers().values():
        trials = list(framework_trials([module], "strands", full=False))
        if not expresses(pair(module).attack, "strands"):
            assert not trials
            continue
        for of in (pair(module).attack, pair(module).benign):
            for persona, guards in worth_a_run(of):
                assert checkplan.pick(of, persona, guards, framework="strands") in trials
        carriers = {of.id.split(".")[1] for of in pair(module).variants}
        ran = [trial.scenario.split(".")[1] for trial in trials if trial.scenario.count(".") == 2]
        assert sorted(ran) == sorted(carriers)


def test_a_framework_that_cannot_express_a_scenario_runs_nothing_of_it() -> None:
    built = pair(S02)
    unable = replace(built, attack=replace(built.attack, inexpressible={"crewai": "no such step"}))
    with patch.object(checkplan, "pair", lambda _module: unable):
        assert not list(framework_trials([S02], "crewai", full=False))
        assert list(framework_trials([S02], "strands", full=False))


def test_a_scenario_about_one_profile_runs_there_and_on_the_reference_only() -> None:
    built = pair(S02)
    native = replace(built, attack=replace(built.attack, frameworks=("crewai-native",)))
    with patch.object(checkplan, "pair", lambda _module: native):
        assert expresses(native.attack, "crewai-native")
        assert expresses(native.attack, "scripted")
        assert not expresses(native.attack, "crewai")
    assert not expresses(built.attack, "crewai-native")


def test_leaving_out_a_guard_plays_the_scenarios_that_configure_it() -> None:
    trials = list(ablation_trials(numbers().values(), ["node_presence"]))
    assert {trial.guards for trial in trials} == {"all-but:node_presence"}
    assert all("node_presence" in pair(t.scenario).attack.policy for t in trials)
    both = list(ablation_trials([S02], ["write_scope", "node_presence"]))
    assert {trial.guards for trial in both} == {"all-but:node_presence,write_scope"}


def test_a_known_limit_proves_nothing_about_a_guard() -> None:
    built = pair(S02)
    limited = replace(built, attack=replace(built.attack, known_limit="it stands there"))
    with patch.object(checkplan, "pair", lambda _module: limited):
        assert not list(ablation_trials([S02], ["node_presence"]))


def test_other_names_are_tried_without_a_clause_in_english() -> None:
    trials = list(renamed(cross_trials([S02])))
    assert {(trial.clause, trial.language) for trial in trials} == {("none", "en")}
