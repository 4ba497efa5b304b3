"""Running a plan: hands trials to workers, opens and closes each on the wire, keeps evidence.

The runner does not judge. It talks to the proxy and to the run directory through two small
protocols, because it may import neither. A trial is finished when its evidence is kept; everything
before that is repeated on resume. A dead worker or proxy stops the run with a sentence.
"""

import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any, Protocol

import grid
from grid import extensions
from grid.adapters import SCRIPTED
from grid.canonical import canonical, load_json, scrub_text
from grid.errors import CanonicalError, ConfigError, HarnessError
from grid.evidence import Journal, TrialId
from grid.models import is_scripted, sampling_of, wire_name
from grid.plan import trial_seed
from grid.scenario import Tamper
from grid.session import TrialSpec
from grid.strict import from_json, to_json

MODEL_TIMEOUT_S = 60.0
TRIAL_TIMEOUT_S = 300.0
REAL_MODEL_TIMEOUT_S = 600.0
"""Seconds for one answer of a real model: a small one on a busy machine takes its time."""
REAL_TRIAL_TIMEOUT_S = 3600.0
GRACE_S = 30.0

PASSED_ON = (
    "PATH",
    "LANG",
    "LC_ALL",
    "TZ",
    "SYSTEMROOT",
    "PYTHONPYCACHEPREFIX",
    extensions.VARIABLE,
)
"""Environment variables that a worker may see."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WireAccess:
    """Where a trial's model is."""

    base_url: str
    """Base URL at the proxy."""
    api_key: str
    """Virtual key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What the proxy recorded of a trial."""

    raw: bytes
    """The recorder's lines."""
    complete: bool
    """The recorder never failed and nothing is in flight."""
    reason: str
    """Why not, in the recorder's words (for people)."""
    opened: datetime | None = None
    """When the trial was opened on the wire, with its zone; None for no clock."""
    timings: tuple[tuple[float | None, ...], ...] = ()
    """When each exchange was asked, got its first byte and ended: ms since `opened`; None where it
    never came to that. No part of the evidence."""


class Wire(Protocol):
    """The proxy, as the runner sees it."""

    def open(self, trial: TrialId, seed: str) -> WireAccess:
        """Open a trial on the wire."""

    def close(self, trial: TrialId) -> Recorded:
        """Close it and return what was recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """One finished trial, not yet judged."""

    trial: TrialId
    """Coordinates."""
    seed: str
    """Hex seed."""
    journal: Journal
    """The tool layer's side."""
    recorded: Recorded | None
    """The wire's side; None without a wire."""
    note: str
    """For people; never hashed."""
    wall_ms: int
    """Wall time of the trial in the worker."""
    cpu_ms: int
    """CPU time of the worker during the trial."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """How a plan is run."""

    seed: int
    """Seed of the plan."""
    jobs: int
    """Number of worker processes."""
    folder: Path
    """Folder for the workers' homes and working folders."""
    names: int = 0
    """Names seed; 0 outside `check`."""
    source: str = ""
    """Framework whose model answers are played to the trials, which have its seeds; empty: none."""
    tamper: tuple[Tamper, ...] = ()
    """What is planted in every trial that has no wire; on a wire the proxy plants it."""


