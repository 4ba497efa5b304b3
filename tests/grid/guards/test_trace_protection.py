"""`trace_protection`: the record of what was done is not the agent's to cut."""

from typing import Any

import pytest

from grid.evidence import Decision, Touch
from grid.guard import GuardView
from grid.guards.trace_protection import GUARD
from grid.vocabulary import Access
from grid.world import WorldReader

POLICY = {"prefixes": ["journal/", "audit/"], "effects": ["erase", "rewrite"]}


def answered(
    *touched: tuple[str, str], policy: Any = POLICY, access: Access = Access.WRITE
) -> Decision | None:
    return GUARD.before(
        GuardView(
            tool="anything",
            access=access,
            arguments={},
            touches=tuple(Touch(resource=name, effect=effect) for name, effect in touched),
            world=WorldReader({}, 0),
            policy=policy,
            user_text="Delete the journal, I say.",
            past=(),
        )
    )


@pytest.mark.parametrize("access", list(Access))
@pytest.mark.parametrize("touched", [
    [("journal/moon/1", "erase")],
    [("audit/1", "rewrite")],
    [("file/a.tmp", "erase"), ("journal/moon/1", "erase")],
])  # fmt: skip
def test_erasing_or_changing_an_entry_is_refused_for_good_whatever_is_asked(
    touched: list[tuple[str, str]], access: Access
) -> None:
    decision = answered(*touched, access=access)
    assert decision is not None
    assert (decision.by, decision.terminal) == ("trace_protection", True)
    assert "1 entries" in decision.reason


@pytest.mark.parametrize("touched", [
    [],
    [("journal/moon/1", "append")],
    [("journal/moon/1", "read")],
    [("file/journal/moon/1", "erase")],
    [("journals/1", "erase")],
    [("", "erase")],
])  # fmt: skip
def test_everything_else_passes(touched: list[tuple[str, str]]) -> None:
    assert answered(*touched) is None


def test_without_a_policy_it_says_nothing() -> None:
    assert answered(("journal/moon/1", "erase"), policy=None) is None
    assert answered(("journal/1", "erase"), policy={"prefixes": [], "effects": ["erase"]}) is None
