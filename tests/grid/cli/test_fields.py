"""`fields`: which fields of the attacker's calls need a near miss, and which have none."""

from dataclasses import replace

import pytest

from grid import predicates as p
from grid.catalogue import numbers, pair
from grid.cli.fields import complaints_of, harmful_calls
from grid.scenario import NearMiss, Scenario, Step, Truth, result_of
from grid.steps import report
from tests import builders

LOOK = Step(label="look", tool="read", arguments={"book": "a"})
TAKE = Step(label="take", tool="take", arguments={"book": "b", "memo": "for me"})
TOLD = report("done", "Taken.")
BOOK = NearMiss(step="take", argument="book", value="a")
MEMO = NearMiss(step="take", argument="memo", value="x", still_harm="The memo is free text.")
TAKEN = p.Row(table="books", where={"/state": p.Is(value="taken")})


def attacked(
    *near: NearMiss, holds: p.Predicate = TAKEN, attack: tuple[Step, ...] = (LOOK, TAKE, TOLD)
) -> Scenario:
    truth = Truth(
        honest=(LOOK, report("refused", "Not mine.")), attack=attack, trigger="",
        fault="gullible", near=near,
    )  # fmt: skip
    return builders.scenario(harm=(builders.harm(holds=holds),), truth=truth)


def complaints(of: Scenario) -> dict[str, str]:
    return {where.partition(", ")[2]: said for where, said in complaints_of(of) if said}


def test_a_scenario_with_a_near_miss_of_each_field_gives_no_cause_to_complain() -> None:
    found = list(complaints_of(attacked(BOOK, MEMO)))
    assert [where for where, _ in found] == [
        "S99 shelf, first near miss",
        "S99 shelf, call 'take' of take, field 'book'",
        "S99 shelf, call 'take' of take, field 'memo'",
    ]
    assert [said for _, said in found] == ["", "", ""]


@pytest.mark.parametrize(
    ("near", "where", "said"),
    [
        ((BOOK,), "call 'take' of take, field 'memo'", "no near miss that changes just this field"),
        ((MEMO,), "call 'take' of take, field 'book'", "no near miss that changes just this field"),
        ((MEMO,), "first near miss", "none that leaves no harm"),
        ((), "first near miss", "none that leaves no harm"),
        ((MEMO, BOOK), "first near miss", "none that leaves no harm"),
        (
            (BOOK, replace(MEMO, value="for me")),
            "call 'take' of take, field 'memo'",
            "a near miss with the attacker's own value",
        ),
        (
            (BOOK, MEMO, replace(MEMO, still_harm="")),
            "call 'take' of take, field 'memo'",
            "near misses that contradict each other",
        ),
    ],
)
def test_what_is_missing_or_proves_nothing_is_named(
    near: tuple[NearMiss, ...], where: str, said: str
) -> None:
    assert complaints(attacked(*near))[where].startswith(said)


def test_the_complaint_says_what_to_write() -> None:
    (said,) = complaints(attacked(BOOK)).values()
    assert "NearMiss(step='take', argument='memo', value=...) into truth.near" in said
    assert "the reason in still_harm" in said


def test_a_call_of_the_honest_needs_none_until_a_near_miss_changes_it() -> None:
    assert [step.label for step in harmful_calls(attacked(BOOK, MEMO))] == ["take"]
    other = NearMiss(step="look", argument="book", value="c")
    assert [step.label for step in harmful_calls(attacked(BOOK, other))] == ["look", "take"]
    # the same call with another argument is another call
    attack = (replace(LOOK, arguments={"book": result_of("take", "/book")}), TAKE)
    assert len(list(harmful_calls(attacked(BOOK, attack=attack)))) == 2


@pytest.mark.parametrize(
    ("holds", "counts"),
    [
        (TAKEN, False),
        (p.Called(tool="take"), False),
        (p.Not(of=p.Unchanged(table="books")), False),
        (p.All(of=(TAKEN, p.Row(table="reports", where={"/status": p.Is(value="done")}))), True),
        (p.Any(of=(TAKEN, p.UnsupportedClaim())), True),
        (p.Leaked(secret="key", into=(p.Boundary.SINK,)), True),
        (p.Not(of=p.Called(tool="report")), True),
        (p.Unpreceded(call=p.Called(tool="*"), by=p.Called(tool="read")), True),
    ],
)
def test_a_report_counts_where_a_harm_looks_at_reports(holds: p.Predicate, counts: bool) -> None:
    labels = [step.label for step in harmful_calls(attacked(BOOK, MEMO, holds=holds))]
    assert labels == ["take", *(["report"] if counts else [])]


def test_a_report_that_a_near_miss_changes_counts_wherever_the_harm_looks() -> None:
    near = NearMiss(step="report", argument="status", value="unable")
    assert {
        "call 'report' of report, field 'reason'",
        "call 'report' of report, field 'claims'",
    } == (complaints(attacked(BOOK, MEMO, near)).keys())


def test_nothing_is_asked_where_nobody_could_be_held_to_it() -> None:
    of = attacked()
    assert complaints(of)
    twin = builders.twin(truth=replace(of.truth, attack=(), fault=""))
    everybody = replace(of, truth=replace(of.truth, fault="honest"))
    assert not [*complaints_of(twin), *complaints_of(everybody)]


def test_every_shipped_scenario_has_a_near_miss_of_each_field() -> None:
    asked = {module: list(complaints_of(pair(module).attack)) for module in numbers().values()}
    assert sum(map(len, asked.values())) > 200
    assert [(where, said) for found in asked.values() for where, said in found if said] == []


def test_every_reason_is_a_sentence() -> None:
    reasons = {
        near.still_harm
        for module in numbers().values()
        for near in pair(module).attack.truth.near
        if near.still_harm
    }
    assert reasons
    assert [reason for reason in reasons if not reason[0].isupper() or reason[-1] != "."] == []
