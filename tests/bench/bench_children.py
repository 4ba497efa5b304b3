"""The benchmark's own child processes: a bare framework, and a worker with stopwatches.

Each speaks JSON lines, says that it is ready once its framework is imported, and ends when its
standard input does. They see the switches that keep frameworks quiet and off the network.
"""

import subprocess
import sys
from pathlib import Path
from typing import IO, Any

from frameworks._quiet import SILENCE
from grid.canonical import canonical, load_json
from grid.runner import worker_environment
from grid.strict import to_json

FOLDER = Path(__file__).resolve().parent


class BenchChild:
    """A child that answers one line with one line; use it as a context manager."""

    def __init__(self, script: str, framework: str, folder: Path) -> None:
        """Start it in an empty folder with a private HOME."""
        home = folder / script
        home.mkdir()
        self._name = f"{script}.py {framework}"
        self._errors = (folder / f"{script}.txt").open("wb+")
        self._process = subprocess.Popen(
            [sys.executable, str(FOLDER / f"{script}.py"), framework],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=home,
            env=worker_environment(home) | SILENCE,
        )
        self.pid = self._process.pid

    def ready(self) -> None:
        """Wait until the framework is imported."""
        self._answer()

    def ask(self, question: Any) -> Any:
        """Send a line and return the answer."""
        pipe = _pipe(self._process.stdin)
        pipe.write(canonical(to_json(question)) + b"\n")
        pipe.flush()
        return self._answer()

    def __enter__(self) -> "BenchChild":
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        for stream in (_pipe(self._process.stdin), _pipe(self._process.stdout), self._errors):
            stream.close()

    def _answer(self) -> Any:
        line = _pipe(self._process.stdout).readline()
        if not line:
            self._errors.seek(0)
            words = self._errors.read()[-2000:].decode("utf-8", "replace")
            raise SystemExit(f"{self._name} ended:\n{words}")
        return load_json(line)


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise SystemExit("a child without pipes")
    return stream
