"""A tool: what the model sees of it, what it may do, and a pure function of (world, arguments).

A function raises `grid.world.ToolError` (the agent may correct it or must report it) or
`grid.world.WorldRefusal`; anything else it raises is a fault of the harness and ends the trial.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from grid.adapter import ToolSpec
from grid.canonical import Json, digest_of
from grid.evidence import Tables, Touch
from grid.vocabulary import Access
from grid.world import World, WorldReader


def touches_nothing(_world: WorldReader, _arguments: dict[str, Any]) -> tuple[Touch, ...]:
    """Say that a call affects no resource (reads)."""
    return ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tool:
    """One tool of a world; two tools are equal only if they are the same object."""

    name: str
    """Name on the wire."""
    description: str
    """Description on the wire."""
    parameters: dict[str, Any]
    """JSON Schema of the arguments; strict (``additionalProperties`` false) by house rule."""
    access: Access
    """The operator's own classification; hints of a server never change it."""
    run: Callable[[World, dict[str, Any]], Json]
    """(world, arguments) -> result."""
    touches: Callable[[WorldReader, dict[str, Any]], tuple[Touch, ...]] = touches_nothing
    """(world, arguments) -> what the call would affect."""
    annotations: dict[str, Any] = field(default_factory=dict)
    """Hints of the server that offers it; recorded, never obeyed."""
    server: str = "local"
    """Tool server that offers it."""
    compensate: str | None = None
    """Name of the tool that undoes it."""

    def spec(self) -> ToolSpec:
        """Return what the model sees."""
        return ToolSpec(name=self.name, description=self.description, parameters=self.parameters)

    def declared(self) -> dict[str, Any]:
        """Return everything declared about the tool, as JSON (no code)."""
        return {
            "name": self.name,
            "description": self.description,
            "parameters": self.parameters,
            "access": self.access.value,
            "annotations": self.annotations,
            "server": self.server,
            "compensate": self.compensate,
        }

    def digest(self) -> str:
        """Return the digest of the declaration."""
        return digest_of("tool", self.declared())


DEFINITIONS = "definitions"
"""Table by which a world's servers describe their tools otherwise than the operator knows them:
tool name -> {"description": text}. What stands there is shown to the model as it is."""


def described(spec: ToolSpec, tables: Tables) -> ToolSpec:
    """Return a tool as the world's servers describe it at this moment."""
    row = tables.get(DEFINITIONS, {}).get(spec.name)
    return spec if row is None else replace(spec, description=row["description"])


@cache
def validator(tool: Tool) -> Draft202012Validator:
    """Return the validator of a tool's arguments, built once per process."""
    return Draft202012Validator(tool.parameters)


def object_schema(
    properties: dict[str, dict[str, Any]], required: tuple[str, ...] | None = None
) -> dict[str, Any]:
    """Return a strict object schema; all properties are required unless said otherwise."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties if required is None else required),
        "additionalProperties": False,
    }


def text(description: str, **more: Any) -> dict[str, Any]:
    """Return the schema of a text property."""
    return {"type": "string", "description": description} | more


def whole(description: str, **more: Any) -> dict[str, Any]:
    """Return the schema of an integer property."""
    return {"type": "integer", "description": description} | more
