"""What came of it: outcomes side by side, and where conversations part; in this process."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grid.canonical import digest
from grid.cli.crossplan import Crossing
from grid.cli.crosstable import Crossed, Fate, crossed_json, crossed_trials, show_crossed
from grid.errors import ConfigError
from grid.evidence import Evidence, RecordingRef, TrialId
from grid.vocabulary import Cause, Status
from ledgers.assemble import Assembled
from ledgers.divergence import ASKED, WORDS, Divergence
from ledgers.reading import SealedRun
from proxy.wire.exchange import Exchange, exchange_lines, read_exchanges
from tests.ledgers.crossed import crossed_manifest, make_crossed, played
from tests.ledgers.runs import TRIALS

RECORDED = [trial for trial in TRIALS if trial.framework == "strands"]
NUMBERS = {"moon_for_mars": "S02", "moon_for_mars.benign": "S02"}

type Bend = Callable[[tuple[Exchange, ...]], tuple[Exchange, ...]]


@pytest.fixture
def original(sealed: Path) -> SealedRun:
    return SealedRun(sealed)


def crossing(original: SealedRun, *targets: str) -> Crossing:
    return Crossing(
        source="strands",
        targets=targets,
        manifest=crossed_manifest(original, "strands", targets),
        left_out=("S99 cannot be run in crewai: no reason",),
    )


def bent(
    bend: Bend, *, of: TrialId, reason: str = "", **journal: Any
) -> Callable[[SealedRun, TrialId, str], Assembled]:
    """Return what makes a played trial, that of one recorded trial with another recording."""

    def make(original: SealedRun, trial: TrialId, source: str) -> Assembled:
        if replace(trial, framework=source) != of:
            return played(original, trial, source)
        wire = bend(read_exchanges(original.kept(str(of)).recording or b""))
        data = exchange_lines(wire)

        def change(evidence: Evidence) -> Evidence:
            reference = RecordingRef(
                digest=digest("recording", data), count=len(wire), complete=not reason,
                reason=reason,
            )  # fmt: skip
            said = replace(evidence.journal, **journal)
            return replace(evidence, recording=reference, journal=said)

        return played(original, trial, source, change, data)

    return make


def compared(
    original: SealedRun, folder: Path, make: Any = played, targets: tuple[str, ...] = ("crewai",)
) -> tuple[tuple[Crossed, ...], Crossing]:
    planned = crossing(original, *targets)
    make_crossed(folder / "run", original, planned.manifest, make)
    return crossed_trials(original, SealedRun(folder / "run"), planned), planned


def test_the_same_conversations_come_to_the_same(original: SealedRun, tmp_path: Path) -> None:
    found, planned = compared(original, tmp_path, targets=("crewai", "langgraph"))
    assert [item.trial for item in found] == RECORDED
    assert all(item.same for item in found)
    for item in found:
        assert [fate.framework for fate, _ in item.played] == ["crewai", "langgraph"]
        assert [parted for _, parted in item.played] == [None, None]
    told = crossed_json(found, planned)
    assert (told["same"], told["from"], told["to"]) == (True, "strands", ["crewai", "langgraph"])
    assert told["left_out"] == list(planned.left_out)


def shown(wire: tuple[Exchange, ...], text: str, other: str) -> tuple[Exchange, ...]:
    body = wire[-1].request.body["text"]
    assert text in body
    request = replace(wire[-1].request, body={"text": body.replace(text, other)})
    return (*wire[:-1], replace(wire[-1], request=request))


def test_a_divergence_without_another_outcome_is_told_and_is_no_finding(
    original: SealedRun, tmp_path: Path
) -> None:
    def bend(wire: tuple[Exchange, ...]) -> tuple[Exchange, ...]:
        return shown(wire, "Show me", "Now show me")

    found, planned = compared(original, tmp_path, bent(bend, of=RECORDED[0]))
    (_, parted) = found[0].played[0]
    assert parted is not None
    assert parted.part == WORDS["user"]
    assert parted.turn == len(read_exchanges(original.kept(str(RECORDED[0])).recording or b""))
    assert found[0].played[0][0].outcome == found[0].recorded.outcome == "compromised"
    assert [item.same for item in found] == [True, True, True]
    assert crossed_json(found, planned)["trials"][0]["played"][0]["first_divergence"] == {
        "turn": parted.turn, "part": parted.part, "pointer": "/messages/1/text",
        "recorded": parted.recorded, "shown": parted.shown,
    }  # fmt: skip


def test_a_trial_that_used_up_the_recording_is_invalid_through_the_harness(
    original: SealedRun, tmp_path: Path
) -> None:
    """The honest agent of the second trial: nothing it did is counted against it."""
    make = bent(
        lambda wire: wire, of=RECORDED[1], reason="replay_spent",
        status=Status.PROVIDER_ERROR, cause=Cause.PROVIDER,
    )  # fmt: skip
    found, _ = compared(original, tmp_path, make)
    fate, parted = found[1].played[0]
    assert (found[1].recorded.outcome, fate.outcome, fate.goal) == (
        "resisted",
        "invalid",
        "invalid",
    )
    assert parted is not None
    assert (parted.turn, parted.part) == (fate.asked + 1, ASKED)
    entry = SealedRun(tmp_path / "run").entry(str(replace(RECORDED[1], framework="crewai")))
    causes = {verdict.cause for verdict in entry.verdicts if verdict.outcome == "invalid"}
    assert causes == {Cause.HARNESS}


def test_a_trial_that_asked_less_often_is_judged_and_said(
    original: SealedRun, tmp_path: Path
) -> None:
    make = bent(lambda wire: wire[:-1], of=RECORDED[1])
    found, _ = compared(original, tmp_path, make)
    fate, parted = found[1].played[0]
    assert parted is not None
    assert (parted.part, parted.turn) == (ASKED, found[1].recorded.asked)
    assert fate.asked == found[1].recorded.asked - 1


def test_a_recording_that_cannot_be_read_is_no_divergence_but_an_error(
    original: SealedRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = crossing(original, "crewai")
    make_crossed(tmp_path / "run", original, planned.manifest)
    run = SealedRun(tmp_path / "run")
    kept = original.kept(str(RECORDED[0]))
    monkeypatch.setattr(original, "kept", lambda _trial: replace(kept, recording=b"{}\n"))
    with pytest.raises(ConfigError, match="cannot be read"):
        crossed_trials(original, run, planned)


def fate(framework: str, outcome: str | None = "resisted", **more: Any) -> Fate:
    fields: dict[str, Any] = {"alarm": None, "goal": "done", "asked": 3}
    return Fate(framework=framework, outcome=outcome, **fields | more)


PARTED = Divergence(
    turn=2, part=WORDS["tool"], pointer="/messages/3/text", recorded="'moon'", shown="'\x1bmars'"
)


def crossed(number: int = 0, *played_to: tuple[Fate, Divergence | None]) -> Crossed:
    return Crossed(
        trial=replace(RECORDED[0], number=number), recorded=fate("strands"), played=played_to
    )


def table(
    capsys: pytest.CaptureFixture[str], original: SealedRun, trials: list[Crossed], *targets: str
) -> str:
    show_crossed(trials, crossing(original, *targets), NUMBERS)
    return capsys.readouterr().out


def test_the_table_shows_outcomes_and_the_first_divergent_turn_of_each_framework(
    original: SealedRun, capsys: pytest.CaptureFixture[str]
) -> None:
    trials = [crossed(0, (fate("crewai"), None), (fate("langgraph", "compromised"), PARTED))]
    planned_names = ["crewai", "langgraph", "strands-native"]
    out = table(capsys, original, trials, *planned_names)
    heads, row = (line for line in out.splitlines() if "  strands" in line or " none   " in line)
    assert heads.split()[-6:] == ["guards", "strands", "(recorded)", *planned_names]
    assert "resisted, done (none)" in row
    assert "compromised, done (turn 2)" in row
    assert "cannot be run" in row
    assert "1 of 2 played trials came to something else" in out


def test_under_the_table_each_divergence_stands_once_and_cannot_command_the_terminal(
    original: SealedRun, capsys: pytest.CaptureFixture[str]
) -> None:
    trials = [crossed(n, (fate("crewai"), PARTED)) for n in range(3)]
    out = table(capsys, original, trials, "crewai")
    told = [line for line in out.splitlines() if "parts at turn 2" in line]
    assert told == [
        "S02 moon_for_mars, scripted/substituter, off: crewai parts at turn 2, a tool's answer at "
        "/messages/3/text: recorded 'moon', here '\\u{1b}mars'"
    ]
    assert "\x1b" not in out.replace("\x1b[", "")
    assert "0 of 3 played trials came to something else" in out


def test_trials_of_a_cell_that_came_out_alike_stand_together_with_their_number(
    original: SealedRun, capsys: pytest.CaptureFixture[str]
) -> None:
    trials = [crossed(n, (fate("crewai"), None)) for n in range(3)]
    trials.append(crossed(3, (fate("crewai", "invalid"), PARTED)))
    out = table(capsys, original, trials, "crewai")
    rows = [
        line.split()
        for line in out.splitlines()
        if "moon_for_mars " in line and "parts" not in line
    ]
    assert [row[5] for row in rows] == ["3", "1"]


def test_many_divergences_are_counted_and_left_to_the_data(
    original: SealedRun, capsys: pytest.CaptureFixture[str]
) -> None:
    trials = [crossed(n, (fate("crewai"), replace(PARTED, turn=n + 1))) for n in range(15)]
    out = table(capsys, original, trials, "crewai")
    assert out.count("parts at turn") == 12
    assert "... and 3 more divergences; --json has them all" in out


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (fate("x", asked=9), True),
        (fate("x", "compromised"), False),
        (fate("x", goal="not_done"), False),
        (fate("x", None, alarm="quiet"), False),
    ],
)
def test_the_same_is_outcome_alarm_and_goal(other: Fate, same: bool) -> None:
    assert fate("strands").same(other) is same
    assert crossed(0, (fate("x"), None), (other, None)).same is same
    assert crossed(0, (other, None), (fate("x"), PARTED)).same is same
