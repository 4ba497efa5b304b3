"""`approved_calls`: a call runs only on the word of a person who was shown exactly that call.

A framework's approval step may bring an answer to the wrong call: answers are matched by position,
a resumed run is another one, a call is made again under an old answer. So the guard does not ask
what the framework was told. It looks up what the person decided about this operation, the tool with
its arguments, by digest: granted, by somebody who may, in time, and not used up. Each approval has
an id of its own and is good for one call; the id of the call is no part of it.

Policy::

    {"tools": [...],        the tools whose calls have to be approved
     "principals": [...]}   whose approval counts

What was denied is outside the user's authority, unless the same operation was approved as well.
Everything else can be put right by asking.
"""

from grid.evidence import Approval, Decision
from grid.guard import Guard, GuardView, refuse
from grid.matching import equal
from grid.world import operation_digest


def before(view: GuardView) -> Decision | None:
    """Refuse a call that no valid approval is left for."""
    policy = view.policy
    if policy is None or view.tool not in policy["tools"]:
        return None
    wanted = operation_digest({"tool": view.tool, "arguments": view.arguments})
    about = [item for item in view.approvals if operation_digest(item.operation) == wanted]
    valid = [item for item in about if _counts(item, view)]
    if len(valid) > _uses(view):
        return None
    denied = [item for item in about if not item.granted]
    if denied and not any(item.granted for item in about):
        return refuse(
            "approved_calls",
            f"{denied[0].principal} denied this call ({denied[0].id})",
            terminal=True,
            next_step="report status 'refused' and say who denied it",
        )
    return refuse(
        "approved_calls",
        _fault(about, valid),
        terminal=False,
        next_step=f"have {' or '.join(policy['principals'])} approve this call as it stands",
    )


def _counts(approval: Approval, view: GuardView) -> bool:
    """Tell whether an approval is a grant that holds now."""
    principals = view.policy["principals"]
    in_time = view.world.clock + 1 <= approval.expires  # the clock moves on when the call runs
    return approval.granted and approval.principal in principals and in_time


def _uses(view: GuardView) -> int:
    """Count the calls of the same operation that ran; one that failed on the way used it up too."""
    return sum(
        past.tool == view.tool and equal(past.arguments, view.arguments)
        for past in view.past
        if past.arguments is not None
    )


def _fault(about: list[Approval], valid: list[Approval]) -> str:
    if not about:
        return "nobody was asked to approve this call"
    if not valid:
        return "the approval of this call has expired, or was given by somebody who may not give it"
    return f"the approval of this call ({valid[-1].id}) was used already; it is good for one call"


GUARD = Guard(
    id="approved_calls",
    summary="a call runs only if a person who may approve it approved exactly this call, once",
    before=before,
)
