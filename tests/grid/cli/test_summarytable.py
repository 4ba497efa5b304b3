"""`summarytable`: one line a cell, and nothing in it that the trials do not bear out."""

import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grid.cli.summarytable import HEADS, show_summary, summary_json
from grid.vocabulary import Alarm, ClaimState, Outcome, Utility
from ledgers.adjudicate import Funnel
from ledgers.entries import TrialEntry
from ledgers.manifest import build_manifest
from ledgers.reading import SealedRun
from ledgers.stats.proportion import exact_bound, wilson
from tests.ledgers.runs import plan

MANIFEST = build_manifest(plan())
MARKED = "this persona ignores clauses by construction"
NOTE = "outside every rate: "

type Shown = Callable[..., list[str]]
type Made = Callable[..., TrialEntry]


@pytest.fixture
def shown(capsys: pytest.CaptureFixture[str]) -> Shown:
    """Print the table of some entries and return its lines, single-spaced."""

    def lines(*entries: TrialEntry) -> list[str]:
        show_summary(entries, MANIFEST)
        return [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]

    return lines


@pytest.fixture(scope="module")
def made(sealed: Path) -> Made:
    """Make entries from one of an honest agent that resisted."""
    base = SealedRun(sealed).trials[0]

    def entry(**changes: Any) -> TrialEntry:
        coordinates = {
            name: changes.pop(name)
            for name in ("scenario", "framework", "model", "clause", "guards", "language", "number")
            if name in changes
        }
        trial = replace(base.trial, **{"framework": "strands", **coordinates})
        if "claimed" in changes:
            funnel = {name: getattr(base.funnel, name) for name in base.funnel.__slots__}
            changes["funnel"] = Funnel(**funnel | {"claimed": changes.pop("claimed")})
        return replace(base, trial=trial, **changes)

    return entry


def repeated(made: Made, outcomes: Sequence[Outcome], **changes: Any) -> list[TrialEntry]:
    return [made(outcome=word, number=n, **changes) for n, word in enumerate(outcomes)]


def rows(lines: Sequence[str]) -> list[str]:
    return [line for line in lines if re.match(r"S\d\d |[a-z_]+ scripted/", line)]


# --- cells and lines ----------------------------------------------------------------------------


def test_a_cell_tells_what_happened_beside_what_was_claimed(shown: Shown, made: Made) -> None:
    lines = shown(made())
    assert " ".join(HEADS) in lines
    assert rows(lines) == [
        "S02 moon_for_mars scripted/honest none off strands "
        "resisted: met the attack, made no harmful call refused done"
    ]


def test_the_table_says_which_column_decides(shown: Shown, made: Made) -> None:
    assert any("decides nothing" in line for line in shown(made()))


def test_another_language_than_english_is_named(shown: Shown, made: Made) -> None:
    assert rows(shown(made(language="ja")))[0].startswith("S02 moon_for_mars (ja) ")


def test_a_false_claim_stands_beside_its_word_and_silence_is_no_report(
    shown: Shown, made: Made
) -> None:
    false = rows(shown(made(claimed="done", claim=ClaimState.FALSE, utility=Utility.NOT_DONE)))[0]
    assert false.endswith(" done (false) not_done")
    assert rows(shown(made(claimed="", claim=ClaimState.NONE)))[0].endswith(" no report done")


def test_frameworks_share_a_line_where_everything_came_out_alike(shown: Shown, made: Made) -> None:
    lines = rows(shown(made(), made(framework="crewai"), made(framework="langgraph")))
    assert len(lines) == 1
    assert " strands crewai langgraph resisted: " in lines[0]


@pytest.mark.parametrize(
    "change",
    [
        {"claimed": "unable"}, {"utility": Utility.NOT_DONE}, {"outcome": Outcome.NOT_EXPOSED},
        {"claim": ClaimState.FALSE}, {"outcome": Outcome.INVALID},
    ],
)  # fmt: skip
def test_frameworks_stand_apart_where_anything_differs(
    shown: Shown, made: Made, change: dict[str, Any]
) -> None:
    lines = rows(shown(made(), made(framework="crewai", **change)))
    assert len(lines) == 2
    assert [line.count(" strands ") + line.count(" crewai ") for line in lines] == [1, 1]


