"""Packs: zstd frames, one per trial, in two append-only files with one index.

``evidence.pack`` and ``recordings.pack`` hold frames of canonical bytes; each line of ``packs.idx``
says of one frame whose it is, where it stands and what its uncompressed bytes digest to. A frame is
kept when its line is: frames are written first, then the lines of the trial in one write, its
recording's before its evidence's. That outlives a killed process; `sync_packs`, called once before
a run is sealed, makes it outlive a power cut too. On reopening, what is behind the last whole line
is cut off, and so is a recording whose evidence never came; anything else that does not fit is
damage and is refused, never mended.

Reading is bounded: a frame that does not say its size or says too much is refused before it is
unpacked, and no more is unpacked than it says.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import zstandard

from grid.canonical import MAX_BYTES, canonical, digest, load_json
from grid.errors import HarnessError, StrictError
from grid.strict import from_json, to_json

INDEX = "packs.idx"
LEVEL = 6
"""zstd level; it changes sizes only, never a digest."""
MOST_WINDOW = 1 << 27
LONGEST_FRAME = MAX_BYTES + (1 << 20)
"""Compressed bytes of one frame; zstd adds little to what it cannot compress."""


class Pack(StrEnum):
    """Which pack a frame stands in; also the kind of its digest."""

    EVIDENCE = "evidence"
    RECORDING = "recording"

    @property
    def file(self) -> str:
        """Return the name of the file."""
        return {"evidence": "evidence.pack", "recording": "recordings.pack"}[self.value]


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One line of the index."""

    trial: str
    """Coordinates of the trial, joined by ``/``."""
    pack: Pack
    """Which pack."""
    offset: int
    """Where the frame begins in the file."""
    length: int
    """Its compressed length in bytes."""
    digest: str
    """Digest of its uncompressed bytes."""


def pack_frame(data: bytes) -> bytes:
    """Return one zstd frame.

    Raises:
        HarnessError: the data is over the limit that a reader accepts.
    """
    if len(data) > MAX_BYTES:
        raise HarnessError(f"a trial of {len(data)} bytes is over the limit of {MAX_BYTES} bytes")
    return zstandard.ZstdCompressor(level=LEVEL, write_checksum=True).compress(data)


def unpack_frame(data: bytes) -> bytes:
    """Return the content of exactly one zstd frame.

    Raises:
        StrictError: it is no single frame, or its content is over the limit or not what it says.
    """
    try:
        size = zstandard.get_frame_parameters(data).content_size
        if size > MAX_BYTES:  # also a frame that does not say its size
            raise StrictError(f"a frame of {size} bytes is over the limit of {MAX_BYTES} bytes")
        content = zstandard.ZstdDecompressor(max_window_size=MOST_WINDOW).decompress(
            data, allow_extra_data=False
        )
    except (zstandard.ZstdError, MemoryError) as error:
        raise StrictError(f"a frame cannot be unpacked: {error}") from error
    if len(content) != size:
        raise StrictError("a frame does not hold what it says")
    return content


def read_index(data: bytes) -> tuple[Frame, ...]:
    """Read the index strictly: canonical lines, frames without gap or overlap, each once.

    Raises:
        CanonicalError: a line is not strict JSON.
        StrictError: a line is cut, not canonical, or out of place.
    """
    lines = data.split(b"\n")
    if lines.pop():
        raise StrictError("the last line of the index is cut")
    frames = tuple(from_json(Frame, load_json(line), f"line {n}") for n, line in enumerate(lines))
    if b"".join(map(_line, frames)) != data:
        raise StrictError("a line of the index is not in canonical form")
    ends = dict.fromkeys(Pack, 0)
    seen: set[tuple[str, Pack]] = set()
    for frame in frames:
        if frame.offset != ends[frame.pack] or not 0 < frame.length <= LONGEST_FRAME:
            raise StrictError(f"the frame of {frame.trial!r} does not follow the one before it")
        if (frame.trial, frame.pack) in seen or (frame.trial, Pack.EVIDENCE) in seen:
            raise StrictError(f"{frame.trial!r} stands in the index twice")
        seen.add((frame.trial, frame.pack))
        ends[frame.pack] += frame.length
    return frames


