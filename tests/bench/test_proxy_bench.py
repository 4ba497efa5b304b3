"""The benchmark runs from end to end and prints its table; no figure is judged here."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("proxy_bench.py")
ROOT = SCRIPT.parent.parent.parent

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux shows the CPU clocks of other processes"
)


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPT), *words],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_benchmark_measures_every_way_at_every_size_and_prints_one_table() -> None:
    found = run("--quick")
    assert found.returncode == 0, found.stderr
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in found.stdout.splitlines()
        if line.startswith("|")
    ]
    assert {len(row) for row in rows} == {len(rows[0])}
    head, body = rows[0], rows[2:]
    asked = [(row[0], row[1]) for row in body]
    assert asked == [(f"{kb} kB", str(at)) for kb in (2, 20, 200) for at in (1, 8, 64)]
    for way in ("`mitmdump -q`", "proxy alone", "recording"):
        assert [f"{way}: CPU ms" in head, f"{way}: + ms" in head] == [True, True]
        place = head.index(f"{way}: CPU ms")
        assert all(float(row[place].split()[0]) > 0 for row in body), way
    assert all(re.fullmatch(r"\*\*\d+\.\d\d\*\* \(\d+\.\d\d\)", row[5]) for row in body)
    assert [row[6] for row in body] == ["1"] * 6 + ["1.25"] * 3
    assert re.search(r"memory .*: \d+\.\d MB after 20, \d+\.\d MB after 60", found.stdout)
    assert found.stdout.count("The target") >= 2


def test_no_rounds_at_all_are_refused() -> None:
    found = run("--rounds", "0")
    assert (found.returncode, "at least 1" in found.stderr) == (2, True)
