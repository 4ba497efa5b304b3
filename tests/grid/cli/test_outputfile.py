"""Files that are asked for: refused in time, written whole."""

import resource
from pathlib import Path

import pytest

from grid.cli.outputfile import check_output, check_outputs, write_output
from grid.errors import ConfigError


def test_a_file_in_a_folder_that_exists_is_taken(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    check_output("-o", tmp_path / "run.xml", [tmp_path / "run"])


@pytest.mark.parametrize("name", [".", "none/x", "x" * 300, "loop/x"])
def test_a_place_that_takes_no_file_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(ConfigError, match=r"-o: .* name one in a folder that exists"):
        check_output("-o", tmp_path / name, [])


def test_a_run_stays_as_it_is_whatever_the_path_to_it(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "link").symlink_to("run")
    for name in ("run/x", "link/x", "run/../run/x"):
        with pytest.raises(ConfigError, match="lies in a run or a baseline"):
            check_output("-o", tmp_path / name, [tmp_path / "run"])


def test_two_options_do_not_write_one_file(tmp_path: Path) -> None:
    check_outputs({"--a": tmp_path / "x", "--b": tmp_path / "y", "--c": None}, [])
    with pytest.raises(ConfigError, match=r"--b: .* is the file of --a"):
        check_outputs({"--a": tmp_path / "x", "--b": tmp_path / "." / "x"}, [])


def test_a_file_is_replaced(tmp_path: Path) -> None:
    write_output("-o", tmp_path / "x", b"longer")
    write_output("-o", tmp_path / "x", b"new")
    assert (tmp_path / "x").read_bytes() == b"new"


def test_half_a_file_is_not_left(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        with pytest.raises(ConfigError, match="cannot be written: File too large"):
            write_output("-o", tmp_path / "x", b"x" * 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert not (tmp_path / "x").exists()


def test_a_device_that_is_full_is_said_and_stays() -> None:
    with pytest.raises(ConfigError, match="No space left"):
        write_output("-o", Path("/dev/full"), b"x")
    assert Path("/dev/full").exists()
