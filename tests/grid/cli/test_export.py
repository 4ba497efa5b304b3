"""`nonverba export`: recordings of runs and of the proxy alone, in other people's forms."""

import json
from pathlib import Path

import pytest
from haralyzer import HarParser

from ledgers.recordings import RecordingFolder
from tests.builders import call, exchanges, recorder_lines
from tests.grid.cli.conftest import Typed

FOUND = exchanges([call(0, "look", {"at": "a"})])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of `nonverba proxy` with two sessions."""
    made = RecordingFolder(tmp_path / "recorded")
    files = {}
    for stem, name in (("a" * 32, "first"), ("b" * 32, "second")):
        files[name] = made.live / f"{stem}.jsonl"
        files[name].write_bytes(recorder_lines(FOUND))
    made.note({"a" * 32: "first", "b" * 32: "second"})
    made.seal(files, {"first": "", "second": ""})
    return tmp_path / "recorded"


def entries(path: Path) -> list[dict[str, object]]:
    """Read a HAR with somebody else's reader."""
    found: list[dict[str, object]] = HarParser(json.loads(path.read_text())).har_data["entries"]
    return found


def test_every_exchange_of_a_run_is_exported_under_its_trial(
    typed: Typed, sealed: Path, tmp_path: Path
) -> None:
    said = typed("export", sealed, "--to", "har", "-o", tmp_path / "x.har")
    assert said.code in (0, None), said.err
    found = entries(tmp_path / "x.har")
    assert said.out == f"{len(found)} exchanges written to {tmp_path / 'x.har'}\n"
    assert str(found[0]["comment"]).endswith(" #0")


def test_one_trial_alone_is_exported_by_parts_of_its_name(
    typed: Typed, sealed: Path, tmp_path: Path
) -> None:
    typed("export", sealed, "--to", "har", "-o", tmp_path / "all.har")
    words = ("--trial", "S02/strands/substituter")
    said = typed("export", sealed, "--to", "har", "-o", tmp_path / "one.har", *words)
    assert said.code in (0, None), said.err
    one = {str(entry["comment"]).partition(" ")[0] for entry in entries(tmp_path / "one.har")}
    assert one == {"moon_for_mars/strands/scripted/substituter/none/off/en/0"}
    assert len(entries(tmp_path / "all.har")) > len(entries(tmp_path / "one.har"))


def test_a_session_of_the_proxy_is_exported(typed: Typed, folder: Path, tmp_path: Path) -> None:
    words = ("export", folder, "--to", "har", "-o", tmp_path / "x.har", "--trial", "second")
    assert typed(*words).code in (0, None)
    assert {str(entry["comment"]) for entry in entries(tmp_path / "x.har")} == {
        f"second #{n}" for n in range(len(FOUND))
    }


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--trial", "third"), "no session is called 'third'; there are first, second"),
        (("-o", "{taken}"), "is there already; name a new file"),
    ],
)
def test_what_cannot_be_exported_is_said(
    typed: Typed, folder: Path, tmp_path: Path, words: tuple[str, ...], says: str
) -> None:
    taken = tmp_path / "taken"
    taken.write_text("mine")
    given = [word.format(taken=taken) for word in words]
    said = typed("export", folder, "--to", "har", "-o", tmp_path / "new.har", *given)
    assert said.code == 2
    assert says in said.err
    assert taken.read_text() == "mine"


def test_a_run_without_a_wire_has_nothing_to_export(
    typed: Typed, small: Path, tmp_path: Path
) -> None:
    said = typed("export", small / "run", "--to", "mitm", "-o", tmp_path / "x.mitm")
    assert said.code == 2
    assert "`scripted` has no wire" in said.err
    assert not (tmp_path / "x.mitm").exists()


def test_a_folder_that_is_neither_is_named(typed: Typed, tmp_path: Path) -> None:
    said = typed("export", tmp_path, "--to", "mitm", "-o", tmp_path / "x.mitm")
    assert said.code == 2
    assert "holds no run" in said.err


def test_a_damaged_session_is_left_out_and_said_and_the_others_are_exported(
    typed: Typed, folder: Path, tmp_path: Path
) -> None:
    whole = typed("export", folder, "--to", "har", "-o", tmp_path / "whole.har")
    assert (whole.code or 0, whole.err) == (0, "")
    (folder / "first.zst").write_bytes(b"damaged")
    said = typed("export", folder, "--to", "har", "-o", tmp_path / "x.har")
    assert said.code == 3
    assert said.err == (
        "note: the recording of first cannot be read: first.zst is not what sessions.json says; it "
        "is left out\n"
    )
    assert said.out == f"{len(FOUND)} exchanges written to {tmp_path / 'x.har'}\n"
    assert {str(entry["comment"]).partition(" ")[0] for entry in entries(tmp_path / "x.har")} == {
        "second"
    }
    words = ("export", folder, "--to", "har", "-o", tmp_path / "y.har", "--trial")
    assert typed(*words, "second").code in (0, None)
    named = typed(*words, "first")
    assert named.code == 2
    assert "--trial: the recording of first cannot be read" in named.err


def test_the_damaged_place_of_a_recording_is_told(typed: Typed, tmp_path: Path) -> None:
    made = RecordingFolder(tmp_path / "recorded")
    (made.live / f"{'a' * 32}.jsonl").write_bytes(recorder_lines(FOUND)[:-200])
    made.note({"a" * 32: "first"})
    made.close()
    said = typed("export", tmp_path / "recorded", "--to", "har", "-o", tmp_path / "x.har")
    assert said.code in (0, None)
    start = "note: the recording of first is not complete (cut_tail: the file ends inside the frame"
    assert said.err.startswith(start)
