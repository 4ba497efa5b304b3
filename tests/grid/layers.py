"""Tool layers with a few small tools: what the tests of the tool layer share."""

from dataclasses import replace
from typing import Any

from grid.evidence import CallRecord, Decision, Touch
from grid.guard import Guard, GuardView, refuse
from grid.tool import Tool, object_schema, text, whole
from grid.toollayer import LayerSettings, ToolLayer
from grid.vocabulary import Access
from grid.wirecall import WireCall
from grid.world import ToolError, World, WorldRefusal

NESTED = {"type": "array", "items": object_schema({"n": whole("n")})}


def _put(world: World, arguments: dict[str, Any]) -> Any:
    world.put("rows", arguments["key"], {"value": arguments["value"]})
    return {"written": arguments["key"]}


def _fail(world: World, arguments: dict[str, Any]) -> Any:
    world.put("rows", "half", {"value": 0})
    raise ToolError("timeout", "the answer was lost")


def _deny(_world: World, arguments: dict[str, Any]) -> Any:
    touch = Touch(resource="rows/seal", effect="open")
    raise WorldRefusal("sealed", terminal=arguments["good"], next_step="stop", touches=(touch,))


def _break(world: World, arguments: dict[str, Any]) -> Any:
    world.put("rows", "half", {"value": 0})
    raise KeyError("a mistake of ours")


def tool(name: str, run: Any, access: Access = Access.WRITE, **properties: Any) -> Tool:
    return Tool(
        name=name, description=name, parameters=object_schema(properties), access=access, run=run,
        touches=lambda _world, arguments: (
            Touch(resource=f"rows/{arguments.get('key', name)}", effect=name),
        ),
    )  # fmt: skip


TOOLS = (
    tool("put", _put, key=text("key"), value=whole("value")),
    tool("many", lambda _world, arguments: arguments, items=NESTED),
    tool("fail", _fail),
    tool("deny", _deny, good={"type": "boolean"}),
    tool("break", _break),
    tool("odd", lambda _world, _arguments: {"set": {1}}),
)


def layer(**changed: Any) -> ToolLayer:
    settings = LayerSettings(
        seed="ab" * 16, tables={"rows": {}, "reports": {}}, tools=TOOLS, guards=(),
        stops=False, policy={}, user_text="please", turn_limit=3,
    )  # fmt: skip
    return ToolLayer(replace(settings, **changed))


def wire(name: str, identity: str = "", raw: str = "{}") -> WireCall:
    return WireCall(id=identity, name=name, raw_arguments=raw)


def put(on: ToolLayer, key: str = "a", value: Any = 1, call_id: str | None = None) -> CallRecord:
    on.call(name="put", arguments={"key": key, "value": value}, call_id=call_id)
    return on.calls[-1]


def refusing(**settings: Any) -> Guard:
    """Return a guard that refuses the tool `put`."""
    no = refuse("no_put", "not this", terminal=settings.get("terminal", True), next_step="stop")

    def before(view: GuardView) -> Decision | None:
        return no if view.tool == "put" else None

    return Guard(needs_policy=False, id="no_put", summary="refuses put", before=before)
