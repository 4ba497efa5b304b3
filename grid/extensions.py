"""Scenarios, worlds, guards, clauses and frameworks of one's own, from a folder or an entry point.

A folder looks like the project itself: ``scenarios/``, ``worlds/``, ``guards/``, ``clauses/`` and
``frameworks/``, each with one file per entry; any of them may be missing. Its files become modules
of the registry packages (``grid.scenarios.my_scenario``), so they may import one another under
those names, and everything that lists, runs or checks finds them. A name that is taken is refused:
nothing of the project can be replaced by accident.

An installed distribution offers such a folder as a package under the entry point group
``nonverba``. Loading runs the code that stands there: it is the user's own, and it is trusted.

A clause is no code: single files of clauses, and folders that hold nothing but such, can be loaded
by themselves, and named wherever the id of a clause can.
"""

import importlib
import os
import pkgutil
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

from grid import catalogue, clauses, guards
from grid.errors import ConfigError
from grid.registry import module_names

GROUP = "nonverba"
"""Entry point group."""
VARIABLE = "NONVERBA_LOAD"
"""Environment variable by which worker and model server processes learn of the folders, and of the
clause files, which end as such files do."""

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
    """Load the folders and the clause files that the starting process had loaded."""
    named = os.environ.get(VARIABLE, "")
    parts = [Path(part) for part in named.split(os.pathsep) if part]
    load_folders(part for part in parts if not _is_clause(part))
    for part in parts:
        if _is_clause(part):
            _load_clause(part)


def clause_ids(named: Sequence[str], folder: Path | None = None) -> tuple[str, ...]:
    """Return the ids of clauses that were named; one that is a path is loaded first.

    Args:
        named: ids, clause files (``mine.md``), and folders of such.
        folder: what paths start from; None: the working folder.

    Raises:
        ConfigError: a file is no clause, a folder holds none, or an id is taken.
    """
    found: list[str] = []
    for name in named:
        path = Path(folder or "", name)
        if name in clauses.clauses_by_id() or not (_is_path(name) or path.is_dir()):
            found.append(name)
        else:
            found += load_clauses(path)
    return tuple(dict.fromkeys(found))


def load_clauses(path: Path) -> tuple[str, ...]:
    """Load a clause file, or those of a folder, here and in processes that are started from here.

    Returns:
        the ids, in order; languages of one clause share theirs.

    Raises:
        ConfigError: as `clause_ids`.
    """
    where = f"--clause: {path.name!r}"
    try:
        files = sorted(item for item in path.iterdir() if _is_clause(item)) if path.is_dir() else ()
    except OSError as error:
        raise ConfigError(f"{where} cannot be read: {error.strerror}", "clauses") from error
    if path.is_dir() and not files:
        raise ConfigError(f"{where} holds no file that ends in {clauses.SUFFIX}", "clauses")
    if not path.exists():
        raise ConfigError(f"{where} is not there; write the path of a clause file", "clauses")
    if not path.is_dir() and not (path.is_file() and _is_clause(path)):
        raise ConfigError(
            f"{where} must be a file that ends in {clauses.SUFFIX}, or a folder of such", "clauses"
        )
    return tuple(dict.fromkeys(_load_clause(item) for item in files or (path,)))


def _is_clause(path: Path) -> bool:
    return path.suffix == clauses.SUFFIX


def _is_path(name: str) -> bool:
    return _is_clause(Path(name)) or "/" in name or os.sep in name


def _load_clause(path: Path) -> str:
    """Load one clause file; return its id."""
    path = path.absolute()  # the name of a link counts, not that of the file behind it
    clause = clauses.read_own(path)
    if any(path.name == known.name and path.samefile(known) for known in clauses.own_files()):
        return clause.id
    if os.pathsep in str(path):
        raise ConfigError(f"--clause: no {os.pathsep!r} may stand in the path of {path.name!r}")
    if clause.id in {known.id for known in clauses.shipped()}:
        raise ConfigError(
            f"--clause: {path.name!r}: there is a clause {clause.id!r} already; name the file, or "
            "the id in its head, otherwise",
            "clauses",
        )
    clauses.own_files().append(path)
    clauses.forget()
    try:
        clauses.all_clauses()
    except ConfigError:
        clauses.own_files().remove(path)
        clauses.forget()
        raise
    _pass_on()
    return clause.id


def _pass_on() -> None:
    """Tell the processes that are started from here what to load."""
    os.environ[VARIABLE] = os.pathsep.join(map(str, (*loaded(), *clauses.own_files())))


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
    _pass_on()
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
    clauses.forget()
    guards.all_guards.cache_clear()
