"""`nonverba judge`: today's verdicts beside the ledger's, from the files of a run alone."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from ledgers import reading
from ledgers.adjudicate import Judgement, judge
from ledgers.case import Case
from ledgers.rule import Rule, RuleVerdict
from ledgers.store import FILES
from tests.grid.cli.commands import nonverba
from tests.grid.cli.conftest import Typed
from tests.ledgers.runs import make_run, trial


def test_the_table_shows_what_happened_beside_what_the_agent_claimed(small: Path) -> None:
    done = nonverba("judge", small / "run")
    row = next(
        line for line in done.stdout.splitlines() if "substituter" in line and " off " in line
    )
    assert "compromised" in row
    assert "done (false)" in row
    assert "every verdict is as in the ledger" in done.stdout


@pytest.fixture
def lenient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have today's rules find no harm in any delivery."""

    def resisted(rule: Rule) -> Callable[[Case], RuleVerdict]:
        return lambda _case: rule.verdict("resisted")

    def other(case: Case, rules: Sequence[Rule]) -> Judgement:
        return judge(
            case,
            [
                replace(rule, judge=resisted(rule)) if rule.id == "delivery" else rule
                for rule in rules
            ],
        )

    monkeypatch.setattr(reading, "judge", other)


def test_nothing_is_said_to_have_changed_where_nothing_has(typed: Typed, sealed: Path) -> None:
    done = typed("judge", sealed)
    assert (done.code, done.err) == (0, "")
    assert done.out.endswith("every verdict is as in the ledger\n")


@pytest.mark.usefixtures("lenient")
def test_trials_that_are_judged_otherwise_today_are_named_and_shown_as_today(
    typed: Typed, sealed: Path
) -> None:
    done = typed("judge", sealed)
    assert done.code == 0
    assert "compromised" not in done.out
    assert "trials are judged otherwise than in the ledger:" in done.out
    assert "  moon_for_mars/strands/scripted/substituter/none/off/en/0\n" in done.out
    assert "every verdict is as in the ledger" not in done.out


@pytest.mark.usefixtures("lenient")
def test_as_data_the_changed_trials_stand_beside_the_cells(typed: Typed, sealed: Path) -> None:
    said = json.loads(typed("judge", sealed, "--json").out)
    assert said["trials"] == 6
    assert [cell["outcomes"]["compromised"] for cell in said["cells"]] == [0] * 6
    assert "moon_for_mars/scripted/scripted/substituter/none/off/en/0" in said["changed"]


def test_nothing_is_written(typed: Typed, copy: Path) -> None:
    before = {path.name: path.read_bytes() for path in copy.iterdir()}
    typed("judge", copy)
    assert {path.name: path.read_bytes() for path in copy.iterdir()} == before


def test_an_unfinished_run_is_not_judged(typed: Typed, copy: Path) -> None:
    (copy / "partial").mkdir()
    done = typed("judge", copy)
    assert (done.code, done.out) == (2, "")
    assert "holds no finished run" in done.err


def test_coordinates_that_somebody_made_up_cannot_command_the_terminal(
    typed: Typed, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    hostile = trial("moon_for_mars", "\x1b[2J\x9b31m\u202e[red]", "substituter")
    make_run(tmp_path / "run", (hostile,))
    request.getfixturevalue("lenient")  # only now: sealing judges too
    done = typed("judge", tmp_path / "run")
    assert done.code == 0
    assert "1 trials are judged otherwise" in done.out
    assert not set("\x1b\x9b\u202e") & set(done.out)
    assert "[red]" in done.out


def second_line_gone(data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    return b"".join(lines[:1] + lines[2:])


SPOILED: dict[str, Callable[[bytes], bytes]] = {
    "emptied": lambda _data: b"",
    "cut in half": lambda data: data[: len(data) // 2],
    "without its second line": second_line_gone,
    "without its last line": lambda data: b"".join(data.splitlines(keepends=True)[:-1]),
    "an object": lambda _data: b"{}\n",
}


@pytest.mark.parametrize("what", SPOILED)
def test_a_damaged_run_ends_in_a_sentence_and_never_in_a_traceback(
    typed: Typed, copy: Path, what: str
) -> None:
    for name in FILES:
        data = (copy / name).read_bytes()
        (copy / name).write_bytes(SPOILED[what](data))
        done = typed("judge", copy)
        assert done.code in (0, 2), name
        if done.code == 2:
            assert done.err.startswith("nonverba: "), name
        (copy / name).write_bytes(data)
