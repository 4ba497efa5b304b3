"""Step 5 of `verify`: packs that lie."""

import os
import time
from pathlib import Path
from typing import Any

import pytest
import zstandard

from grid.canonical import load_json
from ledgers.packs import INDEX, Pack
from ledgers.verify import LIMITS
from tests.ledgers.forge import Forged, resum
from tests.ledgers.tampered import (
    Copy,
    failing,
    index_of,
    lines_of,
    relinked,
    with_frame,
    with_head,
    with_index,
)


def test_bytes_behind_the_frames_are_refused(copy: Copy) -> None:
    for pack in Pack:
        folder = copy()
        with (folder / pack.file).open("ab") as file:
            file.write(b"more")
        assert failing(resum(folder)).step == 5


def test_a_huge_pack_is_refused_before_it_is_hashed(
    copy: Copy, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(_folder: Path) -> bytes:
        raise AssertionError("hashed")

    for pack, size in ((pack, size) for pack in Pack for size in (1 << 30, 1 << 40)):
        folder = copy()
        os.truncate(folder / pack.file, size)  # sparse: it takes no room
        with monkeypatch.context() as patch:
            patch.setattr("ledgers.verify.sums", never)
            error = failing(folder)
        assert error.step == 1
        assert pack.file in error.detail


def test_a_huge_pack_beside_an_index_that_cannot_be_read_is_bounded(copy: Copy) -> None:
    assert max(LIMITS.values()) <= 1 << 32
    folder = copy()
    (folder / INDEX).write_bytes(b"{")
    assert failing(resum(folder)).step == 2


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("trial", "../../../etc/passwd"),
        ("trial", "moon_for_mars/nobody/scripted/honest/none/off/en/0"),
        ("digest", "f" * 64),
        ("offset", 1),
        ("offset", -1),
        ("length", 2**53 - 1),
        ("length", 1),
        ("pack", "recording"),
        ("pack", "manifest"),
    ],
)
def test_an_index_that_names_other_frames_is_refused(copy: Copy, name: str, value: Any) -> None:
    folder = copy()
    lines = index_of(folder)
    lines[0][name] = value
    assert failing(with_index(folder, lines)).step in (2, 5)


def test_frames_dropped_doubled_or_moved_in_the_index_are_found(copy: Copy) -> None:
    folder = copy()
    lines = index_of(folder)
    for at in range(len(lines)):
        others = [*lines[:at], *lines[at + 1 :]]
        moved = at and lines[at]["pack"] == "evidence"  # the packs' lines may interleave
        for kept in (others, [*lines, lines[at]], [lines[at], *others] if moved else others):
            assert failing(with_index(folder, kept)).step in (2, 5)


def bomb(size: int, **settings: Any) -> bytes:
    packer = zstandard.ZstdCompressor(**settings).compressobj()
    chunk = bytes(1 << 20)
    return b"".join(packer.compress(chunk) for _ in range(size >> 20)) + packer.flush()


BOMBS = {
    "a frame of unknown size": lambda: bomb(1 << 28),
    "a frame that says too much": lambda: zstandard.ZstdCompressor().compress(bytes(1 << 27)),
    "two frames": lambda: zstandard.compress(b"{}") + zstandard.compress(b"{}"),
    "rubbish behind a frame": lambda: zstandard.compress(b"{}") + b"rubbish",
    "half a frame": lambda: zstandard.compress(bytes(4096))[:-3],
    "no frame": lambda: b"not a frame",
    "a skippable frame": lambda: b"\x50\x2a\x4d\x18\x04\x00\x00\x00abcd",
}


@pytest.mark.parametrize("kind", BOMBS)
def test_frames_that_do_not_unpack_within_bounds_are_refused(copy: Copy, kind: str) -> None:
    start = time.process_time()
    assert failing(with_frame(copy(), BOMBS[kind]())).step == 5
    assert time.process_time() - start < 5


def test_a_frame_that_lies_about_its_size_is_not_unpacked_further(copy: Copy) -> None:
    frame = bytearray(zstandard.ZstdCompressor().compress(bytes(1 << 24)))
    size = (1 << 24).to_bytes(4, "little")
    at = bytes(frame).index(size)
    frame[at : at + 4] = (1 << 10).to_bytes(4, "little")
    assert failing(with_frame(copy(), bytes(frame))).step == 5


def test_an_entry_names_the_frames_that_are_there(copy: Copy) -> None:
    forged = Forged(copy())
    folder = forged.write()
    values = [load_json(line) for line in lines_of(folder)]
    values[1]["body"]["evidence"] = "f" * 64
    lines = relinked(values)
    with_head(folder, lines)
    assert failing(folder).step == 5
