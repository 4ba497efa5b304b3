"""plan_validation: pivots come last, after every step and every check they rest on."""

from typing import Any

import pytest

from grid import predicates as p
from grid.evidence import Decision
from grid.guard import ALLOW, GuardView, PastCall, refuse
from grid.guards.plan_validation import GUARD
from grid.strict import to_json
from grid.vocabulary import Access
from grid.world import WorldReader

POLICY: dict[str, Any] = {
    "pivots": ["send", "pay"],
    "needs": [{"tool": "edit", "where": {"/size": to_json(p.Is(value=5))}}],
    "edits": ["edit", "paint"],
    "checks": [{"tool": "check", "passes": {"/faults": to_json(p.Is(value=0))}}],
    "plans": [{"tool": "run", "steps": "steps", "name": "do", "arguments": "with"}],
}
NO = refuse("x", "no", terminal=False, next_step="go on")


def ran(
    tool: str, result: Any = None, error: str = "", decision: Decision = ALLOW, **arguments: Any
) -> PastCall:
    """Return an earlier call that ran."""
    return PastCall(
        receipt=f"rc-{tool}", tool=tool, arguments=arguments, touches=(), decision=decision,
        result=result, error=error,
    )  # fmt: skip


EDIT, PASS, FAIL = ran("edit", size=5), ran("check", {"faults": 0}), ran("check", {"faults": 2})


def ask(
    *past: PastCall, tool: str = "send", policy: Any = POLICY, **arguments: Any
) -> Decision | None:
    """Ask the guard about one call after others."""
    return GUARD.before(GuardView(
        tool=tool, access=Access.PIVOT, arguments=arguments, touches=(),
        world=WorldReader({}, 0), policy=policy, user_text="", past=past,
    ))  # fmt: skip


def test_a_pivot_after_every_step_and_check_is_let_through() -> None:
    assert ask(EDIT, PASS) is None
    assert ask(EDIT, PASS, ran("send"), tool="pay") is None


@pytest.mark.parametrize(("past", "missing"), [
    ((), "'edit'"),
    ((PASS,), "'edit'"),
    ((ran("edit", size=4), PASS), "'edit'"),
    ((ran("edit", size=5, error="broken"), PASS), "'edit'"),
    ((ran("edit", size=5, decision=NO), PASS), "'edit'"),
    ((EDIT,), "'check'"),
    ((EDIT, FAIL), "'check'"),
    ((PASS, EDIT), "'check'"),
    ((EDIT, PASS, ran("paint")), "'check'"),
    ((EDIT, PASS, ran("paint", error="half way")), "'check'"),
    ((EDIT, ran("check", {"faults": 0}, error="down")), "'check'"),
    ((EDIT, ran("check", {"faults": 0}, decision=NO)), "'check'"),
])  # fmt: skip
def test_a_pivot_that_comes_too_early_is_told_what_is_missing(
    past: tuple[PastCall, ...], missing: str
) -> None:
    decision = ask(*past)
    assert decision is not None
    assert not decision.terminal
    assert missing in decision.next


def test_a_check_that_failed_later_does_not_undo_one_that_passed_on_the_same_state() -> None:
    assert ask(EDIT, PASS, FAIL) is None


def test_behind_a_pivot_nothing_is_changed_and_a_person_is_told() -> None:
    for sent in (ran("send"), ran("send", decision=NO)):
        decision = ask(EDIT, PASS, sent, tool="edit", size=5)
        assert decision is not None
        assert decision.terminal
        assert "person" in decision.next
        assert "rc-send" in decision.reason
    assert ask(EDIT, PASS, ran("send"), tool="look") is None


def test_a_pivot_that_never_ran_or_failed_was_not_passed() -> None:
    never = PastCall(
        receipt="rc-1", tool="send", arguments=None, touches=(), decision=NO, result=None, error="",
    )  # fmt: skip
    assert ask(EDIT, PASS, never, tool="edit", size=5) is None
    assert ask(EDIT, PASS, ran("send", error="unknown_person"), tool="edit", size=5) is None


def test_steps_before_the_pivot_are_free() -> None:
    assert ask(tool="edit", size=5) is None
    assert ask(tool="check") is None


def plan(*steps: tuple[str, Any]) -> list[dict[str, Any]]:
    return [{"do": name, "with": arguments} for name, arguments in steps]


GOOD_PLAN = plan(("edit", {"size": 5}), ("check", {}), ("send", {}))


def test_a_plan_in_the_right_order_is_let_through() -> None:
    assert ask(tool="run", steps=GOOD_PLAN) is None
    assert ask(EDIT, tool="run", steps=GOOD_PLAN[1:]) is None


@pytest.mark.parametrize("steps", [
    GOOD_PLAN[::-1],
    plan(("send", {}), ("edit", {"size": 5}), ("check", {})),
    plan(("edit", {"size": 5}), ("send", {}), ("check", {})),
    plan(("check", {}), ("edit", {"size": 5}), ("send", {})),
    plan(("edit", {"size": 4}), ("check", {}), ("send", {})),
    plan(("edit", None), ("check", None), ("send", None)),
    plan(*[(step["do"], step["with"]) for step in GOOD_PLAN], ("paint", {})),
])  # fmt: skip
def test_a_plan_in_the_wrong_order_is_refused_before_its_first_step(steps: Any) -> None:
    assert ask(tool="run", steps=steps) is not None


def test_a_plan_that_was_carried_out_counts_step_by_step() -> None:
    done = ran("run", steps=GOOD_PLAN)
    decision = ask(done, tool="edit", size=5)
    assert decision is not None
    assert decision.terminal
    assert ask(done, tool="pay") is None
    assert ask(ran("run", steps=GOOD_PLAN[:1]), PASS) is None
    assert ask(ran("run", steps=GOOD_PLAN[:2], error="broken")) is not None


@pytest.mark.parametrize("steps", [
    None, "send", 7, [], ["send"], [None], [{}], [{"do": None}], [{"do": ["send"], "with": 3}],
    [{"do": "\u202e" * 10_000, "with": {}}],
])  # fmt: skip
def test_a_plan_of_odd_shape_breaks_nothing(steps: Any) -> None:
    assert ask(tool="run", steps=steps) is None


def test_without_checks_and_needs_only_the_end_is_watched() -> None:
    loose = {"pivots": ["send"], "edits": ["edit"]}
    assert ask(policy=loose) is None
    assert ask(ran("send"), tool="edit", policy=loose) is not None


def test_no_policy_no_word() -> None:
    assert ask(policy=None) is None
