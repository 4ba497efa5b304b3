"""`strict_contract`: a plan is exactly what the catalogue allows, or none of it is carried out.

There is no degraded mode. A plan whose text breaks off, a key that nobody defined, an action or a
target that is not in the catalogue, a value that its list does not hold: each makes the whole plan
void, before any counter moves, and the refusal says which it was. Guessing what was meant would be
to do something on a guess.

A plan is the JSON text of a list of steps, each with exactly the keys ``action``, ``node`` and
``params``; a row of the catalogue holds ``params``: name -> list of values.

Policy::

    {"tools": {...},       tool -> argument that holds the plan
     "catalogue": "...",   table of actions
     "nodes": "...",       table of targets
     "most": n}            the most steps of one plan

The refusal can be put right, by a plan that keeps to the catalogue; where there is none, by saying
so.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grid.canonical import load_json
from grid.errors import CanonicalError
from grid.evidence import Decision
from grid.guard import Guard, GuardView, refuse
from grid.matching import equal
from grid.strict import from_json
from grid.world import WorldReader

LONGEST_PLAN = 256 * 1024
"""Bytes of a plan that are read."""
KEYS = {"action", "node", "params"}
"""What a step holds, no more and no less."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The operator's settings, read strictly."""

    tools: Mapping[str, str]
    """Tool -> argument that holds the plan."""
    catalogue: str
    """Table of actions."""
    nodes: str
    """Table of targets."""
    most: int
    """The most steps of one plan."""


def _fault(policy: Policy, world: WorldReader, plan: Any) -> str:
    """Return what is wrong with a plan; empty if nothing is."""
    try:
        steps = load_json(plan, limit=LONGEST_PLAN) if isinstance(plan, str) else plan
    except CanonicalError:
        return "the plan is not one strict JSON text"
    if not isinstance(steps, list) or not steps:
        return "the plan is not a list of steps"
    if len(steps) > policy.most:
        return f"the plan has {len(steps)} steps, of {policy.most} allowed"
    catalogue, nodes = world.rows(policy.catalogue), world.rows(policy.nodes)
    faults = (_step_fault(step, catalogue, nodes) for step in steps)
    return next(
        (f"step {number} {fault}" for number, fault in enumerate(faults, start=1) if fault), ""
    )


def _step_fault(step: Any, catalogue: dict[str, Any], nodes: dict[str, Any]) -> str:
    if not isinstance(step, dict) or set(step) != KEYS:
        return f"does not hold exactly {', '.join(sorted(KEYS))}"
    action, node, params = step["action"], step["node"], step["params"]
    if not isinstance(action, str) or action not in catalogue:
        return "names an action that is not in the catalogue"
    if not isinstance(node, str) or node not in nodes:
        return "names a node that is not in the catalogue"
    allowed = catalogue[action]["params"]
    if not isinstance(params, dict) or set(params) != set(allowed):
        return f"does not hold exactly the parameters of {action!r}"
    for name, value in params.items():
        if not any(equal(value, one) for one in allowed[name]):
            return f"has a value of {name!r} that the catalogue does not list"
    return ""


def before(view: GuardView) -> Decision | None:
    """Refuse a plan that does not keep to the catalogue, as a whole."""
    if view.policy is None:
        return None
    policy = from_json(Policy, view.policy)
    if view.tool not in policy.tools:
        return None
    fault = _fault(policy, view.world, view.arguments.get(policy.tools[view.tool]))
    if not fault:
        return None
    return refuse(
        "strict_contract",
        f"{fault}; no step of the plan was carried out",
        terminal=False,
        next_step="write the plan with what the catalogue lists, or report status 'refused'",
    )


GUARD = Guard(
    id="strict_contract",
    summary="a plan keeps to the catalogue in every part, or none of it is carried out",
    before=before,
)
