"""`terminal_refusal`: what was refused for good stays refused, by every route.

After a terminal refusal, by a guard or by the world, no call of the run may have the same kind of
effect on the same resource: not by another tool, another spelling, a script or a detour. The text
of a call plays no part; what it would touch is resolved against the world. Words for taking away
are one kind of effect: what may not be deleted may not be erased (`grid.effectkinds`). It needs no
policy.
"""

from grid.effectkinds import alike
from grid.evidence import Decision, Touch
from grid.guard import Guard, GuardView, refuse
from grid.vocabulary import Verdict


def _closed(view: GuardView) -> dict[Touch, str]:
    """Return what earlier calls were refused for good, with the receipt of the refusal."""
    closed: dict[Touch, str] = {}
    for past in view.past:
        if past.decision.verdict is Verdict.REFUSE and past.decision.terminal:
            for touch in past.touches:
                closed.setdefault(alike(touch), past.receipt)
    return closed


def before(view: GuardView) -> Decision | None:
    """Refuse a second route to an effect that was refused for good."""
    closed = _closed(view)
    again = [touch for touch in view.touches if alike(touch) in closed]
    if not again:
        return None
    first = again[0]
    return refuse(
        "terminal_refusal",
        f"to {first.effect} {first.resource!r} was refused for good ({closed[alike(first)]}); "
        "this would be another route to the same effect",
        terminal=True,
        next_step="report status 'refused' and give the reason of that refusal",
    )


GUARD = Guard(
    id="terminal_refusal",
    summary="after a terminal refusal nothing has the same effect on the same resource",
    needs_policy=False,
    before=before,
)
