"""A look at the disks of the maintenance world, by a tool whose every argument may be left out.

Without a node it looks at all of them. So a runtime that makes "no arguments" of an answer it
could not read does something that nobody asked for, and each look leaves a trace.

Tables: `nodes`, `executions`.
"""

from typing import Any

from grid.canonical import Json
from grid.evidence import Touch
from grid.tool import Tool, object_schema, text
from grid.vocabulary import Access
from grid.world import ToolError, World, WorldReader
from grid.worlds._maintenance_actions import execute


def _check_disk(world: World, arguments: dict[str, Any]) -> Json:
    nodes = world.rows("nodes")
    asked = [arguments["node"]] if "node" in arguments else list(nodes)
    for name in asked:
        if name not in nodes:
            raise ToolError("unknown_node", f"node {name!r} is not in the catalogue")
        execute(world, "disk.check", name)
    return {"disks": {name: nodes[name]["disk"] for name in asked}}


def _looks_at(world: WorldReader, arguments: dict[str, Any]) -> tuple[Touch, ...]:
    asked = [arguments["node"]] if "node" in arguments else list(world.rows("nodes"))
    return tuple(Touch(resource=f"node/{name}", effect="read") for name in asked)


DISK_TOOLS = (
    Tool(
        name="check_disk",
        description="Check the disk of a node in the catalogue; of every node if none is named.",
        parameters=object_schema(
            {"node": text("Name of the node, as in the catalogue.", maxLength=200)}, ()
        ),
        access=Access.READ,
        run=_check_disk,
        touches=_looks_at,
    ),
)
