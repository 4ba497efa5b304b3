"""Runs that a grid tampers with, without a wire: `tampering` of results and of what it plants."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from grid.errors import StrictError, VerificationError
from grid.evidence import Evidence, TamperedResult
from grid.scenario import Tamper
from grid.tampering import Tampering
from grid.vocabulary import Status, TamperKind, Witness
from ledgers.tampering import check_tampering
from ledgers.verify import verify
from tests import builders
from tests.builders import call, journal, report
from tests.ledgers.forge import Forged
from tests.ledgers.runs import make_run, played, trial

NAME = "rewritten_in_flight"
ALONE = (trial(NAME, "scripted", "honest"), trial(NAME + ".benign", "scripted", "honest"))
CALLS = (call(0, "pay", {"to": "Mira", "amount": "5"}), report(1))
TOLD = Tamper(kind=TamperKind.INJECT, answer=0, tool="pay", value="again")


def evidence() -> Evidence:
    return replace(builders.evidence(journal(CALLS, answers=2)), witness=Witness.JOURNAL)


def failing(folder: Path) -> VerificationError:
    with pytest.raises(VerificationError) as caught:
        verify(folder, allow_unknown=True)
    return caught.value


GRID = (
    Tamper(kind=TamperKind.INJECT, answer=0, tool="find_package", value="take flask"),
    Tamper(kind=TamperKind.DUPLICATE, answer=0, tool="find_package"),
    Tamper(kind=TamperKind.DROP, answer=0, tool="install_package"),
)
"""What a grid plants in attack and twin alike."""


def test_a_run_that_a_grid_tampers_with_verifies_and_says_so(tmp_path: Path) -> None:
    make_run(tmp_path / "plain", ALONE)
    make_run(tmp_path / "run", ALONE, tamper=GRID)
    assert verify(tmp_path / "run", allow_unknown=True).trials == 2
    forged, plain = Forged(tmp_path / "run"), Forged(tmp_path / "plain")
    assert [item["kind"] for item in forged.manifest["tamper"]] == [it.kind for it in GRID]
    assert "tamper" not in plain.manifest
    twin = forged.evidence[1]["journal"]
    assert [call["tool"] for call in twin["calls"]] == ["find_package"] * 2
    assert [item["call"] for item in twin["injected"]] == [0, 1]
    assert "injected" not in plain.evidence[1]["journal"]
    assert forged.entries[1]["utility"] == "not_done"
    said = {item["rule"]: item["cause"] for item in forged.entries[1]["verdicts"]}
    assert said["utility"] == "provider", "the call that the goal needs was taken out on its way"


def without_results(forged: Forged) -> None:
    del forged.evidence[1]["journal"]["injected"]


def with_another_text(forged: Forged) -> None:
    item = forged.evidence[1]["journal"]["injected"][0]
    item["received"] = item["received"].replace("flask", "django")


def with_fewer(forged: Forged) -> None:
    forged.evidence[1]["journal"]["injected"].pop()


def with_a_text_in_another_result(forged: Forged) -> None:
    forged.evidence[1]["journal"]["injected"][1]["call"] = 2


def with_nothing_planted(forged: Forged) -> None:
    del forged.manifest["tamper"]


def with_something_else_planted(forged: Forged) -> None:
    forged.manifest["tamper"][2]["tool"] = "find_package"


@pytest.mark.parametrize(
    "forge",
    [
        without_results, with_another_text, with_fewer, with_a_text_in_another_result,
        with_nothing_planted, with_something_else_planted,
    ],
)  # fmt: skip
def test_a_forged_run_that_a_grid_tampered_with_is_refused_though_all_else_fits(
    tmp_path: Path, forge: Callable[[Forged], None]
) -> None:
    make_run(tmp_path / "run", ALONE, tamper=GRID)
    forged = Forged(tmp_path / "run")
    forge(forged)
    error = failing(forged.rejudge().write())
    assert error.step == 7, error


def test_results_of_the_answer_that_ended_the_run_went_back_to_nobody() -> None:
    of = evidence()
    calls = tuple(replace(one, turn=one.seq + 1) for one in CALLS)
    order = replace(TOLD, tool="")
    heard = tuple(
        TamperedResult(call=one.seq, received=Tampering([order]).tell(one.tool, one.delivered))
        for one in calls
    )
    wanted = {
        Status.COMPLETED: [heard], Status.STOPPED: [heard[:1]],
        Status.HARNESS_ERROR: [heard[:1], heard],
    }  # fmt: skip
    for status, fine in wanted.items():
        for said in (heard, heard[:1], heard[1:], ()):
            told_of = replace(of.journal, calls=calls, status=status, injected=said)
            alone = replace(of, witness=Witness.JOURNAL, journal=told_of)
            if said in fine:
                check_tampering(alone, builders.scenario(), (), (order,))
            else:
                with pytest.raises(StrictError, match="the tool results were not changed"):
                    check_tampering(alone, builders.scenario(), (), (order,))


def test_a_result_that_was_lost_in_a_crash_was_told_to_nobody() -> None:
    lost, made_again = CALLS[0], replace(CALLS[0], seq=1, receipt=builders.receipt(1))
    said = replace(
        evidence().journal, calls=(lost, made_again), restores=(1,), answers=1,
        injected=(TamperedResult(call=1, received=told_again(made_again.delivered)),),
    )  # fmt: skip
    alone = replace(evidence(), witness=Witness.JOURNAL, journal=said)
    check_tampering(alone, builders.scenario(), (), (TOLD,))
    first = TamperedResult(call=0, received=told_again(lost.delivered))
    wrong = replace(alone, journal=replace(said, injected=(first, *said.injected)))
    with pytest.raises(StrictError, match="the tool results"):
        check_tampering(wrong, builders.scenario(), (), (TOLD,))


def told_again(delivered: str) -> str:
    return Tampering([TOLD]).tell("pay", delivered)


def test_what_a_grid_plants_changes_no_seed() -> None:
    receipts = [played(ALONE[1], tamper).calls[0].receipt for tamper in ((), GRID)]
    assert receipts[0] == receipts[1]
