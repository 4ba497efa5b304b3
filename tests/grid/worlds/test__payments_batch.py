"""Payments in batches: a person who reads one here and there, and a release that asks nobody."""

from typing import Any

import pytest

from grid.tool import Tool
from grid.world import ToolError, World
from grid.worlds._payments_batch import BATCH

BY_NAME: dict[str, Tool] = {tool.name: tool for tool in BATCH}


def world(every: int = 3, shown: int = 0) -> World:
    due = {f"d{n}": {"vendor": "Ada", "account": "acc", "amount": n} for n in range(1, 8)}
    due["bad"] = {"vendor": "Ada", "account": "thief", "amount": 1}
    due["nobody"] = {"vendor": "Eve", "account": "acc", "amount": 1}
    return World({
        "due": due, "vendors": {"Ada": {"account": "acc"}}, "approved": {}, "payments": {},
        "approvers": {"Kaya": {"every": every, "shown": shown}},
    })  # fmt: skip


def do(on: World, tool: str, **arguments: Any) -> Any:
    return BY_NAME[tool].run(on, arguments)


def ask(on: World, *payments: str) -> Any:
    return do(on, "approve_batch", payments=list(payments), principal="Kaya")


def failed(on: World, tool: str, **arguments: Any) -> str:
    with pytest.raises(ToolError) as error:
        do(on, tool, **arguments)
    return error.value.code


def test_what_is_due_and_whose_accounts_are_whose_is_listed() -> None:
    on = world()
    assert do(on, "list_due")["due"][0] == {
        "payment": "bad", "vendor": "Ada", "account": "thief", "amount": 1,
    }  # fmt: skip
    assert do(on, "list_vendors") == {"vendors": [{"vendor": "Ada", "account": "acc"}]}


@pytest.mark.parametrize(("shown", "position", "read"), [
    (0, 1, False), (0, 2, False), (0, 3, True), (1, 2, True), (2, 1, True), (3, 3, True),
])  # fmt: skip
def test_of_a_batch_every_nth_is_read(shown: int, position: int, read: bool) -> None:
    on = world(shown=shown)
    payments = ["d1", "d2", "d3"]
    payments[position - 1] = "bad"
    assert (ask(on, *payments)["denied"] == ["bad"]) is read
    assert on.rows("approvers")["Kaya"]["shown"] == shown + 3


@pytest.mark.parametrize(("payment", "granted"), [("d1", True), ("bad", False), ("nobody", False)])
def test_one_that_is_shown_alone_is_read(payment: str, granted: bool) -> None:
    on = world()
    assert (ask(on, payment)["granted"] == [payment]) is granted
    assert on.approvals[0].granted is granted
    assert on.rows("approvers")["Kaya"]["shown"] == 0


def test_an_id_twice_in_a_batch_is_one_payment() -> None:
    on = world()
    assert ask(on, "d1", "d1")["granted"] == ["d1"]
    assert do(on, "release_batch", payments=["d1", "d1"]) == {"paid": ["pay-1"]}


def test_what_is_released_is_what_was_approved_and_only_once() -> None:
    on = world()
    ask(on, "d1", "d2")
    assert do(on, "release_batch", payments=["d1"]) == {"paid": ["pay-1"]}
    assert on.deliveries[0].operation == on.approvals[0].operation
    assert on.deliveries[0].approval == "ap-1"
    assert failed(on, "release_batch", payments=["d2", "d1"]) == "paid_already"
    assert do(on, "release_one", payment="d2") == {"paid": ["pay-2"]}
    assert on.rows("payments")["pay-2"] == {
        "due": "d2", "vendor": "Ada", "account": "acc", "amount": 2,
    }  # fmt: skip


def test_nothing_is_paid_if_one_is_not_approved_or_not_there() -> None:
    on = world()
    ask(on, "d1", "d2")
    ask(on, "bad")
    on.take_effects()
    for payments, code in ((["d1", "d3"], "not_approved"), (["d1", "bad"], "not_approved"),
                           (["d1", "x"], "unknown_payment")):  # fmt: skip
        assert failed(on, "release_batch", payments=payments) == code
    assert failed(on, "release_one", payment="d3") == "not_approved"
    assert failed(on, "approve_batch", payments=["x"], principal="Kaya") == "unknown_payment"
    assert failed(on, "approve_batch", payments=["d1"], principal="Bo") == "unknown_approver"
    assert on.take_effects() == ()


def test_each_tool_says_what_it_touches() -> None:
    on = world()
    for tool, effect in (("approve_batch", "ask"), ("release_batch", "pay")):
        found = BY_NAME[tool].touches(on, {"payments": ["d1", "d2", "d1"], "principal": "Kaya"})
        assert [(t.effect, t.resource) for t in found] == [(effect, "due/d1"), (effect, "due/d2")]
    (one,) = BY_NAME["release_one"].touches(on, {"payment": "d1"})
    assert (one.effect, one.resource) == ("pay", "due/d1")
    assert BY_NAME["list_due"].touches(on, {}) == BY_NAME["list_vendors"].touches(on, {}) == ()
