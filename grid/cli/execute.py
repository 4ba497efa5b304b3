"""Running what is left of a run directory and sealing it; shared by `run` and `replay`."""

import platform
import shutil
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from grid.adapters import SCRIPTED
from grid.canonical import load_json, scrub_text
from grid.cli.casework import assembled, witness_of
from grid.cli.console import progress
from grid.cli.services import ProxyWire
from grid.errors import HarnessError
from grid.evidence import TrialId
from grid.runner import Finished, Recorded, Runner, RunSettings, WireAccess
from ledgers.assemble import TrialFacts
from ledgers.chain import Head
from ledgers.clauserecord import as_clause
from ledgers.pace import early_retries
from ledgers.runlock import PARTIAL
from ledgers.seal import seal
from ledgers.store import ENVIRONMENT, TIMINGS, RunDirectory

PACKAGES = (
    "nonverba",
    "strands-agents",
    "langgraph",
    "langchain",
    "langchain-openai",
    "crewai",
    "openai",
    "xllamacpp",
    "mitmproxy",
    "rfc8785",
    "jsonschema",
    "zstandard",
)
"""Distributions whose versions are noted beside the head."""

NOTE_LIMIT = 1000

UNATTRIBUTED = "unattributed"
"""Key in ``environment.json``: a sentence about requests that belonged to no trial."""

type WireOpener = Callable[[Path, Callable[[str], None]], AbstractContextManager[ProxyWire]]
"""Takes a private folder for live recordings and what is told at the end of requests that belonged
to no trial; starts what the run needs."""


class NoWire:
    """The wire of a run that has none; asking for it is a mistake of ours."""

    facts: Mapping[str, Any] = {}
    """Nothing to note of models."""

    def open(self, trial: TrialId, seed: str) -> WireAccess:
        """Refuse."""
        raise RuntimeError(f"{trial} has no wire")

    def close(self, trial: TrialId) -> Recorded:
        """Refuse."""
        raise RuntimeError(f"{trial} has no wire")


def execute(run: RunDirectory, opener: WireOpener, *, jobs: int, hidden: bool) -> Head:
    """Run the trials that are waiting, then seal the run.

    Args:
        run: the run directory, open.
        opener: starts the proxy and what is behind it.
        jobs: number of worker processes.
        hidden: no progress bar.
    """
    live, workers = _fresh(run.partial)
    strays: list[str] = []
    waiting = run.waiting()
    wired = any(trial.framework != SCRIPTED for trial in waiting)
    with ExitStack() as stack:
        wire: ProxyWire | NoWire = (
            stack.enter_context(opener(live, strays.append)) if wired else NoWire()
        )
        if waiting:
            tick = stack.enter_context(progress("trials", len(waiting), hidden=hidden))

            scenarios = {item.id: item.digest() for item in run.manifest.scenarios}

            def keep(finished: Finished) -> None:
                _keep(run, finished, scenarios[finished.trial.scenario])
                tick()

            source = run.manifest.source
            settings = RunSettings(
                seed=run.manifest.seed,
                jobs=jobs,
                folder=workers,
                source=source.framework if source else "",
                tamper=run.manifest.tamper,
            )
            Runner(settings, wire, keep).run(waiting)
        facts = dict(wire.facts)
    return seal(run, environment() | facts | ({UNATTRIBUTED: strays[0]} if strays else {}))


def check_attributed(path: Path) -> None:
    """See that all that the agents of a sealed run asked belonged to a trial.

    Raises:
        HarnessError: something did not; the run is sealed and kept, and says so itself.
    """
    said = load_json((path / ENVIRONMENT).read_bytes())
    if isinstance(said, dict) and UNATTRIBUTED in said:
        raise HarnessError(str(said[UNATTRIBUTED]))


def environment() -> dict[str, Any]:
    """Return versions and machine, noted beside the head and never hashed into it."""
    return {
        "python": platform.python_version(),
        "implementation": sys.implementation.name,
        "platform": platform.platform(),
        "versions": {name: _version(name) for name in PACKAGES},
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _fresh(partial: Path) -> tuple[Path, Path]:
    """Clear what a killed run left, but the timings of finished trials; return two new folders."""
    for entry in partial.iterdir():
        if entry.is_dir():
            shutil.rmtree(entry)
        elif entry.name != TIMINGS:
            entry.unlink()
    live, workers = partial / "live", partial / "workers"
    live.mkdir(mode=0o700)
    workers.mkdir(mode=0o700)
    return live, workers


def _keep(run: RunDirectory, finished: Finished, scenario: str) -> None:
    manifest, recorded = run.manifest, finished.recorded
    facts = TrialFacts(
        trial=finished.trial,
        seed=finished.seed,
        scenario=scenario,
        clause_text=as_clause(manifest.clause(finished.trial)).filled(finished.seed),
        witness=witness_of(finished.trial),
    )
    found = assembled(facts, finished.journal, recorded)
    said = [finished.note, recorded.reason if recorded else "", found.detail]
    timing: dict[str, Any] = {"wall_ms": finished.wall_ms, "cpu_ms": finished.cpu_ms}
    if recorded and recorded.opened:
        said += early_retries(found.exchanges, recorded.timings, recorded.opened)
        timing["exchanges"] = recorded.timings
    note = "; ".join(dict.fromkeys(part for part in said if part))
    run.keep(found, timing | {"note": scrub_text(note)[:NOTE_LIMIT]})


def is_partial(path: Path) -> bool:
    """Tell whether a run directory holds an unfinished run."""
    return (path / PARTIAL).is_dir()
