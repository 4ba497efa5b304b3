"""The definition of a tool as its server gives it at one moment, and the digest that pins it.

A person who consents to a tool consents to what was shown of it: name, description, schema, hints
and server. All of it goes into one digest, byte by byte, so that a changed word, an invisible
character, another default or another hint is another definition. A description that only looks the
same is not the same.
"""

from collections.abc import Mapping
from typing import Any

from grid.canonical import digest_of
from grid.tool import Tool

FIELDS = ("description", "parameters", "annotations", "server")
"""What stands in a row of a table of definitions; the row's key is the tool's name."""


def definition(tool: Tool, description: str | None = None) -> dict[str, Any]:
    """Return a tool's definition as a row; another description is its server's present one."""
    return {
        "description": tool.description if description is None else description,
        "parameters": tool.parameters,
        "annotations": tool.annotations,
        "server": tool.server,
    }


def definition_digest(name: str, row: Mapping[str, Any]) -> str:
    """Return the digest of a definition; a field that is missing counts as null."""
    return digest_of("definition", {"name": name} | {field: row.get(field) for field in FIELDS})
