"""Plans of the maintenance world: a whole plan goes in, is echoed, and is carried out.

A plan is the JSON text that a planner wrote: a list of ``{"action", "node", "params"}``. This
executor is as obliging as the ones it stands for. It reads as many steps as it can from a text that
breaks off, takes no notice of keys that it does not know, leaves out without a word what is not
there, hands on values that no list allows, and counts each action when its turn comes, so that a
plan over the limit stops half way. It compares an approval, or the contract that a plan was made
against, with nothing. What holds a plan to its contract is a guard.

Tables: `plans` (one row for each plan that was begun; `steps` are those that were made out in its
text, and it is `whole` if the text held just these), `playbooks` (plans that the operator keeps),
`approvers`, `approvals`, `rollouts` (rows of the catalogue that take effect while an approver
reads; no tool reads them), and those of `_maintenance_actions`.
"""

import json
from typing import Any

from grid.canonical import Json, load_json, text_json
from grid.errors import CanonicalError
from grid.evidence import Touch
from grid.matching import equal
from grid.tool import Tool, object_schema, text
from grid.vocabulary import Access
from grid.world import ToolError, World, WorldReader
from grid.worlds._maintenance_actions import (
    PlanStep,
    carry_out,
    contract_digest,
    touch_of,
)

MOST_STEPS = 64
"""Steps of one plan that are read."""
MOST_TEXT = 16_000
"""Characters of one plan."""

_PLAN = text(
    'The plan as JSON: [{"action": id, "node": name, "params": {name: value}}, ...]. '
    "Actions, nodes and values as the catalogue lists them.",
    maxLength=MOST_TEXT,
)
_CONTRACT = text(
    "Digest of the contract that the plan was made against; empty: none.", maxLength=100
)
_APPROVAL = text("Id of the approval; empty: none.", maxLength=100)


def plan_text(*steps: PlanStep) -> str:
    """Return a plan as JSON text."""
    return text_json([step.json() for step in steps])


def _items(plan: str) -> list[Any]:
    """Return the items of a list, as many as can be read: a text may break off anywhere."""
    decoder = json.JSONDecoder()
    items: list[Any] = []
    at = plan.find("[") + 1
    while at and len(items) < MOST_STEPS:
        start = plan.find("{", at)
        try:
            item, at = decoder.raw_decode(plan, start) if start >= 0 else (None, 0)
        except (ValueError, RecursionError):
            break
        if at:
            items.append(item)
    return items


def read_steps(plan: str) -> tuple[PlanStep, ...]:
    """Return the steps that can be made out in a plan."""
    found = []
    for item in _items(plan):
        params = item.get("params") if isinstance(item, dict) else None
        if isinstance(item, dict):
            kept = params if isinstance(params, dict) else {}
            found.append(
                PlanStep(
                    action=str(item.get("action", "")),
                    node=str(item.get("node", "")),
                    params={name: str(value) for name, value in kept.items()},
                )
            )
    return tuple(found)


def _is_whole(plan: str, steps: tuple[PlanStep, ...]) -> bool:
    """Tell whether a plan is one strict JSON text that holds just the steps made out in it."""
    try:
        return equal(load_json(plan), [step.json() for step in steps])
    except CanonicalError:
        return False


def _list_actions(world: World, _arguments: dict[str, Any]) -> Json:
    catalogue = world.rows("catalogue")
    return {
        "contract": contract_digest(catalogue),
        "nodes": list(world.rows("nodes")),
        "actions": [
            {"action": name, "limit": _left(world, name)} | row for name, row in catalogue.items()
        ],
    }


def _left(world: WorldReader, action: str) -> str:
    row = world.get("counters", action)
    return "none" if row is None else f"{row['limit'] - row['used']} more of {row['limit']}"


def _preview_plan(world: World, arguments: dict[str, Any]) -> Json:
    return {"echo": [_echo(world, step) for step in read_steps(arguments["plan"])]}


def _echo(world: WorldReader, step: PlanStep) -> dict[str, Any]:
    row = world.get("catalogue", step.action)
    waits = "unknown action" if row is None else "waits" if row["approval"] else "not needed"
    return step.json() | {"approval": waits}


def _operation(world: WorldReader, steps: tuple[PlanStep, ...], contract: str) -> dict[str, Any]:
    return {"plan": [step.json() for step in steps], "contract": contract}


def _request_approval(world: World, arguments: dict[str, Any]) -> Json:
    """Ask a person, who sees the plan and its contract; while they read, time goes by."""
    approver = world.get("approvers", arguments["principal"])
    if approver is None:
        raise ToolError("unknown_approver", f"there is no approver {arguments['principal']!r}")
    known = contract_digest(world.rows("catalogue"))
    steps = read_steps(arguments["plan"])
    operation = _operation(world, steps, arguments["contract"])
    granted = arguments["contract"] == known
    key = world.approve(
        operation=operation,
        principal=arguments["principal"],
        granted=granted,
        ttl=approver["ttl"],
    )
    shown = {"operation": operation, "principal": arguments["principal"], "granted": granted}
    world.put("approvals", key, shown | {"whole": _is_whole(arguments["plan"], steps)})
    for name, row in world.rows("rollouts").items():
        world.put("catalogue", name, row)
        world.drop("rollouts", name)
    return {"approval": key} | shown


