"""`nonverba run`, as a user types it; bad input to any command."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.grid.cli.commands import SMALL, environment, head, nonverba, python
from tests.grid.cli.conftest import Typed


def test_the_commands_that_a_run_prints_next_work_as_printed(small: Path) -> None:
    done = nonverba("run", small / "small.toml", "-o", small / "printed")
    lines = [line.split() for line in done.stdout.splitlines() if line.startswith("  nonverba ")]
    assert [line[1] for line in lines] == ["verify", "replay", "show"]
    for line in lines:
        followed = nonverba(*line[1:])
        assert followed.returncode == 0, followed.stderr
    assert f"head {head(small / 'printed')}" in done.stdout


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


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["run", "--scenario", "S99"], "unknown scenario 'S99'"),
        (["run", "--scenario", "moon_for_mar"], "Did you mean moon_for_mars"),
        (["run", "--framework", "autogen"], "unknown framework 'autogen'"),
        (["run", "--model", "gpt-5"], "openai/<name> with --base-url"),
        (["run", "--model", "local/gpt-5"], "no weights for 'gpt-5'"),
        (["run", "--model", "local/q,heat=1"], "no parameter 'heat'"),
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
    typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = typed(*words)
    assert done.code == 2
    assert sentence in done.err
    assert "Traceback" not in done.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "sentence"),
    [(["run", "nowhere.toml"], "cannot read nowhere.toml"), (["verify", "x"], "is no folder")],
)
def test_bad_input_ends_the_process_with_the_same(
    tmp_path: Path, words: list[str], sentence: str
) -> None:
    done = nonverba(*words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_holds_another_plan_or_somebody_elses_files_is_refused(
    typed: Typed, small: Path, tmp_path: Path
) -> None:
    other = typed("run", small / "small.toml", "-o", small / "run")
    assert (other.code, "holds a finished run" in other.err) == (2, True)
    plan = typed("run", small / "small.toml", "-o", small / "run", "--trials", "2", "--resume")
    assert (plan.code, "another plan" in plan.err) == (2, True)
    (tmp_path / "manifest.json").write_text("{}")
    (tmp_path / "thesis.tex").write_text("years of work")
    forced = typed("run", small / "small.toml", "-o", tmp_path, "--force")
    assert (forced.code, "thesis.tex" in forced.err) == (2, True)
    assert (tmp_path / "thesis.tex").read_text() == "years of work"


def test_a_folder_that_cannot_be_written_is_named(
    typed: Typed, small: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("x")
    done = typed("run", small / "small.toml", "-o", tmp_path / "file" / "run")
    assert done.code == 2
    assert str(tmp_path / "file") in done.err


def test_a_dry_run_prints_the_plan_and_writes_nothing(
    typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = typed("run", "--dry-run", "--json")
    assert done.code == 0
    assert len(json.loads(done.out)["trials"]) > 100
    assert list(tmp_path.iterdir()) == []


def test_fail_on_exits_1_when_a_trial_has_that_outcome(
    typed: Typed, small: Path, tmp_path: Path
) -> None:
    words = ("run", small / "small.toml", "-j", "1", "-o")
    assert typed(*words, tmp_path / "failing", "--fail-on", "compromised").code == 1
    assert typed(*words, tmp_path / "fine", "--fail-on", "invalid").code == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_run_prints_the_line_that_resumes_it(tmp_path: Path, number: int) -> None:
    grid = tmp_path / "grid.toml"
    grid.write_text(
        SMALL.replace('"scripted/honest"', '"scripted/honest", "scripted/liar"') + "trials = 150\n"
    )
    words = [sys.executable, "-m", "grid", "run", str(grid), "-o", str(tmp_path / "run")]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=environment())
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
    done = python(script, "run", grid, "-o", tmp_path / "run")
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
    done = python(script, *words)
    assert done.returncode == 3, done.stderr
    assert "No space left on device; make room, then run again with --resume" in done.stderr
    assert "Traceback" not in done.stderr
    assert nonverba(*words, "--resume").returncode == 0
    assert nonverba("run", grid, "-o", tmp_path / "whole").returncode == 0
    assert head(tmp_path / "run") == head(tmp_path / "whole")
