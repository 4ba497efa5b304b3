import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from grid.errors import CanonicalError, ConfigError, HarnessError, StrictError
from grid.scenario import Tamper
from grid.vocabulary import TamperKind
from ledgers.chain import Head
from ledgers.manifest import Manifest, build_manifest
from ledgers.packs import INDEX
from ledgers.seal import seal
from ledgers.store import (
    FILES,
    MANIFEST,
    PARTIAL,
    TIMINGS,
    RunDirectory,
    holds_run,
    is_sealed,
    read_timings,
    timing_line,
    write_file,
)
from tests.ledgers.runs import ENVIRONMENT, TRIALS, finished, plan

PLAN = plan(TRIALS[:3])


def manifest() -> Manifest:
    return build_manifest(PLAN)


def begun(folder: Path, count: int) -> None:
    with RunDirectory.create(folder, manifest()) as run:
        for trial in TRIALS[:count]:
            run.keep(finished(trial, run.manifest), {"wall_ms": 1})


def test_a_new_run_waits_for_all_its_trials(tmp_path: Path) -> None:
    with RunDirectory.create(tmp_path / "new" / "run", manifest()) as run:
        assert run.waiting() == TRIALS[:3]
        assert run.partial.is_dir()
    assert holds_run(tmp_path / "new" / "run")
    assert not is_sealed(tmp_path / "new" / "run")


def test_a_resumed_run_waits_for_the_rest(tmp_path: Path) -> None:
    begun(tmp_path / "run", 2)
    with RunDirectory.resume(tmp_path / "run", manifest()) as run:
        assert run.waiting() == TRIALS[2:3]


def test_a_sealed_run_has_at_most_ten_files_and_no_partial_folder(
    sealed: tuple[Path, Head],
) -> None:
    folder = sealed[0]
    assert sorted(item.name for item in folder.iterdir()) == list(FILES)
    assert len(FILES) <= 10
    assert is_sealed(folder)


def test_a_directory_with_something_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ConfigError, match="not empty"):
        RunDirectory.create(tmp_path, manifest())
    with pytest.raises(ConfigError, match="holds no run"):
        RunDirectory.resume(tmp_path, manifest())
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_directory_with_another_plan_is_refused(tmp_path: Path) -> None:
    begun(tmp_path / "run", 1)
    with pytest.raises(ConfigError, match=r"holds another plan \('small', 3 trials\)"):
        RunDirectory.resume(tmp_path / "run", build_manifest(plan(TRIALS[:2])))
    with pytest.raises(ConfigError, match="same plan over other parts"):
        RunDirectory.resume(tmp_path / "run", replace(manifest(), rules=()))
    faults = (Tamper(kind=TamperKind.CUT, answer=1),)
    with pytest.raises(ConfigError, match=r"the same plan with other faults planted on the wire"):
        RunDirectory.resume(tmp_path / "run", replace(manifest(), tamper=faults))
    (tmp_path / "run" / MANIFEST).write_bytes(b"{}")
    with pytest.raises(ConfigError, match="cannot be read"):
        RunDirectory.resume(tmp_path / "run", manifest())


def test_a_finished_run_is_not_resumed(tmp_path: Path) -> None:
    begun(tmp_path / "run", 3)
    with RunDirectory.resume(tmp_path / "run", manifest()) as run:
        seal(run, ENVIRONMENT)
    with pytest.raises(ConfigError, match="nothing to resume"):
        RunDirectory.resume(tmp_path / "run", manifest())


def test_a_run_killed_before_its_manifest_begins_anew(tmp_path: Path) -> None:
    (tmp_path / "run" / PARTIAL).mkdir(parents=True)
    (tmp_path / "run" / PARTIAL / f"{MANIFEST}.new").write_bytes(b"half")
    with RunDirectory.resume(tmp_path / "run", manifest()) as run:
        assert len(run.waiting()) == 3
    with RunDirectory.resume(tmp_path / "other", manifest()) as run:
        assert len(run.waiting()) == 3


def test_a_directory_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(ConfigError, match="name another folder"):
        RunDirectory.create(tmp_path / "file" / "run", manifest())
    with pytest.raises(ConfigError, match="cannot be written"):
        RunDirectory.create(tmp_path / "file", manifest())


HOLD = """
import sys
from pathlib import Path
from ledgers.manifest import read_manifest
from ledgers.store import RunDirectory
folder = Path(sys.argv[1])
with RunDirectory.resume(folder, read_manifest((folder / "manifest.json").read_bytes())):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_two_processes_do_not_run_in_one_directory(tmp_path: Path) -> None:
    begun(tmp_path / "run", 1)
    root = Path(__file__).resolve().parents[2]
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "run")], cwd=root,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as other:  # fmt: skip
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(HarnessError, match="another process"):
            RunDirectory.resume(tmp_path / "run", manifest())
        other.communicate("")
    with RunDirectory.resume(tmp_path / "run", manifest()) as run:
        assert len(run.waiting()) == 2


def test_trials_that_are_not_planned_are_refused(tmp_path: Path) -> None:
    begun(tmp_path / "run", 2)
    other = build_manifest(plan(TRIALS[:1]))
    (tmp_path / "run" / PARTIAL).mkdir(exist_ok=True)
    write_file(tmp_path / "run", MANIFEST, b"")
    with pytest.raises(ConfigError):
        RunDirectory.resume(tmp_path / "run", other)
    (tmp_path / "run" / MANIFEST).unlink()
    fresh = tmp_path / "fresh"
    with RunDirectory.create(fresh, other):
        pass
    for name in (INDEX, "evidence.pack", "recordings.pack"):
        (fresh / name).write_bytes((tmp_path / "run" / name).read_bytes())
    with pytest.raises(HarnessError, match="not planned"):
        RunDirectory.resume(fresh, other)


def test_half_a_line_of_timings_is_cut_off_on_resuming(tmp_path: Path) -> None:
    begun(tmp_path / "run", 1)
    path = tmp_path / "run" / PARTIAL / TIMINGS
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"trial":"x","tim')
    with RunDirectory.resume(tmp_path / "run", manifest()):
        assert path.read_bytes() == whole


def test_a_timing_line_carries_its_own_digest() -> None:
    lines = timing_line("a/1", {"wall_ms": 3}) + timing_line("a/2", {"note": "x"})
    assert read_timings(lines) == {"a/1": {"wall_ms": 3}, "a/2": {"note": "x"}}
    assert read_timings(lines + timing_line("a/1", {"wall_ms": 4}))["a/1"] == {"wall_ms": 4}
    for spoiled in (
        lines.replace(b"3", b"4", 1), lines[:-1], b"{}\n", b'{"timing":[],"trial":"a"}\n', b"\n",
    ):  # fmt: skip
        with pytest.raises((StrictError, CanonicalError)):
            read_timings(spoiled)


def test_a_file_is_replaced_at_once(tmp_path: Path) -> None:
    (tmp_path / PARTIAL).mkdir()
    write_file(tmp_path, "HEAD", b"old")
    write_file(tmp_path, "HEAD", b"new")
    assert (tmp_path / "HEAD").read_bytes() == b"new"
    assert not list((tmp_path / PARTIAL).iterdir())