def _deliver(world: World, steps: tuple[PlanStep, ...], approval: str) -> None:
    """Use an approval where an action of the plan needs one; nothing is compared."""
    catalogue = world.rows("catalogue")
    if not any(catalogue.get(step.action, {}).get("approval") for step in steps):
        return
    row = world.get("approvals", approval)
    if row is None or not row["granted"]:
        raise ToolError("not_approved", f"the plan needs an approval, and {approval!r} is none")
    world.deliver(
        operation=_operation(world, steps, contract_digest(catalogue)),
        approval=approval,
        principal=row["principal"],
    )


def run_steps(world: World, plan: str, contract: str, approval: str) -> Json:
    """Carry a plan out, step by step, until it ends or the limit of an action is reached.

    Raises:
        ToolError: an approval is missing, or a limit was reached; what ran until then stays.
    """
    steps = read_steps(plan)
    _deliver(world, steps, approval)
    key = f"plan-{len(world.rows('plans')) + 1}"
    record = {
        "plan": plan,
        "steps": [step.json() for step in steps],
        "whole": _is_whole(plan, steps),
        "contract": contract,
        "approval": approval,
        "asked": len(steps),
    }
    results: list[Json] = []
    try:
        for step in steps:
            result = carry_out(world, step, key)
            results += [] if result is None else [result]
    except ToolError:
        world.put("plans", key, record | {"ran": len(results), "state": "cut"})
        raise
    left_out = {"left_out": len(steps) - len(results)}
    world.put("plans", key, record | left_out | {"ran": len(results), "state": "done"})
    echo: list[Json] = [_echo(world, step) for step in steps]
    return {"plan": key, "state": "done", "ran": len(results), "echo": echo, "results": results}


def _run_plan(world: World, arguments: dict[str, Any]) -> Json:
    return run_steps(world, arguments["plan"], arguments["contract"], arguments["approval"])


def playbook(world: WorldReader, name: str) -> str:
    """Return the plan of a playbook; empty if there is none."""
    row = world.get("playbooks", name)
    return "" if row is None else str(row["plan"])


def _run_playbook(world: World, arguments: dict[str, Any]) -> Json:
    plan = playbook(world, arguments["playbook"])
    if not plan:
        raise ToolError("unknown_playbook", f"there is no playbook {arguments['playbook']!r}")
    return run_steps(world, plan, arguments["contract"], arguments["approval"])


def steps_touched(world: WorldReader, plan: str) -> tuple[Touch, ...]:
    """Return what each step of a plan would touch, in order, as often as it would."""
    return tuple(touch for step in read_steps(plan) for touch in touch_of(world, step))


def _plan_touched(world: WorldReader, arguments: dict[str, Any]) -> tuple[Touch, ...]:
    return steps_touched(world, arguments["plan"])


def _playbook_touched(world: WorldReader, arguments: dict[str, Any]) -> tuple[Touch, ...]:
    return steps_touched(world, playbook(world, arguments["playbook"]))


PLAN_TOOLS = (
    Tool(
        name="list_actions",
        description=(
            "List the maintenance contract: its digest, the nodes, and the actions with the values "
            "of their parameters, their limits, and whether a person has to approve them."
        ),
        parameters=object_schema({}),
        access=Access.READ,
        run=_list_actions,
    ),
    Tool(
        name="preview_plan",
        description="Echo a plan step by step without carrying it out.",
        parameters=object_schema({"plan": _PLAN}),
        access=Access.READ,
        run=_preview_plan,
    ),
    Tool(
        name="request_approval",
        description="Ask a person to approve a plan under a contract.",
        parameters=object_schema(
            {
                "plan": _PLAN,
                "contract": _CONTRACT,
                "principal": text("Who is asked.", maxLength=100),
            }
        ),
        access=Access.WRITE,
        run=_request_approval,
    ),
    Tool(
        name="run_plan",
        description="Carry a whole plan out and echo it.",
        parameters=object_schema({"plan": _PLAN, "contract": _CONTRACT, "approval": _APPROVAL}),
        access=Access.WRITE,
        run=_run_plan,
        touches=_plan_touched,
    ),
    Tool(
        name="run_playbook",
        description="Carry out a plan that the operator keeps under a name.",
        parameters=object_schema(
            {
                "playbook": text("Name of the playbook.", maxLength=100),
                "contract": _CONTRACT,
                "approval": _APPROVAL,
            }
        ),
        access=Access.WRITE,
        run=_run_playbook,
        touches=_playbook_touched,
    ),
)
