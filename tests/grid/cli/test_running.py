"""grid.cli.running: a grid from Python, and that it is the same run as the command's."""

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import grid
import ledgers
from grid.cli.running import check_judged, given_grid, run
from grid.errors import ConfigError, NotGateable
from ledgers.reading import SealedRun
from tests.grid.cli.commands import ROOT, SMALL, environment, head
from tests.ledgers.runs import make_run, trial

CELL = {"scenarios": ["S02"], "models": ["scripted/fault"], "frameworks": ["scripted"]}


def table(**changes: Any) -> dict[str, Any]:
    return {"format": 1, "name": "t", "cells": [CELL]} | changes


def refused(given: Any) -> str:
    with pytest.raises(ConfigError) as found:
        given_grid(given)
    return str(found.value)


def test_a_run_from_python_has_the_head_of_the_commands_run_and_prints_nothing(
    small: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    said: list[str] = []
    made = grid.run(SMALL, output=tmp_path / "text", jobs=1, tell=said.append)
    assert isinstance(made, SealedRun)
    assert made.head.head == head(small / "run")
    assert (made.path, len(made.trials)) == (tmp_path / "text", 4)
    assert ledgers.frame(made)["scenario"].unique().tolist() == ["moon_for_mars"]
    assert said == []
    assert capfd.readouterr() == ("", "")


def test_a_table_and_a_file_are_the_same_grid_as_the_text(small: Path) -> None:
    of_text = given_grid(SMALL)
    assert given_grid(tomllib.loads(SMALL)) == of_text
    assert given_grid(small / "small.toml") == given_grid(str(small / "small.toml")) == of_text


def test_a_table_may_hold_whatever_a_file_may() -> None:
    faults = (
        {"kind": "inject", "value": 'x "y"\n\x7f雪😀', "argument": "a b"},
        {"kind": "status", "value": 429, "rate": 0.25},
        {"kind": "argument", "tool": "restart_service", "argument": "n", "value": {"a b": [True]}},
    )
    read = given_grid(table(tamper=faults, seed=7, cells=(CELL | {"trials": 3},)))
    assert read.tamper[0].value == faults[0]["value"]
    assert read.tamper[1].rate == 0.25
    assert read.tamper[2].value == {"a b": [True]}
    assert (read.seed, read.blocks[0].trials) == (7, 3)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"format": 1}, "the grid: the key 'name' is missing"),
        (table(name="X"), "the grid, name: name: "),
        (table(cells=[]), "the grid, cells: cells: [] does not fit"),
        (table(cells=[CELL, CELL | {"models": ["gpt-5"]}]), "the grid, cells[1]: models: 'gpt-5'"),
        (table(cells=[CELL | {"trails": 2}]), "cells[0]: there is no key 'trails'; did you mean"),
        (table(tamper=[{"kind": "cut", "rate": 2}]), "the grid, tamper[0]: rate: 2 does not fit"),
        (table(seed=None), "the grid, seed: a grid file knows no None; leave the key out"),
        (table(cells=[CELL | {1: 2}]), "the grid, cells[0]: the key 1 is no text"),
        (3, "grid: a int is none"),
        ("nowhere.toml", "GRID: cannot read nowhere.toml"),
        ("nul\0.toml", "GRID: cannot read"),
    ],
)
def test_bad_grids_are_refused_with_their_place(given: Any, sentence: str) -> None:
    assert sentence in refused(given)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_no_number_of_a_table_may_be_none(number: float) -> None:
    for place, given in {
        "the grid, seed": table(seed=number),
        "the grid, cells[0], trials": table(cells=[CELL | {"trials": number}]),
        "the grid, tamper[0], rate": table(tamper=[{"kind": "cut", "rate": number}]),
    }.items():
        assert refused(given).startswith(f"{place}: ")


def test_the_bad_grid_of_a_call_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="unknown scenario"):
        run(table(cells=[CELL | {"scenarios": ["S99"]}]), output=tmp_path / "run")
    for jobs in (0, 65, True, 1.5):
        with pytest.raises(ConfigError, match="write one from 1 to 64"):
            run(table(), output=tmp_path / "run", jobs=jobs)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_a_finished_run_is_resumed_as_it_is_and_never_overwritten(
    small: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    said: list[str] = []
    again = run(small / "small.toml", output=small / "run", resume=True, tell=said.append)
    assert again.head.head == head(small / "run")
    assert said == [f"{small / 'run'} is finished; nothing is left to run."]
    with pytest.raises(ConfigError, match="holds a finished run of another plan"):
        run(SMALL.replace("S02", "S11"), output=small / "run", resume=True)
    with pytest.raises(ConfigError, match="holds a finished run"):
        run(SMALL, output=small / "run")
    assert capfd.readouterr() == ("", "")


def test_what_the_command_would_note_is_told_where_it_is_asked_for(tmp_path: Path) -> None:
    said: list[str] = []
    cells = [CELL | {"scenarios": ["S02", "S54"], "guards": ["off"]}]
    run(table(cells=cells), output=tmp_path / "run", jobs=1, tell=said.append)
    assert [line for line in said if line.startswith("note: S54 cannot be run in scripted: ")]


def test_a_run_without_one_valid_trial_is_no_result(tmp_path: Path) -> None:
    of = trial("moon_for_mars", "strands", "honest")
    make_run(tmp_path / "bad", [of], raw=b"")
    found = SealedRun(tmp_path / "bad")
    assert [entry.utility for entry in found.trials] == ["invalid"]
    with pytest.raises(NotGateable, match="no trial is valid"):
        check_judged(found)
    make_run(tmp_path / "good", [of])
    check_judged(SealedRun(tmp_path / "good"))


def test_importing_the_package_loads_nothing_of_the_command_line() -> None:
    code = (
        "import sys, grid; "
        "print([name for name in sys.modules if name.startswith(('grid.', 'typer', 'ledgers'))]); "
        "assert 'run' in dir(grid); import grid.runner; print(grid.run.__module__)"
    )
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        cwd=ROOT, env=environment(),
    )  # fmt: skip
    assert said.stdout.splitlines() == ["[]", "grid.cli.running"]
    with pytest.raises(AttributeError, match="no attribute 'runs'"):
        _ = grid.runs
