"""Scenarios, worlds, guards, clauses and frameworks of one's own, from a folder or an entry point.

A folder looks like the project itself: ``scenarios/``, ``worlds/``, ``guards/``, ``clauses/`` and
``frameworks/``, each with one file per entry; any of them may be missing. Its files become modules
of the registry packages (``grid.scenarios.my_scenario``), so they may import one another under
those names, and everything that lists, runs or checks finds them. A name that is taken is refused:
nothing of the project can be replaced by accident.

An installed distribution offers such a folder as a package under the entry point group
``nonverba``. Loading runs the code that stands there: it is the user's own, and it is trusted.
"""

import importlib
import os
import pkgutil
from collections.abc import Iterable
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

from grid import catalogue, clauses, guards
from grid.errors import ConfigError
from grid.registry import module_names

GROUP = "nonverba"
"""Entry point group."""
VARIABLE = "NONVERBA_LOAD"
"""Environment variable by which worker and model server processes learn of the folders."""

PACKAGES = {
    "scenarios": "grid.scenarios",
    "worlds": "grid.worlds",
    "guards": "grid.guards",
    "clauses": "grid.clauses",
    "frameworks": "frameworks",
}
"""Folder -> the package that its files become part of."""


def load_folders(folders: Iterable[Path]) -> None:
    """Load folders, here and in every process that is started from here.

    Raises:
        ConfigError: a folder is none, holds nothing to load, or holds a name that is taken.
    """
    for folder in folders:
        _load(folder.resolve())


def load_inherited() -> None:
    """Load the folders that the starting process had loaded."""
    named = os.environ.get(VARIABLE, "")
    load_folders(Path(part) for part in named.split(os.pathsep) if part)


def load_entry_points() -> None:
    """Load what installed distributions offer.

    Raises:
        ConfigError: an entry point cannot be imported, or is no package.
    """
    for point in entry_points(group=GROUP):
        try:
            found = point.load()
        except Exception as error:
            raise ConfigError(
                f"the entry point {point.name!r} of {GROUP!r} cannot be imported: "
                f"{type(error).__name__}: {error}"
            ) from error
        paths = list(getattr(found, "__path__", ()))
        if not paths:
            raise ConfigError(f"the entry point {point.name!r} of {GROUP!r} must name a package")
        load_folders(Path(path) for path in paths)


@cache
def loaded() -> list[Path]:
    """Return the folders that were loaded, in order (one list per process)."""
    return []


def _load(folder: Path) -> None:
    if folder in loaded():
        return
    if not folder.is_dir():
        raise ConfigError(
            f"--load: {folder.name!r} is no folder; write one that holds {_choices()}", "load"
        )
    parts = {kind: folder / kind for kind in PACKAGES if (folder / kind).is_dir()}
    if not parts:
        raise ConfigError(f"--load: {folder.name!r} holds none of {_choices()}", "load")
    if os.pathsep in str(folder):  # it parts the folders in the variable that children read
        raise ConfigError(f"--load: no {os.pathsep!r} may stand in the path of {folder.name!r}")
    for kind, part in parts.items():
        _check_names(f"--load: {folder.name}/{kind}", kind, part)
    for kind, part in parts.items():
        importlib.import_module(PACKAGES[kind]).__path__.append(str(part))
    loaded().append(folder)
    os.environ[VARIABLE] = os.pathsep.join(map(str, loaded()))
    _forget()


def _choices() -> str:
    return ", ".join(f"{kind}/" for kind in PACKAGES)


def _check_names(where: str, kind: str, part: Path) -> None:
    """Refuse files that would never be found, or that would be taken for others."""
    try:
        stems = sorted(item.name[:-3] for item in part.iterdir() if item.name.endswith(".py"))
    except OSError as error:
        raise ConfigError(f"{where}: cannot be read: {error.strerror}", "load") from error
    for stem in stems:
        if not stem.isidentifier():
            raise ConfigError(
                f"{where}/{stem}.py: name the file with letters, digits and '_' only", "load"
            )
    package = importlib.import_module(PACKAGES[kind])
    known = {entry.name for entry in pkgutil.iter_modules(package.__path__)}
    taken = sorted(known & {entry.name for entry in pkgutil.iter_modules([str(part)])})
    if taken:
        raise ConfigError(
            f"{where}/{taken[0]}.py: that name is taken; rename the file",
            "load",
        )


def _forget() -> None:
    """Let go of every list that was made before the folder was there."""
    importlib.invalidate_caches()
    module_names.cache_clear()
    catalogue.pair.cache_clear()
    catalogue.numbers.cache_clear()
    clauses.all_clauses.cache_clear()
    clauses.known_texts.cache_clear()
    guards.all_guards.cache_clear()
