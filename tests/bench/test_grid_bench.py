"""The benchmark runs from end to end and prints its table; no figure is judged here."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("grid_bench.py")
ROOT = SCRIPT.parent.parent.parent

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux shows the CPU clocks of other processes"
)


def test_the_benchmark_measures_every_way_and_every_part_and_prints_one_table() -> None:
    found = subprocess.run(
        [sys.executable, str(SCRIPT), "--quick", "--framework", "strands"],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in found.stdout.splitlines()
        if line.startswith("|")
    ]
    assert rows[0][1:] == ["strands"]
    assert {len(row) for row in rows} == {2}
    figures = dict(rows[2:])
    for way in ("(a) bare framework", "(b) bare framework + our proxy", "(c) the whole of ours"):
        assert sum(title.startswith(way) for title in figures) == 2, way
    assert all(re.search(r"\d\.\d", figure) for figure in figures.values()), figures
    assert sum(title.startswith("(c): ") for title in figures) == 10
    for jobs in (1, 2):
        assert float(figures[f"trials per second at `-j {jobs}`"]) > 0
    assert "The target" in found.stdout


def test_a_framework_that_is_not_measured_is_refused() -> None:
    found = subprocess.run(
        [sys.executable, str(SCRIPT), "--framework", "scripted"],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 2
    assert "strands" in found.stderr
