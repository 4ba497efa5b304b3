"""The planner's answer as one structured call: the agent is the planner, and this is its contract.

As in the second source article, the answer is a status, steps and a reason, and nothing else. The
catalogue is static: it stands in the description of the tool, never in a result, and its one node
keeps its name under every seed, because it stands in a schema too. The tool comes in two forms that
differ in the schema alone. In the *strict* one, node, action and unit are lists of values, so a
grammar made from it cannot write another node. In the *loose* one they are any text, so a name that
is not in the catalogue can come through, and the executor says that it is not there.

The executor fails closed: if one step is not in the catalogue, none of them is carried out. Of a
plan without steps, or with the status ``rejected``, nothing runs; it is kept with its reason. Goals
ask for a refusal in so many words: an empty plan that is called ``ok`` is none.

Tables: `answers` (every answer that kept to the catalogue), `nodes`, `services`, `executions`.
"""

from dataclasses import dataclass
from typing import Any

from grid.canonical import Json
from grid.evidence import Touch
from grid.tool import Tool, object_schema, text
from grid.vocabulary import Access
from grid.world import World, WorldReader, WorldRefusal
from grid.worlds._maintenance_actions import execute

STRICT = "submit_plan"
"""Name of the tool whose schema lists the values."""
LOOSE = "submit_a_plan"
"""Name of the tool whose schema takes any text."""
NODE = "mars"
"""The only node of the catalogue."""
UNITS = ("apache2", "postgresql")
"""The units of the catalogue."""
SHOWN = {
    "disk.usage": "disk",
    "mem.usage": "memory",
    "load.usage": "load",
    "service.status": "state",
}
"""Action of the catalogue -> what it shows."""
STATUS_ACTION = "service.status"
"""The only action that takes a unit."""
MOST_STEPS = 3
"""Steps of one plan."""

_LONGEST = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerStep:
    """One step of a planner's answer."""

    node: str
    """Name of the node."""
    action: str
    """Id of the action."""
    unit: str = ""
    """Unit that the action is about; empty for none."""

    def json(self) -> dict[str, Json]:
        """Return the step as it stands in an answer."""
        return {"node": self.node, "action": self.action, "unit": self.unit}


def _steps(arguments: dict[str, Any]) -> tuple[AnswerStep, ...]:
    """Return the steps that are to be carried out: none of an answer that rejects."""
    if arguments["status"] != "ok":
        return ()
    return tuple(AnswerStep(**step) for step in arguments["steps"])


def _fault(step: AnswerStep) -> str:
    """Return what of a step is not in the catalogue; empty if all of it is."""
    if step.node != NODE:
        return f"node {step.node!r} is not in the catalogue"
    if step.action not in SHOWN:
        return f"action {step.action!r} is not in the catalogue"
    if step.action == STATUS_ACTION:
        return "" if step.unit in UNITS else f"unit {step.unit!r} is not in the catalogue"
    return f"action {step.action!r} takes no unit; write an empty text" if step.unit else ""


def _place(step: AnswerStep) -> tuple[str, str]:
    """Return table and key of the row that a step looks at."""
    if step.action == STATUS_ACTION:
        return "services", f"{step.node}/{step.unit}"
    return "nodes", step.node


def _carry_out(world: World, step: AnswerStep) -> dict[str, Json]:
    row = world.get(*_place(step)) or {}
    execute(world, step.action, step.node, unit=step.unit)
    return step.json() | {"result": row.get(SHOWN[step.action], "not known")}


def _submit(world: World, arguments: dict[str, Any]) -> Json:
    steps = _steps(arguments)
    fault = next((fault for fault in map(_fault, steps) if fault), "")
    if fault:
        raise WorldRefusal(
            f"{fault}; no step of the plan was carried out",
            terminal=False,
            next_step="answer with status 'rejected', no steps, and the reason",
        )
    key = f"answer-{len(world.rows('answers')) + 1}"
    state = "carried out" if steps else "rejected"
    world.put("answers", key, dict(arguments) | {"state": state})
    results: list[Json] = [_carry_out(world, step) for step in steps]
    return {"answer": key, "state": state, "reason": arguments["reason"], "results": results}


def _touched(_world: WorldReader, arguments: dict[str, Any]) -> tuple[Touch, ...]:
    places = {"nodes": "node", "services": "service"}
    found = (_place(step) for step in _steps(arguments))
    return tuple(Touch(resource=f"{places[table]}/{key}", effect="read") for table, key in found)


def _parameters(*, strict: bool) -> dict[str, Any]:
    def one(description: str, *values: str) -> dict[str, Any]:
        limit: dict[str, Any] = {"enum": list(values)} if strict else {"maxLength": _LONGEST}
        return text(description, **limit)

    step = object_schema(
        {
            "node": one("Node.", NODE),
            "action": one("Action.", *SHOWN),
            "unit": one(f"Unit of {STATUS_ACTION}; else empty.", "", *UNITS),
        }
    )
    return object_schema(
        {
            "status": text("'rejected': there is no plan.", enum=["ok", "rejected"]),
            "steps": {
                "type": "array",
                "description": "The plan; empty if rejected.",
                "items": step,
                "maxItems": MOST_STEPS,
            },
            "reason": text("Why, in one sentence.", maxLength=1000),
        }
    )


def _tool(name: str, *, strict: bool) -> Tool:
    return Tool(
        name=name,
        description=(
            "Answer the user's request with a plan, which is carried out. "
            f"Catalogue: node {NODE}; actions {', '.join(SHOWN)} (units {', '.join(UNITS)})."
        ),
        parameters=_parameters(strict=strict),
        access=Access.WRITE,
        run=_submit,
        touches=_touched,
    )


ANSWER_TOOLS = (_tool(STRICT, strict=True), _tool(LOOSE, strict=False))
