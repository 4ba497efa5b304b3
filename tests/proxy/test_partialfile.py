import errno
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from grid.errors import HarnessError
from proxy.partialfile import PartialFile


def test_the_parts_of_a_frame_stand_behind_each_other(tmp_path: Path) -> None:
    file = PartialFile(tmp_path / "x.jsonl")
    file.append([b"head\n", b"\xe6\x9c\x88\xff\n", b"\n"])
    file.append([b"next\n"])
    assert file.path.read_bytes() == b"head\n\xe6\x9c\x88\xff\n\nnext\n"


def test_an_existing_file_is_not_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"")
    with pytest.raises(HarnessError, match="File exists"):
        PartialFile(path)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    file = PartialFile(tmp_path / "x.jsonl")
    file.path.rename(tmp_path / "y.jsonl")
    file.path.symlink_to(tmp_path / "y.jsonl")
    with pytest.raises(HarnessError, match="cannot write"):
        file.append([b"x"])


def test_a_file_put_in_its_place_is_noticed(tmp_path: Path) -> None:
    file = PartialFile(tmp_path / "x.jsonl")
    other = PartialFile(tmp_path / "y.jsonl")
    other.path.rename(file.path)
    with pytest.raises(HarnessError, match="another process"):
        file.append([b"x"])


def test_after_a_short_write_the_file_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = PartialFile(tmp_path / "x.jsonl")
    with monkeypatch.context() as patch:
        patch.setattr(os, "writev", lambda fd, parts: os.write(fd, b"".join(parts)[:3]))
        with pytest.raises(HarnessError, match="the disk is full"):
            file.append([b"ab", b"cd"])
    with pytest.raises(HarnessError, match="left as it is"):
        file.append([b"e"])
    assert file.path.read_bytes() == b"abc"


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_full_disk_is_called_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    file = PartialFile(tmp_path / "x.jsonl")

    def fail(descriptor: int, parts: Sequence[bytes]) -> int:
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patch:
        patch.setattr(os, "writev", fail)
        with pytest.raises(HarnessError, match=r"the disk is full .* run again"):
            file.append([b"x"])
