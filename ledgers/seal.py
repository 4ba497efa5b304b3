"""Sealing a run: every trial is in, each is judged in plan order, the chain is written.

Sealing is a pure function of manifest and packs: killed half way, it is done again from the start
and gives the same bytes. HEAD is written last; removing ``partial/`` makes the run a finished one.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grid.canonical import canonical, file_sha256
from grid.errors import CanonicalError, HarnessError, StrictError
from ledgers.chain import Head, entry_lines, head_bytes, head_of
from ledgers.entries import ledger_entries
from ledgers.manifest import manifest_bytes
from ledgers.packs import sync_packs
from ledgers.reading import judge_run
from ledgers.store import (
    ENVIRONMENT,
    HEAD,
    LEDGER,
    SUMMED,
    SUMS,
    TIMINGS,
    RunDirectory,
    read_timings,
    remove_partial,
    timing_line,
    write_file,
)

CHUNK = 1 << 20


def seal(run: RunDirectory, environment: Mapping[str, Any]) -> Head:
    """Judge all trials of a finished run and write its ledger.

    Args:
        run: the run, with every trial kept.
        environment: versions and host, as JSON; outside the head.

    Raises:
        HarnessError: a trial is missing, or something cannot be written.
    """
    waiting = run.waiting()
    if waiting:
        raise HarnessError(f"{len(waiting)} trials are missing, the first of them {waiting[0]}")
    trials = tuple(judge_run(run.path, run.manifest))
    entries = ledger_entries(manifest_bytes(run.manifest), trials)
    head = head_of(entries)
    try:
        sync_packs(run.path)
        write_file(run.path, ENVIRONMENT, canonical(dict(environment)) + b"\n")
        write_file(run.path, TIMINGS, _timings(run))
        write_file(run.path, LEDGER, entry_lines(entries))
        write_file(run.path, SUMS, sums(run.path))
        write_file(run.path, HEAD, head_bytes(head))
        remove_partial(run.path)
    except OSError as error:
        raise HarnessError(
            f"the run in {run.path} could not be sealed: {error.strerror or error}; "
            "make room, then run again with --resume"
        ) from error
    return head


def sums(folder: Path) -> bytes:
    """Return the content of SHA256SUMS, as `sha256sum` writes it."""
    lines = [f"{_file_sum(folder / name)}  {name}\n" for name in SUMMED]
    return "".join(lines).encode()


def _file_sum(path: Path) -> str:
    with path.open("rb") as file:
        return file_sha256(iter(lambda: file.read(CHUNK), b""))


def _timings(run: RunDirectory) -> bytes:
    """Return the timings of all trials in plan order, with those of an earlier try to seal.

    Of a trial whose timing was lost with the machine's power, the line is empty.
    """
    found: dict[str, dict[str, Any]] = {}
    try:
        for path in (run.path / TIMINGS, run.partial / TIMINGS):
            found |= read_timings(path.read_bytes()) if path.exists() else {}
    except (CanonicalError, StrictError) as error:
        raise HarnessError(f"the timings in {run.path} are damaged: {error}") from error
    named = (str(trial) for trial in run.manifest.trials)
    return b"".join(timing_line(trial, found.get(trial, {})) for trial in named)
