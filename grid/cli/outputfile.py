"""Files that a command is asked to write: refused before anything is computed, written whole.

A run and a baseline hold nothing but what was left there when they were made: a report or a picture
among them would make them somebody else's. A file that cannot be written to its end is removed.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from grid.errors import ConfigError


def check_output(option: str, path: Path, folders: Iterable[Path]) -> None:
    """Refuse a place that no file can be written to, or none should be.

    Args:
        option: what is named if it is wrong.
        path: the file.
        folders: runs and baselines, which are left as they are.

    Raises:
        ConfigError: with what to name instead.
    """
    try:
        where = path.resolve()
        bad = where.is_dir() or not where.parent.is_dir()
    except (OSError, RuntimeError):  # a name that is too long, or links in a circle
        bad = True
    if bad:
        raise ConfigError(f"{option}: {path} cannot be a file; name one in a folder that exists")
    if any(folder.resolve() in where.parents for folder in folders):
        raise ConfigError(
            f"{option}: {path} lies in a run or a baseline, which hold nothing else; name a file "
            "elsewhere"
        )


def check_outputs(files: Mapping[str, Path | None], folders: Iterable[Path]) -> None:
    """Refuse the same of several options, and two that would write the same file.

    Args:
        files: option -> its file; None, if it is not given.
        folders: as in `check_output`.

    Raises:
        ConfigError: with what to name instead.
    """
    folders = tuple(folders)
    taken: dict[Path, str] = {}
    for option, path in files.items():
        if path is None:
            continue
        check_output(option, path, folders)
        other = taken.setdefault(path.resolve(), option)
        if other != option:
            raise ConfigError(f"{option}: {path} is the file of {other}; name another one")


def write_output(option: str, path: Path, data: bytes) -> None:
    """Write a file; one that is there is replaced, and half a one is not left.

    Raises:
        ConfigError: it cannot be written.
    """
    opened = False
    try:
        with path.open("wb") as file:
            opened = True
            file.write(data)
    except OSError as error:
        if opened and path.is_file() and not path.is_symlink():
            path.unlink()
        raise ConfigError(f"{option}: {path} cannot be written: {error.strerror}") from error
