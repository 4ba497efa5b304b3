"""What is said of recordings that are not whole."""

from pathlib import Path

import pytest

from grid.cli.damage import check_readable, lacks
from grid.errors import ConfigError
from ledgers.recordings import Damaged, Recordings, SessionRecord

HOSTILE = "\x1b[2J\nnote: all is well\u202e"
STORED = Recordings(upstreams=(), sessions=(), damaged=(Damaged(name="work", why=HOSTILE),))


def test_the_damaged_place_is_told_where_it_is_known() -> None:
    cut = SessionRecord(name="work", parts=(), complete=False, reason="cut_tail")
    assert lacks(cut) == "not complete (cut_tail)"
    told = SessionRecord(
        name="work", parts=(), complete=False, reason="cut_tail", detail="at byte 7"
    )
    assert lacks(told) == "not complete (cut_tail: at byte 7)"


def test_a_session_that_was_named_and_cannot_be_read_is_an_error_and_others_are_not_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(ConfigError, match="--trial: the recording of work cannot be read"):
        check_readable(STORED, "work", option="--trial")
    check_readable(STORED, "other", option="--trial")
    assert capsys.readouterr().err == ""
    check_readable(STORED, None, option="--trial")
    assert capsys.readouterr().err.startswith("note: the recording of work cannot be read: ")


def test_what_a_folder_says_of_itself_commands_nothing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    check_readable(STORED, None, option="--trial")
    err = capsys.readouterr().err
    assert not set("\x1b\u202e") & set(err)
    assert err.count("\n") == 1
    told = SessionRecord(name="w", parts=(), complete=False, reason="bad_line", detail=HOSTILE)
    assert not set("\x1b\u202e\n") & set(lacks(told))
