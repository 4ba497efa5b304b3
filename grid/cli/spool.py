"""Recordings of a finished run, on their way to the proxy that answers from them.

They are read before anything runs, so that a replay has no business with the original any more.
Each is written into the private folder of the new run when its trial is opened.
"""

from collections.abc import Callable, Iterable
from pathlib import Path

from grid.canonical import digest
from grid.evidence import TrialId
from ledgers.packs import INDEX, Pack, read_frame, read_index
from ledgers.reading import frames_by_trial
from proxy.playback import Playback

type Spool = Callable[[TrialId], Playback]
"""Writes the recording that a trial is answered from; returns what the proxy is told of it."""


def recordings(directory: Path, trials: Iterable[TrialId]) -> dict[str, bytes]:
    """Return trial -> canonical bytes of its recording, for those that have one."""
    frames = frames_by_trial(read_index((directory / INDEX).read_bytes()))
    return {
        name: read_frame(directory, frames[name][Pack.RECORDING])
        for name in map(str, trials)
        if Pack.RECORDING in frames.get(name, {})
    }


def spool(
    live: Path, kept: dict[str, bytes], source: Callable[[TrialId], TrialId] | None = None
) -> Spool:
    """Return what hands out recordings.

    Args:
        live: private folder to write them into.
        kept: trial -> recording.
        source: tells the trial whose answers are played to another one; None for a strict replay.
    """

    def spooled(trial: TrialId) -> Playback:
        of = trial if source is None else source(trial)
        path = live / (digest("file", str(trial).encode())[:32] + ".replay")
        path.write_bytes(kept.get(str(of), b""))
        return Playback(file=path, crossed=source is not None)

    return spooled
