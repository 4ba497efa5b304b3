"""A folder of recordings: sealed, killed before it was, damaged, or hostile."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from grid.canonical import canonical, load_json, plain_json
from grid.errors import ConfigError, HarnessError
from ledgers import recordings
from ledgers.packs import pack_frame
from ledgers.recordings import (
    SESSIONS,
    RecordingFolder,
    check_session,
    check_sessions,
    holds_recordings,
    read_recordings,
)
from proxy.wire.exchange import exchange_lines
from tests.builders import call, exchanges, recorder_lines

STEM = "ab" * 16
FOUND = exchanges([call(0, "look", {"at": "a"})])


def recorded(path: Path, raw: bytes | None = None) -> RecordingFolder:
    """Make a folder with one session and its live file."""
    folder = RecordingFolder(path, ("http://127.0.0.1:1/v1",))
    folder.note({STEM: "work"})
    (folder.live / f"{STEM}.jsonl").write_bytes(recorder_lines(FOUND) if raw is None else raw)
    return folder


def seal(folder: RecordingFolder, known: str = "") -> None:
    """Seal it."""
    folder.seal({"work": folder.live / f"{STEM}.jsonl"}, {"work": known})


def test_a_sealed_session_reads_back_and_the_live_files_are_gone(tmp_path: Path) -> None:
    seal(recorded(tmp_path / "r"))
    assert sorted(entry.name for entry in (tmp_path / "r").iterdir()) == [SESSIONS, "work.zst"]
    (session,) = read_recordings(tmp_path / "r").sessions
    assert session.exchanges == FOUND
    assert (session.record.name, session.record.complete) == ("work", True)
    assert session.record.count == len(FOUND)


@pytest.mark.parametrize("killed", [False, True])
def test_what_the_paths_stand_for_is_kept(tmp_path: Path, killed: bool) -> None:
    folder = recorded(tmp_path / "r")
    folder.close() if killed else seal(folder)
    assert read_recordings(tmp_path / "r").upstreams == ("http://127.0.0.1:1/v1",)


def test_a_folder_of_another_format_is_refused_by_number(tmp_path: Path) -> None:
    seal(recorded(tmp_path / "r"))
    (tmp_path / "r" / SESSIONS).write_text('{"format": 2}')
    with pytest.raises(ConfigError, match="expected 1, found 2"):
        read_recordings(tmp_path / "r")


def test_the_same_exchanges_give_the_same_files(tmp_path: Path) -> None:
    for name in "ab":
        seal(recorded(tmp_path / name))
    for file in (SESSIONS, "work.zst"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_a_folder_whose_proxy_was_killed_reads_and_is_incomplete(tmp_path: Path) -> None:
    whole = recorder_lines(FOUND, closed=False)
    recorded(tmp_path / "r", whole).close()
    (session,) = read_recordings(tmp_path / "r").sessions
    assert session.exchanges == FOUND
    assert (session.record.complete, session.record.reason) == (False, "not_closed")


def test_a_session_that_never_asked_before_the_kill_is_there_and_empty(tmp_path: Path) -> None:
    folder = RecordingFolder(tmp_path / "r")
    folder.note({STEM: "work"})
    (session,) = read_recordings(tmp_path / "r").sessions
    assert (session.exchanges, session.record.reason) == ((), "empty")


CUT = recorder_lines(FOUND)[:-200]


def test_the_damaged_place_of_the_recorders_file_is_told_before_and_after_sealing(
    tmp_path: Path,
) -> None:
    for name in ("killed", "sealed"):
        folder = recorded(tmp_path / name, CUT)
        folder.close() if name == "killed" else seal(folder)
        (session,) = read_recordings(tmp_path / name).sessions
        assert session.record.reason == "cut_tail"
        assert session.record.detail.startswith("the file ends inside the frame at byte ")
        place = int(session.record.detail.rpartition(" ")[2])
        assert 0 < place < len(CUT)
        assert CUT[place - 1 : place] == b"\n", "a frame begins there"


def test_what_is_whole_has_no_detail_and_its_index_is_written_as_ever(tmp_path: Path) -> None:
    seal(recorded(tmp_path / "r"))
    (session,) = read_recordings(tmp_path / "r").sessions
    assert session.record.detail == ""
    assert b"detail" not in (tmp_path / "r" / SESSIONS).read_bytes()
    seal(recorded(tmp_path / "said"), "in_flight")
    assert b"detail" not in (tmp_path / "said" / SESSIONS).read_bytes()


def two(path: Path) -> Path:
    """Make a sealed folder with two sessions."""
    folder = RecordingFolder(path)
    files = {
        name: folder.live / f"{stem * 32}.jsonl" for stem, name in (("a", "one"), ("b", "two"))
    }
    for file in files.values():
        file.write_bytes(recorder_lines(FOUND))
    folder.seal(files, {"one": "", "two": ""})
    return path


@pytest.mark.parametrize("how", ["flipped", "cut", "longer", "gone", "another"])
def test_a_damaged_session_is_named_and_the_others_are_read(tmp_path: Path, how: str) -> None:
    file = two(tmp_path / "r") / "one.zst"
    data = file.read_bytes()
    spoiled = {
        "flipped": data[:-9] + bytes([data[-9] ^ 1]) + data[-8:],
        "cut": data[:-1],
        "longer": data + bytes(9),
        "another": pack_frame(b"x"),
    }
    file.write_bytes(spoiled[how]) if how in spoiled else file.unlink()
    found = read_recordings(tmp_path / "r")
    assert [session.record.name for session in found.sessions] == ["two"]
    assert found.sessions[0].exchanges == FOUND
    assert [item.name for item in found.damaged] == ["one"]
    assert found.damaged[0].why
    (tmp_path / "r" / "two.zst").write_bytes(b"x")
    with pytest.raises(ConfigError, match="cannot be read"):
        read_recordings(tmp_path / "r")


def test_an_untouched_folder_has_no_damaged_session(tmp_path: Path) -> None:
    found = read_recordings(two(tmp_path / "r"))
    assert (len(found.sessions), found.damaged) == (2, ())


def test_what_the_proxy_says_is_missing_stays_said(tmp_path: Path) -> None:
    seal(recorded(tmp_path / "r"), "replay_mismatch")
    (session,) = read_recordings(tmp_path / "r").sessions
    assert (session.record.complete, session.record.reason) == (False, "replay_mismatch")


def test_a_changed_byte_is_found(tmp_path: Path) -> None:
    seal(recorded(tmp_path / "r"))
    other = replace(FOUND[0], request=replace(FOUND[0].request, path="/other"))
    file = tmp_path / "r" / "work.zst"
    file.write_bytes(pack_frame(recorder_lines([other])))
    with pytest.raises(ConfigError, match=r"work[.]zst is not what sessions[.]json says"):
        read_recordings(tmp_path / "r")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"name": "../../out"}, "no name of a session"),
        ({"parts": []}, "is not what"),
        ({"reason": "empty"}, "in its own words"),
        ({"complete": False}, "in its own words"),
        ({"detail": "all is well"}, "in its own words"),
        ({"complete": False, "reason": "\x1b]0;owned\x07"}, "in its own words"),
        ({"more": 1}, "more"),
    ],
)
def test_a_hostile_index_is_refused(tmp_path: Path, change: dict[str, object], words: str) -> None:
    seal(recorded(tmp_path / "r"))
    file = tmp_path / "r" / SESSIONS
    index = load_json(file.read_bytes())
    index["sessions"][0] |= change
    file.write_bytes(canonical(index))
    with pytest.raises(ConfigError, match=words):
        read_recordings(tmp_path / "r")


@pytest.mark.parametrize(
    ("change", "words"),
    [({"count": 7}, "does not fit"), ({"length": -1}, "is not what"), ({"digest": ""}, "is not")],
)
def test_a_hostile_part_is_refused(tmp_path: Path, change: dict[str, object], words: str) -> None:
    seal(recorded(tmp_path / "r"))
    file = tmp_path / "r" / SESSIONS
    index = load_json(file.read_bytes())
    index["sessions"][0]["parts"][0] |= change
    file.write_bytes(canonical(index))
    with pytest.raises(ConfigError, match=words):
        read_recordings(tmp_path / "r")


def test_a_long_session_goes_on_in_further_frames(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recordings, "FRAME_BYTES", len(exchange_lines(FOUND[:1])) + 1)
    seal(recorded(tmp_path / "r"))
    (session,) = read_recordings(tmp_path / "r").sessions
    assert len(session.record.parts) > 1
    assert session.exchanges == FOUND
    index = load_json((tmp_path / "r" / SESSIONS).read_bytes())
    index["sessions"][0]["parts"].reverse()
    (tmp_path / "r" / SESSIONS).write_bytes(canonical(index))
    with pytest.raises(ConfigError):
        read_recordings(tmp_path / "r")


def test_one_exchange_that_no_reader_takes_makes_its_session_incomplete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    longest = max(len(exchange_lines([item])) for item in FOUND)
    monkeypatch.setattr(recordings, "FRAME_BYTES", 1)
    monkeypatch.setattr(recordings, "MAX_BYTES", longest - 1)
    seal(recorded(tmp_path / "r"))
    (session,) = read_recordings(tmp_path / "r").sessions
    assert (session.record.complete, session.record.reason) == (False, "too_large")
    assert 0 < len(session.exchanges) < len(FOUND)


def test_what_is_no_plain_file_is_not_waited_for(tmp_path: Path) -> None:
    seal(recorded(tmp_path / "r"))
    file = tmp_path / "r" / "work.zst"
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(ConfigError, match="no plain file"):
        read_recordings(tmp_path / "r")
    file.unlink()
    with file.open("wb") as sparse:
        sparse.truncate(1 << 43)
    with pytest.raises(ConfigError, match="is over"):
        read_recordings(tmp_path / "r")


def test_a_folder_that_is_made_is_its_owners_alone(tmp_path: Path) -> None:
    RecordingFolder(tmp_path / "r").close()
    assert (tmp_path / "r").stat().st_mode & 0o777 == 0o700


def test_links_are_not_followed(tmp_path: Path) -> None:
    seal(recorded(tmp_path / "r"))
    (tmp_path / "r" / "work.zst").rename(tmp_path / "outside")
    (tmp_path / "r" / "work.zst").symlink_to(tmp_path / "outside")
    with pytest.raises(ConfigError, match="cannot be read"):
        read_recordings(tmp_path / "r")


def test_names_in_an_unfinished_folder_are_not_trusted(tmp_path: Path) -> None:
    recorded(tmp_path / "r").close()
    notes = tmp_path / "r" / "partial" / SESSIONS
    for files in ({"../x": "work"}, {STEM: "../work"}, ["work"]):
        notes.write_text(plain_json({"format": 1, "upstreams": [], "files": files}))
        with pytest.raises(ConfigError):
            read_recordings(tmp_path / "r")


def test_a_folder_that_holds_something_is_not_recorded_into(tmp_path: Path) -> None:
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "mine").write_text("x")
    with pytest.raises(ConfigError, match="not empty"):
        RecordingFolder(tmp_path / "r")
    assert (tmp_path / "r" / "mine").read_text() == "x"


def test_a_folder_is_recorded_into_by_one_alone(tmp_path: Path) -> None:
    (tmp_path / "r").mkdir()
    first = RecordingFolder(tmp_path / "r")
    first.live.rmdir()
    with pytest.raises(HarnessError, match="another process"):
        RecordingFolder(tmp_path / "r")
    first.close()


def test_other_folders_hold_no_recordings(tmp_path: Path) -> None:
    assert not holds_recordings(tmp_path)
    with pytest.raises(ConfigError, match="holds no recordings"):
        read_recordings(tmp_path)


@pytest.mark.parametrize("name", ["", ".hidden", "a/b", "a" * 65, "x.", "ä"])
def test_a_session_name_that_is_no_file_name_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="--session"):
        check_session(name)
    assert check_session("agent-1.first") == "agent-1.first"


def test_sessions_whose_names_are_one_file_on_many_systems_are_refused() -> None:
    assert check_sessions(["a", "b", "a"]) == ("a", "b")
    with pytest.raises(ConfigError, match="'Work' and 'work' would be one file"):
        check_sessions(["Work", "other", "work"])


def test_what_cannot_be_sealed_leaves_no_half_of_it_and_is_read_as_it_was(tmp_path: Path) -> None:
    folder = recorded(tmp_path / "r")
    obstacle = tmp_path / "r" / SESSIONS
    obstacle.mkdir()
    with pytest.raises(OSError, match="directory"):
        seal(folder)
    assert sorted(entry.name for entry in (tmp_path / "r").iterdir()) == [
        "partial", SESSIONS, "work.zst",
    ]  # fmt: skip
    obstacle.rmdir()
    (session,) = read_recordings(tmp_path / "r").sessions
    assert session.exchanges == FOUND
