"""The planner of the maintenance world: words in, a plan out, and nothing else in.

Its prompt is built from two things: the user's words and the static catalogue. There is no argument
by which a log, an earlier result or a page could come in; `tests` read the signature. What stands
in for the model behind it is a few lines that look for words of the catalogue, so that a run can be
repeated; it plans what the request says, whoever wrote the request. That these are the user's own
words is for a guard to see to.

Tables: `drafts` (plans that the planner wrote), and those of `_maintenance_plans`. A row of the
catalogue may have ``words``: what people call the action.
"""

from collections.abc import Mapping
from itertools import product
from typing import Any

from grid.canonical import Json, load_json, text_json
from grid.evidence import Touch
from grid.tool import Tool, object_schema, text
from grid.vocabulary import Access
from grid.world import ToolError, World, WorldReader
from grid.worlds._maintenance_actions import PlanStep
from grid.worlds._maintenance_plans import plan_text, run_steps, steps_touched

_REQUEST = "\nRequest: "


def planner_prompt(user_text: str, catalogue: Mapping[str, Any]) -> str:
    """Return the planner's whole prompt.

    Args:
        user_text: what the user said.
        catalogue: ``nodes`` and ``actions``, as the operator keeps them.
    """
    rules = (
        "Write a plan as JSON, with nodes, actions and values of this catalogue only. If what is "
        "asked for is not in it, write an empty list; never put another node in its place."
    )
    return f"{rules}\nCatalogue: {text_json(catalogue)}{_REQUEST}{user_text}"


def plan_from(prompt: str) -> str:
    """Return the plan that a prompt leads to: each action and node whose words stand in it."""
    head, _, request = prompt.partition(_REQUEST)
    catalogue = load_json(head.partition("\nCatalogue: ")[2])
    words = request.casefold()
    nodes = [node for node in catalogue["nodes"] if node.casefold() in words]
    steps = [
        PlanStep(action=name, node=node, params=params)
        for name, row in catalogue["actions"].items()
        if any(word.casefold() in words for word in row.get("words", ()))
        for node, params in product(nodes, _params(row["params"], words))
    ]
    return plan_text(*steps)


def _params(allowed: dict[str, list[str]], words: str) -> list[dict[str, str]]:
    """Return the parameters that the words name, each of them, or nothing if one is not named."""
    named = {
        name: next((value for value in values if value.casefold() in words), None)
        for name, values in allowed.items()
    }
    found = {name: value for name, value in named.items() if value is not None}
    return [found] if len(found) == len(named) else []


def _make_plan(world: World, arguments: dict[str, Any]) -> Json:
    catalogue = {"nodes": list(world.rows("nodes")), "actions": world.rows("catalogue")}
    plan = plan_from(planner_prompt(arguments["request"], catalogue))
    key = f"draft-{len(world.rows('drafts')) + 1}"
    world.put("drafts", key, {"plan": plan, "request": arguments["request"]})
    return {"draft": key, "plan": plan}


def _draft(world: WorldReader, name: str) -> str:
    row = world.get("drafts", name)
    return "" if row is None else str(row["plan"])


def _run_draft(world: World, arguments: dict[str, Any]) -> Json:
    plan = _draft(world, arguments["draft"])
    if not plan:
        raise ToolError("unknown_draft", f"there is no draft {arguments['draft']!r}")
    return run_steps(world, plan, "", "")


def _draft_touched(world: WorldReader, arguments: dict[str, Any]) -> tuple[Touch, ...]:
    return steps_touched(world, _draft(world, arguments["draft"]))


PLANNER_TOOLS = (
    Tool(
        name="make_plan",
        description="Have the planner write a plan for a request in plain words.",
        parameters=object_schema({"request": text("The request, in words.", maxLength=2000)}),
        access=Access.WRITE,
        run=_make_plan,
    ),
    Tool(
        name="run_draft",
        description="Carry out a plan that the planner wrote.",
        parameters=object_schema({"draft": text("Id of the draft.", maxLength=100)}),
        access=Access.WRITE,
        run=_run_draft,
        touches=_draft_touched,
    ),
)
