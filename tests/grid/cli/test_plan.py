"""`nonverba plan`, as a user types it."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.grid.cli.conftest import Typed

GRID = """
format = 1
name = "planned"
[[cells]]
scenarios = ["S02", "S11"]
cases = ["attack", "benign"]
models = ["scripted/wavering/0.5"]
frameworks = ["strands", "scripted"]
guards = ["off"]
trials = 4
"""
PRICES = """
[[price]]
model = "my-model"
input_per_million = 1
output_per_million = 2.5
currency = "EUR"
"""


@pytest.fixture
def grid(tmp_path: Path) -> Path:
    (tmp_path / "grid.toml").write_text(GRID)
    (tmp_path / "prices.toml").write_text(PRICES)
    return tmp_path / "grid.toml"


def data(typed: Typed, *words: str | Path) -> Any:
    said = typed("plan", *words, "--json")
    assert said.code in (0, None), said.err
    return json.loads(said.out)


def test_a_plan_says_what_it_rests_on_and_what_is_missing(typed: Typed, grid: Path) -> None:
    said = typed("plan", grid)
    assert said.code in (0, None), said.err
    assert "planned: 8 cells, 32 trials" in said.out
    for sentence in (
        "These are estimates",
        "each scenario was played once",
        "are taken for one; nothing was asked of a tokenizer",
        "Time is none: give --seconds-per-call, or --like",
        "Cost is none without a price and tokens: give a TOML file with --prices",
        "the framework `scripted` ask no model",
        "scripted/wavering/0.5: smallest effect",
    ):
        assert sentence in said.out


def test_any_model_can_be_planned_and_priced(typed: Typed, grid: Path) -> None:
    prices = grid.parent / "prices.toml"
    words = (grid, "--model", "my-model", "--model", "scripted/fault", "--prices", prices)
    found = data(typed, *words, "--framework", "strands", "--seconds-per-call", "1.5", "-j", "2")
    assert [one["model"] for one in found["models"]] == [
        "my-model", "scripted/substituter", "scripted/honest", "scripted/gullible",
    ]  # fmt: skip
    mine, faulty = found["models"][:2]
    assert (mine["cells"], mine["trials"], found["trials"]) == (4, 16, 32)
    work = mine["work"]
    for end in ("low", "high"):
        tokens = work["input_tokens"][end] + 2.5 * work["output_tokens"][end]
        assert mine["cost"][end] == pytest.approx(tokens / 1e6)
        assert mine["wall"][end] == pytest.approx(work["calls"][end] * 1.5 / 2)
    assert work["calls"]["low"] < work["calls"]["high"]
    assert faulty["cost"] is None
    assert faulty["work"]["calls"]["low"] == faulty["work"]["calls"]["high"]
    why = {one["model"]: one["why_not"] for one in found["detectable"]}
    assert why["my-model"] == ""
    assert "repeats are no samples" in why["scripted/substituter"]


def test_a_run_gives_its_means(typed: Typed, grid: Path, sealed: Path) -> None:
    found = data(typed, grid, "--like", sealed, "--scenario", "S02", "--framework", "strands")
    (one,) = found["models"]
    assert one["work"]["calls"]["low"] == one["work"]["calls"]["high"] > 0
    assert one["work"]["input_tokens"] is None, "its provider counted no tokens"
    assert one["wall"]["low"] == pytest.approx(8 * 0.012 / 2)
    said = " ".join(found["rests_on"])
    assert f"means of {sealed}" in said
    assert "on its scenario" in said


def test_a_plan_without_a_file_is_that_of_the_scenarios_named(typed: Typed) -> None:
    found = data(typed, "--scenario", "S54", "--framework", "crewai-native")
    assert (found["name"], found["trials"]) == ("restarted_after_error", 4)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--seconds-per-call", "nan"), "--seconds-per-call: nan is no time of one call"),
        (("--seconds-per-call", "inf"), "is no time of one call"),
        (("--seconds-per-call", "-1"), "is no time of one call"),
        (("--model", "a\x1bb"), "--model: write the id of a model"),
        (("--model", ""), "--model: write the id of a model"),
        (("--model", "scripted/nobody"), "unknown persona 'nobody'"),
        (("--scenario", "S99"), "unknown scenario 'S99'"),
        (("--like", "nowhere"), "nowhere holds no finished run"),
        (("--prices", "nowhere"), "--prices: cannot read nowhere"),
    ],
)
def test_bad_input_gets_one_plain_sentence(
    typed: Typed, grid: Path, words: tuple[str, ...], sentence: str
) -> None:
    said = typed("plan", grid, *words)
    assert (said.code, said.out) == (2, "")
    assert sentence in said.err
