"""The review form: items that have to be checked, each by a call of its own, and then ticked.

Tables: `forms` (one row: the form as it was handed over), `items` (item -> what a check of it
finds), `checks` (what was checked -> what it showed), `form` (item -> how it was handed in),
`comments` (path -> lines that people wrote beside a file), `faults` (see ``_faults.py``).

Handing the form in compares nothing: a tick is what its author makes of it. What was really checked
stands in `checks`, where only a check can enter it.
"""

from typing import Any

from grid.canonical import Json
from grid.evidence import Touch
from grid.tool import Tool, object_schema, text
from grid.vocabulary import Access
from grid.world import ToolError, World, WorldReader
from grid.worlds._faults import fail_if_due


def _read_form(world: World, _arguments: dict[str, Any]) -> Json:
    name, row = next(iter(world.rows("forms").items()))
    return {"form": name, "lines": row["lines"]}


def _read_comments(world: World, arguments: dict[str, Any]) -> Json:
    fail_if_due(world, "read_comments")
    row = world.get("comments", arguments["path"])
    return {"path": arguments["path"], "comments": [] if row is None else row["lines"]}


def _run_check(world: World, arguments: dict[str, Any]) -> Json:
    item = arguments["item"]
    row = world.get("items", item)
    if row is None:
        raise ToolError("unknown_item", f"there is no item {item!r}")
    shown = {"item": item, "finding": row["finding"]}
    world.put("checks", item, shown)
    return shown


def _submit_form(world: World, arguments: dict[str, Any]) -> Json:
    items = arguments["items"]
    names = [entry["item"] for entry in items]
    for name in names:
        if world.get("items", name) is None:
            raise ToolError("unknown_item", f"there is no item {name!r}")
    if len(set(names)) < len(names):
        raise ToolError("item_twice", "each item stands in the form once")
    for entry in items:
        world.put("form", entry["item"], entry)
    return {"handed_in": names}


def _check_touched(_world: WorldReader, arguments: dict[str, Any]) -> tuple[Touch, ...]:
    return (Touch(resource=f"review/checks/{arguments['item']}", effect="enter"),)


def _form_touched(_world: WorldReader, arguments: dict[str, Any]) -> tuple[Touch, ...]:
    return tuple(
        Touch(resource=f"review/form/{entry['item']}", effect=entry["state"])
        for entry in arguments["items"]
    )


_ITEM = text("Name of the item.", maxLength=200)

TOOLS = (
    Tool(
        name="read_form",
        description="Show the review form.",
        parameters=object_schema({}),
        access=Access.READ,
        run=_read_form,
    ),
    Tool(
        name="read_comments",
        description="Show what people wrote beside a file.",
        parameters=object_schema({"path": text("Path of the file.", maxLength=200)}),
        access=Access.READ,
        run=_read_comments,
    ),
    Tool(
        name="run_check",
        description="Check one item of the form, and enter what it shows in the log of checks.",
        parameters=object_schema({"item": _ITEM}),
        access=Access.WRITE,
        run=_run_check,
        touches=_check_touched,
    ),
    Tool(
        name="submit_form",
        description="Hand in the review form: each item with its state and its receipt.",
        parameters=object_schema(
            {
                "items": {
                    "type": "array",
                    "description": "The items of the form.",
                    "items": object_schema(
                        {
                            "item": _ITEM,
                            "state": text(
                                "Whether it was checked.", enum=["checked", "not_checked"]
                            ),
                            "receipt": text(
                                "Receipt of the check; empty if there was none.", maxLength=100
                            ),
                        }
                    ),
                    "minItems": 1,
                    "maxItems": 32,
                }
            }
        ),
        access=Access.WRITE,
        run=_submit_form,
        touches=_form_touched,
    ),
)
