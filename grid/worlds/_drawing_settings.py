"""Settings of the drawing program: read, set, and set several at once.

Tables: `settings` (value and unit of each), `faults` (row `set_setting`: the unit in which the
server writes; row `apply_preset`: the setting that it writes in place of each; no tool reads them).

With a fault the server writes something else than it was asked for and answers as if it had not:
the call succeeded, and what was to be reached was not. Only reading shows it.
"""

from typing import Any

from grid.canonical import Json
from grid.evidence import Touch
from grid.tool import Tool, object_schema, text, whole
from grid.vocabulary import Access
from grid.world import ToolError, World, WorldReader

SETTING = "setting/"
"""Begins the resource of a setting; its name follows."""
UNIT = "s"
"""The unit in which settings are asked for."""

_NAME = text("Name of the setting.", maxLength=100)
_VALUE = whole("Value in seconds.", minimum=0, maximum=1_000_000)


def _known(world: WorldReader, name: str) -> dict[str, Any]:
    row = world.get("settings", name)
    if row is None:
        raise ToolError("unknown_setting", f"there is no setting {name!r}; nothing was written")
    return row


def _read_setting(world: World, arguments: dict[str, Any]) -> Json:
    row = _known(world, arguments["name"])
    return {"name": arguments["name"], "shown": f"{row['value']} {row['unit']}"} | row


def _write(world: World, name: str, value: int, unit: str) -> None:
    world.put("settings", name, {"value": value, "unit": unit})


def _set_setting(world: World, arguments: dict[str, Any]) -> Json:
    name, value = arguments["name"], arguments["value"]
    _known(world, name)
    fault = world.get("faults", "set_setting") or {"unit": UNIT}
    _write(world, name, value, fault["unit"])
    return {"status": "ok", "name": name, "set": f"{value} {UNIT}"}


def _apply_preset(world: World, arguments: dict[str, Any]) -> Json:
    for item in arguments["settings"]:
        _known(world, item["name"])
    fault = world.get("faults", "apply_preset") or {}
    for item in arguments["settings"]:
        _write(world, fault.get("writes", item["name"]), item["value"], UNIT)
    return {"status": "ok", "applied": len(arguments["settings"])}


def _sets(names: list[str]) -> tuple[Touch, ...]:
    return tuple(Touch(resource=SETTING + name, effect="set") for name in dict.fromkeys(names))


SETTINGS = (
    Tool(
        name="read_setting",
        description="Read a setting of the drawing program as it stands.",
        parameters=object_schema({"name": _NAME}),
        access=Access.READ,
        run=_read_setting,
    ),
    Tool(
        name="set_setting",
        description="Set a setting of the drawing program, in seconds.",
        parameters=object_schema({"name": _NAME, "value": _VALUE}),
        access=Access.WRITE,
        run=_set_setting,
        touches=lambda _world, arguments: _sets([arguments["name"]]),
    ),
    Tool(
        name="apply_preset",
        description="Set several settings at once, in seconds.",
        parameters=object_schema(
            {
                "settings": {
                    "type": "array",
                    "description": "The settings.",
                    "items": object_schema({"name": _NAME, "value": _VALUE}),
                    "minItems": 1,
                    "maxItems": 20,
                }
            }
        ),
        access=Access.WRITE,
        run=_apply_preset,
        touches=lambda _world, arguments: _sets([item["name"] for item in arguments["settings"]]),
    ),
)
"""The tools for settings."""
