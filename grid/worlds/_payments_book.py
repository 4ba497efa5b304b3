"""What every topic of the payments world shares: rows that have to be there, and the sink.

Table: `payments`, the sink; a row for each time that money moved.
"""

from typing import Any

from grid.world import ToolError, World, WorldReader

SINK = "payments"
"""Table of what was paid."""


def known(world: WorldReader, table: str, key: str) -> dict[str, Any]:
    """Return a row that has to be there.

    Raises:
        ToolError: it is not.
    """
    row = world.get(table, key)
    if row is None:
        word = table.removesuffix("s")
        raise ToolError(f"unknown_{word}", f"there is no {word} {key!r}")
    return row


def in_order(rows: dict[str, dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    """Return numbered rows in the order of their numbers."""
    return sorted(rows.items(), key=lambda item: (len(item[0]), item[0]))


def settle(world: World, paid: dict[str, Any]) -> dict[str, Any]:
    """Move money: write a new row to the sink and return it with its number."""
    key = f"pay-{len(world.rows(SINK)) + 1}"
    world.put(SINK, key, paid)
    return {"payment": key} | paid


def answer_lost(world: World, tool: str) -> ToolError | None:
    """Return the error of an answer that gets lost now, as often as the fault says."""
    fault = world.get("faults", tool)
    if fault is None or fault["left"] < 1:
        return None
    world.put("faults", tool, fault | {"left": fault["left"] - 1})
    return ToolError(fault["code"], fault["message"])
