"""The lock of a run directory, and what may stand in one before anything in it is read or written.

The lock is on the directory itself, so it also holds against somebody who replaces or deletes what
is in it. A received directory may hold links, pipes and devices: nothing of ours follows or opens
them.
"""

import fcntl
import os
from pathlib import Path

from grid.errors import ConfigError, HarnessError

PARTIAL = "partial"


class RunLock:
    """An exclusive lock on a directory; let go of by `close`, and by the end of the process."""

    def __init__(self, descriptor: int) -> None:
        """Take over a locked descriptor."""
        self._descriptor: int | None = descriptor

    def close(self) -> None:
        """Let go; no harm if that was done."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def lock_run(path: Path) -> RunLock:
    """Lock a directory.

    Raises:
        HarnessError: another process is running in it.
        OSError: it cannot be opened.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        raise HarnessError(
            f"another process is running in {path}; wait for it or end it"
        ) from error
    return RunLock(descriptor)


def check_entries(path: Path) -> None:
    """Refuse a directory that holds anything but plain files and the folder of unfinished things.

    Raises:
        ConfigError: naming the entry.
    """
    partial = path / PARTIAL
    folders = (path, partial) if _is_folder(partial) else (path,)
    for folder in folders:
        for entry in sorted(os.scandir(folder), key=lambda item: item.name):
            plain = entry.is_file(follow_symlinks=False)
            inner = folder == partial and entry.is_dir(follow_symlinks=False)
            if not (plain or inner or (folder == path and _is_partial(entry))):
                raise ConfigError(
                    f"{folder / entry.name} is a link or no plain file; no run leaves that, so "
                    "nothing here is touched"
                )


def _is_partial(entry: os.DirEntry[str]) -> bool:
    return entry.name == PARTIAL and entry.is_dir(follow_symlinks=False)


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()
