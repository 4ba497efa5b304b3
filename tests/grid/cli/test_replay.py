"""`nonverba replay`: the same head again, or what differs; refused before anything runs, or run."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from grid.cli import replay
from ledgers.chain import Head
from ledgers.manifest import build_manifest
from ledgers.seal import seal
from ledgers.store import RunDirectory
from tests.grid.cli.commands import head, nonverba, python
from tests.grid.cli.conftest import Typed
from tests.ledgers.runs import ENVIRONMENT, TRIALS, finished, plan


def test_a_replay_needs_no_model_server_and_gives_the_same_head(real: Path) -> None:
    done = nonverba("replay", real / "run", "-o", real / "again")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"same head {head(real / 'run')}")
    assert nonverba("verify", real / "again", "--head", head(real / "run")).returncode == 0


def test_a_replay_after_a_tool_changed_gives_another_head_and_exits_1(
    real: Path, tmp_path: Path
) -> None:
    changed = tmp_path / "changed.py"
    changed.write_text(
        "import grid.worlds.maintenance as world\n"
        "import sys\n"
        "row = world._node\n"
        "def other(*words):\n"
        "    return row(*words) | {'memory': 'another figure'}\n"
        "world._node = other\n"
        "from grid.worker import main\n"
        "main()\n"
    )
    script = tmp_path / "replay.py"
    script.write_text(
        "import subprocess, sys\n"
        "from grid.cli import main\n"
        "real = subprocess.Popen\n"
        "def popen(command, **more):\n"
        "    if command[-1] == 'grid.worker':\n"
        f"        command = [sys.executable, '-P', {str(changed)!r}]\n"
        "    return real(command, **more)\n"
        "subprocess.Popen = popen\n"
        "main()\n"
    )
    done = python(script, "replay", real / "run", "-o", tmp_path / "again")
    assert done.returncode == 1, done.stderr
    assert "another head" in done.stdout
    assert "moon_for_mars/" in done.stdout
    assert "is not the recorded one: its body differs at /messages/" in done.stdout
    assert "another figure" in done.stdout


type Ran = list[Path]
NOTE = "request 1 of this trial is not the recorded one: \x1b[2Jits body differs"


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> Ran:
    """Have every replay end differently at once; note the folders that were replayed into."""
    folders: Ran = []

    def execute(run: RunDirectory, _opener: Callable[..., object], **_settings: object) -> Head:
        folders.append(run.path)
        for of in run.waiting():
            run.keep(finished(of, run.manifest, final_text="other words"), {"note": NOTE})
        return seal(run, ENVIRONMENT)

    monkeypatch.setattr(replay, "execute", execute)
    return folders


def test_a_replay_without_a_wire_needs_no_proxy_and_says_the_same_as_data(
    typed: Typed, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay, "replaying_wire", None)  # calling it would fail the test
    done = typed("replay", small / "run", "-o", tmp_path / "again", "-j", "1", "--json")
    assert (done.code, done.err) == (0, "")
    same = {"same": True, "head": head(small / "run"), "original": head(small / "run")}
    assert json.loads(done.out) == same
    assert head(tmp_path / "again") == head(small / "run")


def test_another_head_is_a_finding_that_names_trials_and_versions(
    typed: Typed, sealed: Path, tmp_path: Path, ran: Ran
) -> None:
    done = typed("replay", sealed, "-o", tmp_path / "again")
    assert (done.code, ran) == (1, [tmp_path / "again"])
    assert done.out.startswith(f"another head {head(tmp_path / 'again')}\n")
    assert f"original was {head(sealed)}" in done.out
    assert f"6 trials differ, the first of them {TRIALS[0]}" in done.out
    noted = [line for line in done.out.splitlines() if "is not the recorded one" in line]
    assert len(noted) == 3
    assert noted[0].startswith(f"  {TRIALS[0]}: request 1 of this trial")
    assert "\x1b" not in done.out
    assert "it was made with python any; this is python 3." in done.out


@pytest.mark.usefixtures("ran")
def test_another_head_as_data_is_a_finding_too(typed: Typed, sealed: Path, tmp_path: Path) -> None:
    done = typed("replay", sealed, "-o", tmp_path / "again", "--json")
    assert (done.code, json.loads(done.out)["same"]) == (1, False)


@pytest.mark.usefixtures("ran")
@pytest.mark.parametrize("data", [b"", b"[]", b'{"versions": 1}', b"\xff", None])
def test_versions_that_cannot_be_read_are_unknown_and_no_error(
    typed: Typed, copy: Path, tmp_path: Path, data: bytes | None
) -> None:
    path = copy / "environment.json"
    path.unlink() if data is None else path.write_bytes(data)
    done = typed("replay", copy, "-o", tmp_path / "again")
    assert done.code == 1
    assert "it was made with unknown versions; this is python 3." in done.out


@pytest.mark.usefixtures("ran")
def test_versions_that_somebody_made_up_cannot_command_the_terminal(
    typed: Typed, copy: Path, tmp_path: Path
) -> None:
    hostile = {"python": "\x1b[2J\u202e", "versions": {"\x9b31m": "\x1b]0;x\x07"}}
    (copy / "environment.json").write_text(json.dumps(hostile))
    done = typed("replay", copy, "-o", tmp_path / "again")
    assert done.code == 1
    assert "it was made with python " in done.out
    assert not set("\x1b\x9b\u202e\x07") & set(done.out)


def test_a_run_over_other_parts_is_refused_with_its_versions_before_anything_runs(
    typed: Typed, sealed: Path, tmp_path: Path, ran: Ran, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = replace(build_manifest(plan()), guards=())
    monkeypatch.setattr(replay, "build_manifest", lambda _plan, models: other)
    done = typed("replay", sealed, "-o", tmp_path / "again")
    assert (done.code, ran) == (2, [])
    assert "cannot come out again. It was made with: python any" in done.err
    assert not (tmp_path / "again").exists()


def test_a_replay_into_the_run_itself_is_refused_however_it_is_written(
    typed: Typed, sealed: Path, ran: Ran
) -> None:
    for place in (sealed, sealed / ".." / sealed.name):
        done = typed("replay", sealed, "-o", place, "--force")
        assert (done.code, ran) == (2, [])
        assert "-o: a replay needs a " in done.err
    assert head(sealed)


def test_a_replay_into_a_folder_inside_the_run_is_refused(
    typed: Typed, copy: Path, ran: Ran
) -> None:
    done = typed("replay", copy, "-o", copy / "again")
    assert (done.code, ran) == (2, [])
    assert not (copy / "again").exists()


def test_an_unfinished_run_is_refused_before_anything_runs(
    typed: Typed, tmp_path: Path, ran: Ran
) -> None:
    with RunDirectory.create(tmp_path / "run", build_manifest(plan())):
        done = typed("replay", tmp_path / "run", "-o", tmp_path / "again")
    assert (done.code, ran) == (2, [])
    assert "holds no finished run" in done.err
    assert not (tmp_path / "again").exists()


def test_a_folder_that_is_taken_is_replaced_only_by_force_and_only_if_a_run_left_it(
    typed: Typed, sealed: Path, tmp_path: Path, ran: Ran
) -> None:
    again = tmp_path / "again"
    assert typed("replay", sealed, "-o", again).code == 1
    taken = typed("replay", sealed, "-o", again)
    assert (taken.code, "is not empty" in taken.err) == (2, True)
    assert typed("replay", sealed, "-o", again, "--force").code == 1
    (again / "thesis.tex").write_text("years of work")
    strange = typed("replay", sealed, "-o", again, "--force")
    assert (strange.code, "thesis.tex" in strange.err) == (2, True)
    assert ran == [again, again]


def test_a_stopped_replay_is_gone_on_with(
    typed: Typed, sealed: Path, tmp_path: Path, ran: Ran
) -> None:
    manifest = build_manifest(plan())
    with RunDirectory.create(tmp_path / "again", manifest) as run:
        for of in TRIALS[:4]:
            run.keep(finished(of, manifest), {})
    done = typed("replay", sealed, "-o", tmp_path / "again", "--resume")
    assert ran == [tmp_path / "again"]
    assert "2 trials differ" in done.out


OWN = """
from dataclasses import replace
from grid.scenarios import moon_for_mars
from grid.scenario import Pair


