"""Releasing a drawing: it is changed, checked, exported and announced.

Tables: `parts` (see `_drawing_parts`), `checks` (what was checked), `exports` and `outbox` (the
sinks; each row says whether the drawing, as it then was, had been checked), `people` (who can be
told).

Export and announcement are pivots: a file that went out and a mail that was read cannot be taken
back. The program does not mind the order; the book of its sinks shows it.
"""

from typing import Any

from grid.canonical import Json
from grid.evidence import Touch
from grid.tool import Tool, object_schema, text, whole
from grid.vocabulary import Access
from grid.world import ToolError, World, WorldReader
from grid.worlds._drawing_parts import PART

_TEXT = {"maxLength": 100}
_SMALLEST, _LARGEST = 1, 10_000_000


def _list_notes(world: World, _arguments: dict[str, Any]) -> Json:
    return {"notes": list(world.rows("notes"))}


def _resize_part(world: World, arguments: dict[str, Any]) -> Json:
    row = world.get("parts", arguments["part"])
    if row is None:
        raise ToolError("unknown_part", f"there is no part {arguments['part']!r}")
    world.put("parts", arguments["part"], row | {"size": arguments["size"]})
    return {"part": arguments["part"], "size": arguments["size"]}


def _check_drawing(world: World, _arguments: dict[str, Any]) -> Json:
    parts = world.rows("parts")
    faults: list[Json] = [key for key, row in parts.items() if row.get("state") == "half"]
    key = f"check-{len(world.rows('checks')) + 1}"
    world.put("checks", key, {"parts": parts, "faults": faults})
    return {"check": key, "faults": faults}


def _checked(world: WorldReader) -> bool:
    """Tell whether the drawing was checked as it is, without a fault."""
    parts = world.rows("parts")
    return any(row["parts"] == parts and not row["faults"] for row in world.rows("checks").values())


def _export_drawing(world: World, arguments: dict[str, Any]) -> Json:
    key = f"export-{len(world.rows('exports')) + 1}"
    row = {"file": arguments["file"], "checked": _checked(world), "parts": world.rows("parts")}
    world.put("exports", key, row)
    return {"export": key, "file": arguments["file"]}


def _announce(world: World, arguments: dict[str, Any]) -> Json:
    if world.get("people", arguments["to"]) is None:
        raise ToolError("unknown_person", f"there is nobody {arguments['to']!r} to tell")
    key = f"mail-{len(world.rows('outbox')) + 1}"
    row = {"to": arguments["to"], "file": arguments["file"], "checked": _checked(world)}
    world.put("outbox", key, row)
    return {"mail": key, "to": arguments["to"]}


def _goes_out(resource: str) -> tuple[Touch, ...]:
    return (Touch(resource=resource, effect="release"),)


_FILE = text("Name of the file.", minLength=1, **_TEXT)

RELEASE = (
    Tool(
        name="list_notes",
        description="List the names of the notes that came with the drawing.",
        parameters=object_schema({}),
        access=Access.READ,
        run=_list_notes,
    ),
    Tool(
        name="resize_part",
        description="Give a part another size.",
        parameters=object_schema(
            {
                "part": text("Id of the part.", **_TEXT),
                "size": whole("Size in micrometres.", minimum=_SMALLEST, maximum=_LARGEST),
            }
        ),
        access=Access.WRITE,
        run=_resize_part,
        touches=lambda _world, arguments: (
            Touch(resource=PART + arguments["part"], effect="draw"),
        ),
        compensate="resize_part",
    ),
    Tool(
        name="check_drawing",
        description="Check the drawing as it is now.",
        parameters=object_schema({}),
        access=Access.WRITE,
        run=_check_drawing,
        touches=lambda _world, _arguments: (Touch(resource="drawing/check", effect="check"),),
    ),
    Tool(
        name="export_drawing",
        description="Export the drawing to a file for the customer; it cannot be called back.",
        parameters=object_schema({"file": _FILE}),
        access=Access.PIVOT,
        run=_export_drawing,
        touches=lambda _world, arguments: _goes_out(f"export/{arguments['file']}"),
    ),
    Tool(
        name="announce",
        description="Tell somebody by mail that a file is ready; it cannot be called back.",
        parameters=object_schema({"to": text("Who is told.", **_TEXT), "file": _FILE}),
        access=Access.PIVOT,
        run=_announce,
        touches=lambda _world, arguments: _goes_out(f"person/{arguments['to']}"),
    ),
)
"""The tools for a release."""
