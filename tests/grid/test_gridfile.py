"""Grid files: strict reading with file, line, key and what to write; crossing into a plan."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from grid import clauses, extensions, gridfile
from grid.catalogue import scenario
from grid.errors import ConfigError
from grid.gridfile import cross, demo_text, read_grid, schema, with_axes
from grid.scenario import Scenario

HEAD = 'format = 1\nname = "x"\n'
GOOD = HEAD + '[[cells]]\nscenarios = ["S02"]\nmodels = ["scripted/honest"]\n'


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a ==", ["g.toml", "not TOML", "line 1"]),
        (HEAD, ["g.toml, line 1", "'cells' is missing"]),
        (HEAD + '[[cells]]\nscenarios=["S02"]\n', ["line 3", "'models' is missing"]),
        (GOOD.replace("scenarios", "scenario"), ["line 4", "'scenario'", "'scenarios'"]),
        (GOOD.replace("S02", "S99"), ["line 4", "scenarios", "S99", "moon_for_mars"]),
        (GOOD.replace("S02", "moon_for_mar"), ["Did you mean moon_for_mars"]),
        (GOOD.replace('["S02"]', '"S02"'), ["line 4", '"S02" does not fit. Write a list of']),
        (GOOD.replace('["S02"]', '["S02", "S02"]'), ["line 4", "holds a word twice"]),
        (GOOD.replace('"S02"', '"S02.benign"'), ["line 4", "the twin of", "cases = ['benign']"]),
        (GOOD + 'trials = "1"\n', ["line 6", 'trials: "1" does not fit. Write', "trials = 3"]),
        (GOOD + "trials = nan\n", ["line 6", "trials: nan does not fit. Write", "trials = 3"]),
        (GOOD + "trials = 2026-01-01\n", ["line 6", "2026-01-01 does not fit"]),
        (GOOD.replace("format = 1", "format = 2"), ["line 1", "2 does not fit. Write format = 1"]),
        (GOOD.replace("[[cells]]", "[cells]"), ["line 3", "a table does not fit", "[[cells]]"]),
        (GOOD + 'guards = ["of"]\n', ["line 6", "guards", "on-continue", "all-but:NAME"]),
        (GOOD + 'frameworks = ["lang"]\n', ["line 6", "frameworks", "langgraph"]),
        (GOOD + 'clauses = ["nothing"]\n', ["line 6", "clauses", "none"]),
        (GOOD + "trials = 0\n", ["line 6", "trials"]),
        (GOOD.replace("honest", "hones"), ["line 5", "models", "honest"]),
        (GOOD.replace("honest", "wavering/2"), ["line 5", "probability"]),
        (GOOD.replace("honest", "wavering/nan"), ["line 5", "probability"]),
        (GOOD.replace("honest", "near-miss/one"), ["line 5", "near-miss"]),
        (GOOD.replace("scripted/honest", "gpt-5"), ["line 5", "models", "openai/<name>"]),
        (GOOD.replace('name = "x"', 'name = "../x"'), ["line 2", "name"]),
        (GOOD + "[tamper]\n", ["line 6", "a table does not fit", "[[tamper]]"]),
        (GOOD + "[[tamper]]\n", ["line 6", "the key 'kind' is missing", "'inject'"]),
        (GOOD + '[[tamper]]\nkind = "dropp"\n', ["line 7", 'kind: "dropp" does not fit', "'drop'"]),
        (GOOD + '[[tamper]]\nkind = "drop"\ntools = "a"\n', ["line 8", "did you mean 'tool'"]),
        (GOOD + '[[tamper]]\nkind = "cut"\nrate = 2\n', ["line 8", "rate: 2 does not fit", "0.2"]),
        (GOOD + '[[tamper]]\nkind = "cut"\nrate = nan\n', ["line 6", "a number from 0 to 1"]),
        (
            GOOD + '[[tamper]]\nkind = "cut"\ntool = "pay"\n',
            ["line 8", "tool: kind 'cut' does not"],
        ),
        (GOOD + '[[tamper]]\nkind = "inject"\nvalue = 1979-05-27\n', ["line 8", "JSON"]),
        (HEAD + '[[tamper]]\nkind = "cut"\n', ["line 1", "'cells' is missing"]),
        (
            GOOD + '[[tamper]]\nkind = "drop"\n[[tamper]]\nkind = "status"\nvalue = 42\n',
            ["line 10", "value: an error's status"],
        ),
        (
            GOOD + '[[tamper]]\nkind = "drop"\n' + GOOD[len(HEAD) :].replace("honest", "nobody"),
            ["line 10", "models", "nobody"],
        ),
    ],
)
def test_bad_grid_files_are_refused_with_file_line_key_and_what_to_write(
    text: str, parts: list[str]
) -> None:
    with pytest.raises(ConfigError) as caught:
        cross(read_grid(text, "g.toml"))
    for part in parts:
        assert part in str(caught.value)


def test_the_second_block_is_named_by_its_own_line() -> None:
    text = GOOD + '\n[[cells]]\nscenarios = ["S02"]\nmodels = ["scripted/nobody"]\n'
    with pytest.raises(ConfigError, match="line 9"):
        read_grid(text, "g.toml")


def test_defaults_are_three_frameworks_both_guard_settings_and_the_attack() -> None:
    plan = cross(read_grid(GOOD, "g.toml"))
    assert [str(trial) for trial in plan.trials] == [
        f"moon_for_mars/{framework}/scripted/honest/none/{guards}/en/0"
        for framework in ("crewai", "langgraph", "strands")
        for guards in ("off", "on")
    ]


def test_the_demo_grid_covers_all_scenarios_in_all_frameworks_about_140_trials() -> None:
    plan = cross(read_grid(demo_text(), "demo"))
    assert 110 <= len(plan.trials) <= 170
    assert {trial.framework for trial in plan.trials} == {"strands", "langgraph", "crewai"}
    assert {trial.language for trial in plan.trials} == {"en", "ja"}


def test_overlapping_blocks_give_each_trial_once() -> None:
    text = GOOD + '[[cells]]\nscenarios = ["moon_for_mars"]\nmodels = ["scripted/honest"]\n'
    assert len(cross(read_grid(text, "g.toml")).trials) == 6


def test_an_axis_flag_replaces_that_axis_in_every_block() -> None:
    grid = with_axes(
        read_grid(demo_text(), "demo"),
        {"scenarios": ("S02",), "frameworks": ("scripted",), "models": None},
    )
    plan = cross(grid)
    assert {trial.scenario.partition(".")[0] for trial in plan.trials} == {"moon_for_mars"}
    assert {trial.framework for trial in plan.trials} == {"scripted"}


def test_a_language_that_a_scenario_lacks_is_refused_with_those_it_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    of = scenario("moon_for_mars")
    english = replace(of, turns=(replace(of.turns[0], prompt={"en": "Look."}),))
    monkeypatch.setattr("grid.gridfile.scenario", lambda _identity: english)
    with pytest.raises(ConfigError, match="not written in 'ja'; it has: en"):
        cross(read_grid(GOOD + 'languages = ["ja"]\n', "g.toml"))


def test_a_grid_without_a_trial_is_refused() -> None:
    with pytest.raises(ConfigError, match="no trial"):
        cross(read_grid(GOOD, "g.toml"), family="leakage")


def test_every_key_of_the_published_schema_says_what_to_write() -> None:
    kinds = schema()["$defs"]
    blocks = (*kinds["block"]["properties"].values(), *kinds["fault"]["properties"].values())
    assert all(entry.get("description") for entry in (*blocks, *schema()["properties"].values()))


TAMPERED = (
    GOOD
    + """
