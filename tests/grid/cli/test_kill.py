"""Killed at any instant, a run resumes: same head, no trial lost or doubled, no orphan left."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from ledgers.reading import SealedRun
from ledgers.verify import verify

SCRIPTED = """
format = 1
name = "kill"
[[cells]]
scenarios = ["S02", "S05", "S14", "S17", "S20", "S22", "S24", "S25", "S26", "S39"]
cases = ["attack", "benign"]
models = ["scripted/honest", "scripted/liar"]
frameworks = ["scripted"]
guards = ["off", "on", "on-continue"]
"""
REAL = """
format = 1
name = "kill"
[[cells]]
scenarios = ["S02", "S30"]
models = ["scripted/fault"]
frameworks = ["strands", "langgraph"]
"""

KILLS = 8
"""A run is killed once in each of so many equal parts of its length, the first and the last too."""


def command(grid: Path, output: Path, *more: str) -> list[str]:
    return [
        sys.executable,
        "-m",
        "grid",
        "run",
        str(grid),
        "-o",
        str(output),
        "-j",
        "2",
        "--no-progress",
        "--json",
        *more,
    ]


def started(grid: Path, output: Path, *more: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command(grid, output, *more),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def resumed(grid: Path, output: Path) -> str:
    flag = ["--resume"] if (output / "manifest.json").exists() else []
    done = subprocess.run(
        command(grid, output, *flag), capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr
    return SealedRun(output).head.head


def ours(output: Path) -> Iterator[int]:
    """Return the processes that belong to a run: those whose open files or folder are in it."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            places = [os.readlink(entry / "cwd")]
            places += [os.readlink(link) for link in (entry / "fd").iterdir()]
        except OSError:
            continue  # it has ended, or it is not ours to look at
        if any(place.startswith(str(output)) for place in places):
            yield int(entry.name)


def wait_until_gone(output: Path) -> None:
    deadline = time.monotonic() + 20
    while left := list(ours(output)):
        assert time.monotonic() < deadline, f"processes left behind: {left}"
        time.sleep(0.05)


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """A grid and its run that nothing stopped."""

    grid: Path
    head: str
    trials: int
    length: float
    """Seconds that the run took."""


def whole_run(folder: Path, text: str) -> Whole:
    grid = folder / "grid.toml"
    grid.write_text(text)
    begun = time.monotonic()
    head = resumed(grid, folder / "whole")
    length = time.monotonic() - begun
    trials = len(SealedRun(folder / "whole").trials)
    return Whole(grid=grid, head=head, trials=trials, length=length)


@pytest.fixture(scope="module")
def scripted(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    return whole_run(tmp_path_factory.mktemp("scripted"), SCRIPTED)


@pytest.fixture(scope="module")
def six(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """Twelve trials of one framework: long enough to lose a server or the worker in."""
    text = REAL.replace('"strands", "langgraph"', '"strands"') + "trials = 6\n"
    return whole_run(tmp_path_factory.mktemp("six"), text)


def check_kill(whole: Whole, output: Path, instant: float) -> None:
    """Kill a run after a part of its length; it must resume to the same head, with every trial."""
    process = started(whole.grid, output)
    time.sleep(instant * whole.length)  # the instant is what is under test
    process.send_signal(signal.SIGKILL)
    process.wait()
    wait_until_gone(output)
    assert resumed(whole.grid, output) == whole.head
    assert verify(output, whole.head).trials == whole.trials


@pytest.mark.timeout(300)
@pytest.mark.parametrize("part", range(KILLS))
def test_a_scripted_run_killed_in_each_part_of_its_length_resumes_to_the_same_head(
    scripted: Whole, tmp_path: Path, part: int
) -> None:
    within = random.Random(part).random()  # noqa: S311 - an instant, not a secret
    check_kill(scripted, tmp_path / "killed", (part + within) / KILLS)


@pytest.mark.timeout(300)
def test_a_run_on_frameworks_killed_at_two_random_instants_resumes_to_the_same_head(
    tmp_path: Path,
) -> None:
    whole = whole_run(tmp_path, REAL)
    draw = random.Random(7)  # noqa: S311 - instants, not secrets
    for number in range(2):
        check_kill(whole, tmp_path / f"killed-{number}", draw.uniform(0.05, 1.0))


def child_of(parent: int, module: str) -> int:
    """Wait for a child process that runs a module of ours, and return its id."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for entry in Path("/proc").iterdir():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
                status = (entry / "stat").read_text()
            except OSError:
                continue  # no process, or one that has ended
            if module.encode() in words and int(status.rpartition(")")[2].split()[1]) == parent:
                return int(entry.name)
        time.sleep(0.01)
    raise AssertionError(f"{module} was never started")


@pytest.mark.timeout(300)
@pytest.mark.parametrize("module", ["proxy.scripted", "proxy.server", "grid.worker"])
def test_a_server_or_worker_of_ours_that_dies_stops_the_run_and_spoils_no_trial(
    six: Whole, tmp_path: Path, module: str
) -> None:
    output = tmp_path / "hit"
    process = subprocess.Popen(
        command(six.grid, output), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    index = output / "packs.idx"
    while not (index.exists() and index.stat().st_size > 0):
        assert process.poll() is None
        time.sleep(0.01)
    os.kill(child_of(process.pid, module), signal.SIGKILL)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 3, said
    assert "run again with --resume" in said
    assert resumed(six.grid, output) == six.head
