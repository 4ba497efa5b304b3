"""The file that a trial's events are appended to: one write per event, and nobody else's hand.

Before each frame the file is opened anew by its path and must still be the file that was made, with
exactly the bytes written so far: a removed folder, a replaced file or a foreign byte is noticed
before anything is forwarded. After a failed or short write the file is never touched again, so that
a cut frame stays the last one. What a frame is, `proxy.wire.partial` says.
"""

import errno
import os
from collections.abc import Sequence
from pathlib import Path

from grid.errors import HarnessError

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class PartialFile:
    """An append-only file of frames."""

    def __init__(self, path: Path) -> None:
        """Make the file; it must not exist.

        Raises:
            HarnessError: it cannot be made.
        """
        self.path = path
        self._broken = False
        self._size = 0
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            descriptor = os.open(path, flags, 0o600)
            try:
                made = os.fstat(descriptor)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise HarnessError(_sentence(path, error)) from error
        self._identity = (made.st_dev, made.st_ino)

    def append(self, frame: Sequence[bytes]) -> None:
        """Write one frame, which comes in parts.

        Raises:
            HarnessError: it was not written whole; the sentence says why.
        """
        if self._broken:
            raise HarnessError(f"{self.path} could not be written before and is left as it is")
        self._broken = True
        try:
            flags = os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
            descriptor = os.open(self.path, flags)
            try:
                self._write(descriptor, frame)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise HarnessError(_sentence(self.path, error)) from error
        self._broken = False

    def _write(self, descriptor: int, frame: Sequence[bytes]) -> None:
        now = os.fstat(descriptor)
        if (now.st_dev, now.st_ino) != self._identity or now.st_size != self._size:
            raise OSError(errno.EIO, "another process changed or replaced the file")
        written = os.writev(descriptor, frame)
        self._size += written
        if written != sum(map(len, frame)):
            raise OSError(errno.ENOSPC, "only a part of the frame could be written")


def _sentence(path: Path, error: OSError) -> str:
    if error.errno in _FULL:
        return (
            f"cannot write {path}: the disk is full or a limit on file sizes is reached "
            f"({error.strerror}); make room and run again"
        )
    return f"cannot write {path}: {error.strerror or error}"
