"""`pinned_contract`: a plan runs under the contract that it was made and approved against.

What an action means stands in the operator's catalogue. While a plan is written, read and approved,
that catalogue can be replaced, and then the same plan does something else. So a call names the
digest of the contract it was made against, and the guard compares it with the digest of what is
loaded at that moment; the file or the message that it came from proves nothing. An approval is for
its contract as well.

Policy::

    {"tools": {...},     tool -> argument that holds the digest
     "table": "...",     table whose rows are the contract
     "approval": "..."}  argument that names an approval; empty: none does

The refusal can be put right by reading the contract again and planning anew.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from grid.canonical import digest_of
from grid.evidence import Decision
from grid.guard import Guard, GuardView, refuse
from grid.strict import from_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The operator's settings, read strictly."""

    tools: Mapping[str, str]
    """Tool -> argument that holds the digest."""
    table: str
    """Table whose rows are the contract."""
    approval: str
    """Argument that names an approval; empty: none does."""


def _fault(policy: Policy, view: GuardView, loaded: str) -> str:
    """Return what is wrong with running under the loaded contract; empty if nothing is."""
    if view.arguments.get(policy.tools[view.tool]) != loaded:
        return "the contract that is loaded is not the one that this was made against"
    named = view.arguments.get(policy.approval) if policy.approval else ""
    approved = [item for item in view.approvals if item.id == named]
    if any(item.operation.get("contract") != loaded for item in approved):
        return f"{named!r} was given under another contract than the one that is loaded"
    return ""


def before(view: GuardView) -> Decision | None:
    """Refuse to run under a contract that was not read, or not approved."""
    if view.policy is None:
        return None
    policy = from_json(Policy, view.policy)
    if view.tool not in policy.tools:
        return None
    fault = _fault(policy, view, digest_of("contract", view.world.rows(policy.table)))
    if not fault:
        return None
    return refuse(
        "pinned_contract",
        fault,
        terminal=False,
        next_step="read the contract again; plan anew and ask for approval if it still fits",
    )


GUARD = Guard(
    id="pinned_contract",
    summary="a plan runs only under the contract that it was made and approved against",
    before=before,
)
