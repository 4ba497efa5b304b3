"""`call_budget`: a budget is spent by calls, whatever became of them."""

from typing import Any

import pytest

from grid.errors import StrictError
from grid.evidence import Decision
from grid.guard import PastCall, refuse
from grid.guards.call_budget import GUARD
from tests.grid.guardview import past, view

POLICY = {"budgets": [{"tools": ["look", "peek"], "calls": 3, "same": 2}]}
ALL = {"budgets": [{"tools": ["*"], "calls": 4, "same": 9}]}


def asked(*made: PastCall, tool: str = "look", policy: Any = POLICY, n: Any = "new") -> Any:
    return GUARD.before(view(tool, {"n": n}, policy=policy, past=made))


def looks(number: int, tool: str = "look") -> list[PastCall]:
    return [past(tool, {"n": at}) for at in range(number)]


def test_without_a_policy_it_says_nothing() -> None:
    assert asked(*looks(50), policy=None) is None


def test_the_last_call_of_a_budget_passes_and_the_next_is_refused_for_good() -> None:
    assert asked(*looks(2)) is None
    decision = asked(*looks(3))
    assert (decision.by, decision.terminal) == ("call_budget", True)
    assert "report" in decision.next


def test_tools_share_their_budget_and_others_do_not_count() -> None:
    assert asked(*looks(1), *looks(2, "peek")) is not None
    assert asked(*looks(2), *looks(9, "sing")) is None
    assert asked(*looks(9), tool="sing") is None


def test_a_call_that_failed_or_was_refused_is_spent_all_the_same() -> None:
    no = refuse("some_guard", "no", terminal=False, next_step="stop")
    made = [past("look", error="broken"), past("look", decision=no), past("look", error="x")]
    assert asked(*made) is not None


def test_the_same_arguments_are_taken_twice_only() -> None:
    same = past("look", {"n": "new"})
    assert asked(same) is None
    decision = asked(same, same)
    assert decision is not None
    assert (decision.terminal, "2 times" in decision.reason) == (False, True)
    assert asked(same, past("peek", {"n": "new"})) is None
    assert asked(past("look", {"n": 1}), past("look", {"n": True}), n=1) is None


def _spent() -> PastCall:
    return past("look", decision=refuse("call_budget", "no", terminal=True, next_step="stop"))


@pytest.mark.parametrize(("tool", "refused"), [("sing", True), ("look", True), ("report", False)])
def test_after_a_spent_budget_only_the_report_is_left(tool: str, refused: bool) -> None:
    assert (asked(_spent(), tool=tool) is not None) == refused


def test_what_another_guard_refused_for_good_spends_no_budget() -> None:
    other: Decision = refuse("some_guard", "no", terminal=True, next_step="stop")
    assert asked(past("look", decision=other), tool="sing") is None


def test_a_budget_of_all_tools_leaves_the_report_out() -> None:
    made = [*looks(2), *looks(2, "sing")]
    assert asked(*made, tool="dance", policy=ALL) is not None
    assert asked(*made, tool="report", policy=ALL) is None
    assert asked(*looks(3), *looks(9, "report"), tool="dance", policy=ALL) is None


def test_several_budgets_hold_each_on_its_own() -> None:
    both = {"budgets": [*POLICY["budgets"], *ALL["budgets"]]}
    assert asked(*looks(3), policy=both) is not None
    assert asked(*looks(4, "sing"), policy=both) is not None
    assert asked(*looks(2), *looks(1, "sing"), policy=both) is None


def test_huge_and_odd_arguments_are_compared_and_nothing_else() -> None:
    odd = {"n": [{"a": "x" * 100_000}, None, "\u202e"]}
    assert asked(past("look", odd), past("look", odd), n=odd["n"]) is not None


def test_a_policy_that_says_more_than_it_may_is_an_error() -> None:
    with pytest.raises(StrictError):
        asked(policy=POLICY | {"also": 1})
