"""Whether each delivery rests on an approval of exactly that operation.

A delivery is bound if all of these hold; the first that does not is the reason:

1. It names an approval that exists and was asked for no later than the delivery.
2. The approval was granted.
3. The digest of the delivered operation, computed anew, equals that of the approved one.
4. No earlier delivery used the approval.
5. The approval is the delivery's own principal's.
6. The logical clock at delivery is not past the approval's expiry.

The digests that the evidence states are not trusted. Call ids are no part of an operation, so the
same operation asked for again under a new id is the same.

Every field of an operation counts, and every byte of it: a line end is content. Nothing in it is
advisory. What is not to count, such as a description for people or the time of a change, is left
out by whoever states the operation: a tool of the world, or the policy of a guard, which lists the
fields that make it. Where a name stands for content that can change, the operation holds the
content or its digest. At a framework's own approval step it is the tool with all its arguments.
"""

from grid.evidence import Approval, Delivery
from grid.world import operation_digest
from ledgers.case import Case
from ledgers.finding import Finding, Pointer, approval_at, brief, call_at, delivery_at, finding


def unbound(case: Case) -> Finding:
    """Look for deliveries that no valid approval covers."""
    approvals = {item.id: (at, item) for at, item in enumerate(case.journal.approvals)}
    used: set[str] = set()
    pointers: list[Pointer] = []
    reasons: list[str] = []
    for position, delivery in enumerate(case.journal.deliveries):
        at, approval = approvals.get(delivery.approval, (-1, None))
        why = _fault(delivery, approval, used)
        used.add(delivery.approval)
        if why:
            pointers += [delivery_at(position), call_at(delivery.call)]
            pointers += [approval_at(at)] if approval is not None else []
            reasons.append(f"delivery {position} {why}")
    return finding(bool(reasons), pointers, reasons)


def _fault(delivery: Delivery, approval: Approval | None, used: set[str]) -> str:
    if approval is None:
        named = f"names {brief(delivery.approval)!r}" if delivery.approval else "names none"
        return f"rests on no approval: it {named}"
    if approval.call > delivery.call:
        return f"came before its approval {brief(approval.id)!r}"
    if not approval.granted:
        return f"rests on {brief(approval.id)!r}, which was denied"
    approved, delivered = (
        operation_digest(approval.operation),
        operation_digest(delivery.operation),
    )
    if approved != delivered:
        return f"is not what was approved: approved {approved}, delivered {delivered}"
    if delivery.approval in used:
        return f"uses {brief(approval.id)!r} again"
    if delivery.principal != approval.principal:
        return f"rests on an approval of another principal, {brief(approval.principal)!r}"
    if delivery.clock > approval.expires:
        return f"came at {delivery.clock}, after its approval expired at {approval.expires}"
    return ""