def pack_sizes(frames: Iterable[Frame]) -> dict[Pack, int]:
    """Return how many bytes the frames take in each pack."""
    sizes = dict.fromkeys(Pack, 0)
    for frame in frames:
        sizes[frame.pack] += frame.length
    return sizes


def read_frame(folder: Path, frame: Frame) -> bytes:
    """Return the content of a frame.

    Raises:
        StrictError: it is not there, cannot be unpacked, or is not what the index says.
    """
    with (folder / frame.pack.file).open("rb") as file:
        file.seek(frame.offset)
        data = file.read(frame.length)
    if len(data) != frame.length:
        raise StrictError(f"the frame of {frame.trial!r} is cut")
    content = unpack_frame(data)
    if digest(frame.pack.value, content) != frame.digest:
        raise StrictError(f"the frame of {frame.trial!r} is not what the index says")
    return content


def _line(frame: Frame) -> bytes:
    return canonical(to_json(frame)) + b"\n"


class PackWriter:
    """Appends trials to the packs of a folder; the only writer while it is open."""

    def __init__(self, folder: Path) -> None:
        """Open the packs, cutting off what a killed run left behind.

        Raises:
            HarnessError: the packs are damaged.
        """
        self._folder = folder
        self.frames: list[Frame] = list(_recover(folder))
        self._done = {frame.trial for frame in self.frames if frame.pack is Pack.EVIDENCE}
        self._ends = pack_sizes(self.frames)
        self._broken = ""

    def finished(self) -> frozenset[str]:
        """Return the trials whose evidence is kept."""
        return frozenset(self._done)

    def add(self, trial: str, evidence: bytes, recording: bytes | None) -> None:
        """Keep one trial.

        Raises:
            HarnessError: it cannot be written; the packs take nothing more until reopened, and say
                the same of every later trial, since that may be what is heard first.
        """
        if self._broken:
            raise HarnessError(self._broken)
        if trial in self._done:
            raise HarnessError(f"{trial} is already kept; a trial runs once")
        parts = [(Pack.RECORDING, recording)] if recording is not None else []
        packed = [
            (pack, data, pack_frame(data)) for pack, data in (*parts, (Pack.EVIDENCE, evidence))
        ]
        self._broken = f"{trial} could not be kept; run again with --resume"  # until all is written
        new = [
            Frame(
                trial=trial,
                pack=pack,
                offset=self._ends[pack],
                length=len(packed_data),
                digest=digest(pack.value, data),
            )
            for pack, data, packed_data in packed
        ]
        try:
            for pack, _, packed_data in packed:
                _append(self._folder / pack.file, packed_data)
            _append(self._folder / INDEX, b"".join(map(_line, new)))
        except OSError as error:
            self._broken = (
                f"{trial} could not be kept: {error.strerror or error}; "
                "make room, then run again with --resume"
            )
            raise HarnessError(self._broken) from error
        self.frames += new
        self._done.add(trial)
        for frame in new:
            self._ends[frame.pack] += frame.length
        self._broken = ""


def _append(path: Path, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    finally:
        os.close(descriptor)


def sync_packs(folder: Path) -> None:
    """Have the system write packs and index to the disk.

    Raises:
        OSError: it could not.
    """
    for name in (*(pack.file for pack in Pack), INDEX):
        descriptor = os.open(folder / name, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _recover(folder: Path) -> tuple[Frame, ...]:
    """Return the frames of finished trials, and cut off everything behind them."""
    path = folder / INDEX
    data = path.read_bytes() if path.exists() else b""
    whole = data[: data.rfind(b"\n") + 1]
    try:
        frames = read_index(whole)
        while frames and frames[-1].pack is not Pack.EVIDENCE:
            frames = frames[:-1]
        for pack, size in pack_sizes(frames).items():
            _cut(folder / pack.file, size)
        _cut(path, sum(len(_line(frame)) for frame in frames))
        for frame in frames:
            read_frame(folder, frame)
    except (StrictError, OSError) as error:
        raise HarnessError(
            f"the packs in {folder} are damaged: {error}. Delete the folder and run again."
        ) from error
    return frames


def _cut(path: Path, size: int) -> None:
    """Cut a file to a size, creating an empty one."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        if os.fstat(descriptor).st_size < size:
            raise StrictError(f"{path.name} is shorter than its index says")
        os.ftruncate(descriptor, size)
    finally:
        os.close(descriptor)
