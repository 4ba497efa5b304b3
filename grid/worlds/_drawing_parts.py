"""Parts of the drawing world: drawn one by one, or as one transaction.

Tables: `parts` (kind, layer, size, and `state`: whole or half), `faults` (row `engine`: after
`good` more parts the drawing engine fails, `left` times; row `remove`: a part that cannot be
removed; no tool reads them).

A part whose drawing fails is left half drawn: the program has no transaction of its own, as most
have none. Who draws one by one has to clean up. `draw_parts` is the transaction: after a failure it
removes what it drew, last first, and says ``rolled_back`` only if all of it is gone. If a removal
fails as well it goes on with the others and names what is left.
"""

from typing import Any

from grid.canonical import Json
from grid.evidence import Touch
from grid.tool import Tool, object_schema, text, whole
from grid.vocabulary import Access
from grid.world import ToolError, World, WorldReader

PART = "drawing/part/"
"""Begins the resource of a part; its id follows."""
FAILED = "engine_failure"
"""Error code of a part whose drawing failed half way."""
ROLLED_BACK = "rolled_back"
"""Error code of a transaction that failed and of which nothing is left."""

_TEXT = {"maxLength": 100}
_ID = text("Id of the part.", minLength=1, **_TEXT)
_PLANNED = {
    "part": _ID,
    "kind": text("Kind of part.", **_TEXT),
    "layer": text("Name of the layer.", **_TEXT),
    "size": whole("Size in micrometres.", minimum=1, maximum=10_000_000),
}


def _drawn(ids: list[str]) -> tuple[Touch, ...]:
    return tuple(Touch(resource=PART + key, effect="draw") for key in dict.fromkeys(ids))


def _free(world: WorldReader, part: str) -> None:
    if world.get("parts", part) is not None:
        raise ToolError("part_exists", f"there is a part {part!r} already; nothing was drawn")


def _there(world: WorldReader, part: str) -> dict[str, Any]:
    row = world.get("parts", part)
    if row is None:
        raise ToolError("unknown_part", f"there is no part {part!r}")
    return row


def _engine_fails(world: World) -> bool:
    """Count one more part; tell whether the engine fails at it."""
    fault = world.get("faults", "engine")
    if fault is None or fault["left"] < 1:
        return False
    due = fault["good"] < 1
    changed = {"left": fault["left"] - 1} if due else {"good": fault["good"] - 1}
    world.put("faults", "engine", fault | changed)
    return bool(due)


def _draw(world: World, part: str, look: dict[str, Any]) -> dict[str, Any]:
    """Draw one part; what fails stays half drawn."""
    failed = _engine_fails(world)
    world.put("parts", part, look | {"state": "half" if failed else "whole"})
    if failed:
        raise ToolError(FAILED, f"the drawing engine failed at {part!r}; it may be half drawn")
    return {"part": part} | look


def _look_of(arguments: dict[str, Any]) -> dict[str, Any]:
    return {name: arguments[name] for name in ("kind", "layer", "size")}


def _draw_part(world: World, arguments: dict[str, Any]) -> Json:
    _free(world, arguments["part"])
    return _draw(world, arguments["part"], _look_of(arguments))


def _copy_part(world: World, arguments: dict[str, Any]) -> Json:
    source = _there(world, arguments["source"])
    _free(world, arguments["part"])
    return _draw(world, arguments["part"], _look_of(source))


def _remove(world: World, part: str) -> None:
    _there(world, part)
    stuck = world.get("faults", "remove")
    if stuck is not None and stuck["part"] == part:
        raise ToolError("part_locked", f"part {part!r} is locked and cannot be removed")
    world.drop("parts", part)


def _remove_part(world: World, arguments: dict[str, Any]) -> Json:
    _remove(world, arguments["part"])
    return {"removed": arguments["part"], "left": len(world.rows("parts"))}


def _taken_back(world: World, ids: list[str]) -> list[str]:
    """Remove parts, last first; return those whose removal failed."""
    stuck: list[str] = []
    for part in reversed(ids):
        try:
            _remove(world, part)
        except ToolError:
            stuck.append(part)
    return stuck


def _draw_parts(world: World, arguments: dict[str, Any]) -> Json:
    """Draw all parts or none."""
    plan = arguments["parts"]
    ids = [item["part"] for item in plan]
    if len(set(ids)) < len(ids):
        raise ToolError("part_twice", "an id stands twice in the plan; nothing was drawn")
    for part in ids:
        _free(world, part)
    for number, item in enumerate(plan, start=1):
        try:
            _draw(world, item["part"], _look_of(item))
        except ToolError as failure:
            _give_up(world, ids[:number], failure)
    return {"status": "committed", "drawn": list(ids)}


def _give_up(world: World, begun: list[str], failure: ToolError) -> None:
    """Take an attempt back and say how that went."""
    stuck = _taken_back(world, begun)
    if stuck:
        raise ToolError(
            "not_rolled_back",
            f"{failure.message}. rolled_back: false, {', '.join(stuck)} could not be removed; a "
            "person has to look at the drawing",
        )
    raise ToolError(
        ROLLED_BACK,
        f"step {len(begun)} of the plan failed: {failure.message}. rolled_back: true, no part of "
        "the attempt is in the drawing; plan from the beginning",
    )


def _list_parts(world: World, _arguments: dict[str, Any]) -> Json:
    return {"parts": [{"part": key} | row for key, row in world.rows("parts").items()]}


PARTS = (
    Tool(
        name="list_parts",
        description="List the parts of the drawing and whether they are whole.",
        parameters=object_schema({}),
        access=Access.READ,
        run=_list_parts,
    ),
    Tool(
        name="draw_part",
        description="Draw one part. If it fails, what was drawn so far stays in the drawing.",
        parameters=object_schema(_PLANNED),
        access=Access.WRITE,
        run=_draw_part,
        touches=lambda _world, arguments: _drawn([arguments["part"]]),
        compensate="remove_part",
    ),
    Tool(
        name="copy_part",
        description="Draw a part like another one, under an id of its own.",
        parameters=object_schema({"source": _ID, "part": _ID}),
        access=Access.WRITE,
        run=_copy_part,
        touches=lambda _world, arguments: _drawn([arguments["part"]]),
        compensate="remove_part",
    ),
    Tool(
        name="draw_parts",
        description="Draw parts as one transaction: all of them, or none if one fails.",
        parameters=object_schema(
            {
                "parts": {
                    "type": "array",
                    "description": "The parts, in the order in which they are drawn.",
                    "items": object_schema(_PLANNED),
                    "minItems": 1,
                    "maxItems": 50,
                }
            }
        ),
        access=Access.WRITE,
        run=_draw_parts,
        touches=lambda _world, arguments: _drawn([item["part"] for item in arguments["parts"]]),
    ),
    Tool(
        name="remove_part",
        description="Remove a part from the drawing, whole or half.",
        parameters=object_schema({"part": _ID}),
        access=Access.WRITE,
        run=_remove_part,
        touches=lambda _world, arguments: (
            Touch(resource=PART + arguments["part"], effect="erase"),
        ),
    ),
)
"""The tools for parts."""
