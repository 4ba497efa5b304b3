"""A temporary folder that goes with its owner, or with the next owner if the first was killed.

The owner holds a lock on the folder for as long as it lives, which the kernel lets go of however it
ends. So a folder whose lock is free belongs to nobody, whoever shares the place with us.
"""

import fcntl
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PREFIX = "nonverba-proxy-"
YOUNG_S = 60.0
"""Seconds in which a folder is left alone: its owner may be about to lock it."""


@contextmanager
def spool_folder(place: Path | None = None) -> Iterator[Path]:
    """Make a folder of mode 0700 and take it away in the end; first those that nobody owns.

    Args:
        place: where; None for the system's place of temporary files.
    """
    place = Path(tempfile.gettempdir()) if place is None else place
    remove_abandoned(place)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=place))
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def remove_abandoned(place: Path) -> None:
    """Take away the folders in a place that were made here by us and that nobody owns any more."""
    for folder in place.glob(f"{PREFIX}*"):
        with suppress(OSError):  # somebody else's, or gone meanwhile: then it is no matter of ours
            _remove_abandoned(folder)


def _remove_abandoned(folder: Path) -> None:
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    lock = os.open(folder, flags)
    try:
        made = os.fstat(lock)
        ours = made.st_uid == os.getuid() and stat.S_IMODE(made.st_mode) == stat.S_IRWXU
        if ours and time.time() - made.st_mtime > YOUNG_S:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder)
    finally:
        os.close(lock)