def build(names):
    found = moon_for_mars.build(names)
    attack = replace(found.attack, id="own_moon", number="S901")
    return Pair(attack=attack, benign=replace(found.benign, id="own_moon.benign", number="S901"))
"""


def test_a_run_of_a_loaded_folder_needs_it_again_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "own" / "scenarios").mkdir(parents=True)
    (tmp_path / "own" / "scenarios" / "own_moon.py").write_text(OWN)
    words = ("--scenario", "own_moon", "--framework", "scripted", "--model", "scripted/fault")
    done = nonverba("run", "--load", "own", *words, "-j", "2", "-o", "run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    again = next(line for line in done.stdout.splitlines() if " replay " in line)
    assert again.endswith(f"--force --load {tmp_path / 'own'}")
    without = nonverba("replay", "run", "-o", "again", cwd=tmp_path)
    assert without.returncode == 2
    assert "add --load FOLDER, or --clause PATH for a clause: unknown" in without.stderr
    assert "'own_moon'" in without.stderr
    same = nonverba("replay", "run", "-o", "again", "--load", "own", cwd=tmp_path)
    assert same.returncode == 0, same.stderr
    assert "same head" in same.stdout


def test_an_own_scenario_that_cannot_be_judged_is_not_run(tmp_path: Path) -> None:
    (tmp_path / "own" / "scenarios").mkdir(parents=True)
    broken = OWN.replace('number="S901")', 'number="S901", policy={"node_presense": {}})', 1)
    (tmp_path / "own" / "scenarios" / "own_moon.py").write_text(broken)
    words = ("--scenario", "own_moon", "--framework", "scripted", "--model", "scripted/fault")
    done = nonverba("run", "--load", "own", *words, "-o", "run", cwd=tmp_path)
    assert done.returncode == 2
    assert "unknown guard (policy of scenario 'own_moon') 'node_presense'" in done.stderr
    assert not (tmp_path / "run").exists()
