"""Being stopped: Ctrl-C and SIGTERM end a run cleanly and print the line that resumes it."""

import shlex
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from grid.cli.console import tell
from ledgers.store import RunDirectory


@contextmanager
def resumable(run: RunDirectory) -> Iterator[None]:
    """Take SIGTERM as Ctrl-C; when stopped, say what is left and how to go on."""
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    except KeyboardInterrupt:
        left, planned = len(run.waiting()), len(run.manifest.trials)
        tell(f"stopped; {left} of {planned} trials are left. Go on with:")
        tell(f"  {_resume_line()}")
        raise
    finally:
        signal.signal(signal.SIGTERM, before)


def program() -> str:
    """Return how this command was called, so that the printed lines work as printed."""
    called = Path(sys.argv[0])
    return str(called) if called.name == "nonverba" and called.parent != Path() else "nonverba"


def _resume_line() -> str:
    given = [argument for argument in sys.argv[1:] if argument not in ("--resume", "--force")]
    return shlex.join([program(), *given, "--resume"])


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
