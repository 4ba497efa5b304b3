"""Step 1 of `verify`, and a byte changed or cut off anywhere."""

import os
from pathlib import Path

import pytest

from ledgers import verify as module
from ledgers.store import (
    FILES,
    PARTIAL,
    SUMMED,
)
from ledgers.verify import verify
from tests.ledgers.tampered import (
    Copy,
    failing,
)


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_found(copy: Copy, name: str) -> None:
    folder = copy()
    (folder / name).unlink()
    assert failing(folder).step == 1


@pytest.mark.parametrize("name", ["notes.txt", "ledger.jsonl.bak", ".hidden"])
def test_an_unlisted_file_is_refused(copy: Copy, name: str) -> None:
    folder = copy()
    (folder / name).write_text("hello")
    error = failing(folder)
    assert error.step == 1
    assert name in error.detail


def test_an_unfinished_run_is_refused(copy: Copy) -> None:
    folder = copy()
    (folder / PARTIAL).mkdir()
    assert failing(folder).step == 1


@pytest.mark.parametrize("name", FILES)
def test_a_link_or_a_pipe_in_place_of_a_file_is_refused(copy: Copy, name: str) -> None:
    folder, other = copy(), copy()
    (folder / name).unlink()
    (folder / name).symlink_to(other / name)
    assert "no plain file" in failing(folder).detail
    (folder / name).unlink()
    os.mkfifo(folder / name)
    assert "no plain file" in failing(folder).detail


def test_what_is_no_directory_is_refused(tmp_path: Path) -> None:
    assert failing(tmp_path / "nowhere").step == 1
    (tmp_path / "file").write_text("x")
    assert failing(tmp_path / "file").step == 1


@pytest.mark.parametrize("name", FILES)
def test_a_file_over_its_limit_is_refused_unread(
    copy: Copy, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = copy()
    size = (folder / name).stat().st_size
    monkeypatch.setitem(module.LIMITS, name, size - 1)
    assert "more than" in failing(folder).detail


@pytest.mark.parametrize("name", SUMMED)
def test_a_changed_file_is_named(copy: Copy, name: str) -> None:
    folder = copy()
    (folder / name).write_bytes((folder / name).read_bytes() + b" ")
    error = failing(folder)
    assert error.step == 1
    assert error.detail == f"{name} is not what SHA256SUMS says"


def positions(size: int) -> list[int]:
    """Return some positions of a file, its ends among them."""
    step = max(1, size // 40)
    return sorted({*range(0, size, step), max(0, size - 2), size - 1})


@pytest.mark.parametrize("name", FILES)
def test_one_byte_changed_in_any_file_is_found(copy: Copy, name: str) -> None:
    folder = copy()
    whole = (folder / name).read_bytes()
    for at in positions(len(whole)):
        for bit in (0x01, 0x20, 0x80):
            (folder / name).write_bytes(whole[:at] + bytes([whole[at] ^ bit]) + whole[at + 1 :])
            assert failing(folder).step in (1, 2, 4)
    (folder / name).write_bytes(whole)
    verify(folder)


@pytest.mark.parametrize("name", FILES)
def test_a_file_cut_short_is_found(copy: Copy, name: str) -> None:
    folder = copy()
    whole = (folder / name).read_bytes()
    for end in {0, len(whole) // 2, len(whole) - 1}:
        (folder / name).write_bytes(whole[:end])
        failing(folder)
