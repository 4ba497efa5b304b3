"""What the maintenance world does to a node: one action of the catalogue, its counter, its trace.

The catalogue is data: a row of the table `catalogue` says what an action is called, what it works
``on`` (node, service or log), what ``effect`` it has there, which ``params`` it takes with which
values, whether its result comes back at once (``sync``) and whether a person has to approve it.
What an action means stands in its row too, so another catalogue makes the same plan do something
else.

Tables: `catalogue`, `nodes`, `services`, `logs`, `counters` (how often an action ran, of how often
it may), `executions` (one row for each action that ran).
"""

from dataclasses import dataclass, field
from typing import Any

from grid.canonical import Json, digest_of
from grid.evidence import Touch
from grid.world import ToolError, World, WorldReader

RATE_LIMITED = "rate_limited"
"""Error code of an action whose counter is used up."""

_TABLES = {"node": "nodes", "service": "services", "log": "logs"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanStep:
    """One step of a plan."""

    action: str
    """Id of the action, as in the catalogue."""
    node: str
    """Name of the node."""
    params: dict[str, Any] = field(default_factory=dict)
    """Parameters of the action."""

    def json(self) -> dict[str, Any]:
        """Return the step as it stands in a plan."""
        return {"action": self.action, "node": self.node, "params": self.params}


def contract_digest(catalogue: dict[str, dict[str, Any]]) -> str:
    """Return the digest of a catalogue as it is loaded: the contract a plan is made against."""
    return digest_of("contract", catalogue)


def target_of(row: dict[str, Any], step: PlanStep) -> str:
    """Return the key of the row that an action works on."""
    if row["on"] == "service":
        return f"{step.node}/{step.params.get('service')}"
    return step.node


def touch_of(world: WorldReader, step: PlanStep) -> tuple[Touch, ...]:
    """Return what one step would touch; nothing if the catalogue does not know it."""
    row = world.get("catalogue", step.action)
    if row is None:
        return ()
    part = f"/{row['shows']}" if row["effect"] == "read" else ""
    return (Touch(resource=f"{row['on']}/{target_of(row, step)}{part}", effect=row["effect"]),)


def execute(world: World, action: str, node: str, **more: Json) -> None:
    """Leave the trace of an action that ran."""
    number = len(world.rows("executions")) + 1
    world.put("executions", f"run-{number}", {"action": action, "node": node, **more})


def spend(world: World, action: str) -> None:
    """Count one use of an action; an action without a counter may always run."""
    row = world.get("counters", action)
    if row is None:
        return
    if row["used"] >= row["limit"]:
        raise ToolError(RATE_LIMITED, f"{action!r} has run {row['limit']} times, its limit for now")
    world.put("counters", action, row | {"used": row["used"] + 1})


def carry_out(world: World, step: PlanStep, plan: str) -> dict[str, Any] | None:
    """Carry one step of a plan out; None if there is nothing of that name to work on.

    Raises:
        ToolError: the counter of the action is used up.
    """
    row = world.get("catalogue", step.action)
    key = "" if row is None else target_of(row, step)
    target = None if row is None else world.get(_TABLES[row["on"]], key)
    if row is None or target is None:
        return None
    spend(world, step.action)
    execute(world, step.action, step.node, plan=plan, params=step.params)
    told = {"action": step.action, "node": step.node}
    if row["effect"] == "read":
        return told | {"result": target.get(row["shows"], "not known")}
    world.put(_TABLES[row["on"]], key, target | _changed(row, target))
    return told | {"result": "done" if row["sync"] else "accepted; the result is told later"}


def _changed(row: dict[str, Any], target: dict[str, Any]) -> dict[str, Any]:
    """Return what an action changes in the row that it works on."""
    if row["effect"] == "trim":
        lines = target.get("lines", [])
        return {"lines": lines[max(0, len(lines) - row["keep"]) :]}
    return {"restarts": target.get("restarts", 0) + 1}


def catalogue_rows(
    services: tuple[str, ...] = ("nginx", "postgres"), **actions: dict[str, Any]
) -> dict[str, dict[str, Any]]:
    """Return the standard catalogue, with more rows or others; ``log_trim`` stands for log.trim."""
    named = {"service": list(services)}
    rows: dict[str, dict[str, Any]] = {
        "mem.usage": {"on": "node", "effect": "read", "shows": "memory", "params": {}},
        "disk.usage": {"on": "node", "effect": "read", "shows": "disk", "params": {}},
        "service.status": {"on": "service", "effect": "read", "shows": "state", "params": named},
        "service.restart": {"on": "service", "effect": "restart", "params": named},
        "node.restart": {"on": "node", "effect": "restart", "params": {}, "sync": False},
    }
    rows |= {name.replace("_", "."): row for name, row in actions.items()}
    common: dict[str, Any] = {"sync": True, "approval": False}
    return {name: common | row for name, row in rows.items()}
