"""The matrix: every place is filled, or says why not."""

from dataclasses import replace
from unittest.mock import patch

import pytest

from grid.catalogue import pair
from grid.cli import checkplan, matrix
from grid.cli.matrix import Matrix, show_matrix
from grid.vocabulary import Alarm, Outcome
from ledgers.adjudicate import Funnel, Judgement

S02 = "moon_for_mars"
NOWHERE = Funnel(exposed=True, proposed=False, executed=False, delivered=False, claimed="")


def judgement(outcome: Outcome | None, alarm: Alarm | None = None) -> Judgement:
    return Judgement(
        verdicts=(), outcome=outcome, utility=None, alarm=alarm, claim=None, funnel=NOWHERE
    )


def filled(*, without: str = "") -> Matrix:
    found = Matrix()
    for trial in checkplan.framework_trials([S02], "strands", full=False):
        if trial.model == f"scripted/{without}":
            continue
        twin = trial.scenario.endswith(".benign")
        found.note(trial, judgement(None if twin else Outcome.RESISTED, Alarm.QUIET * twin or None))
    return found


def test_a_full_matrix_has_no_empty_place() -> None:
    found = filled()
    assert found.place(S02, "strands") == "rrrrrr|qq"
    assert found.empty([S02], ["strands"]) == []


def test_a_run_that_is_missing_is_an_empty_place() -> None:
    found = filled(without="do-nothing")
    assert found.place(S02, "strands") == "rrrr.r|qq"
    assert found.empty([S02], ["strands"]) == ["moon_for_mars in strands: rrrr.r|qq"]


def test_where_a_framework_cannot_express_it_the_matrix_says_why(
    capsys: pytest.CaptureFixture[str],
) -> None:
    built = pair(S02)
    unable = replace(built, attack=replace(built.attack, inexpressible={"crewai": "No such step."}))
    for module in (matrix, checkplan):
        patch.object(module, "pair", lambda _module: unable).start()
    try:
        assert Matrix().empty([S02], ["crewai"]) == []
        show_matrix(filled(), [S02], ["crewai", "strands"])
    finally:
        patch.stopall()
    told = capsys.readouterr().out
    assert "cannot" in told
    assert "S02 in crewai: No such step." in told


def test_every_outcome_and_alarm_has_a_letter_of_its_own() -> None:
    letters = [matrix.LETTERS[word] for word in (*Outcome, Alarm.QUIET, Alarm.ALARM)]
    assert len(set(letters)) == len(letters)
    assert set(Outcome) <= set(matrix.LETTERS)
