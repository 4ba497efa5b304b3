"""A tool as it stands on the wire of a chat completion: verbatim, the same from every adapter."""

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
