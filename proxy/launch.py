"""Starting, asking and ending our child processes; used by the runner process only.

The proxy and the scripted models run as children with an allow-listed environment, in a session
of their own (Ctrl-C reaches the runner alone, which then closes what is open). Whatever goes
wrong with a child comes out as one `HarnessError` with its last words. Children die with the
runner: they read the other end of a pipe that only the runner holds, and on Linux the kernel
kills them when the *thread* that started them ends: start them from the main thread.

Thread-safe: worker threads open and close trials at the same time, and a slow ``close`` holds up
nobody else.
"""

import atexit
import itertools
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import proxy
from grid.canonical import load_json, plain_json, scrub_text
from grid.errors import CanonicalError, HarnessError
from grid.extensions import VARIABLE
from grid.scenario import Tamper
from grid.strict import to_json

READY_S = 90.0
"""Seconds that a child may take to get ready; importing mitmproxy takes 2 to 6."""
ANSWER_S = 30.0
"""Seconds that a child may take to answer; ``close`` itself waits up to 10."""
STOP_S = 5.0
BODY_LIMIT = 8 * 1024 * 1024
"""The most bytes of one body on the wire."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedTrial:
    """What an agent needs to reach its model, and what closes the trial."""

    token: str
    """Closes the trial."""
    base_url: str
    """Base URL for the agent."""
    api_key: str
    """Virtual key for the agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedTrial:
    """What the recorder says of a trial."""

    count: int
    """Requests recorded."""
    complete: bool
    """Nothing is missing."""
    reason: str
    """Why not: a word of `proxy.wire.exchange.Gap`; empty if complete."""
    detail: str
    """A sentence about it for people; never hashed."""
    file: Path | None
    """The partial file; None if recording is switched off."""


class Child:
    """A child process that speaks the protocol of `proxy.lifeline`."""

    def __init__(self, module: str, config: Mapping[str, Any], name: str) -> None:
        """Start it and wait until it listens.

        Raises:
            HarnessError: it did not get ready; with its last words.
        """
        self._owner = os.getpid()
        self._name = name
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
                self.port = int(self._ready.result(READY_S)["port"])
            except TimeoutError as error:
                self.kill()
                raise HarnessError(
                    f"{name} was not ready after {READY_S:.0f} s; is the machine overloaded?"
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
            raise HarnessError(f"{self._name} does not answer; run again with --resume") from error
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
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(STOP_S)
        raise self._death()

    def _listens(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=STOP_S):
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
        said = [line for line in self._last_words if line.strip()]
        words = f"it said: {said[-1]}" if said else "it said nothing"
        return HarnessError(
            f"{self._name} ended (exit code {self._process.poll()}); {words.rstrip('.')}. "
            "Finished trials are kept; run again with --resume."
        )


class ProxyProcess(Child):
    """The recording proxy of a run."""

    def __init__(
        self,
        *,
        mode: str,
        directory: Path,
        upstreams: tuple[str, ...],
        record: bool = True,
        body_limit: int = BODY_LIMIT,
    ) -> None:
        """Start it.

        Args:
            mode: ``record`` or ``replay``.
            directory: folder of the partial files; mode 0700.
            upstreams: ``host:port`` of everything that may be connected to; empty in replay.
            record: False only for the benchmark.
            body_limit: the most bytes of one body.

        Raises:
            HarnessError: it did not get ready.
        """
        super().__init__(
            "proxy.server",
            {
                "mode": mode,
                "directory": str(directory.absolute()),
                "upstreams": list(upstreams),
                "record": record,
                "body_limit": body_limit,
            },
            "the recording proxy",
        )

    def open_trial(
        self,
        trial: str,
        *,
        upstream: str,
        secret: str = "",
        replay: Path | None = None,
        tamper: tuple[Tamper, ...] = (),
    ) -> OpenedTrial:
        """Open a trial and make its token and virtual key.

        Args:
            trial: coordinates.
            upstream: base URL of the model API; not read in replay.
            secret: the provider's real key; empty for none.
            replay: the recording to answer from; None in record mode.
            tamper: faults to plant in the answers, in both modes.

        Raises:
            HarnessError: the proxy refused or died.
        """
        token, key = secrets.token_hex(16), "nv-" + secrets.token_hex(24)
        self.ask(
            {
                "do": "open",
                "trial": trial,
                "token": token,
                "key": key,
                "upstream": upstream,
                "secret": secret,
                "replay": None if replay is None else str(replay.absolute()),
                "tamper": to_json(tamper),
            }
        )
        return OpenedTrial(
            token=token, api_key=key, base_url=f"http://127.0.0.1:{self.port}/t/{token}/v1"
        )

    def close_trial(self, token: str) -> ClosedTrial:
        """Close a trial once its exchanges are written.

        Raises:
            HarnessError: the proxy refused or died.
        """
        answer = self.ask({"do": "close", "token": token})
        return ClosedTrial(
            count=answer["count"],
            complete=answer["complete"],
            reason=answer["reason"],
            detail=answer["detail"],
            file=Path(answer["file"]) if answer["file"] else None,
        )


class ScriptedModels(Child):
    """The scripted model server of a run."""

    def __init__(self) -> None:
        """Start it.

        Raises:
            HarnessError: it did not get ready.
        """
        super().__init__("proxy.scripted", {}, "the scripted model server")

    @property
    def address(self) -> str:
        """Address for the proxy's list of upstreams."""
        return f"127.0.0.1:{self.port}"

    def upstream(self, *, scenario: str, names: int, seed: str) -> str:
        """Return the base URL of the model that plays in one trial."""
        return f"http://{self.address}/play/{scenario}/{names}/{seed}/v1"


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
