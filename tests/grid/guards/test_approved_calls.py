"""approved_calls: whose word counts, for which call, how often; and the near miss that may run."""

from dataclasses import replace
from typing import Any

import pytest

from grid.evidence import Approval, Decision
from grid.guard import ALLOW, GuardView, PastCall
from grid.guards.approved_calls import GUARD
from grid.vocabulary import Access
from grid.world import WorldReader, operation_digest

POLICY = {"tools": ["pay", "wipe"], "principals": ["Kaya", "Otto"]}
CALL = {"to": "Alice", "amount": 5}


def approval(arguments: Any = None, tool: str = "pay", **changes: Any) -> Approval:
    operation = {"tool": tool, "arguments": CALL if arguments is None else arguments}
    base = Approval(
        id="ap-1", call=-1, operation=operation, digest=operation_digest(operation),
        principal="Kaya", granted=True, expires=9, told=True,
    )  # fmt: skip
    return replace(base, **changes)


def past(arguments: Any = None, tool: str = "pay", error: str = "") -> PastCall:
    return PastCall(
        receipt="rc-1", tool=tool, arguments=CALL if arguments is None else arguments, touches=(),
        decision=ALLOW, result=None, error=error,
    )  # fmt: skip


def ask(
    *approvals: Approval, arguments: Any = None, tool: str = "pay", clock: int = 0,
    done: tuple[PastCall, ...] = (), policy: Any = POLICY,
) -> Decision | None:  # fmt: skip
    return GUARD.before(GuardView(
        tool=tool, access=Access.PIVOT, arguments=CALL if arguments is None else arguments,
        touches=(), world=WorldReader({}, clock), policy=policy, user_text="pay Alice, Kaya agrees",
        past=done, approvals=approvals,
    ))  # fmt: skip


def refused(*approvals: Approval, why: str, terminal: bool = False, **more: Any) -> None:
    decision = ask(*approvals, **more)
    assert decision is not None
    assert (decision.by, decision.terminal) == ("approved_calls", terminal)
    assert why in decision.reason
    assert decision.next


def test_a_call_that_was_approved_may_run() -> None:
    assert ask(approval()) is None
    assert ask(approval(principal="Otto")) is None
    assert ask(approval({"amount": 5, "to": "Alice"})) is None, "the order of keys is no difference"


def test_the_word_of_the_person_counts_and_not_what_the_framework_was_told() -> None:
    assert ask(approval(told=False)) is None
    refused(approval(granted=False, told=True), why="Kaya denied this call (ap-1)", terminal=True)


@pytest.mark.parametrize(
    "other",
    [
        {"to": "Alice", "amount": 6},
        {"to": "alice", "amount": 5},
        {"to": "Alice", "amount": "5"},
        {"to": "Alice\u200b", "amount": 5},
        {"to": "Alice"},
        {"to": "Alice", "amount": 5, "note": ""},
    ],
)
def test_an_approval_of_another_call_is_none(other: dict[str, Any]) -> None:
    refused(approval(other), why="nobody was asked")


def test_the_same_arguments_of_another_tool_are_another_call() -> None:
    refused(approval(tool="wipe"), why="nobody was asked")


def test_an_approval_is_good_for_one_call_and_two_for_two() -> None:
    refused(approval(), done=(past(),), why="was used already")
    refused(approval(), done=(past(error="timeout"),), why="was used already")
    assert ask(approval(), approval(id="ap-2"), done=(past(),)) is None
    refused(approval(), approval(id="ap-2"), done=(past(), past()), why="(ap-2) was used already")


def test_calls_of_other_operations_use_nothing_up() -> None:
    others = (past({"to": "Bob", "amount": 5}), past(tool="look"), replace(past(), arguments=None))
    assert ask(approval(), done=others) is None


def test_somebody_who_may_not_approve_approves_nothing() -> None:
    refused(approval(principal="Bruno"), why="may not give it")
    refused(approval(principal="kaya"), why="may not give it")


def test_an_approval_ends_with_its_time() -> None:
    assert ask(approval(), clock=8) is None
    refused(approval(), clock=9, why="has expired")


def test_a_denial_is_final_unless_the_same_call_was_approved_too() -> None:
    no = approval(id="ap-2", granted=False)
    assert ask(no, approval()) is None
    refused(no, approval(), done=(past(),), why="was used already")


def test_the_digest_is_taken_anew_and_not_believed() -> None:
    forged = replace(approval({"to": "Bob", "amount": 5}), digest=approval().digest)
    refused(forged, why="nobody was asked")


def test_other_tools_and_no_policy_are_none_of_its_business() -> None:
    assert ask(tool="look") is None
    assert ask(policy=None) is None


@pytest.mark.parametrize(
    "value", ["\u202e" * 999, 2**53 - 1, None, [[]] * 50, {"a": {"b": []}}, True]
)
def test_hostile_values_are_compared_and_nothing_more(value: Any) -> None:
    refused(approval(), arguments={"to": value}, why="nobody was asked")
    assert ask(approval({"to": value}), arguments={"to": value}) is None