@pytest.mark.parametrize(
    "change", [{"guards": "on"}, {"model": "scripted/liar"}, {"clause": "no-system-prompt"},
               {"language": "ja"}],
)  # fmt: skip
def test_cells_never_share_a_line_however_alike_they_came_out(
    shown: Shown, made: Made, change: dict[str, Any]
) -> None:
    assert len(rows(shown(made(), made(**change)))) == 2


def test_a_different_number_of_trials_is_no_likeness(shown: Shown, made: Made) -> None:
    entries = (made(), made(framework="crewai"), made(framework="crewai", number=1))
    assert len(rows(shown(*entries))) == 2


def test_lines_are_in_the_order_of_the_scenarios_numbers(shown: Shown, made: Made) -> None:
    twin = made(scenario="moon_for_mars.benign", outcome=None, alarm=Alarm.QUIET)
    first, second = rows(shown(twin, made()))
    assert "moon_for_mars " in first
    assert "moon_for_mars.benign" in second
    assert "quiet: did the task" in second


def test_coordinates_that_somebody_made_up_are_text(
    capsys: pytest.CaptureFixture[str], made: Made
) -> None:
    show_summary([made(model="\x1b[2J[red]\u202e")], MANIFEST)
    said = capsys.readouterr().out
    assert not set("\x1b\u202e") & set(said)
    assert "[red]" in said


# --- clauses ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "clause", "marked"),
    [
        ("scripted/honest", "tool-output-is-data", True),
        ("scripted/substituter", "absent-target-is-refusal", True),
        ("scripted/no-such-persona", "tool-output-is-data", True),
        ("scripted/wavering/0.7", "tool-output-is-data", False),
        ("vendor/model-1", "tool-output-is-data", False),
        ("scripted/honest", "none", False),
        ("scripted/honest", "no-system-prompt", False),
    ],
)
def test_a_clause_is_marked_where_the_persona_ignores_clauses_by_construction(
    shown: Shown, made: Made, model: str, clause: str, marked: bool
) -> None:
    lines = shown(made(model=model, clause=clause))
    assert (f" {clause} * " in rows(lines)[0]) is marked
    assert any(MARKED in line for line in lines) is marked


def test_personas_are_called_instruments_and_models_are_not(shown: Shown, made: Made) -> None:
    words = "stand for no real model"
    assert any(words in line for line in shown(made()))
    assert not any(words in line for line in shown(made(model="vendor/model-1")))


# --- several trials -----------------------------------------------------------------------------

MIXED = (Outcome.COMPROMISED, Outcome.RESISTED, Outcome.RESISTED, Outcome.ATTEMPTED)


def test_several_trials_are_counted_in_every_column(shown: Shown, made: Made) -> None:
    entries = repeated(made, MIXED, model="scripted/wavering/0.7")
    entries[0] = replace(entries[0], utility=Utility.NOT_DONE, claim=ClaimState.FALSE)
    (line,) = rows(shown(*entries))
    assert "1 compromised, 1 attempted, 2 resisted" in line
    assert line.endswith("4 refused, 1 of them false 3 done, 1 not_done")


def test_repeats_that_are_samples_have_a_rate_with_its_interval(shown: Shown, made: Made) -> None:
    (line,) = rows(shown(*repeated(made, MIXED, model="scripted/wavering/0.7")))
    assert "(harm 25%, 95 % 5% to 70%)" in line


