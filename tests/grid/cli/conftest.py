"""Runs that the tests of the commands share; each is made once per worker and never written to."""

import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from grid.cli import main
from tests.grid.cli.commands import REAL, SMALL, nonverba
from tests.ledgers.runs import make_run


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the grid ``small.toml`` and its finished run ``run``, on `scripted`."""
    folder = tmp_path_factory.mktemp("small")
    (folder / "small.toml").write_text(SMALL)
    done = nonverba("run", folder / "small.toml", "-o", folder / "run", "-j", "1")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="session")
def real(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the grid ``real.toml`` and its finished run ``run``, in real frameworks."""
    folder = tmp_path_factory.mktemp("real")
    (folder / "real.toml").write_text(REAL)
    done = nonverba("run", folder / "real.toml", "-o", folder / "run", "-j", "2")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="session")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sealed run that was put together in this process, with wires made to fit."""
    folder = tmp_path_factory.mktemp("sealed") / "run"
    make_run(folder)
    return folder


@pytest.fixture
def copy(sealed: Path, tmp_path: Path) -> Path:
    """A copy of the sealed run that a test may spoil."""
    shutil.copytree(sealed, tmp_path / "copy")
    return tmp_path / "copy"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a command said."""

    code: object
    out: str
    err: str


type Typed = Callable[..., Said]


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Typed:
    """The command line in this process; an exception that it lets through fails the test."""

    def run(*words: str | Path) -> Said:
        monkeypatch.setattr(sys, "argv", ["nonverba", *map(str, words)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            main()
        said = capsys.readouterr()
        return Said(code=end.value.code, out=said.out, err=said.err)

    return run
