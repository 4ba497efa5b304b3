"""A child process of ours as its owner sees it: started, asked, watched and ended.

Children run with an allow-listed environment, in a session of their own (Ctrl-C reaches the runner
alone, which then closes what is open). Whatever goes wrong with one comes out as one `HarnessError`
with its last words. Children die with the runner: they read the other end of a pipe that only the
runner holds, and on Linux the kernel kills them when the *thread* that started them ends: start
them from the main thread.

Thread-safe: worker threads ask at the same time, and a slow answer holds up nobody else.
"""

import atexit
import itertools
import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import proxy
from grid.canonical import load_json, plain_json, scrub_text
from grid.errors import CanonicalError, HarnessError
from grid.extensions import VARIABLE

READY_S = 90.0
"""Seconds that a child may take to get ready; importing mitmproxy takes 2 to 6."""
ANSWER_S = 30.0
"""Seconds that a child may take to answer; ``close`` itself waits up to 10."""
STOP_S = 5.0

PASSED_ON = (
    VARIABLE,
    "PATH",
    "LANG",
    "LC_ALL",
    "TZ",
    "TMPDIR",
    "SYSTEMROOT",
    "PYTHONPYCACHEPREFIX",
    "SSL_CERT_FILE",
)
"""Environment variables that a child may see."""


RESUME = "Finished trials are kept; run again with --resume."


class Child:
    """A child process that speaks the protocol of `proxy.lifeline`."""

    ready_s = READY_S
    """Seconds that it may take to get ready."""

    def __init__(
        self, module: str, config: Mapping[str, Any], name: str, advice: str = RESUME
    ) -> None:
        """Start it and wait until it listens; `advice` says what to do where it fails.

        Raises:
            HarnessError: it did not get ready; with its last words.
        """
        self.host = "127.0.0.1"
        """Where its port is reached."""
        self._owner = os.getpid()
        self._name = name
        self._advice = advice
        self._lock = threading.Lock()  # guards `_waiting` and the pipe to the child
        self._waiting: dict[int, Future[dict[str, Any]]] = {}
        self._numbers = itertools.count()
        self._ready: Future[dict[str, Any]] = Future()
        self._last_words: deque[str] = deque(maxlen=20)
        with tempfile.TemporaryDirectory(prefix="nonverba-") as folder:
            path = Path(folder, "config.json")
            path.write_text(plain_json(config), encoding="utf-8")
            self._process = _spawn([sys.executable, "-P", "-m", module, str(path)], name)
            atexit.register(self.kill)
            self._threads = [
                threading.Thread(target=target, daemon=True)
                for target in (self._read_answers, self._read_errors)
            ]
            for thread in reversed(self._threads):  # the first waits for the second at its end
                thread.start()
            try:
                self.ready = self._ready.result(self.ready_s)
                """What it said once it listened."""
                self.port = int(self.ready["port"])
                """Where it listens."""
            except TimeoutError as error:
                self.kill()
                raise HarnessError(
                    f"{name} was not ready after {self.ready_s:.0f} s; is the machine overloaded?"
                ) from error
            except BaseException:
                self.kill()
                raise

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    def ask(self, command: Mapping[str, Any]) -> dict[str, Any]:
        """Send a command and return the answer.

        Raises:
            HarnessError: the child refused, died or does not answer.
        """
        future: Future[dict[str, Any]] = Future()
        number = next(self._numbers)
        with self._lock:
            if self._process.poll() is not None:
                raise self._death()
            self._waiting[number] = future
            try:
                pipe = _pipe(self._process.stdin)
                pipe.write(plain_json({**command, "id": number}, indent=None).encode() + b"\n")
                pipe.flush()
            except OSError as error:
                del self._waiting[number]
                raise self._death() from error
        try:
            answer = future.result(ANSWER_S)
        except TimeoutError as error:
            raise HarnessError(f"{self._name} does not answer. {self._advice}") from error
        if answer.get("ok") is not True:
            raise HarnessError(f"{self._name} refused: {scrub_text(str(answer.get('error')))}")
        return answer

    def check(self) -> None:
        """See that it still runs and listens: a process that is killed loses its sockets first.

        Raises:
            HarnessError: it has ended, or is about to; with its last words.
        """
        if self._process.poll() is None and self._listens():
            return
        raise self._death()

    def _listens(self) -> bool:
        try:
            with socket.create_connection((self.host, self.port), timeout=STOP_S):
                return True
        except OSError:
            return False

    def stop(self) -> None:
        """Ask it to end and see that it does."""
        pipe = _pipe(self._process.stdin)
        with self._lock, suppress(OSError):  # it is dead already; `kill` reaps it
            if not pipe.closed:
                pipe.write(b'{"do":"stop"}\n')
                pipe.close()
        with suppress(subprocess.TimeoutExpired):  # `kill` does not ask
            self._process.wait(STOP_S)
        self.kill()

    def kill(self) -> None:
        """End it now; no harm if it has ended, or if a fork of the runner asks."""
        if os.getpid() != self._owner:
            return
        atexit.unregister(self.kill)
        self._process.kill()
        self._process.wait()
        for thread in self._threads:
            thread.join(STOP_S)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            with suppress(OSError):  # closing flushes to a dead process
                _pipe(stream).close()
        self._ended()

    def _ended(self) -> None:
        """Do what is left to do when the process has ended."""

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop it."""
        self.stop()

    def _read_answers(self) -> None:
        for line in _pipe(self._process.stdout):
            try:
                answer = load_json(line)
            except CanonicalError:
                answer = None
            if not isinstance(answer, dict):
                break
            if answer.get("ready") is True:
                self._ready.set_result(answer)
                continue
            with self._lock:
                future = self._waiting.pop(answer.get("id", -1), None)
            if future is not None:
                future.set_result(answer)
        self._process.kill()
        self._process.wait()
        self._threads[1].join(STOP_S)
        with self._lock:
            futures = [*self._waiting.values()]
            self._waiting.clear()
        for future in futures:
            future.set_exception(self._death())
        if not self._ready.done():
            self._ready.set_exception(self._death())

    def _read_errors(self) -> None:
        for line in _pipe(self._process.stderr):
            self._last_words.append(scrub_text(line.decode("utf-8", "replace").rstrip())[:500])

    def _death(self) -> HarnessError:
        with suppress(subprocess.TimeoutExpired):  # a killed one loses its pipes before it is gone
            self._process.wait(STOP_S)
        self._threads[1].join(STOP_S)
        said = [line for line in self._last_words if line.strip()]
        words = f"it said: {said[-1]}" if said else "it said nothing"
        return HarnessError(
            f"{self._name} ended (exit code {self._process.poll()}); {words.rstrip('.')}. "
            f"{self._advice}"
        )


def _spawn(command: list[str], name: str) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=_environment(),
            start_new_session=True,
        )
    except OSError as error:
        raise HarnessError(f"cannot start {name}: {error.strerror}") from error


def _environment() -> dict[str, str]:
    passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    root = str(Path(proxy.__file__).parent.parent)
    return passed | {"PYTHONPATH": root, "PYTHONUTF8": "1", "NO_COLOR": "1"}


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise OSError("the child has no pipe")
    return stream
