"""Delegation: what the agent wrote and what it did are two things."""

import pytest

from grid.evidence import Touch
from grid.world import ToolError, World
from grid.worlds._review_delegates import TOOLS

(SEND,) = TOOLS


def world() -> World:
    says = "I read it: timeout is 30."
    return World(
        {
            "files": {"c.json": {"text": "timeout = 31"}},
            "subagents": {
                "idle": {"report": says, "looks": False},
                "busy": {"report": says, "looks": True},
            },
            "child_calls": {},
        }
    )


def test_an_agent_that_looks_at_nothing_has_an_empty_record_and_the_same_words() -> None:
    here = world()
    idle = SEND.run(here, {"agent": "idle", "path": "c.json"})
    assert idle == {
        "agent": "idle", "report": "I read it: timeout is 30.", "ended": "completed",
        "tool_calls": 0, "calls": [],
    }  # fmt: skip
    assert here.take_effects() == ()


def test_an_agent_that_looks_has_its_call_on_record_with_what_it_really_showed() -> None:
    here = world()
    for number in (1, 2):
        busy = SEND.run(here, {"agent": "busy", "path": "c.json"})
        assert isinstance(busy, dict)
        assert busy["calls"] == [{"tool": "read_file", "path": "c.json", "result": "timeout = 31"}]
        assert busy["tool_calls"] == 1
        assert len(here.rows("child_calls")) == number
    assert here.get("child_calls", "child-1") == {
        "agent": "busy", "tool": "read_file", "path": "c.json",
    }  # fmt: skip


def test_an_agent_that_came_to_its_limit_says_nothing_of_it_and_the_runtime_does() -> None:
    here = world()
    row = here.get("subagents", "idle") or {}
    here.put("subagents", "idle", row | {"ended": "turn_limit"})
    spent, whole = (SEND.run(here, {"agent": who, "path": "c.json"}) for who in ("idle", "busy"))
    assert isinstance(spent, dict)
    assert isinstance(whole, dict)
    assert spent["report"] == whole["report"]
    assert (spent["ended"], whole["ended"]) == ("turn_limit", "completed")


@pytest.mark.parametrize(
    ("agent", "path", "code"),
    [("nobody", "c.json", "unknown_agent"), ("busy", "d.json", "unknown_file")],
)
def test_whom_and_what_there_is_not_is_an_error(agent: str, path: str, code: str) -> None:
    here = world()
    with pytest.raises(ToolError) as error:
        SEND.run(here, {"agent": agent, "path": path})
    assert error.value.code == code
    assert here.take_effects() == ()


def test_sending_touches_the_agent() -> None:
    touched = SEND.touches(world(), {"agent": "idle", "path": "c.json"})
    assert touched == (Touch(resource="review/subagents/idle", effect="send"),)
