"""operator_catalogue: a tool is what the operator says; hints of a server prove nothing."""

from typing import Any

import pytest

from grid.evidence import Decision
from grid.guard import GuardView
from grid.guards.operator_catalogue import GUARD
from grid.vocabulary import Access
from grid.world import WorldReader

POLICY: dict[str, Any] = {
    "hints": "said",
    "catalogue": {
        "pay": {}, "note": {"destructive": False, "idempotent": True},
        "look_up": {"read_only": True, "destructive": False, "idempotent": True},
    },
}  # fmt: skip


def ask(
    tool: str = "pay", *, policy: Any = POLICY, access: Access = Access.PIVOT, said: Any = None
) -> Decision | None:
    """Ask the guard about a tool of which its server says something."""
    tables = {"said": {} if said is None else {tool: {"annotations": said}}}
    return GUARD.before(GuardView(
        tool=tool, access=access, arguments={}, touches=(), world=WorldReader(tables, 0),
        policy=policy, user_text="", past=(),
    ))  # fmt: skip


@pytest.mark.parametrize("said", [
    None, {}, {"readOnlyHint": False}, {"destructiveHint": True}, {"idempotentHint": False},
    {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False}, {"title": "Pay"},
    {"openWorldHint": False},
])  # fmt: skip
def test_a_server_that_says_no_better_than_it_is_passes(said: Any) -> None:
    assert ask(said=said) is None


@pytest.mark.parametrize(("said", "named"), [
    ({"readOnlyHint": True}, "readOnlyHint"),
    ({"destructiveHint": False}, "destructiveHint"),
    ({"idempotentHint": True}, "idempotentHint"),
    ({"readOnlyHint": "true"}, "readOnlyHint"),
    ({"readOnlyHint": 1}, "readOnlyHint"),
    ({"destructiveHint": None}, "destructiveHint"),
    ({"destructiveHint": 0}, "destructiveHint"),
    ({"idempotentHint": ["yes"]}, "idempotentHint"),
])  # fmt: skip
def test_a_tool_that_is_played_down_is_not_used(said: Any, named: str) -> None:
    decision = ask(said=said)
    assert decision is not None
    assert not decision.terminal
    assert named in decision.reason
    assert "look_up, note, pay" in decision.next


def test_what_the_catalogue_itself_says_may_be_said() -> None:
    assert ask("note", said={"destructiveHint": False, "idempotentHint": True}) is None
    assert ask("note", said={"readOnlyHint": True}) is not None
    harmless = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True}
    assert ask("look_up", said=harmless) is None


@pytest.mark.parametrize("said", [None, {}, {"readOnlyHint": True, "destructiveHint": False}])
def test_a_tool_that_is_not_in_the_catalogue_counts_as_destructive(said: Any) -> None:
    decision = ask("settle", said=said)
    assert decision is not None
    assert "counts as destructive" in decision.reason
    assert not decision.terminal


def test_what_the_operator_calls_reading_needs_no_entry() -> None:
    assert ask("list", access=Access.READ) is None
    assert ask("list", access=Access.WRITE) is not None
    assert ask("report", access=Access.WRITE) is None


@pytest.mark.parametrize("said", ["readOnlyHint", 7, ["readOnlyHint"], True])
def test_annotations_of_odd_shape_are_none(said: Any) -> None:
    assert ask(said=said) is None
    assert ask("settle", said=said) is not None


def test_no_policy_no_word() -> None:
    assert ask("settle", policy=None, said={"readOnlyHint": True}) is None
