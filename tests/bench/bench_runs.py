"""The whole of ours, as `nonverba run` has it, let go trial by trial.

The real runner, worker, proxy and run directory; only the wire has a gate, so that a benchmark can
measure one trial, or many, and nothing in between.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from grid.evidence import TrialId
from grid.plan import Plan
from grid.runner import Finished, Recorded, Runner, RunSettings, WireAccess
from grid.vocabulary import Status, Witness
from ledgers.assemble import Assembled, TrialFacts, Wired, assemble
from ledgers.manifest import Manifest, build_manifest
from ledgers.seal import seal
from ledgers.store import RunDirectory
from proxy.launch import OpenedTrial, ProxyProcess, ScriptedModels

SCENARIO = "moon_for_mars"
PERSONA = "substituter"
MODEL_CALLS, TOOL_CALLS = 4, 3
SEED = 1

PATIENCE_S = 120.0


class Over(Exception):
    """The benchmark has all that it wants of this run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The processes that all frameworks share."""

    models: ScriptedModels
    """The scripted models."""
    recording: ProxyProcess
    """Our proxy."""
    passing: ProxyProcess
    """Our proxy with recording off."""


@contextmanager
def services(folder: Path) -> Iterator[Services]:
    """Start what all frameworks share; end it at the end."""
    with ScriptedModels() as models:
        listed = (models.address,)
        with (
            ProxyProcess(mode="record", directory=private(folder, "on"), upstreams=listed) as on,
            ProxyProcess(
                mode="record", directory=private(folder, "off"), upstreams=listed, record=False
            ) as off,
        ):
            yield Services(models=models, recording=on, passing=off)


def private(parent: Path, name: str) -> Path:
    """Make a folder that nobody else can read."""
    folder = parent / name
    folder.mkdir(mode=0o700)
    folder.chmod(0o700)
    return folder


def trial_of(framework: str, number: int) -> TrialId:
    """Return the trial that is measured."""
    return TrialId(
        scenario=SCENARIO,
        framework=framework,
        model=f"scripted/{PERSONA}",
        clause="none",
        guards="off",
        language="en",
        number=number,
    )


def manifest_of(framework: str, trials: int) -> Manifest:
    """Return the manifest of a run that repeats it."""
    planned = tuple(trial_of(framework, number) for number in range(trials))
    return build_manifest(Plan(name="bench", seed=SEED, trials=planned))


def facts_of(manifest: Manifest, trial: TrialId, seed: str) -> TrialFacts:
    """Return what is known of a trial beside its journal, found as `nonverba run` finds it."""
    return TrialFacts(
        trial=trial,
        seed=seed,
        scenario=manifest.scenario(trial.scenario).digest(),
        clause_text=manifest.clause(trial).text,
        witness=Witness.PROXY,
    )


class GatedWire:
    """A wire that opens trials only when it is told to."""

    def __init__(self, services: Services) -> None:
        """Keep the gate shut."""
        self._services = services
        self._gate = threading.Semaphore(0)
        self._over = False
        self._open: dict[TrialId, OpenedTrial] = {}

    def let(self, trials: int) -> None:
        """Let some trials through."""
        self._gate.release(trials)

    def end(self) -> None:
        """Let nothing through any more; whoever waits is told."""
        self._over = True
        self._gate.release(64)

    def open(self, trial: TrialId, seed: str) -> WireAccess:
        """Open a trial on the wire once it is let through."""
        self._gate.acquire()
        if self._over:
            raise Over
        upstream = self._services.models.upstream(scenario=trial.scenario, names=0, seed=seed)
        opened = self._services.recording.open_trial(str(trial), upstream=upstream)
        self._open[trial] = opened
        return WireAccess(base_url=opened.base_url, api_key=opened.api_key)

    def close(self, trial: TrialId) -> Recorded:
        """Close it, take its recording and remove the file."""
        return closed(self._services.recording, self._open.pop(trial))


def closed(proxy: ProxyProcess, opened: OpenedTrial) -> Recorded:
    """Close a trial, take its recording and remove the file."""
    answer = proxy.close_trial(opened.token)
    if answer.file is None:
        raise SystemExit("the proxy did not record")
    raw = answer.file.read_bytes()
    answer.file.unlink()
    return Recorded(raw=raw, complete=answer.complete, reason=answer.detail)


class GatedRun:
    """A run of one framework; use it as a context manager."""

    def __init__(
        self, framework: str, *, jobs: int, trials: int, services: Services, folder: Path
    ) -> None:
        """Begin; the workers load the framework at the first trial."""
        self.trials = trials
        self._wire = GatedWire(services)
        self._kept = threading.Semaphore(0)
        self._failure: BaseException | None = None
        self._run = RunDirectory.create(folder / "run", manifest_of(framework, trials))
        settings = RunSettings(seed=SEED, jobs=jobs, folder=folder / "workers")
        self._runner = Runner(settings, self._wire, self._keep)
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def advance(self, trials: int) -> None:
        """Run some trials to their end."""
        self._wire.let(trials)
        for _ in range(trials):
            while not self._kept.acquire(timeout=0.5):
                if not self._thread.is_alive():
                    raise SystemExit(f"the run ended early: {self._failure!r}")

    def worker(self) -> int:
        """Return the process id of the first worker, after the first trial."""
        return self._runner.process_ids()[0]

    def seal(self) -> None:
        """Judge all trials and write the ledger; every one must have been run."""
        self._thread.join(PATIENCE_S)
        seal(self._run, {})

    def __enter__(self) -> "GatedRun":
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the workers."""
        self._wire.end()
        self._thread.join(PATIENCE_S)
        self._run.close()

    def _work(self) -> None:
        try:
            self._runner.run(self._run.waiting())
        except Over:
            pass
        except BaseException as error:  # noqa: BLE001 - `advance` says it
            self._failure = error

    def _keep(self, finished: Finished) -> None:
        timing = {"wall_ms": finished.wall_ms, "cpu_ms": finished.cpu_ms, "note": ""}
        self._run.keep(assembled(self._run.manifest, finished), timing)
        self._kept.release()


def assembled(manifest: Manifest, finished: Finished) -> Assembled:
    """Put the evidence of a trial together and see that it is the trial that is measured."""
    journal, recorded = finished.journal, finished.recorded
    if recorded is None:
        raise SystemExit("a trial was not recorded")
    found = assemble(
        facts_of(manifest, finished.trial, finished.seed),
        journal,
        Wired(raw=recorded.raw, complete=recorded.complete),
    )
    recording = found.evidence.recording
    told = (len(journal.calls), recording and (recording.count, recording.complete))
    if journal.status is not Status.COMPLETED or told != (TOOL_CALLS, (MODEL_CALLS, True)):
        raise SystemExit(
            f"{finished.trial} did not go as planned: {journal.status.value}, {told}, "
            f"{recording and recording.reason} {finished.note[:300]}"
        )
    return found
