"""A run directory: its layout, and a run that is under way in it.

    manifest.json     the plan as data           ledger.jsonl     the chained verdicts
    evidence.pack     one frame per trial        HEAD             digest and count
    recordings.pack   one frame per wired trial  environment.json versions, host (outside the head)
    packs.idx         where the frames stand     timings.jsonl    seconds, notes (outside the head)
    SHA256SUMS        of every file but HEAD, itself and timings

While a run is under way there is a folder ``partial/`` beside them, for whatever is not finished;
sealing removes it. A directory that holds another plan is refused, and so is one that holds
anything that no run left there. One process at a time may write: the directory is locked.
"""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from grid.canonical import canonical, digest_of, load_json
from grid.errors import CanonicalError, ConfigError, HarnessError, StrictError
from grid.evidence import TrialId
from ledgers.assemble import Assembled
from ledgers.manifest import Manifest, manifest_bytes, read_manifest
from ledgers.packs import INDEX, Pack, PackWriter
from ledgers.runlock import PARTIAL, RunLock, check_entries, lock_run

MANIFEST = "manifest.json"
LEDGER = "ledger.jsonl"
HEAD = "HEAD"
ENVIRONMENT = "environment.json"
TIMINGS = "timings.jsonl"
SUMS = "SHA256SUMS"

SUMMED = tuple(
    sorted((MANIFEST, LEDGER, Pack.EVIDENCE.file, Pack.RECORDING.file, INDEX, ENVIRONMENT))
)
"""Files that SHA256SUMS lists."""
FILES = tuple(sorted((*SUMMED, HEAD, TIMINGS, SUMS)))
"""All files of a sealed run."""


class RunDirectory:
    """A run that is under way; use it as a context manager."""

    def __init__(self, path: Path, manifest: Manifest, lock: RunLock) -> None:
        """Take over a directory that is locked and holds the manifest; see `create`, `resume`."""
        self.path = path
        self.manifest = manifest
        self._lock = lock
        _cut_half_line(self.partial / TIMINGS)
        self._packs = PackWriter(path)
        strange = self._packs.finished() - {str(trial) for trial in manifest.trials}
        if strange:
            raise HarnessError(f"{path} holds trials that are not planned, such as {min(strange)}")

    @classmethod
    def create(cls, path: Path, manifest: Manifest) -> Self:
        """Begin a run in a new or empty directory.

        Raises:
            ConfigError: the directory is not empty or cannot be written.
        """
        try:
            path.mkdir(parents=True, exist_ok=True)
            lock = lock_run(path)
        except OSError as error:
            raise _unwritable(path, error) from error
        return cls._locked(path, manifest, lock)

    @classmethod
    def resume(cls, path: Path, manifest: Manifest) -> Self:
        """Go on with a run of the same plan; one that was killed at once begins anew.

        Raises:
            ConfigError: there is no run, it is sealed, or it is of another plan.
            HarnessError: another process is running it, or its packs are damaged.
        """
        if _is_blank(path):
            return cls.create(path, manifest)
        check_entries(path)
        _check_plan(path, manifest)
        if is_sealed(path):
            raise ConfigError(f"{path} is finished; there is nothing to resume")
        return cls._locked(path, manifest, lock_run(path), resuming=True)

    @classmethod
    def _locked(
        cls, path: Path, manifest: Manifest, lock: RunLock, *, resuming: bool = False
    ) -> Self:
        """Begin or go on, now that nobody else can."""
        try:
            if not resuming and not _is_blank(path):
                raise ConfigError(
                    f"{path} is not empty: go on with --resume, name another folder with -o, "
                    "or delete it"
                )
            (path / PARTIAL).mkdir(exist_ok=True)
            if not resuming:
                write_file(path, MANIFEST, manifest_bytes(manifest))
            return cls(path, manifest, lock)
        except OSError as error:
            lock.close()
            raise _unwritable(path, error) from error
        except BaseException:
            lock.close()
            raise

    @property
    def partial(self) -> Path:
        """The folder for whatever is not finished."""
        return self.path / PARTIAL

    def waiting(self) -> tuple[TrialId, ...]:
        """Return the trials that are not kept yet, in plan order."""
        done = self._packs.finished()
        return tuple(trial for trial in self.manifest.trials if str(trial) not in done)

    def keep(self, assembled: Assembled, timing: Mapping[str, Any]) -> None:
        """Keep one finished trial; its timing is outside the head.

        Raises:
            HarnessError: it cannot be written.
        """
        trial = str(assembled.evidence.trial)
        line = timing_line(trial, timing)
        try:
            with (self.partial / TIMINGS).open("ab") as file:
                file.write(line)
        except OSError as error:
            raise HarnessError(f"{trial} could not be kept: {error.strerror or error}") from error
        self._packs.add(trial, assembled.evidence_bytes, assembled.recording_bytes)

    def close(self) -> None:
        """Let go of the lock."""
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def is_sealed(path: Path) -> bool:
    """Tell whether a run directory is finished."""
    return (path / HEAD).is_file() and not (path / PARTIAL).exists()


