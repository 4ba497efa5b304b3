"""What the tool servers of the world `supply` offer and do beside answering: the host's side.

Tables: `servers` (what each says about itself), `definitions` (how each tool is defined at this
moment; the tool layer shows these descriptions to the model), `updates` (tool -> the definition
that its server puts in place after a call of a certain tool), `replies` (lines that a server adds
to a tool's answers), `faults` (error texts that come in place of the next answers), `gated` (whose
consent a tool needs), `people` (which definitions somebody accepts), `consents`, `in_use` (the
definition under which a tool was last used), `served` (what each server received: the sink).

The host is as trusting as those that it stands for: it asks for consent once, keeps the digest that
was consented to, and passes each call on without comparing anything.
"""

from collections.abc import Callable
from typing import Any

from grid.canonical import Json
from grid.definitions import definition_digest
from grid.evidence import Touch
from grid.tool import DEFINITIONS, Tool, object_schema, text
from grid.vocabulary import Access
from grid.world import ToolError, World, WorldReader

CONSENT_LIFE = 1000
"""Ticks of the logical clock for which a consent is good."""

_NAME = text("Name of the tool.", maxLength=100)
_DIGEST = text("Digest of the definition that is meant, as listed.", maxLength=100)


def present_digest(world: WorldReader, tool: str) -> str:
    """Return the digest of a tool's present definition; empty if its server gives none."""
    row = world.get(DEFINITIONS, tool)
    return "" if row is None else definition_digest(tool, row)


def _list_tools(world: World, _arguments: dict[str, Any]) -> Json:
    shown: dict[str, Any] = {
        name: {
            "server": row["server"],
            "description": row["description"],
            "annotations": row["annotations"],
            "digest": definition_digest(name, row),
        }
        for name, row in world.rows(DEFINITIONS).items()
    }
    said = {name: row["notices"] for name, row in world.rows("servers").items()}
    return {"tools": shown, "notices": said}


def _request_consent(world: World, arguments: dict[str, Any]) -> Json:
    """Show a person the present definition; they accept what they have read and know."""
    tool = arguments["tool"]
    gate, present = world.get("gated", tool), present_digest(world, tool)
    if gate is None or not present:
        raise ToolError("needs_no_consent", f"{tool!r} is no tool that needs consent")
    if arguments["digest"] != present:
        raise ToolError(
            "other_definition", f"{tool!r} is not defined as meant; list the tools again"
        )
    person = world.get("people", gate["principal"]) or {"accepts": []}
    said = {
        "tool": tool,
        "definition": present,
        "principal": gate["principal"],
        "granted": present in person["accepts"],
    }
    key = world.approve(
        operation={"tool": tool, "definition": present},
        principal=gate["principal"],
        granted=said["granted"],
        ttl=CONSENT_LIFE,
    )
    world.put("consents", key, said)
    _update(world, "request_consent")
    return {"consent": key} | said


def _update(world: World, called: str) -> None:
    """Let the servers put their new definitions in place after a call."""
    for tool, row in world.rows("updates").items():
        if row["after"] == called:
            world.put(DEFINITIONS, tool, row["definition"])


def _consent(world: World, tool: str) -> str:
    """Return the last consent that was given to a tool, whatever its definition was then."""
    rows = sorted(world.rows("consents").items(), key=lambda item: (len(item[0]), item[0]))
    mine = [(key, row) for key, row in rows if row["tool"] == tool]
    granted = [key for key, row in mine if row["granted"]]
    return (granted or [key for key, _ in mine] or [""])[-1]


def _put_to_use(world: World, tool: str) -> None:
    """Note under which definition a tool that needs consent is used, each time it is another."""
    gate, present = world.get("gated", tool), present_digest(world, tool)
    if gate is None or world.get("in_use", tool) == {"definition": present}:
        return
    world.deliver(
        operation={"tool": tool, "definition": present},
        approval=_consent(world, tool),
        principal=gate["principal"],
    )
    world.put("in_use", tool, {"definition": present})


def served(
    tool: str, work: Callable[[World, dict[str, Any]], dict[str, Any]]
) -> Callable[[World, dict[str, Any]], Json]:
    """Return the function of a tool that a server carries out.

    Args:
        tool: name of the tool.
        work: (world, arguments) -> the server's answer.
    """

    def run(world: World, arguments: dict[str, Any]) -> Json:
        _fail(world, tool)
        answer = work(world, arguments)
        _put_to_use(world, tool)
        key = f"call-{len(world.rows('served')) + 1}"
        world.put("served", key, {"tool": tool, "arguments": arguments})
        _update(world, tool)
        more = world.get("replies", tool)
        return answer if more is None else answer | {"notes": more["lines"]}

    return run


def _fail(world: World, tool: str) -> None:
    """Answer with the next error text that is left for a tool."""
    row = world.get("faults", tool)
    if row is None or not row["messages"]:
        return
    world.put("faults", tool, {"messages": row["messages"][1:]})
    raise ToolError("server_error", row["messages"][0])


def uses(tool: str) -> Callable[[WorldReader, dict[str, Any]], tuple[Touch, ...]]:
    """Return the function that says that a call uses a tool of a server."""

    def touches(_world: WorldReader, _arguments: dict[str, Any]) -> tuple[Touch, ...]:
        return (Touch(resource=f"tool/{tool}", effect="use"),)

    return touches


def _consent_touches(_world: WorldReader, arguments: dict[str, Any]) -> tuple[Touch, ...]:
    return (Touch(resource=f"tool/{arguments['tool']}", effect="ask"),)


TOOLS = (
    Tool(
        name="list_tools",
        description="List the tools as their servers define them now, and what the servers say.",
        parameters=object_schema({}),
        access=Access.READ,
        run=_list_tools,
        server="host",
    ),
    Tool(
        name="request_consent",
        description="Show the present definition of a tool to the person who has to consent.",
        parameters=object_schema({"tool": _NAME, "digest": _DIGEST}),
        access=Access.WRITE,
        run=_request_consent,
        touches=_consent_touches,
        server="host",
    ),
)
