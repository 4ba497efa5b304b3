"""`read_only_effects`: a call that only reads has only the effects of reading.

Second layer of the separation of reading and writing: what the call would do. It is resolved
against the world, so spelling, detours and a server's hint that it only reads play no part.

Policy::

    {"effects": [...]}    kinds of effect that a reading call may have

A refusal can be put right: by a call that only reads.
"""

from dataclasses import dataclass

from grid.evidence import Decision
from grid.guard import Guard, GuardView, refuse
from grid.strict import from_json
from grid.vocabulary import Access


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The operator's settings, read strictly."""

    effects: tuple[str, ...]
    """Kinds of effect that a reading call may have."""


def before(view: GuardView) -> Decision | None:
    """Refuse a reading call that would do more than read."""
    if view.policy is None or view.access is not Access.READ:
        return None
    allowed = from_json(Policy, view.policy).effects
    more = next((touch for touch in view.touches if touch.effect not in allowed), None)
    if more is None:
        return None
    return refuse(
        "read_only_effects",
        f"{view.tool!r} only reads, and this would {more.effect} {more.resource!r}",
        terminal=False,
        next_step="read without that effect, or report status 'refused'",
    )


GUARD = Guard(
    id="read_only_effects",
    summary="a call of a reading tool has only the effects of reading",
    before=before,
    layer_of="write_separation",
)
