"""A tool as it stands on the wire of a chat completion: verbatim, the same from every adapter."""

from collections.abc import Mapping
from typing import Any

from grid.adapter import ToolSpec


def wire_tool(spec: ToolSpec) -> dict[str, Any]:
    """Return the tool as OpenAI's API writes it."""
    return {
        "type": "function",
        "function": {
            "name": spec.name,
            "description": spec.description,
            "parameters": spec.parameters,
        },
    }


def verbatim(
    request: dict[str, Any], messages: Any, tools: Any, sampling: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a request whose messages, tools and sampling parameters go out as they are.

    OpenAI's client walks through whatever stands under its own parameters and looks up the type of
    every part, which costs a third of a whole run; ``extra_body`` it takes over unread.
    """
    rest = {key: value for key, value in request.items() if key != "tools"}
    body = {"messages": messages, "tools": tools, **sampling}
    return {**rest, "messages": [], "extra_body": body}
