import os
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from grid import canonical as forms
from grid.canonical import canonical, digest
from grid.errors import CanonicalError, HarnessError, StrictError
from ledgers import packs
from ledgers.packs import (
    INDEX,
    Pack,
    PackWriter,
    pack_frame,
    pack_sizes,
    read_frame,
    read_index,
    unpack_frame,
)

TRIALS = (("a/1", b"one", b"wire one"), ("a/2", b"two" * 99, None), ("a/3", b"three", b""))


def written(folder: Path, count: int = 3) -> PackWriter:
    writer = PackWriter(folder)
    for trial, evidence, recording in TRIALS[:count]:
        writer.add(trial, evidence, recording)
    return writer


def kept(folder: Path) -> dict[tuple[str, Pack], bytes]:
    frames = read_index((folder / INDEX).read_bytes())
    return {(frame.trial, frame.pack): read_frame(folder, frame) for frame in frames}


WHOLE = {
    ("a/1", Pack.RECORDING): b"wire one",
    ("a/1", Pack.EVIDENCE): b"one",
    ("a/2", Pack.EVIDENCE): b"two" * 99,
    ("a/3", Pack.RECORDING): b"",
    ("a/3", Pack.EVIDENCE): b"three",
}


@given(st.binary(max_size=4096))
def test_a_frame_holds_what_was_put_in(data: bytes) -> None:
    assert unpack_frame(pack_frame(data)) == data


def test_trials_are_kept_and_found_again(tmp_path: Path) -> None:
    writer = written(tmp_path)
    assert kept(tmp_path) == WHOLE
    assert writer.finished() == {"a/1", "a/2", "a/3"}
    for pack, size in pack_sizes(writer.frames).items():
        assert (tmp_path / pack.file).stat().st_size == size


def test_a_writer_goes_on_where_the_last_one_stopped(tmp_path: Path) -> None:
    written(tmp_path, 2)
    writer = PackWriter(tmp_path)
    writer.add(*TRIALS[2])
    assert kept(tmp_path) == WHOLE


def test_a_trial_is_kept_once(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match="already kept"):
        written(tmp_path).add("a/1", b"again", None)
    assert kept(tmp_path) == WHOLE


def test_whatever_a_killed_run_left_behind_the_last_line_is_cut_off(tmp_path: Path) -> None:
    written(tmp_path)
    whole = {name: (tmp_path / name).read_bytes() for name in (*FILES, INDEX)}
    third = whole[INDEX].splitlines(keepends=True)
    before = sum(len(line) for line in third[:3])
    for end in range(before, len(whole[INDEX])):
        for name, data in whole.items():
            (tmp_path / name).write_bytes(data)
        os.truncate(tmp_path / INDEX, end)
        writer = PackWriter(tmp_path)
        assert writer.finished() == {"a/1", "a/2"}, end
        writer.add(*TRIALS[2])
        assert {name: (tmp_path / name).read_bytes() for name in whole} == whole


FILES = tuple(pack.file for pack in Pack)


def test_frames_without_a_line_are_cut_off(tmp_path: Path) -> None:
    written(tmp_path)
    whole = {name: (tmp_path / name).read_bytes() for name in FILES}
    for name in FILES:
        with (tmp_path / name).open("ab") as file:
            file.write(b"half a fra")
    PackWriter(tmp_path)
    assert {name: (tmp_path / name).read_bytes() for name in FILES} == whole


@pytest.mark.parametrize("name", FILES)
def test_damage_is_refused_and_not_mended(tmp_path: Path, name: str) -> None:
    written(tmp_path)
    whole = (tmp_path / name).read_bytes()
    for spoiled in (whole[:-1], bytes([whole[0] ^ 1]) + whole[1:], b""):
        (tmp_path / name).write_bytes(spoiled)
        with pytest.raises(HarnessError, match="damaged"):
            PackWriter(tmp_path)
        assert (tmp_path / name).read_bytes() == spoiled


def test_a_damaged_line_inside_the_index_is_refused(tmp_path: Path) -> None:
    written(tmp_path)
    whole = (tmp_path / INDEX).read_bytes()
    (tmp_path / INDEX).write_bytes(whole.replace(b'"offset":0', b'"offset":1', 1))
    with pytest.raises(HarnessError, match="damaged"):
        PackWriter(tmp_path)


def test_a_full_disk_is_one_sentence_and_nothing_more_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = written(tmp_path, 2)

    def full(_descriptor: int, _data: bytes) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(packs.os, "write", full)
        with pytest.raises(HarnessError, match=r"a/3 could not be kept: No space left.*--resume"):
            writer.add(*TRIALS[2])
    with pytest.raises(HarnessError, match=r"a/3 could not be kept: No space left.*--resume"):
        writer.add(*TRIALS[1])  # a second worker may be the first that is heard
    assert PackWriter(tmp_path).finished() == {"a/1", "a/2"}


def test_short_writes_are_carried_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(packs.os, "write", lambda to, data: write(to, data[:3]))
    written(tmp_path)
    assert kept(tmp_path) == WHOLE


def test_what_a_reader_would_refuse_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packs, "MAX_BYTES", 10)
    assert forms.MAX_BYTES > 10
    with pytest.raises(HarnessError, match="over the limit of 10 bytes"):
        pack_frame(b"x" * 11)
    with pytest.raises(StrictError, match="over the limit"):
        unpack_frame(zstandard.compress(b"x" * 11))


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"no frame",
        zstandard.compress(b"abc")[:-1],
        zstandard.compress(b"abc") + b"x",
        zstandard.compress(b"abc") * 2,
        zstandard.ZstdCompressor(write_content_size=False).compress(b"abc"),
    ],
)
def test_what_is_not_exactly_one_sized_frame_is_refused(frame: bytes) -> None:
    with pytest.raises(StrictError):
        unpack_frame(frame)


def line(**changes: Any) -> dict[str, Any]:
    base = {"trial": "a", "pack": "evidence", "offset": 0, "length": 5, "digest": "0" * 64}
    return {**base, **changes}


def index(*lines: Any) -> bytes:
    return b"".join(canonical(item) + b"\n" for item in lines)


def test_an_index_is_frames_in_a_row_each_once() -> None:
    fine = index(line(pack="recording"), line(), line(trial="b", offset=5))
    assert [frame.trial for frame in read_index(fine)] == ["a", "a", "b"]
    for spoiled in (
        index(line(offset=1)),
        index(line(), line(trial="b", offset=4)),
        index(line(), line(trial="b", offset=6)),
        index(line(), line(offset=5)),
        index(line(), line(pack="recording")),
        index(line(length=0)),
        index(line(length=1 << 40)),
        index(line(more=1)),
        index(line())[:-1],
        index(line()).replace(b":", b": ", 1),
        b"{}\n",
        b"\n",
    ):
        with pytest.raises((StrictError, CanonicalError)):
            read_index(spoiled)


def test_a_frame_that_is_not_what_the_index_says_is_refused(tmp_path: Path) -> None:
    (frame,) = written(tmp_path, 2).frames[2:]
    assert digest("evidence", read_frame(tmp_path, frame)) == frame.digest
    other = pack_frame(b"other")
    (tmp_path / "evidence.pack").write_bytes(bytes(frame.offset) + other)
    with pytest.raises(StrictError):
        read_frame(tmp_path, frame)
