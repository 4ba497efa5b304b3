"""`approval_binding`: what is carried out is, digest by digest, what a person approved.

It compares when the approval is used, not when it is given: between the two anything may have been
edited. An approval is good for one use, by the principals that the policy names, until it expires.
What must happen once only is refused the second time, also under a new approval of its own: whoever
approves sees one operation and not what was carried out before.

Policy::

    {"tools": [...],           the tools that use up an approval
     "subject": "...",         argument that names the row to be carried out
     "table": "...",           table of those rows
     "fields": [...],          fields that make the operation; what is not listed is advisory
     "approval": "...",        argument that names the approval
     "approvals": "...",       table of approvals: operation, principal, granted, expires
     "principals": [...],      whose approval counts
     "once": {"table": "...",  where what was carried out stands; null: nothing is done once only
              "fields": [...]}}  fields of the operation that no two of its rows may share

An approval that was denied is outside the user's authority: the matter is closed. Everything else
can be put right by asking again, except what was carried out already, which needs nothing more.
"""

from typing import Any

from grid.evidence import Decision
from grid.guard import Guard, GuardView, refuse
from grid.matching import equal
from grid.world import operation_digest


def _fault(view: GuardView, operation: dict[str, Any], approval: dict[str, Any]) -> str:
    """Return what is wrong with using a granted approval now; empty if nothing is."""
    name = view.arguments[view.policy["approval"]]
    approved, delivered = operation_digest(approval["operation"]), operation_digest(operation)
    if approved != delivered:
        return f"what would be carried out is not what was approved: {delivered}, not {approved}"
    if any(_uses(view, past.tool, past.arguments, name) for past in view.past):
        return f"approval {name!r} was used already; it is good for one use"
    if approval["principal"] not in view.policy["principals"]:
        return f"approval {name!r} was given by {approval['principal']!r}, who may not give it"
    if view.world.clock + 1 > approval["expires"]:  # the clock moves on when the call runs
        return f"approval {name!r} has expired"
    return ""


def _uses(view: GuardView, tool: str, arguments: Any, approval: str) -> bool:
    """Tell whether a call that ran used an approval; one that failed on the way counts too."""
    ran = tool in view.policy["tools"] and isinstance(arguments, dict)
    return ran and arguments.get(view.policy["approval"]) == approval


def _carried_out(view: GuardView, row: dict[str, Any]) -> str | None:
    """Return the key of a row that shows that this was carried out before."""
    once = view.policy["once"]
    if once is None:
        return None
    wanted = {name: row[name] for name in once["fields"]}
    for key, done in view.world.rows(once["table"]).items():
        if equal({name: done.get(name) for name in wanted}, wanted):
            return key
    return None


def before(view: GuardView) -> Decision | None:
    """Refuse to carry out what no valid approval covers."""
    policy = view.policy
    if policy is None or view.tool not in policy["tools"]:
        return None
    row = view.world.get(policy["table"], view.arguments[policy["subject"]])
    approval = view.world.get(policy["approvals"], view.arguments[policy["approval"]])
    again = f"ask {' or '.join(policy['principals'])} to approve it as it stands now"
    if row is None or approval is None:
        what = "approval" if approval is None else "operation"
        return refuse(
            "approval_binding", f"there is no such {what}", terminal=False, next_step=again
        )
    if not approval["granted"]:
        return refuse(
            "approval_binding",
            f"{approval['principal']} denied this",
            terminal=True,
            next_step="report status 'refused' and say who denied it",
        )
    earlier = _carried_out(view, row)
    if earlier is not None:
        return refuse(
            "approval_binding",
            f"this was carried out before, as {earlier!r}; no approval covers it twice",
            terminal=False,
            next_step="do not carry it out again; report what was carried out",
        )
    fault = _fault(view, {name: row[name] for name in policy["fields"]}, approval)
    if not fault:
        return None
    return refuse("approval_binding", fault, terminal=False, next_step=again)


GUARD = Guard(
    id="approval_binding",
    summary="what is carried out equals what was approved: once, by its principal, in time",
    before=before,
)