class Runner:
    """Runs the trials of one plan."""

    def __init__(self, settings: RunSettings, wire: Wire, keep: Callable[[Finished], None]) -> None:
        """Keep the seams; `keep` is called once per trial, one call at a time."""
        self._settings = settings
        self._wire = wire
        self._keep = keep
        self._lock = threading.Lock()  # guards the queue, the failure and the sink
        self._waiting: list[TrialId] = []
        self._failure: BaseException | None = None
        self._workers: list[_Worker] = []

    def run(self, trials: Sequence[TrialId]) -> None:
        """Run trials to their end.

        Raises:
            HarnessError: a worker or the proxy died, or evidence could not be kept.
            ConfigError: a framework cannot be loaded.
        """
        self._waiting = list(trials)
        jobs = max(1, min(self._settings.jobs, len(self._waiting)))
        try:
            # Started here, in the main thread, and one by one: a start that fails ends the run.
            for number in range(jobs):
                self._workers.append(_Worker(self._settings.folder / f"worker-{number}"))
            threads = [
                threading.Thread(target=self._work, args=(worker,), daemon=True)
                for worker in self._workers
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                while thread.is_alive():
                    thread.join(0.2)  # short, so that Ctrl-C is seen
        finally:
            for worker in self._workers:
                worker.kill()
        if self._failure is not None:
            raise self._failure

    def process_ids(self) -> tuple[int, ...]:
        """Return the process ids of the workers."""
        return tuple(worker.process.pid for worker in self._workers)

    def _work(self, worker: "_Worker") -> None:
        try:
            while (trial := self._next(worker)) is not None:
                finished = self._one(worker, trial)
                with self._lock:
                    self._keep_first(finished)
        except BaseException as error:  # noqa: BLE001 - handed to the main thread, which raises it
            with self._lock:
                self._failure = self._failure or error

    def _keep_first(self, finished: Finished) -> None:
        """Keep a trial unless one could not be kept; note that before another one is tried."""
        if self._failure is not None:
            return
        try:
            self._keep(finished)
        except BaseException as error:
            self._failure = error
            raise

    def _next(self, worker: "_Worker") -> TrialId | None:
        """Take the next trial: of a framework that this worker has loaded, else of the longest."""
        with self._lock:
            if self._failure is not None or not self._waiting:
                return None
            left = Counter(trial.framework for trial in self._waiting)
            taken = {w.framework for w in self._workers if w is not worker}
            best = max(
                left, key=lambda name: (name == worker.framework, name not in taken, left[name])
            )
            index = next(i for i, trial in enumerate(self._waiting) if trial.framework == best)
            worker.framework = best
            return self._waiting.pop(index)

    def _one(self, worker: "_Worker", trial: TrialId) -> Finished:
        seed = trial_seed(self._settings.seed, trial, self._settings.source)
        wired = trial.framework != SCRIPTED
        access = self._wire.open(trial, seed) if wired else WireAccess(base_url="", api_key="")
        spec = TrialSpec(
            trial=trial,
            seed=seed,
            names=self._settings.names,
            base_url=access.base_url,
            api_key=access.api_key,
            wire_model=wire_name(trial.model),
            sampling=sampling_of(trial.model, seed),
            timeout_s=MODEL_TIMEOUT_S if is_scripted(trial.model) else REAL_MODEL_TIMEOUT_S,
            trial_timeout_s=TRIAL_TIMEOUT_S if is_scripted(trial.model) else REAL_TRIAL_TIMEOUT_S,
            tamper=() if wired else self._settings.tamper,
        )
        answer = worker.ask(spec)
        recorded = self._wire.close(trial) if wired else None
        return Finished(
            trial=trial,
            seed=seed,
            journal=from_json(Journal, answer["journal"]),
            recorded=recorded,
            note=answer["note"],
            wall_ms=answer["wall_ms"],
            cpu_ms=answer["cpu_ms"],
        )


class _Worker:
    """One worker process."""

    def __init__(self, folder: Path) -> None:
        """Start the process in an empty folder with a private HOME."""
        self.framework = ""
        home, work = folder / "home", folder / "work"
        for path in (home, work):
            path.mkdir(parents=True, exist_ok=True)
        self._said = folder / "stderr.txt"
        with self._said.open("wb") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", "grid.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=work,
                env=worker_environment(home),
            )
        self._killed = False

    def ask(self, spec: TrialSpec) -> dict[str, Any]:
        """Run one trial in the worker.

        Raises:
            HarnessError: the worker died or does not answer.
            ConfigError: its framework cannot be loaded.
        """
        timer = threading.Timer(spec.trial_timeout_s + GRACE_S, self.kill)
        timer.start()
        try:
            _pipe(self.process.stdin).write(canonical(to_json(spec)) + b"\n")
            _pipe(self.process.stdin).flush()
            line = _pipe(self.process.stdout).readline()
            answer: dict[str, Any] = load_json(line)
        except (OSError, CanonicalError) as error:
            raise HarnessError(
                f"the worker that ran {spec.trial} "
                f"{self._ended(spec)}: {self._last_words()} "
                "Finished trials are kept; run again with --resume."
            ) from error
        finally:
            timer.cancel()
        if "refused" in answer:
            raise ConfigError(answer["refused"])
        return answer

    def kill(self) -> None:
        """End the process now."""
        self._killed = True
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                _close_quietly(stream)

    def _ended(self, spec: TrialSpec) -> str:
        if not self._killed:
            return "died"
        return f"gave no answer within {spec.trial_timeout_s + GRACE_S:.0f} s and was stopped"

    def _last_words(self) -> str:
        lines = self._said.read_bytes()[-2000:].decode("utf-8", "replace").strip().splitlines()
        return scrub_text(lines[-1][:300]) + "." if lines else "it said nothing."


def worker_environment(home: Path) -> dict[str, str]:
    """Return the environment of a worker: an allow-list, a private HOME, the path to our code."""
    passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    root = str(Path(grid.__file__).parent.parent)
    return passed | {
        "HOME": str(home),
        "PYTHONPATH": root,
        "PYTHONUTF8": "1",
        "NO_COLOR": "1",
        "CI": "1",
        "NO_PROXY": "127.0.0.1,localhost",
        "TMPDIR": str(home),
    }


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise OSError("the worker has no pipe")
    return stream


def _close_quietly(stream: IO[bytes]) -> None:
    try:
        stream.close()
    except OSError:
        return  # closing flushes to a dead process; there is nothing left to tell it