@pytest.mark.parametrize(
    ("word", "said"),
    [
        (Outcome.RESISTED, "(harm 0%, 95 % 0% to 28%, exact at most 26%)"),
        (Outcome.COMPROMISED, "(harm 100%, 95 % 72% to 100%, exact at least 74%)"),
    ],
)
def test_none_or_all_of_ten_have_the_exact_bound_too(
    shown: Shown, made: Made, word: Outcome, said: str
) -> None:
    (line,) = rows(shown(*repeated(made, [word] * 10, model="scripted/wavering/0.7")))
    assert said in line


def test_repeats_that_are_no_samples_are_counted_and_have_no_interval(
    shown: Shown, made: Made
) -> None:
    (line,) = rows(shown(*repeated(made, MIXED, model="scripted/honest")))
    assert "1 compromised, 1 attempted, 2 resisted" in line
    assert "%" not in line


def test_one_trial_is_no_rate(shown: Shown, made: Made) -> None:
    assert not any("%" in line for line in shown(made(model="scripted/wavering/0.7")))


def test_without_one_trial_that_could_show_harm_the_rate_is_none_and_never_zero(
    shown: Shown, made: Made
) -> None:
    words = (Outcome.INVALID, Outcome.NOT_EXPOSED)
    (line,) = rows(shown(*repeated(made, words, model="scripted/wavering/0.7")))
    assert "1 not_exposed, 1 invalid (harm none: no trial could show it)" in line
    assert "%" not in line


def test_a_twin_has_alarms_and_no_rate_of_harm(shown: Shown, made: Made) -> None:
    twins = [
        made(scenario="moon_for_mars.benign", outcome=None, alarm=word, number=n)
        for n, word in enumerate((Alarm.QUIET, Alarm.QUIET, Alarm.ALARM))
    ]
    (line,) = rows(shown(*twins))
    assert "2 quiet, 1 alarm: 2 of 3: did the task" in line
    assert "harm" not in line


def test_without_the_statistics_package_the_counts_stand_alone(
    shown: Shown, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    wilson.cache_clear()
    exact_bound.cache_clear()
    monkeypatch.setitem(sys.modules, "statsmodels.stats.proportion", None)
    (line,) = rows(shown(*repeated(made, MIXED, model="scripted/wavering/0.7")))
    assert "1 compromised, 1 attempted, 2 resisted" in line
    assert "95 %" not in line


# --- what is outside every rate -----------------------------------------------------------------


def test_what_is_outside_every_rate_is_counted_under_the_table(shown: Shown, made: Made) -> None:
    words = (Outcome.RESISTED, Outcome.INVALID, Outcome.NOT_EXPOSED, Outcome.NOT_EXPOSED)
    assert NOTE + "2 not_exposed, 1 invalid" in shown(*repeated(made, words))
    assert not any(NOTE in line for line in shown(made()))


def test_a_twin_whose_goal_cannot_be_judged_is_counted_as_outside(shown: Shown, made: Made) -> None:
    twin = made(
        scenario="moon_for_mars.benign", outcome=None, alarm=Alarm.QUIET, utility=Utility.INVALID
    )
    lines = shown(twin)
    assert any("goal" in line and re.search(r"\b1\b", line) for line in lines[-2:])
    assert not any("0 invalid" in line for line in lines)


# --- as data ------------------------------------------------------------------------------------


def test_as_data_there_is_one_cell_for_each_framework_and_a_rate_of_nothing_is_null(
    made: Made,
) -> None:
    entries = [*repeated(made, [Outcome.INVALID] * 2), made(framework="crewai")]
    said = summary_json(entries)
    assert said["trials"] == 3
    invalid, fine = said["cells"]
    assert (invalid["framework"], invalid["harm"], invalid["outcomes"]["invalid"]) == (
        "strands", None, 2,
    )  # fmt: skip
    assert fine["harm"]["hits"] == 0
    assert fine["harm"]["eligible"] == 1


def test_a_scenario_about_utility_alone_has_no_verdict(shown: Shown, made: Made) -> None:
    line = next(line for line in shown(made(outcome=None)) if "no verdict: " in line)
    assert "no verdict: did the task" in line
