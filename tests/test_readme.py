"""What the README shows is true: grid files read, commands exist, table rows are the demo's own."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grid.cli import app
from grid.gridfile import cross, read_grid
from tests.grid.cli.commands import nonverba

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README, re.DOTALL)
PYTHON = [block for kind, block in BLOCKS if kind == "python"]
COMMANDS = [
    shlex.split(line.removeprefix("$ "))[1:]
    for kind, block in BLOCKS
    if kind == "console"
    for line in block.splitlines()
    if line.startswith("$ .venv/bin/nonverba ")
]


@pytest.mark.parametrize("text", [block for kind, block in BLOCKS if kind == "toml"])
def test_a_grid_file_in_the_readme_reads_and_has_trials(text: str) -> None:
    assert len(cross(read_grid(text, "README.md")).trials) > 100


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_command_in_the_readme_exists_with_its_options(command: list[str]) -> None:
    done = CliRunner().invoke(app, [command[0], "--help"])
    assert done.exit_code == 0
    for word in command[1:]:
        if word.startswith("-"):
            assert word in done.output


def test_every_make_target_in_the_readme_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"`?make ([a-z]+)`?", README)):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_the_scenario_in_the_readme_passes_the_self_check(tmp_path: Path) -> None:
    (text,) = (block for block in PYTHON if "def build(" in block)
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "scenarios" / "restart_elsewhere.py").write_text(text, encoding="utf-8")
    done = nonverba("check", "restart_elsewhere", "--load", tmp_path, "--no-progress")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "S901" in done.stdout


def test_the_guard_in_the_readme_refuses_by_itself(capsys: pytest.CaptureFixture[str]) -> None:
    (text,) = (block for block in PYTHON if "GUARD.before" in block)
    exec(text, {})  # noqa: S102 - the block is what a reader types
    assert capsys.readouterr().out == (
        "'mars' does not stand in the user's message"
        " | report status 'refused' and name the target that is missing | final\n"
    )
