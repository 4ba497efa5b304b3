"""One process at a time, and nothing but plain files."""

import os
from pathlib import Path

import pytest

from grid.errors import ConfigError, HarnessError
from ledgers.runlock import check_entries, lock_run


def test_a_directory_is_locked_once_and_again_after_it_was_let_go_of(tmp_path: Path) -> None:
    lock = lock_run(tmp_path)
    with pytest.raises(HarnessError, match="another process is running"):
        lock_run(tmp_path)
    lock.close()
    lock.close()
    lock_run(tmp_path).close()


def test_replacing_what_is_in_the_directory_does_not_get_round_the_lock(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("a")
    lock = lock_run(tmp_path)
    (tmp_path / "new").write_text("b")
    (tmp_path / "new").replace(tmp_path / "manifest.json")
    with pytest.raises(HarnessError):
        lock_run(tmp_path)
    lock.close()


def plant(folder: Path, kind: str) -> None:
    match kind:
        case "link to a file":
            (folder / "HEAD").symlink_to("/etc/hostname")
        case "link to a folder":
            (folder / "partial").symlink_to("/etc")
        case "pipe":
            os.mkfifo(folder / "ledger.jsonl")
        case "folder":
            (folder / "packs.idx").mkdir()
        case "link among the unfinished":
            (folder / "partial").mkdir()
            (folder / "partial" / "timings.jsonl").symlink_to("/etc/hostname")


@pytest.mark.parametrize(
    "kind", ["link to a file", "link to a folder", "pipe", "folder", "link among the unfinished"]
)
def test_anything_but_plain_files_is_refused(tmp_path: Path, kind: str) -> None:
    plant(tmp_path, kind)
    with pytest.raises(ConfigError, match="is a link or no plain file"):
        check_entries(tmp_path)


def test_plain_files_and_a_folder_of_unfinished_things_pass(tmp_path: Path) -> None:
    (tmp_path / "HEAD").write_text("x")
    (tmp_path / "partial" / "live").mkdir(parents=True)
    (tmp_path / "partial" / "timings.jsonl").write_text("x")
    check_entries(tmp_path)