[[tamper]]
kind = "status"
value = 429
rate = 0.25

[[tamper]]
kind = "inject"
tool = "mem_usage"
value = "x"
"""
)


def test_what_is_planted_is_planted_in_every_trial_of_the_plan() -> None:
    grid = read_grid(TAMPERED, "g.toml")
    assert [tamper.kind for tamper in grid.tamper] == ["status", "inject"]
    plain = cross(read_grid(GOOD, "g.toml"))
    assert plain.tamper == ()
    for of in (grid, with_axes(grid, {"frameworks": ("scripted",)})):
        assert cross(of).tamper == grid.tamper
    assert replace(cross(grid), tamper=()) == plain, "trials and their seeds are the same"


def test_a_wanted_scenario_keeps_only_the_blocks_that_hold_it() -> None:
    plan = cross(with_axes(read_grid(demo_text(), "demo"), {"scenarios": ("S30",)}))
    assert {trial.scenario.partition(".")[0] for trial in plan.trials} == {"wildcard_delete"}
    assert {trial.language for trial in plan.trials} == {"en"}
    assert not any("wavering" in trial.model for trial in plan.trials)


def test_a_scenario_that_no_block_holds_takes_the_place_of_theirs() -> None:
    plan = cross(with_axes(read_grid(GOOD, "g.toml"), {"scenarios": ("S30",)}))
    assert {trial.scenario for trial in plan.trials} == {"wildcard_delete"}


def test_a_broken_wire_without_a_wire_is_refused() -> None:
    broken = GOOD.replace("honest", "broken-wire/list")
    assert len(cross(read_grid(broken, "g.toml")).trials) == 6
    with pytest.raises(ConfigError, match="write a real framework"):
        read_grid(broken + 'frameworks = ["scripted"]\n', "g.toml")


def test_a_scenario_that_stands_in_no_block_is_run_beside_one_that_does() -> None:
    both = {"scenarios": ("S30", "S01")}
    plan = cross(with_axes(read_grid(demo_text(), "demo"), both))
    alone = cross(with_axes(read_grid(demo_text(), "demo"), {"scenarios": ("S01",)}))
    ran = [trial for trial in plan.trials if trial.scenario.startswith("typo_target")]
    assert set(ran) == set(alone.trials)
    assert any(trial.scenario == "wildcard_delete" for trial in plan.trials)


def test_a_scenario_of_ones_own_is_not_asked_for_in_a_language_that_it_has_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def only_english(identity: str) -> Scenario:
        of = scenario(identity)
        turns = tuple(replace(turn, prompt={"en": turn.prompt["en"]}) for turn in of.turns)
        return replace(of, turns=turns)

    monkeypatch.setattr(gridfile, "scenario", only_english)
    wanted = {"scenarios": ("S01",)}
    plan = cross(with_axes(read_grid(demo_text(), "demo"), wanted))
    assert {trial.language for trial in plan.trials} == {"en"}
    with pytest.raises(ConfigError, match="is not written in 'ja'"):
        cross(with_axes(read_grid(demo_text(), "demo"), wanted | {"languages": ("ja",)}))


def test_variants_leave_the_twin_single() -> None:
    text = GOOD.replace("S02", "S11.*") + 'cases = ["benign"]\nframeworks = ["scripted"]\n'
    plan = cross(read_grid(text + 'guards = ["off"]\n', "g.toml"))
    assert [trial.scenario for trial in plan.trials] == ["instruction_in_log.benign"]


def test_a_clause_file_beside_the_grid_file_is_named_by_its_path(tmp_path: Path) -> None:
    (tmp_path / "calm.md").write_text("Be calm.")
    text = GOOD + 'clauses = ["none", "calm.md"]\n'
    try:
        grid = read_grid(text, "g.toml", tmp_path)
        assert grid.blocks[0].clauses == ("none", "calm")
        assert {trial.clause for trial in cross(grid).trials} == {"none", "calm"}
    finally:
        clauses.own_files().clear()
        clauses.forget()
        os.environ.pop(extensions.VARIABLE, None)
    with pytest.raises(ConfigError, match=r"g.toml, line 6: clauses: --clause: 'calm.md' is not"):
        read_grid(text, "g.toml", tmp_path / "elsewhere")
