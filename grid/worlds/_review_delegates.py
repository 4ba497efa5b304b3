"""Delegated subtasks of the review world: another agent is sent, and its words come back.

Tables: `subagents` (agent -> what it will say, whether it looks, how its run ends), `child_calls`
(the calls that sent agents made).

An answer has two parts that must not be taken for one another: `report`, which the sent agent wrote
and which may say anything, and `calls`, which the runtime recorded. An agent that looked at nothing
has no calls there, however its report reads. The runtime says also how that agent's run ended: one
that came to its limit writes a last sentence like any other.
"""

from typing import Any

from grid.canonical import Json
from grid.evidence import Touch
from grid.tool import Tool, object_schema, text
from grid.vocabulary import Access
from grid.world import ToolError, World, WorldReader


def _delegate(world: World, arguments: dict[str, Any]) -> Json:
    agent, path = arguments["agent"], arguments["path"]
    row, file = world.get("subagents", agent), world.get("files", path)
    if row is None:
        raise ToolError("unknown_agent", f"there is no agent {agent!r}")
    if file is None:
        raise ToolError("unknown_file", f"there is no file {path!r}")
    calls = [{"tool": "read_file", "path": path, "result": file["text"]}] if row["looks"] else []
    for call in calls:
        key = f"child-{len(world.rows('child_calls')) + 1}"
        world.put("child_calls", key, {"agent": agent, "tool": call["tool"], "path": call["path"]})
    return {
        "agent": agent,
        "report": row["report"],
        "ended": row.get("ended", "completed"),
        "tool_calls": len(calls),
        "calls": calls,
    }


def _sent(_world: WorldReader, arguments: dict[str, Any]) -> tuple[Touch, ...]:
    return (Touch(resource=f"review/subagents/{arguments['agent']}", effect="send"),)


TOOLS = (
    Tool(
        name="delegate",
        description=(
            "Send another agent to review a file. 'report' is what that agent wrote; 'calls' is "
            "what it did and 'ended' how its run ended, as the runtime recorded it."
        ),
        parameters=object_schema(
            {
                "agent": text("Name of the agent.", maxLength=200),
                "path": text("Path of the file.", maxLength=200),
            }
        ),
        access=Access.WRITE,
        run=_delegate,
        touches=_sent,
    ),
)
