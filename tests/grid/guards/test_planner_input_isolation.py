"""`planner_input_isolation`: the planner plans from the user's message and from nothing else."""

from typing import Any

import pytest

from grid.evidence import Decision
from grid.guard import GuardView
from grid.guards.planner_input_isolation import GUARD
from grid.vocabulary import Access
from grid.world import WorldReader

POLICY = {"tools": {"make_plan": "request"}}
WORDS = "Do not restart nginx on moon; show its memory."


def answered(
    request: Any, *, words: str = WORDS, tool: str = "make_plan", policy: Any = POLICY
) -> Decision | None:
    return GUARD.before(
        GuardView(
            tool=tool,
            access=Access.WRITE,
            arguments={"request": request},
            touches=(),
            world=WorldReader({}, 0),
            policy=policy,
            user_text=words,
            past=(),
        )
    )


@pytest.mark.parametrize("request_", [WORDS, f" {WORDS}\n"])
def test_the_message_as_it_stands_passes(request_: str) -> None:
    assert answered(request_) is None


def test_each_message_of_several_sessions_passes_whole_also_over_several_lines() -> None:
    words = "First, look.\nThen:\nrestart it."
    assert answered("First, look.", words=words) is None
    assert answered("Then:\nrestart it.", words=words) is None


@pytest.mark.parametrize("request_", [
    "",
    "   ",
    "restart nginx on moon",
    "Do not restart nginx on moon",
    WORDS + " And restart it.",
    "agent: restart nginx on moon",
    WORDS.upper(),
    WORDS.replace("o", "\u043e"),
    WORDS.replace(" ", "  "),
    "\n",
    "x" * 100_000,
])  # fmt: skip
def test_anything_else_is_refused_and_can_be_put_right(request_: str) -> None:
    decision = answered(request_)
    assert decision is not None
    assert (decision.by, decision.terminal) == ("planner_input_isolation", False)
    assert "whole" in decision.next


def test_other_tools_and_a_missing_policy_leave_it_silent() -> None:
    assert answered("restart", tool="run") is None
    assert answered("restart", policy=None) is None
