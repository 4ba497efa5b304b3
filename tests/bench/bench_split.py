"""Where the CPU time of a trial goes: a worker with stopwatches, the runner's steps one by one.

The proxy answers before it has quite finished, so its part of opening and closing is a little more
than what is seen here.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from bench_children import BenchChild
from bench_clocks import cpu_ms
from bench_runs import (
    PERSONA,
    SEED,
    Services,
    assembled,
    closed,
    manifest_of,
    trial_of,
)

from grid.canonical import canonical, load_json
from grid.evidence import Journal
from grid.plan import trial_seed
from grid.runner import Finished
from grid.session import TrialSpec
from grid.strict import from_json, to_json

LINES = "JSON lines between runner and worker"
OPENING = "opening and closing the trial, in the runner"
OPENING_PROXY = "opening and closing the trial, in the proxy"
CONSTRUCTION = "framework construction"
FRAMEWORK = "framework run"
TOOL_LAYER = "world and tool layer"
ASSEMBLING = "assembling the evidence"

PARTS = {"lines": LINES, "set up": TOOL_LAYER, "tools": TOOL_LAYER, "construction": CONSTRUCTION}
"""The stopwatches of `split_child.py`, and the part that each one belongs to."""


class SlowRun:
    """Runs trials one by one as the runner does, with its steps timed."""

    def __init__(self, framework: str, child: BenchChild, services: Services) -> None:
        """Take a child that is ready."""
        self._framework = framework
        self._child = child
        self._services = services
        self._manifest = manifest_of(framework, 1)

    def trial(self) -> dict[str, float]:
        """Run one trial and return CPU milliseconds by part."""
        parts: dict[str, float] = dict.fromkeys(
            (CONSTRUCTION, FRAMEWORK, TOOL_LAYER, LINES, OPENING, OPENING_PROXY, ASSEMBLING), 0.0
        )
        trial, proxy = trial_of(self._framework, 0), self._services.recording
        seed = trial_seed(SEED, trial)
        with self._timed(parts, OPENING), self._watched(parts):
            upstream = self._services.models.upstream(scenario=trial.scenario, names=0, seed=seed)
            opened = proxy.open_trial(str(trial), upstream=upstream)
        with self._timed(parts, LINES):
            spec = TrialSpec(
                trial=trial,
                seed=seed,
                names=0,
                base_url=opened.base_url,
                api_key=opened.api_key,
                wire_model=PERSONA,
                timeout_s=60.0,
                trial_timeout_s=300.0,
            )
            canonical(to_json(spec))
        answer = self._child.ask(spec)
        with self._timed(parts, OPENING), self._watched(parts):
            recorded = closed(proxy, opened)
        data = canonical(answer["answer"])
        with self._timed(parts, LINES):
            journal = from_json(Journal, load_json(data)["journal"])
        with self._timed(parts, ASSEMBLING):
            assembled(
                self._manifest,
                Finished(
                    trial=trial,
                    seed=seed,
                    journal=journal,
                    recorded=recorded,
                    note=answer["answer"]["note"],
                    wall_ms=0,
                    cpu_ms=0,
                ),
            )
        _share_out(parts, answer["spent_ms"])
        return parts

    @contextmanager
    def _timed(self, parts: dict[str, float], part: str) -> Iterator[None]:
        started = time.process_time_ns()
        yield
        parts[part] += (time.process_time_ns() - started) / 1e6

    @contextmanager
    def _watched(self, parts: dict[str, float]) -> Iterator[None]:
        started = cpu_ms(self._services.recording.pid)
        yield
        parts[OPENING_PROXY] += cpu_ms(self._services.recording.pid) - started


def _share_out(parts: dict[str, float], spent: dict[str, float]) -> None:
    """Add the child's stopwatches; what none of them saw is the framework at work."""
    for watch, part in PARTS.items():
        parts[part] += spent[watch]
    parts[FRAMEWORK] += spent["all"] - sum(spent[watch] for watch in PARTS)
