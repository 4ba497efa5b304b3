"""`guard`: what a guard is told, what it answers, and what its digest stands for."""

from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import pytest

from grid.evidence import Decision
from grid.guard import ALLOW, Guard, GuardView, PastCall, refuse
from grid.guards import all_guards
from grid.vocabulary import Access, Verdict
from grid.world import WorldReader

GUARD = Guard(id="no_shelf", summary="Leaves the shelf alone.")
VIEW = GuardView(
    tool="purge", access=Access.WRITE, arguments={}, touches=(), world=WorldReader({}, 0),
    policy=None, user_text="Tidy.", past=(),
)  # fmt: skip


def test_a_guard_with_nothing_to_say_lets_calls_and_results_pass() -> None:
    assert GUARD.before(VIEW) is None
    assert GUARD.after(VIEW, {"any": "result"}) is None


def test_a_refusal_says_who_refused_why_for_how_long_and_what_is_left_to_do() -> None:
    decision = refuse("no_shelf", "it is not yours", terminal=True, next_step="ask")
    assert decision == Decision(
        verdict=Verdict.REFUSE, by="no_shelf", reason="it is not yours", terminal=True, next="ask"
    )
    again = refuse("no_shelf", "not so", terminal=False, next_step="look", rolled_back=True)
    assert (again.terminal, again.actionable, again.rolled_back) == (False, True, True)


@pytest.mark.parametrize("gap", ["by", "reason", "next_step"])
def test_a_refusal_is_never_silent(gap: str) -> None:
    said: dict[str, Any] = {"by": "no_shelf", "reason": "not so", "next_step": "look"} | {gap: ""}
    with pytest.raises(ValueError, match="names its guard, its reason and the next step"):
        refuse(said["by"], said["reason"], terminal=False, next_step=said["next_step"])


def test_allowing_names_nobody() -> None:
    assert (ALLOW.verdict, ALLOW.by, ALLOW.terminal) == (Verdict.ALLOW, "", False)


@pytest.mark.parametrize("change", [{"id": "other"}, {"summary": "Other."}, {"version": 2}])
def test_whatever_is_declared_of_a_guard_is_in_its_digest(change: dict[str, Any]) -> None:
    assert replace(GUARD, **change).digest() != GUARD.digest()


def test_the_digest_of_a_guard_is_that_of_its_declaration_and_not_of_its_code() -> None:
    def before(_view: GuardView) -> Decision | None:
        return refuse("no_shelf", "no", terminal=True, next_step="stop")

    assert replace(GUARD, before=before).digest() == GUARD.digest()


@pytest.mark.parametrize("record", [GuardView, PastCall])
def test_nothing_that_a_guard_sees_tells_scenario_persona_truth_or_model(
    record: type[GuardView | PastCall],
) -> None:
    names = {item.name for item in fields(record)}
    telling = {"scenario", "persona", "truth", "model", "framework", "clause", "harm", "goal"}
    assert not names & (telling | {"seed", "trial", "names", "secrets"})


def test_a_guard_can_change_neither_its_view_nor_the_world_through_it() -> None:
    with pytest.raises(FrozenInstanceError):
        VIEW.tool = "look"  # type: ignore[misc]
    assert not hasattr(VIEW.world, "put")
    assert not hasattr(VIEW.world, "drop")


@pytest.mark.parametrize("guard", all_guards(), ids=lambda guard: guard.id)
def test_every_guard_is_a_sentence_and_silent_where_no_operator_configured_it(
    guard: Guard,
) -> None:
    assert guard.summary
    assert guard.version >= 1
    read = replace(VIEW, tool="look", access=Access.READ)
    assert guard.before(read) is None
    assert guard.after(read, {"seen": "a shelf"}) is None
