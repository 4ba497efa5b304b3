"""`--load` comes before everything else of a command."""

from pathlib import Path

from grid.cli import options
from tests.grid.cli.commands import nonverba

GUARD = 'from grid.guard import Guard\nGUARD = Guard(id="mine", summary="refuses nothing at all")\n'


def test_what_is_loaded_is_listed(tmp_path: Path) -> None:
    (tmp_path / "guards").mkdir()
    (tmp_path / "guards" / "mine.py").write_text(GUARD)
    done = nonverba("list", "guards", "--load", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "refuses nothing at all" in done.stdout


def test_a_folder_that_is_none_is_a_usage_error(tmp_path: Path) -> None:
    done = nonverba("list", "guards", "--load", tmp_path / "nowhere")
    assert done.returncode == 2
    assert "--load: 'nowhere' is no folder; write one that holds scenarios/" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_that_is_broken_is_named(tmp_path: Path) -> None:
    (tmp_path / "guards").mkdir()
    (tmp_path / "guards" / "mine.py").write_text("import a_package_of_nobody\n")
    done = nonverba("list", "guards", "--load", tmp_path)
    assert done.returncode == 2
    assert "the file of guard 'mine'" in done.stderr
    assert "a_package_of_nobody" in done.stderr


def test_the_option_is_looked_at_before_all_others() -> None:
    (declared,) = options.Load.__metadata__
    assert declared.is_eager
    assert declared.callback is options._load


def test_clauses_of_ones_own_are_loaded_before_all_others(tmp_path: Path) -> None:
    (declared,) = options.OwnClauses.__metadata__
    assert declared.is_eager
    done = nonverba("replay", tmp_path, "-o", tmp_path / "x", "--clause", tmp_path / "nowhere.md")
    assert done.returncode == 2
    assert "--clause: 'nowhere.md' is not there" in done.stderr
