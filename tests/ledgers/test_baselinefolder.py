"""A baseline's folder is whole or none, wherever saving is cut off."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from grid.errors import ConfigError, HarnessError
from ledgers.baselinefolder import BASELINE, RUN, SAVING, check_folder, fill, is_cut_off
from ledgers.gatelooks import LOOKS
from ledgers.runlock import lock_run


class Killed(BaseException):
    """Stands for the end of the process."""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "HEAD").write_text("new")
    return folder


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A baseline with looks."""
    folder = tmp_path / "kept"
    (folder / RUN).mkdir(parents=True)
    for name, text in ((f"{RUN}/HEAD", "old"), (BASELINE, "old"), (LOOKS, "looks")):
        (folder / name).write_text(text)
    return folder


def held(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


OLD = {BASELINE: "old", LOOKS: "looks", f"{RUN}/HEAD": "old"}
NEW = {BASELINE: "new", f"{RUN}/HEAD": "new"}


def test_a_new_baseline_takes_the_place_of_the_old_one_and_its_looks(
    source: Path, old: Path
) -> None:
    seen: list[Path] = []
    check_folder(source, old, force=True)
    fill(source, old, b"new", seen.append)
    assert held(old) == NEW
    assert seen == [old / SAVING / RUN]
    assert not (old / SAVING).exists()


def test_a_copy_that_does_not_hold_leaves_the_old_one_as_it_was(source: Path, old: Path) -> None:
    def fails(_: Path) -> None:
        raise ConfigError("it does not hold")

    with pytest.raises(ConfigError, match="does not hold"):
        fill(source, old, b"new", fails)
    assert held(old) == OLD
    with pytest.raises(ConfigError, match="does not hold"):
        fill(source, old.with_name("fresh"), b"new", fails)
    assert not old.with_name("fresh").exists()


@pytest.mark.parametrize("method", ["mkdir", "write_bytes", "unlink", "replace", "rmdir"])
@pytest.mark.parametrize("after", [0, 1])
def test_wherever_saving_is_cut_off_there_is_a_whole_baseline_or_none(
    source: Path, old: Path, monkeypatch: pytest.MonkeyPatch, method: str, after: int
) -> None:
    """No line of the clearing up runs either, as after a kill."""
    calls: list[Path] = []
    real: Callable[..., object] = getattr(Path, method)

    def cut(path: Path, *words: object, **more: object) -> object:
        calls.append(path)
        if len(calls) > after:
            raise Killed
        return real(path, *words, **more)

    with monkeypatch.context() as patch:
        patch.setattr("ledgers.baselinefolder._remove", _keep_what_is_being_saved)
        patch.setattr(Path, method, cut)
        with suppress(Killed):
            fill(source, old, b"new", lambda _: None)
    found = {name: text for name, text in held(old).items() if not name.startswith(SAVING)}
    assert found in (OLD, NEW) or BASELINE not in found
    check_folder(source, old, force=BASELINE in found)
    fill(source, old, b"new", lambda _: None)
    assert held(old) == NEW


def _keep_what_is_being_saved(folder: Path) -> None:
    if folder.name == RUN and folder.exists():
        (folder / "HEAD").unlink()
        folder.rmdir()


def test_what_was_cut_off_needs_no_force_and_a_run_of_that_name_does(
    source: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "to"
    (folder / RUN).mkdir(parents=True)
    (folder / RUN / "HEAD").write_text("somebody's own")
    assert not is_cut_off(folder)
    with pytest.raises(ConfigError, match="--force replaces it"):
        check_folder(source, folder, force=False)
    (folder / SAVING).mkdir()
    assert is_cut_off(folder)
    check_folder(source, folder, force=False)


@pytest.mark.parametrize("name", ["x", f"{RUN}/x", f"{SAVING}/x", f"{SAVING}/{RUN}/x"])
def test_what_no_baseline_left_there_is_never_deleted(source: Path, old: Path, name: str) -> None:
    (old / SAVING / RUN).mkdir(parents=True)
    check_folder(source, old, force=True)
    (old / name).write_text("mine")
    with pytest.raises(ConfigError, match="which no baseline left there"):
        check_folder(source, old, force=True)


def test_a_link_in_place_of_a_part_is_not_followed(source: Path, old: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (old / SAVING).symlink_to(tmp_path / "other")
    with pytest.raises(ConfigError, match="'saving', which no baseline left there"):
        check_folder(source, old, force=True)


def test_two_do_not_save_at_once(source: Path, old: Path) -> None:
    lock = lock_run(old)
    with pytest.raises(HarnessError, match="another process"):
        fill(source, old, b"new", lambda _: None)
    lock.close()
    assert held(old) == OLD
