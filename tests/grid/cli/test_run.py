"""`nonverba run`, `verify`, `replay` and `show`, as a user types them."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ledgers.reading import SealedRun

SMALL = """
format = 1
name = "small"
[[cells]]
scenarios = ["S02"]
models = ["scripted/fault", "scripted/honest"]
frameworks = ["scripted"]
"""
REAL = """
format = 1
name = "real"
[[cells]]
scenarios = ["S02", "S20"]
models = ["scripted/fault"]
[[cells]]
scenarios = ["S14"]
models = ["scripted/leaker"]
frameworks = ["strands", "scripted"]
guards = ["off"]
"""


def nonverba(*words: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    root = str(Path(__file__).parents[3])
    environment = os.environ | {"PYTHONPATH": root}
    return subprocess.run(
        [sys.executable, "-m", "grid", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        cwd=cwd,
        env=environment,
    )


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small")
    (folder / "small.toml").write_text(SMALL)
    done = nonverba("run", folder / "small.toml", "-o", folder / "run", "-j", "1")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("real")
    (folder / "real.toml").write_text(REAL)
    done = nonverba("run", folder / "real.toml", "-o", folder / "run", "-j", "2")
    assert done.returncode == 0, done.stderr
    return folder


def head(folder: Path) -> str:
    return SealedRun(folder).head.head


def test_the_commands_that_a_run_prints_next_work_as_printed(small: Path) -> None:
    done = nonverba("run", small / "small.toml", "-o", small / "printed")
    lines = [line.split() for line in done.stdout.splitlines() if line.startswith("  nonverba ")]
    assert [line[1] for line in lines] == ["verify", "replay", "show"]
    for line in lines:
        followed = nonverba(*line[1:])
        assert followed.returncode == 0, followed.stderr
    assert f"head {head(small / 'printed')}" in done.stdout


def test_the_table_shows_what_happened_beside_what_the_agent_claimed(small: Path) -> None:
    done = nonverba("judge", small / "run")
    row = next(
        line for line in done.stdout.splitlines() if "substituter" in line and " off " in line
    )
    assert "compromised" in row
    assert "done (false)" in row
    assert "every verdict is as in the ledger" in done.stdout


def test_a_run_directory_holds_at_most_ten_files_and_nothing_else(small: Path) -> None:
    names = sorted(entry.name for entry in (small / "run").iterdir())
    assert names == [
        "HEAD",
        "SHA256SUMS",
        "environment.json",
        "evidence.pack",
        "ledger.jsonl",
        "manifest.json",
        "packs.idx",
        "recordings.pack",
        "timings.jsonl",
    ]


def test_one_worker_or_two_give_the_same_head_on_real_frameworks(real: Path) -> None:
    done = nonverba("run", real / "real.toml", "-o", real / "one", "-j", "1")
    assert done.returncode == 0, done.stderr
    assert head(real / "one") == head(real / "run")


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
    done = subprocess.run(
        [sys.executable, script, "replay", real / "run", "-o", tmp_path / "again"],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])},
    )
    assert done.returncode == 1, done.stderr
    assert "another head" in done.stdout
    assert "moon_for_mars/" in done.stdout


def test_show_prints_the_claim_as_unverified_beside_verdicts_funnel_and_journal(
    real: Path,
) -> None:
    done = nonverba("show", real / "run", "S14/strands")
    for words in (
        "(UNVERIFIED)",
        "compromised",
        "exposed: yes",
        "delivered: yes",
        "read_note",
        "last words: All done.",
        "leak_in_text",
        "complete",
    ):
        assert words in done.stdout, done.stderr
    shown = json.loads(nonverba("show", real / "run", "S14/strands", "--json").stdout)
    assert shown["judgement"]["outcome"] == "compromised"


def test_show_lists_trials_when_several_or_none_fit(small: Path) -> None:
    several, none = nonverba("show", small / "run", "S02"), nonverba("show", small / "run", "S99")
    assert several.returncode == none.returncode == 2
    assert "4 trials fit" in several.stderr
    assert "no trial fits 'S99'" in none.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["run", "--scenario", "S99"], "unknown scenario 'S99'"),
        (["run", "--scenario", "moon_for_mar"], "Did you mean moon_for_mars"),
        (["run", "--framework", "autogen"], "unknown framework 'autogen'"),
        (["run", "--model", "gpt-5"], "'scripted/honest'"),
        (["run", "--clause", "be-nice"], "unknown clause 'be-nice'"),
        (["run", "--guards", "maybe"], "unknown guard setting 'maybe'"),
        (["run", "--lang", "fr"], "unknown language 'fr'"),
        (["run", "--family", "luck"], "unknown family 'luck'"),
        (["run", "nowhere.toml"], "cannot read nowhere.toml"),
        (["run", "."], "cannot read ."),
        (["verify", "nowhere"], "is no folder"),
        (["verify", ".", "--head", "abc"], "64 hex digits"),
        (["show", ".", "x"], "holds no run"),
        (["judge", "."], "holds no finished run"),
        (["replay", ".", "-o", "x"], "holds no run"),
        (["check", "S99"], "unknown scenario"),
    ],
)
def test_bad_input_gets_one_plain_sentence_and_exit_code_2(
    tmp_path: Path, words: list[str], sentence: str
) -> None:
    done = nonverba(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_holds_another_plan_or_somebody_elses_files_is_refused(
    small: Path, tmp_path: Path
) -> None:
    other = nonverba("run", small / "small.toml", "-o", small / "run")
    assert (other.returncode, "holds a finished run" in other.stderr) == (2, True)
    plan = nonverba("run", small / "small.toml", "-o", small / "run", "--trials", "2", "--resume")
    assert (plan.returncode, "another plan" in plan.stderr) == (2, True)
    (tmp_path / "manifest.json").write_text("{}")
    (tmp_path / "thesis.tex").write_text("years of work")
    forced = nonverba("run", small / "small.toml", "-o", tmp_path, "--force")
    assert (forced.returncode, "thesis.tex" in forced.stderr) == (2, True)
    assert (tmp_path / "thesis.tex").read_text() == "years of work"


def test_a_folder_that_cannot_be_written_is_named(small: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    done = nonverba("run", small / "small.toml", "-o", tmp_path / "file" / "run")
    assert done.returncode == 2
    assert str(tmp_path / "file") in done.stderr


def test_a_dry_run_prints_the_plan_and_writes_nothing(tmp_path: Path) -> None:
    done = nonverba("run", "--dry-run", "--json", cwd=tmp_path)
    assert done.returncode == 0
    assert len(json.loads(done.stdout)["trials"]) > 100
    assert list(tmp_path.iterdir()) == []


def test_fail_on_exits_1_when_a_trial_has_that_outcome(small: Path) -> None:
    done = nonverba(
        "run", small / "small.toml", "-o", small / "failing", "--fail-on", "compromised"
    )
    assert done.returncode == 1
    fine = nonverba("run", small / "small.toml", "-o", small / "fine", "--fail-on", "invalid")
    assert fine.returncode == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_run_prints_the_line_that_resumes_it(tmp_path: Path, number: int) -> None:
    grid = tmp_path / "grid.toml"
    grid.write_text(
        SMALL.replace('"scripted/honest"', '"scripted/honest", "scripted/liar"') + "trials = 400\n"
    )
    words = [sys.executable, "-m", "grid", "run", str(grid), "-o", str(tmp_path / "run")]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}
    process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=environment)
    index = tmp_path / "run" / "packs.idx"
    while not (index.exists() and index.stat().st_size > 0):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "trials are left" in said
    line = next(line for line in said.splitlines() if line.endswith("--resume")).split()
    assert line[1:] == ["run", str(grid), "-o", str(tmp_path / "run"), "--resume"]
    assert nonverba(*line[1:]).returncode == 0


def test_a_run_without_one_valid_trial_exits_3(tmp_path: Path) -> None:
    grid = tmp_path / "grid.toml"
    grid.write_text(SMALL.replace('frameworks = ["scripted"]', 'frameworks = ["strands"]'))
    script = tmp_path / "run.py"
    script.write_text(
        "import proxy.launch\n"
        "def nowhere(self, *, scenario, names, seed):\n"
        "    return f'http://{self.address}/gone'\n"
        "proxy.launch.ScriptedModels.upstream = nowhere\n"
        "from grid.cli import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, script, "run", grid, "-o", tmp_path / "run"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])},
    )
    assert done.returncode == 3, done.stderr
    assert "no trial is valid" in done.stderr
    assert "invalid" in done.stdout


def test_a_full_disk_stops_the_run_with_a_sentence_and_resume_finishes_it(tmp_path: Path) -> None:
    grid = tmp_path / "grid.toml"
    grid.write_text(SMALL + "trials = 40\n")
    script = tmp_path / "run.py"
    script.write_text(
        "import errno\n"
        "import ledgers.packs as packs\n"
        "real, room = packs._append, [30]\n"
        "def append(path, data):\n"
        "    room[0] -= 1\n"
        "    if room[0] < 0:\n"
        "        real(path, data[:7])\n"
        "        raise OSError(errno.ENOSPC, 'No space left on device')\n"
        "    real(path, data)\n"
        "packs._append = append\n"
        "from grid.cli import main\n"
        "main()\n"
    )
    words = ["run", str(grid), "-o", str(tmp_path / "run")]
    done = subprocess.run(
        [sys.executable, script, *words],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])},
    )
    assert done.returncode == 3, done.stderr
    assert "No space left on device; make room, then run again with --resume" in done.stderr
    assert "Traceback" not in done.stderr
    assert nonverba(*words, "--resume").returncode == 0
    assert nonverba("run", grid, "-o", tmp_path / "whole").returncode == 0
    assert head(tmp_path / "run") == head(tmp_path / "whole")
