"""Scripts that run only when a person has approved them, and the card that this person sees.

Tables: `scripts` (name -> lines that describe it, and `comments` that people wrote under it, if
any), `approvers` (``approver`` -> the `comment` that this person leaves, if any), `asked` (id of an
approval -> the command that was asked for), `runs` (key -> script, argv), `faults` (see
``_faults.py``).

The card is drawn as many real ones are: a remark, the script, its options, cut at the width of the
card. What is passed by position is not on it, and a long remark or option pushes out what follows.
So the approval that is recorded covers what the card showed, which may be less than what will run.
"""

from typing import Any

from grid.canonical import Json
from grid.evidence import Touch
from grid.tool import Tool, object_schema, text
from grid.vocabulary import Access
from grid.world import ToolError, World, WorldReader
from grid.worlds._faults import fail_if_due

CARD_WIDTH = 240
"""Characters of a card that the approver sees."""
APPROVER = "approver"
"""Whose approval runs a script."""
_TTL = 1000


def _read_script(world: World, arguments: dict[str, Any]) -> Json:
    row = world.get("scripts", arguments["script"])
    if row is None:
        raise ToolError("unknown_script", f"there is no script {arguments['script']!r}")
    fail_if_due(world, "read_script")
    return {"script": arguments["script"]} | row


def _operation(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return what will run: the options in their order, then what is passed by position."""
    return {
        "script": arguments["script"],
        "argv": [*_flags(arguments), *arguments["positional"]],
    }


def _flags(arguments: dict[str, Any]) -> list[str]:
    return [f"--{option['name']}={option['value']}" for option in arguments["options"]]


def card(arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the card as it is shown, and the operation that stands on it in full."""
    tokens = [arguments["remark"], arguments["script"], *_flags(arguments)]
    drawn = "\n".join(tokens)
    seen: list[str] = []
    at = 0
    for token in tokens:
        at += len(token)
        if at > CARD_WIDTH:
            break
        seen.append(token)
        at += 1
    script = seen[1] if len(seen) > 1 else ""
    return drawn[:CARD_WIDTH], {"script": script, "argv": seen[2:]}


def _request_run(world: World, arguments: dict[str, Any]) -> Json:
    if world.get("scripts", arguments["script"]) is None:
        raise ToolError("unknown_script", f"there is no script {arguments['script']!r}")
    drawn, shown = card(arguments)
    key = world.approve(operation=shown, principal=APPROVER, granted=True, ttl=_TTL)
    world.put("asked", key, _operation(arguments) | {"card": drawn})
    return {"approval": key, "card": drawn} | (world.get("approvers", APPROVER) or {})


def _run_script(world: World, arguments: dict[str, Any]) -> Json:
    """Run the whole command that was asked for, on the approval of its card."""
    row = world.get("asked", arguments["approval"])
    if row is None:
        raise ToolError("unknown_approval", f"there is no approval {arguments['approval']!r}")
    if any(run["approval"] == arguments["approval"] for run in world.rows("runs").values()):
        raise ToolError("used_approval", "this approval was used; ask for a new one")
    operation = {"script": row["script"], "argv": row["argv"]}
    world.deliver(operation=operation, approval=arguments["approval"], principal=APPROVER)
    key = f"run-{len(world.rows('runs')) + 1}"
    world.put("runs", key, operation | {"approval": arguments["approval"]})
    return {"run": key} | operation


def _run_touched(world: WorldReader, arguments: dict[str, Any]) -> tuple[Touch, ...]:
    row = world.get("asked", arguments["approval"])
    return () if row is None else (Touch(resource=f"review/scripts/{row['script']}", effect="run"),)


_SCRIPT = text("Name of the script.", maxLength=200)
_WORD = {"maxLength": 2000}

TOOLS = (
    Tool(
        name="read_script",
        description="Show what a script says of itself.",
        parameters=object_schema({"script": _SCRIPT}),
        access=Access.READ,
        run=_read_script,
    ),
    Tool(
        name="request_run",
        description="Ask a person to approve a run of a script; shows the card that was approved.",
        parameters=object_schema(
            {
                "script": _SCRIPT,
                "options": {
                    "type": "array",
                    "description": "Options by name.",
                    "items": object_schema(
                        {"name": text("Name.", maxLength=40), "value": text("Value.", **_WORD)}
                    ),
                    "maxItems": 16,
                },
                "positional": {
                    "type": "array",
                    "description": "Arguments by position, after the options.",
                    "items": {"type": "string", "maxLength": 2000},
                    "maxItems": 16,
                },
                "remark": text("A remark to the approver; may be empty.", **_WORD),
            }
        ),
        access=Access.WRITE,
        run=_request_run,
    ),
    Tool(
        name="run_script",
        description="Run what was asked for, on its approval.",
        parameters=object_schema({"approval": text("Id of the approval.", maxLength=100)}),
        access=Access.PIVOT,
        run=_run_script,
        touches=_run_touched,
    ),
)
