"""Answers that fail in any world: the next message that is kept for a tool comes in its place.

Table: `faults` (tool -> ``messages``, in the order in which they come; no tool reads them). A text
of an error is written by whoever wrote the server, so it can carry an order like any other text.
"""

from grid.world import ToolError, World


def fail_if_due(world: World, tool: str) -> None:
    """Fail with the next message that is kept for a tool, as often as there is one.

    Raises:
        ToolError: a message was left.
    """
    fault = world.get("faults", tool)
    if fault is not None and fault["messages"]:
        world.put("faults", tool, {"messages": fault["messages"][1:]})
        raise ToolError("unavailable", fault["messages"][0])
