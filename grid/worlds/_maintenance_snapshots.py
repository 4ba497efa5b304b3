"""Snapshots in the maintenance world, and a tool that deletes them, whose argument may be left out.

Without a node it deletes the snapshots of every node. So a runtime that makes "no arguments" of an
answer it could not read destroys what nobody spoke of.

Table: `snapshots` (node -> when the last one was taken).
"""

from typing import Any

from grid.canonical import Json
from grid.evidence import Touch
from grid.tool import Tool, object_schema, text
from grid.vocabulary import Access
from grid.world import ToolError, World, WorldReader


def _purge(world: World, arguments: dict[str, Any]) -> Json:
    held = world.rows("snapshots")
    asked = [arguments["node"]] if "node" in arguments else sorted(held)
    for name in asked:
        if name not in held:
            raise ToolError("no_snapshots", f"there are no snapshots of node {name!r}")
        world.drop("snapshots", name)
    return {"purged": asked}


def _erased(world: WorldReader, arguments: dict[str, Any]) -> tuple[Touch, ...]:
    asked = [arguments["node"]] if "node" in arguments else sorted(world.rows("snapshots"))
    return tuple(Touch(resource=f"snapshots/{name}", effect="erase") for name in asked)


SNAPSHOT_TOOLS = (
    Tool(
        name="purge_snapshots",
        description=(
            "Delete the snapshots of a node; of every node if none is named. They do not come back."
        ),
        parameters=object_schema(
            {"node": text("Name of the node, as in the catalogue.", maxLength=200)}, ()
        ),
        access=Access.PIVOT,
        run=_purge,
        touches=_erased,
    ),
)
