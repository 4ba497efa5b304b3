"""Being stopped: what is left, and the line that goes on (the whole of it: test_run.py)."""

import signal
from pathlib import Path
from typing import cast

import pytest

from grid.cli.interrupt import program, resumable
from ledgers.store import RunDirectory


class Run:
    """A run of three trials, one of them left."""

    class manifest:  # noqa: N801 - stands in for the field of that name
        trials = (1, 2, 3)

    @staticmethod
    def waiting() -> tuple[int, ...]:
        return (3,)


RUN = cast(RunDirectory, Run())


def test_a_stopped_run_says_what_is_left_and_how_to_go_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["/x/.venv/bin/nonverba", "run", "my grid.toml", "--force", "-o", "d"]
    monkeypatch.setattr("sys.argv", words)
    with pytest.raises(KeyboardInterrupt), resumable(RUN):
        raise KeyboardInterrupt
    said = capsys.readouterr().err
    assert "1 of 3 trials are left" in said
    assert "/x/.venv/bin/nonverba run 'my grid.toml' -o d --resume" in said


def test_sigterm_is_taken_as_ctrl_c_only_while_a_run_is_under_way() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt), resumable(RUN):
        signal.raise_signal(signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_program_on_the_path_is_called_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["nonverba"])
    assert program() == "nonverba"
    monkeypatch.setattr("sys.argv", [str(Path("grid", "__main__.py"))])
    assert program() == "nonverba"
