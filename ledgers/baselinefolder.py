"""The folder of a baseline: looked at before it is touched, and filled so that it is whole or none.

A baseline is first made in ``FOLDER/saving``, and verified there: whatever goes wrong until then, a
full disk or a kill, leaves the old baseline as it was. Then the old record goes, its looks and its
run; the new run takes their place, and the new record last. Cut off in between, there is no record,
hence no baseline, and ``saving`` tells the next one that nothing here is missed.
"""

import shutil
from collections.abc import Callable
from pathlib import Path

from grid.display import visible
from grid.errors import ConfigError
from ledgers.gatelooks import LOOKS
from ledgers.runlock import lock_run
from ledgers.store import FILES

BASELINE = "baseline.json"
RUN = "run"
SAVING = "saving"
"""A baseline that is not finished."""
PARTS = (BASELINE, LOOKS, RUN, SAVING)
"""All that a baseline's folder may hold."""


def check_folder(source: Path, folder: Path, *, force: bool) -> None:
    """Refuse a folder that a baseline cannot be saved in, before anything in it is touched.

    Raises:
        ConfigError: with what to name instead.
    """
    inner, outer = source.resolve(), folder.resolve()
    if inner == outer or outer in inner.parents or inner in outer.parents:
        raise ConfigError(f"--to: {folder} and the run lie in each other; name another folder")
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise ConfigError(f"--to: {folder} is no folder of its own; name another")
    there = _names(folder)
    strange = sorted(there - set(PARTS))
    for part, known in (
        (folder / RUN, FILES),
        (folder / SAVING, (RUN, BASELINE)),
        (folder / SAVING / RUN, FILES),
    ):
        if part.is_symlink() or (part.exists() and not part.is_dir()):
            strange.append(part.name)
        strange += sorted(_names(part) - set(known))
    if strange:
        raise ConfigError(
            f"--to: {folder} holds {visible(strange[0])!r}, which no baseline left there; name "
            "another folder"
        )
    if there and not force and not is_cut_off(folder):
        raise ConfigError(
            f"--to: {folder} holds a baseline; --force replaces it, and forgets the looks that "
            "were taken at it"
        )


def is_cut_off(folder: Path) -> bool:
    """Tell whether a save was cut off here that left no baseline behind."""
    return (folder / SAVING).is_dir() and not (folder / BASELINE).exists()


def fill(source: Path, folder: Path, record: bytes, check: Callable[[Path], object]) -> None:
    """Put a baseline into a folder that `check_folder` took; what stands there is replaced.

    Args:
        source: the run.
        folder: where it goes; made, if it is not there.
        record: bytes of ``baseline.json``.
        check: verifies the copy of the run; raises, if it does not hold.

    Raises:
        OSError: it cannot be written; an old baseline is as it was.
        HarnessError: another process is saving here.
    """
    made = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    lock = lock_run(folder)
    saving = folder / SAVING
    try:
        _remove(saving)
        try:
            saving.mkdir()
            shutil.copytree(source, saving / RUN)
            check(saving / RUN)
            (saving / BASELINE).write_bytes(record)
        except BaseException:
            _remove(saving)
            if made:
                folder.rmdir()
            raise
        for name in (BASELINE, LOOKS):
            (folder / name).unlink(missing_ok=True)
        _remove(folder / RUN)
        (saving / RUN).replace(folder / RUN)
        (saving / BASELINE).replace(folder / BASELINE)
        saving.rmdir()
    finally:
        lock.close()


def _names(folder: Path) -> set[str]:
    return {item.name for item in folder.iterdir()} if folder.is_dir() else set()


def _remove(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)
