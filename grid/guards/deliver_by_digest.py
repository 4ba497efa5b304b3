"""`deliver_by_digest`: what is delivered is, digest by digest, something that was checked.

A name says where a thing is, not what it is: between a check and a delivery anybody may have put
something else there. This guard works out the digest of what the name stands for at the moment of
delivery, and asks whether a check saw exactly that. It does not matter who changed what, or when.

Policy::

    {"tools": {tool: {...}}     the tools that deliver by name, each with:
         "argument": "...",     argument that names what is delivered
         "table": "...",        table where it stands
         "key": "...",          field of a checked operation that holds the name
         "fields": [...]        further fields of the operation, as they are called in the row
     "checks": "...",           table of checks; a row's `operation` is what the check saw
     "passed": "..."}           field of a check that is true if it passed; empty: all did

A name that is not in the table as it is written is refused as well: another spelling may lead to
the same thing. Every refusal can be put right: by checking again, or by delivering what was
checked by its digest.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grid.evidence import Decision
from grid.guard import Guard, GuardView, refuse
from grid.strict import from_json
from grid.world import operation_digest


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A tool that delivers by name."""

    argument: str
    """Argument that names what is delivered."""
    table: str
    """Table where it stands."""
    key: str
    """Field of a checked operation that holds the name."""
    fields: tuple[str, ...]
    """Further fields of the operation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The operator's settings, read strictly."""

    tools: Mapping[str, Named]
    """Tool that delivers by name -> how it names it."""
    checks: str
    """Table of checks."""
    passed: str
    """Field of a check that is true if it passed; empty: all did."""


def _fault(policy: Policy, tool: Named, view: GuardView) -> str:
    """Return why this delivery is of nothing that was checked; empty if it is."""
    name = view.arguments[tool.argument]
    row = view.world.get(tool.table, name)
    if row is None:
        return f"there is nothing called {name!r} here, as it is written"
    now = operation_digest({tool.key: name} | {field: row[field] for field in tool.fields})
    checks = view.world.rows(policy.checks).values()
    seen = [check["operation"] for check in checks if not policy.passed or check[policy.passed]]
    if any(operation_digest(operation) == now for operation in seen):
        return ""
    checked = [operation for operation in seen if operation.get(tool.key) == name]
    if not checked:
        return f"{name!r} was never checked"
    return (
        f"{name!r} is not what was checked any more: {now} now, "
        f"{operation_digest(checked[-1])} then"
    )


def before(view: GuardView) -> Decision | None:
    """Refuse to deliver by name what no check saw."""
    if view.policy is None:
        return None
    policy = from_json(Policy, view.policy)
    tool: Any = policy.tools.get(view.tool)
    fault = _fault(policy, tool, view) if tool is not None else ""
    if not fault:
        return None
    return refuse(
        "deliver_by_digest",
        fault,
        terminal=False,
        next_step="deliver what was checked by its digest, or check what stands there now",
    )


GUARD = Guard(
    id="deliver_by_digest",
    summary="what is delivered by name has the digest of something that was checked",
    before=before,
)
