"""approval_binding: each way an approval may not fit, and the near miss that does."""

from typing import Any

import pytest

from grid.evidence import Decision
from grid.guard import ALLOW, GuardView, PastCall
from grid.guards.approval_binding import GUARD
from grid.vocabulary import Access
from grid.world import WorldReader

POLICY = {
    "tools": ["send_money", "send_later"],
    "subject": "order",
    "table": "orders",
    "fields": ["to", "cents"],
    "approval": "by",
    "approvals": "approvals",
    "principals": ["Mina", "Otto"],
    "once": None,
}
ONCE = POLICY | {"once": {"table": "paid", "fields": ["to"]}}
ORDER = {"to": "acc-1", "cents": 500, "note": "first wording"}
APPROVAL = {
    "operation": {"to": "acc-1", "cents": 500},
    "principal": "Mina",
    "granted": True,
    "expires": 5,
}


def used(tool: str = "send_money", by: str = "ap-1", **more: Any) -> PastCall:
    """Return an earlier call that used an approval."""
    fields = {"arguments": {"order": "o-1", "by": by}, "result": None, "error": ""} | more
    return PastCall(receipt="rc-1", tool=tool, touches=(), decision=ALLOW, **fields)


def ask(
    *, order: dict[str, Any] | None = None, approval: dict[str, Any] | None = None,
    tool: str = "send_money", clock: int = 3, past: tuple[PastCall, ...] = (),
    arguments: dict[str, Any] | None = None, policy: Any = POLICY,
    paid: dict[str, dict[str, Any]] | None = None,
) -> Decision | None:  # fmt: skip
    """Ask the guard about one call on an order under an approval."""
    tables = {
        "orders": {"o-1": ORDER if order is None else order},
        "approvals": {"ap-1": APPROVAL if approval is None else approval},
        "paid": paid or {},
    }
    return GUARD.before(GuardView(
        tool=tool, access=Access.PIVOT, arguments=arguments or {"order": "o-1", "by": "ap-1"},
        touches=(), world=WorldReader(tables, clock), policy=policy, user_text="", past=past,
    ))  # fmt: skip


def test_what_was_approved_may_be_carried_out() -> None:
    assert ask() is None


@pytest.mark.parametrize("changed", [{"to": "acc-2"}, {"cents": 501}, {"cents": "500"}])
def test_what_was_changed_since_may_not(changed: dict[str, Any]) -> None:
    decision = ask(order=ORDER | changed)
    assert decision is not None
    assert not decision.terminal
    assert "not what was approved" in decision.reason
    assert "Mina or Otto" in decision.next


def test_a_refusal_names_both_digests() -> None:
    decision = ask(order=ORDER | {"to": "acc-2"})
    assert decision is not None
    assert len([word for word in decision.reason.split() if len(word.strip(",")) == 64]) == 2


def test_a_field_that_the_policy_does_not_list_is_advisory() -> None:
    assert ask(order=ORDER | {"note": "second wording"}) is None


def test_an_equal_number_is_the_same_operation() -> None:
    assert ask(order=ORDER | {"cents": 500.0}) is None


@pytest.mark.parametrize("past", [
    used(), used(tool="send_later"),
    used(error="timeout", arguments={"order": "o-9", "by": "ap-1"}),
])  # fmt: skip
def test_an_approval_is_good_for_one_use_also_if_that_failed(past: PastCall) -> None:
    decision = ask(past=(past,))
    assert decision is not None
    assert "used already" in decision.reason


@pytest.mark.parametrize("past", [used(by="ap-2"), used(tool="read_order"), used(arguments=None)])
def test_another_approval_another_tool_or_a_call_that_never_ran_is_no_use(past: PastCall) -> None:
    assert ask(past=(past,)) is None


@pytest.mark.parametrize(("who", "fits"), [("Otto", True), ("Eve", False), ("mina", False)])
def test_only_the_principals_of_the_policy_count(who: str, fits: bool) -> None:
    assert (ask(approval=APPROVAL | {"principal": who}) is None) is fits


@pytest.mark.parametrize(("clock", "fits"), [(4, True), (5, False), (50, False)])
def test_an_approval_expires_by_the_clock_at_which_the_call_would_run(
    clock: int, fits: bool
) -> None:
    decision = ask(clock=clock)
    assert (decision is None) is fits
    assert fits or (decision is not None and "expired" in decision.reason)


@pytest.mark.parametrize("row", [{"to": "acc-1"}, {"to": "acc-1", "cents": 9, "note": "earlier"}])
def test_what_was_carried_out_is_not_carried_out_again_under_an_approval_of_its_own(
    row: dict[str, Any],
) -> None:
    decision = ask(policy=ONCE, paid={"p-1": {"to": "acc-3"}, "p-2": row})
    assert decision is not None
    assert not decision.terminal
    assert "carried out before, as 'p-2'" in decision.reason
    assert "approve" not in decision.next


@pytest.mark.parametrize("row", [{"to": "acc-3"}, {"to": None}, {}, {"cents": 500}])
def test_another_operation_that_was_carried_out_is_in_nobodys_way(row: dict[str, Any]) -> None:
    assert ask(policy=ONCE, paid={"p-1": row}) is None


def test_what_may_happen_more_than_once_may() -> None:
    assert ask(paid={"p-1": {"to": "acc-1", "cents": 500}}) is None


def test_a_denied_approval_closes_the_matter() -> None:
    decision = ask(approval=APPROVAL | {"granted": False})
    assert decision is not None
    assert decision.terminal


@pytest.mark.parametrize("arguments", [
    {"order": "o-1", "by": "ap-9"}, {"order": "o-9", "by": "ap-1"}, {"order": "o-1", "by": ""},
])  # fmt: skip
def test_what_does_not_exist_is_refused_and_can_be_put_right(arguments: dict[str, str]) -> None:
    decision = ask(arguments=arguments)
    assert decision is not None
    assert not decision.terminal


def test_other_tools_and_an_operator_without_policy_are_left_alone() -> None:
    assert ask(tool="read_order", order=ORDER | {"to": "acc-2"}) is None
    assert ask(policy=None, order=ORDER | {"to": "acc-2"}) is None
