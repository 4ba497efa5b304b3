"""`spool`: no folder is left for good, and none is taken from its owner."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from proxy.spool import PREFIX, YOUNG_S, remove_abandoned, spool_folder

OWNER = """
import sys
from pathlib import Path
from proxy.spool import spool_folder
with spool_folder(Path(sys.argv[1])) as folder:
    (folder / "authority").mkdir()
    (folder / "authority" / "ca.pem").write_text("public")
    print(folder, flush=True)
    sys.stdin.read()
"""


def owner(place: Path) -> tuple[subprocess.Popen[bytes], Path]:
    """Start a process that owns a folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(place)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert process.stdout is not None
    return process, Path(process.stdout.readline().decode().strip())


def aged(*folders: Path) -> None:
    then = time.time() - YOUNG_S - 60
    for folder in folders:
        os.utime(folder, (then, then))


def test_a_folder_is_private_and_taken_away_in_the_end(tmp_path: Path) -> None:
    with spool_folder(tmp_path) as folder:
        assert folder.stat().st_mode & 0o777 == 0o700
        (folder / "x").write_text("x")
    assert not list(tmp_path.iterdir())


def test_the_folder_of_a_killed_owner_is_taken_away_by_the_next_one_and_no_other_is(
    tmp_path: Path,
) -> None:
    killed, left = owner(tmp_path)
    living, kept = owner(tmp_path)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    young, others = tmp_path / f"{PREFIX}young", tmp_path / "nonverba-other"
    for folder in (young, others):
        folder.mkdir(mode=0o700)
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o700)
    (tmp_path / f"{PREFIX}link").symlink_to(outside)
    aged(left, kept, others, outside)
    with spool_folder(tmp_path):
        assert not left.exists()
        assert all(folder.exists() for folder in (kept, young, others, outside))
    living.communicate(b"")
    assert not kept.exists()


def test_what_cannot_be_taken_away_is_left(tmp_path: Path) -> None:
    (tmp_path / f"{PREFIX}file").write_text("no folder")
    open_to_all = tmp_path / f"{PREFIX}open"
    open_to_all.mkdir()
    open_to_all.chmod(0o755)
    aged(open_to_all)
    remove_abandoned(tmp_path)
    assert len(list(tmp_path.iterdir())) == 2
