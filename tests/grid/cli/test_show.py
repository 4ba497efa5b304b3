"""`nonverba show`: one trial of a finished or an unfinished run, whatever stands in it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from ledgers.manifest import build_manifest
from ledgers.store import FILES, RunDirectory
from tests import builders
from tests.grid.cli.commands import nonverba
from tests.grid.cli.conftest import Typed
from tests.grid.cli.test_judge import SPOILED
from tests.ledgers.runs import TRIALS, finished, make_run, plan, trial

STRANDS = "moon_for_mars/strands/scripted/substituter/none/off/en/0"
HOSTILE = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202e\u2066[red]done[/red]\r\n:smile: verified"


def test_show_prints_the_claim_as_unverified_beside_verdicts_funnel_and_journal(
    real: Path,
) -> None:
    done = nonverba("show", real / "run", "S14/strands")
    for words in (
        "(UNVERIFIED)",
        "compromised",
        "exposed: yes",
        "delivered: yes",
        "read_note",
        "last words: All done.",
        "leak_in_text",
        "complete",
    ):
        assert words in done.stdout, done.stderr
    shown = json.loads(nonverba("show", real / "run", "S14/strands", "--json").stdout)
    assert shown["judgement"]["outcome"] == "compromised"


def test_show_lists_trials_when_several_or_none_fit(small: Path) -> None:
    several, none = nonverba("show", small / "run", "S02"), nonverba("show", small / "run", "S99")
    assert several.returncode == none.returncode == 2
    assert "4 trials fit" in several.stderr
    assert "no trial fits 'S99'" in none.stderr


def test_a_trial_is_found_by_number_parts_or_whole_coordinates(typed: Typed, sealed: Path) -> None:
    for words in ("S02/strands/substituter", "s02/strands/substituter", "strands/substituter",
                  "substituter/strands", STRANDS):  # fmt: skip
        done = typed("show", sealed, words)
        assert done.out.startswith(f"trial    {STRANDS}\n"), words


def test_as_data_the_claim_stands_under_a_key_that_says_what_it_is_worth(
    typed: Typed, sealed: Path
) -> None:
    shown = json.loads(typed("show", sealed, STRANDS, "--json").out)
    keys = {"trial", "UNVERIFIED", "markers", "judgement", "oddities", "evidence"}
    assert set(shown) == keys
    assert shown["oddities"] == 0
    assert shown["trial"] == STRANDS
    assert shown["UNVERIFIED"][-1] == "last words: All done."
    assert shown["judgement"]["claim"] == "false"


def test_what_was_odd_on_the_wire_is_told_and_counted(typed: Typed, tmp_path: Path) -> None:
    two = (builders.call(0, "list_nodes"), builders.call(1, "list_nodes"))
    calls = tuple(replace(item, turn=1, wire_id="same") for item in two)
    raw = builders.recorder_lines(builders.exchanges(calls))
    make_run(tmp_path / "run", [trial("moon_for_mars", "strands", "honest")], raw=raw)
    told = "odd on the wire: exchange 0: the answer: two tool calls share one id\n"
    assert told in typed("show", tmp_path / "run", "S02").out
    shown = json.loads(typed("show", tmp_path / "run", "S02", "--json").out)
    assert shown["oddities"] == 1 + 2  # and nobody knows which of them each result answers


def test_what_an_agent_says_last_cannot_command_the_terminal_or_forge_a_line(
    typed: Typed, tmp_path: Path
) -> None:
    make_run(tmp_path / "run", TRIALS[2:3], final_text=HOSTILE)
    done = typed("show", tmp_path / "run", "S02")
    assert done.code == 0
    assert not set("\x1b\x07\x9b\u202e\u2066\r") & set(done.out)
    line = next(line for line in done.out.splitlines() if line.startswith("last words"))
    assert "[red]done[/red]" in line
    assert line.endswith(":smile: verified")


def test_even_as_data_nothing_commands_the_terminal_and_nothing_is_lost(
    typed: Typed, tmp_path: Path
) -> None:
    make_run(tmp_path / "run", TRIALS[2:3], final_text=HOSTILE + "日本語")
    done = typed("show", tmp_path / "run", "S02", "--json")
    assert json.loads(done.out)["UNVERIFIED"][-1] == f"last words: {HOSTILE}日本語"
    assert "日本語" in done.out
    assert not set("\x1b\x07\x9b\u202e\u2066\r") & set(done.out)


def test_a_trial_can_be_looked_at_while_the_run_is_under_way(typed: Typed, tmp_path: Path) -> None:
    manifest = build_manifest(plan())
    with RunDirectory.create(tmp_path / "run", manifest) as run:
        run.keep(finished(TRIALS[0], manifest), {})
        done = typed("show", tmp_path / "run", str(TRIALS[0]))
        assert "outcome: resisted" in done.out
        waiting = typed("show", tmp_path / "run", str(TRIALS[1]))
        assert (waiting.code, waiting.out) == (2, "")
        assert f"{TRIALS[1]} has not finished; run again with --resume" in waiting.err


def test_a_trial_of_a_run_that_has_just_begun_is_not_there(typed: Typed, tmp_path: Path) -> None:
    with RunDirectory.create(tmp_path / "run", build_manifest(plan())):
        done = typed("show", tmp_path / "run", str(TRIALS[0]))
    assert done.code == 2
    assert done.err.startswith("nonverba: ")


@pytest.mark.parametrize("what", SPOILED)
def test_a_damaged_run_ends_in_a_sentence_and_never_in_a_traceback(
    typed: Typed, copy: Path, what: str
) -> None:
    for name in FILES:
        data = (copy / name).read_bytes()
        (copy / name).write_bytes(SPOILED[what](data))
        done = typed("show", copy, "wavering")
        assert done.code in (0, 2), name
        if done.code == 2:
            assert done.err.startswith("nonverba: "), name
        (copy / name).write_bytes(data)


def test_evidence_of_another_trial_under_this_name_is_not_shown_as_this_one(
    typed: Typed, tmp_path: Path
) -> None:
    other = trial("wildcard_delete", "scripted", "honest")
    make_run(tmp_path / "run", (TRIALS[0],))
    make_run(tmp_path / "other", (other,))
    for name in ("evidence.pack", "packs.idx"):
        data = (tmp_path / "other" / name).read_bytes()
        (tmp_path / "run" / name).write_bytes(
            data.replace(str(other).encode(), str(TRIALS[0]).encode())
        )
    done = typed("show", tmp_path / "run", str(TRIALS[0]))
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("nonverba: ")
