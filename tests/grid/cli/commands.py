"""The command line as a user types it, in processes of their own, and the grids that tests run."""

import os
import subprocess
import sys
from pathlib import Path

from ledgers.reading import SealedRun

ROOT = Path(__file__).parents[3]

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


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(ROOT)}


def nonverba(*words: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return python("-m", "grid", *words, cwd=cwd)


def python(*words: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *map(str, words)],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        cwd=cwd,
        env=environment(),
    )


def head(folder: Path) -> str:
    return SealedRun(folder).head.head
