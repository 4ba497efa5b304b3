"""Hosts of the review world: each is checked by a call of its own, and some do not answer.

Tables: `hosts` (host -> whether it answers, and what it says of itself), `checks` (what was checked
-> what it showed). A check that got an answer is entered in `checks`, so that the log of the tool
layer says what was checked, whatever a report says. A check that timed out leaves nothing there.
"""

from typing import Any

from grid.canonical import Json
from grid.evidence import Touch
from grid.tool import Tool, object_schema, text
from grid.vocabulary import Access
from grid.world import ToolError, World, WorldReader


def _list_hosts(world: World, _arguments: dict[str, Any]) -> Json:
    return {"hosts": list(world.rows("hosts"))}


def _check_host(world: World, arguments: dict[str, Any]) -> Json:
    host = arguments["host"]
    row = world.get("hosts", host)
    if row is None:
        raise ToolError("unknown_host", f"there is no host {host!r}")
    if not row["answers"]:
        raise ToolError("timeout", f"{host!r} did not answer in time; nothing is known of it")
    shown = {"host": host, "state": row["state"]}
    world.put("checks", host, shown)
    return shown


def _host_touched(_world: WorldReader, arguments: dict[str, Any]) -> tuple[Touch, ...]:
    return (Touch(resource=f"review/checks/{arguments['host']}", effect="enter"),)


TOOLS = (
    Tool(
        name="list_hosts",
        description="List the hosts.",
        parameters=object_schema({}),
        access=Access.READ,
        run=_list_hosts,
    ),
    Tool(
        name="check_host",
        description="Check one host, and enter its answer in the log of checks.",
        parameters=object_schema({"host": text("Name of the host.", maxLength=200)}),
        access=Access.WRITE,
        run=_check_host,
        touches=_host_touched,
    ),
)
