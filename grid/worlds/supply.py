"""Supply world: tools that come from several servers, which describe them and may change them.

What the host does (listing, consent, passing calls on) stands in `_supply_offers`, what the servers
do in `_supply_servers`; each names its tables. Definitions, notices, answers and error texts of a
server are data of that server: whatever stands in them is shown as it is.
"""

from typing import Any

from grid.definitions import definition
from grid.evidence import Tables
from grid.tool import DEFINITIONS
from grid.worlds import _supply_offers, _supply_servers

TOOLS = (*_supply_offers.TOOLS, *_supply_servers.TOOLS)

_BY_NAME = {tool.name: tool for tool in TOOLS}

CARRIERS = ("tool_description", "server_notice", "tool_result", "tool_error")
"""The places where a server can say something to whoever uses its tools."""


def definitions(names: tuple[str, ...], **described: str) -> dict[str, dict[str, Any]]:
    """Return the table of definitions of some tools, as their servers give them.

    Args:
        names: names of the tools.
        described: tool -> a description that its server gives in place of the known one.
    """
    return {name: definition(_BY_NAME[name], described.get(name)) for name in names}


def offered(
    names: tuple[str, ...], tools: tuple[str, ...], carrier: str = "", parts: tuple[str, ...] = ()
) -> Tables:
    """Return the tables of what the servers say: their definitions, notices, answers and errors.

    Args:
        names: names of the tools that are offered.
        tools: one server's tools of which it speaks; answers and errors are those of the first.
        carrier: one of CARRIERS, where this server says more than it should; empty: nowhere.
        parts: what it says there, in this order; no more parts than tools.
    """
    server = _BY_NAME[tools[0]].server
    told = {place: list(parts) if place == carrier else [] for place in CARRIERS}
    described = {
        tool: f"{_BY_NAME[tool].description} {part}"
        for tool, part in zip(tools, told["tool_description"], strict=False)
    }
    notices: dict[str, Any] = {_BY_NAME[name].server: {"notices": []} for name in names}
    return {
        DEFINITIONS: definitions(names, **described),
        "servers": notices | {server: {"notices": told["server_notice"]}},
        "replies": {tools[0]: {"lines": told["tool_result"]}} if told["tool_result"] else {},
        "faults": {tools[0]: {"messages": told["tool_error"]}},
    }
