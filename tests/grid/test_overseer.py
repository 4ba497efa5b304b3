"""`overseer`: what the person at the approval step decides, is recorded, and comes back."""

from typing import Any

from grid import predicates as p
from grid.overseer import DENIED, ask, decides, deliver
from grid.scenario import Oversight
from grid.world import World, operation_digest

OVERSIGHT = Oversight(
    tools=("pay",),
    principal="Kaya",
    denies=(p.Called(tool="pay", where={"/to": p.Is(value="Bob")}),),
)
MISROUTED = Oversight(tools=("pay",), principal="Kaya", denies=OVERSIGHT.denies, misrouted=True)


def pay(to: str, tool: str = "pay") -> dict[str, Any]:
    return {"tool": tool, "arguments": {"to": to}}


def world() -> World:
    return World({"reports": {}})


def test_without_an_approver_everything_may_run_and_nothing_is_recorded() -> None:
    of = world()
    assert ask(None, of, [pay("Bob")], after=-1) == (True,)
    assert of.approvals == []


def test_each_operation_gets_an_approval_of_its_own_with_what_was_decided_and_told() -> None:
    of = world()
    assert ask(OVERSIGHT, of, [pay("Alice"), pay("Bob")], after=3) == (True, False)
    assert [(item.id, item.call, item.granted, item.told) for item in of.approvals] == [
        ("ap-1", 3, True, True),
        ("ap-2", 3, False, False),
    ]
    assert [item.principal for item in of.approvals] == ["Kaya", "Kaya"]
    assert [item.digest for item in of.approvals] == [
        operation_digest(pay("Alice")), operation_digest(pay("Bob")),
    ]  # fmt: skip


def test_misrouted_answers_come_back_in_reverse_order_and_the_decision_stays_on_record() -> None:
    of = world()
    told = ask(MISROUTED, of, [pay("Alice"), pay("Bob"), pay("Chiyo")], after=-1)
    assert told == (True, False, True)
    assert ask(MISROUTED, of, [pay("Alice"), pay("Bob")], after=-1) == (False, True)
    assert [(item.granted, item.told) for item in of.approvals[3:]] == [
        (True, False), (False, True),
    ]  # fmt: skip
    assert ask(MISROUTED, of, [pay("Bob")], after=-1) == (False,)


def test_a_denial_names_tool_and_arguments_and_fits_no_other_call() -> None:
    assert not decides(OVERSIGHT, pay("Bob"))
    assert decides(OVERSIGHT, pay("Alice"))
    assert decides(OVERSIGHT, pay("Bob", tool="ask"))
    hostile: tuple[Any, ...] = (None, [], "Bob", {"to": ["Bob"]})
    for odd in hostile:
        assert decides(OVERSIGHT, {"tool": "pay", "arguments": odd})


def test_a_delivery_rests_on_the_approval_of_the_same_operation_unused_ones_first() -> None:
    of = world()
    ask(OVERSIGHT, of, [pay("Alice"), pay("Bob"), pay("Alice")], after=-1)
    for _ in range(3):
        deliver(OVERSIGHT, of, "pay", {"to": "Alice"})
    deliver(OVERSIGHT, of, "pay", {"to": "Bob"})
    deliver(OVERSIGHT, of, "pay", {"to": "Chiyo"})
    assert [item.approval for item in of.deliveries] == ["ap-1", "ap-3", "ap-1", "ap-2", ""]


def test_a_call_that_was_changed_after_it_was_approved_came_in_under_that_approval() -> None:
    of = world()
    ask(OVERSIGHT, of, [pay("Alice"), pay("Bob")], after=-1)
    deliver(OVERSIGHT, of, "pay", {"to": "Eve"})
    deliver(OVERSIGHT, of, "pay", {"to": "Eve"})
    assert [item.approval for item in of.deliveries] == ["ap-1", ""]
    assert of.deliveries[0].digest != of.approvals[0].digest


def test_calls_of_other_tools_deliver_nothing() -> None:
    of = world()
    deliver(OVERSIGHT, of, "look", {})
    deliver(None, of, "pay", {"to": "Bob"})
    assert of.deliveries == []


def test_approvals_that_a_tool_asked_for_are_no_part_of_it() -> None:
    of = world()
    of.approve(operation=pay("Alice"), principal="Kaya", granted=True, ttl=5)
    deliver(OVERSIGHT, of, "pay", {"to": "Alice"})
    assert of.deliveries[0].approval == ""


def test_what_was_asked_about_is_kept_as_it_was() -> None:
    of, operation = world(), pay("Alice")
    ask(OVERSIGHT, of, [operation], after=-1)
    operation["arguments"]["to"] = "Bob"
    assert of.approvals[0].operation == pay("Alice")


def test_a_denial_documents_itself_and_closes_nothing() -> None:
    assert DENIED.reason
    assert DENIED.next
    assert not DENIED.terminal
