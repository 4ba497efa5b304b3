"""The runner, with real worker processes and the `scripted` adapter (no wire)."""

import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from grid.errors import ConfigError, HarnessError
from grid.evidence import TrialId
from grid.extensions import VARIABLE
from grid.gridfile import cross, read_grid
from grid.runner import Finished, Recorded, Runner, RunSettings, WireAccess, worker_environment
from grid.scenario import Tamper
from grid.vocabulary import Status, TamperKind

GRID = """
format = 1
name = "t"
[[cells]]
scenarios = ["S02"]
cases = ["attack", "benign"]
models = ["scripted/honest", "scripted/substituter", "scripted/do-nothing"]
frameworks = ["scripted"]
"""


ENDLESS = """
import time
class Endless:
    async def drive(self, session):
        time.sleep(3600)
ADAPTER = Endless
"""


class EmptyWire:
    """A wire on which nothing is said."""

    def open(self, _trial: TrialId, _seed: str) -> WireAccess:
        return WireAccess(base_url="", api_key="")

    def close(self, _trial: TrialId) -> Recorded:
        return Recorded(raw=b"", complete=True, reason="")


class NoWire:
    """A wire that must not be used."""

    def open(self, trial: TrialId, seed: str) -> WireAccess:
        raise AssertionError(f"{trial} has no wire")

    def close(self, trial: TrialId) -> Recorded:
        raise AssertionError(f"{trial} has no wire")


def run(folder: Path, jobs: int) -> list[Finished]:
    kept: list[Finished] = []
    settings = RunSettings(seed=1, jobs=jobs, folder=folder)
    Runner(settings, NoWire(), kept.append).run(cross(read_grid(GRID, "g.toml")).trials)
    return kept


def test_what_a_run_plants_is_planted_where_there_is_no_wire(tmp_path: Path) -> None:
    kept: list[Finished] = []
    faults = (Tamper(kind=TamperKind.TIMEOUT, answer=1),)
    settings = RunSettings(seed=1, jobs=1, folder=tmp_path, tamper=faults)
    Runner(settings, NoWire(), kept.append).run(cross(read_grid(GRID, "g.toml")).trials[:1])
    assert [item.journal.status for item in kept] == [Status.PROVIDER_ERROR]
    assert [item.status for item in kept[0].journal.tampered] == [504]


def journals(kept: list[Finished]) -> dict[str, object]:
    return {str(item.trial): (item.seed, item.journal) for item in kept}


def test_every_trial_is_kept_once_and_the_number_of_workers_changes_nothing(
    tmp_path: Path,
) -> None:
    one, two = run(tmp_path / "1", 1), run(tmp_path / "2", 2)
    assert len(one) == len(two) == 12
    assert journals(one) == journals(two)
    assert {item.journal.status for item in one} == {Status.COMPLETED, Status.STOPPED}


def test_workers_see_no_keys_a_private_home_and_an_empty_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-real-key")
    run(tmp_path, 1)
    environment = worker_environment(tmp_path)
    assert "OPENAI_API_KEY" not in environment
    assert environment["HOME"] == str(tmp_path)
    assert list((tmp_path / "worker-0" / "work").iterdir()) == []


def test_a_sink_that_fails_stops_the_run_with_its_own_error(tmp_path: Path) -> None:
    kept: list[Finished] = []

    def keep(finished: Finished) -> None:
        kept.append(finished)
        raise HarnessError("the disk is full")

    runner = Runner(RunSettings(seed=1, jobs=2, folder=tmp_path), NoWire(), keep)
    with pytest.raises(HarnessError, match="the disk is full"):
        runner.run(cross(read_grid(GRID, "g.toml")).trials)
    assert len(kept) == 1


def test_a_killed_worker_stops_the_run_and_names_its_trial(tmp_path: Path) -> None:
    kept: list[Finished] = []

    def keep(finished: Finished) -> None:
        kept.append(finished)
        os.kill(runner.process_ids()[0], signal.SIGKILL)

    runner = Runner(RunSettings(seed=1, jobs=1, folder=tmp_path), NoWire(), keep)
    with pytest.raises(HarnessError, match=r"the worker that ran moon_for_mars/.* died"):
        runner.run(cross(read_grid(GRID, "g.toml")).trials)
    assert len(kept) == 1


def test_a_framework_that_cannot_be_loaded_stops_the_run_with_its_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own"
    (own / "frameworks").mkdir(parents=True)
    (own / "frameworks" / "mine_broken.py").write_text("1 / 0\n")
    monkeypatch.setenv(VARIABLE, str(own))  # for the worker; this process has not loaded it
    plan = cross(read_grid(GRID, "g.toml"))
    trials = [replace(trial, framework="mine-broken") for trial in plan.trials]
    settings = RunSettings(seed=1, jobs=1, folder=tmp_path / "workers")
    runner = Runner(settings, EmptyWire(), lambda _: None)
    with pytest.raises(ConfigError, match="the file of framework 'mine_broken' fails: ZeroDiv"):
        runner.run(trials)


def test_a_trial_that_never_ends_is_stopped_and_said_to_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own"
    (own / "frameworks").mkdir(parents=True)
    (own / "frameworks" / "mine_endless.py").write_text(ENDLESS)
    monkeypatch.setenv(VARIABLE, str(own))
    monkeypatch.setattr("grid.runner.TRIAL_TIMEOUT_S", 1.0)
    monkeypatch.setattr("grid.runner.GRACE_S", 5.0)
    plan = cross(read_grid(GRID, "g.toml"))
    trials = [replace(trial, framework="mine-endless") for trial in plan.trials]
    settings = RunSettings(seed=1, jobs=1, folder=tmp_path / "workers")
    runner = Runner(settings, EmptyWire(), lambda _: None)
    with pytest.raises(HarnessError, match="gave no answer within 6 s and was stopped"):
        runner.run(trials)


def test_no_worker_is_left_behind(tmp_path: Path) -> None:
    runner = Runner(RunSettings(seed=1, jobs=2, folder=tmp_path), NoWire(), lambda _: None)
    runner.run(cross(read_grid(GRID, "g.toml")).trials)
    for process in runner.process_ids():
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)
