"""The benchmark runs from end to end, and is red where an answer is late or wrong."""

import importlib.util
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).with_name("compare_bench.py")
ROOT = SCRIPT.parent.parent.parent


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    spec = importlib.util.spec_from_file_location("compare_bench", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["compare_bench"] = module  # a dataclass looks its module up
    spec.loader.exec_module(module)
    return module


def test_the_benchmark_runs_a_grid_compares_it_and_prints_one_table() -> None:
    found = subprocess.run(
        [sys.executable, str(SCRIPT), "--quick", "--times", "1", "--limit", "200"],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout + found.stderr
    rows = dict(
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in found.stdout.splitlines()
        if line.startswith("|")
    )
    assert rows["trials compared"] == "240"
    assert rows["scenarios that counted"] == "12"
    assert rows["**effect by construction, points**"] == "**-42.0**"
    assert float(rows["CPU of that, least, s"]) > 0
    assert float(rows["command to answer, each time, s"]) > 0
    assert "Missed" not in found.stdout


def test_a_late_answer_and_a_wrong_one_are_missed_and_the_near_miss_is_not(
    bench: ModuleType,
) -> None:
    right = bench.Measured(
        trials=1440, scenarios=24, run=60.0, answers=(11.0, 9.9), cpu=(4.0, 4.1), picture=12.0,
        mean=-0.4,
        intervals={"t": (-0.42, -0.3), "BCa": (-0.43, -0.31)}, known=-0.42,
    )  # fmt: skip
    assert bench.missed(right, 10.0) == []
    assert "took 10.1 s" in bench.missed(replace(right, answers=(10.1, 12.0)), 10.0)[0]
    wrong = replace(right, intervals={"t": (-0.419, -0.3), "BCa": (-0.43, -0.31)})
    (said,) = bench.missed(wrong, 10.0)
    assert "outside the t interval" in said


def test_the_known_effect_is_the_personas_own(bench: ModuleType) -> None:
    assert bench.known_effect() == pytest.approx(-0.42)