def holds_run(path: Path) -> bool:
    """Tell whether a directory holds a run, finished or not."""
    return (path / MANIFEST).is_file()


def timing_line(trial: str, timing: Mapping[str, Any]) -> bytes:
    """Return one line of the timings, which carries its own digest."""
    said = {"trial": trial, "timing": dict(timing)}
    return canonical({**said, "digest": digest_of("timing", said)}) + b"\n"


def read_timings(data: bytes) -> dict[str, dict[str, Any]]:
    """Read the timings strictly; of a trial that stands twice the last line counts.

    Raises:
        CanonicalError: a line is not strict JSON.
        StrictError: a line is cut or is not what it says.
    """
    found: dict[str, dict[str, Any]] = {}
    lines = data.split(b"\n")
    if lines.pop():
        raise StrictError("the last line of the timings is cut")
    for line in lines:
        value = load_json(line)
        if not isinstance(value, dict) or not isinstance(value.get("timing"), dict):
            raise StrictError("a line of the timings is no timing")
        if timing_line(str(value.get("trial")), value["timing"]) != line + b"\n":
            raise StrictError("a line of the timings is not what its digest says")
        found[value["trial"]] = value["timing"]
    return found


def write_file(folder: Path, name: str, data: bytes) -> None:
    """Write a file of the run at once: a reader sees the old bytes or the new ones.

    Raises:
        OSError: it cannot be written.
    """
    temporary = folder / PARTIAL / f"{name}.new"
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(folder / name)


def remove_partial(folder: Path) -> None:
    """Remove the folder for unfinished things; the run is sealed."""
    shutil.rmtree(folder / PARTIAL)


def _is_blank(path: Path) -> bool:
    """Tell whether a path is free, or holds what a run killed before its manifest left there."""
    if not path.exists():
        return True
    return path.is_dir() and {item.name for item in path.iterdir()} <= {PARTIAL}


def _cut_half_line(path: Path) -> None:
    """Cut off a line that a killed run left half written."""
    if path.exists():
        data = path.read_bytes()
        with path.open("rb+") as file:
            file.truncate(data.rfind(b"\n") + 1)


def _unwritable(path: Path, error: OSError) -> ConfigError:
    return ConfigError(
        f"{path} cannot be written: {error.strerror or error}; name another folder with -o"
    )


def _check_plan(path: Path, manifest: Manifest) -> None:
    if not holds_run(path):
        raise ConfigError(f"{path} holds no run; leave --resume out to begin one")
    data = (path / MANIFEST).read_bytes()
    if data == manifest_bytes(manifest):
        return
    try:
        other = read_manifest(data)
    except (CanonicalError, StrictError) as error:
        raise ConfigError(f"{path / MANIFEST} cannot be read: {error}") from error
    what = "another plan" if other.trials != manifest.trials else "the same plan over other parts"
    if other.trials == manifest.trials and other.tamper != manifest.tamper:
        what = "the same plan with other faults planted on the wire ([[tamper]])"
    raise ConfigError(
        f"{path} holds {what} ({other.name!r}, {len(other.trials)} trials): "
        "name another folder with -o, or delete it"
    )
