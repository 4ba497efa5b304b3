import errno
import os
from pathlib import Path

import pytest

from grid.errors import HarnessError
from proxy.partialfile import PartialFile


def test_each_event_is_one_line(tmp_path: Path) -> None:
    file = PartialFile(tmp_path / "x.jsonl")
    file.append({"a": "月\n"})
    file.append({"b": 1})
    assert file.path.read_text("utf-8") == '{"a": "月\\n"}\n{"b": 1}\n'


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
        file.append({})


def test_a_file_put_in_its_place_is_noticed(tmp_path: Path) -> None:
    file = PartialFile(tmp_path / "x.jsonl")
    other = PartialFile(tmp_path / "y.jsonl")
    other.path.rename(file.path)
    with pytest.raises(HarnessError, match="another process"):
        file.append({})


def test_after_a_short_write_the_file_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = PartialFile(tmp_path / "x.jsonl")
    real = os.write
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda fd, data: real(fd, data[:3]))
        with pytest.raises(HarnessError, match="the disk is full"):
            file.append({"a": 1})
    with pytest.raises(HarnessError, match="left as it is"):
        file.append({"b": 2})
    assert file.path.read_bytes() == b'{"a'


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_full_disk_is_called_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    file = PartialFile(tmp_path / "x.jsonl")

    def fail(descriptor: int, data: bytes) -> int:
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", fail)
        with pytest.raises(HarnessError, match=r"the disk is full .* --resume"):
            file.append({})
