"""Reading a run directory for people: plan, entries, and one trial by its coordinates."""

import shutil
from pathlib import Path

from grid.catalogue import numbers
from grid.display import visible
from grid.errors import CanonicalError, ConfigError, StrictError
from ledgers.manifest import Manifest, read_manifest
from ledgers.packs import INDEX, read_index
from ledgers.reading import Kept, frames_by_trial, read_kept
from ledgers.runlock import PARTIAL, check_entries, lock_run
from ledgers.store import FILES, MANIFEST, holds_run

NEAR = 8
"""Near coordinates that an error lists."""


def open_manifest(path: Path) -> Manifest:
    """Read the manifest of a run.

    Raises:
        ConfigError: there is no run, or its manifest does not read.
    """
    if not holds_run(path):
        raise ConfigError(f"{path} holds no run; name the folder that `nonverba run` wrote")
    check_entries(path)
    try:
        return read_manifest((path / MANIFEST).read_bytes())
    except (CanonicalError, StrictError) as error:
        raise ConfigError(f"{path / MANIFEST}: {error}") from error


def find_trial(manifest: Manifest, wanted: str) -> str:
    """Return the coordinates of one trial.

    A number may stand for the scenario, and any parts that fit one trial only are enough.

    Raises:
        ConfigError: none fits, or several do; the near ones are listed.
    """
    known = [str(trial) for trial in manifest.trials]
    first, slash, rest = wanted.partition("/")
    named = numbers().get(first.upper(), first) + slash + rest
    if named in known:
        return named
    parts = [part for part in named.split("/") if part]
    fitting = [name for name in known if all(f"/{part}/" in f"/{name}/" for part in parts)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        shown = "\n  ".join(map(visible, fitting[:NEAR]))
        raise ConfigError(f"{len(fitting)} trials fit {wanted!r}; write one of them:\n  {shown}")
    shown = "\n  ".join(map(visible, known[:NEAR]))
    raise ConfigError(f"no trial fits {wanted!r}; the run holds {len(known)}, such as:\n  {shown}")


def kept_trial(path: Path, trial: str) -> Kept:
    """Read the evidence of one trial.

    Raises:
        ConfigError: it is not kept yet, or its evidence does not read.
    """
    try:
        frames = frames_by_trial(read_index((path / INDEX).read_bytes()))
        if trial not in frames:
            raise ConfigError(f"{trial} has not finished; run again with --resume")
        return read_kept(path, frames[trial])
    except (CanonicalError, StrictError, OSError) as error:
        raise ConfigError(f"{path}: {error}; `nonverba verify {path}` names the step") from error


def remove_run(path: Path) -> None:
    """Delete a run directory, and nothing that is not one.

    Raises:
        ConfigError: it holds something that no run left there.
    """
    if not path.is_dir() or not any(path.iterdir()):
        return
    names = {entry.name for entry in path.iterdir()}
    strange = names - {*FILES, PARTIAL}
    if not holds_run(path) and names != {PARTIAL}:  # a run writes its manifest first
        strange = strange or names
    if strange or path.is_symlink():
        raise ConfigError(
            f"{path} holds {min(strange, default='a link')!r}, which no run left there; "
            "delete the folder yourself"
        )
    lock = lock_run(path)  # a run that is under way is not deleted
    try:
        shutil.rmtree(path)
    finally:
        lock.close()
