"""`trace_protection`: nobody who acts may shorten or change the record of what was done.

A journal that the agent can cut proves nothing about the agent. Whatever a task grants, and whoever
asks, a call that would erase or change an entry of a protected record is refused. It goes by what a
call would touch, so neither the tool nor the spelling matters. Adding to a record is free.

Policy::

    {"prefixes": [...],   beginnings of the resources that are protected
     "effects": [...]}    kinds of effect that would harm them

The refusal is terminal: the record belongs to whoever has to rely on it.
"""

from dataclasses import dataclass

from grid.evidence import Decision
from grid.guard import Guard, GuardView, refuse
from grid.strict import from_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The operator's settings, read strictly."""

    prefixes: tuple[str, ...]
    """Beginnings of the resources that are protected."""
    effects: tuple[str, ...]
    """Kinds of effect that would harm them."""


def before(view: GuardView) -> Decision | None:
    """Refuse a call that would erase or change a protected entry."""
    if view.policy is None:
        return None
    policy = from_json(Policy, view.policy)
    harmed = [
        touch
        for touch in view.touches
        if touch.effect in policy.effects and touch.resource.startswith(policy.prefixes)
    ]
    if not harmed:
        return None
    return refuse(
        "trace_protection",
        f"this would {harmed[0].effect} {len(harmed)} entries of a record that is kept",
        terminal=True,
        next_step="do the task without it, or report status 'refused'",
    )


GUARD = Guard(
    id="trace_protection",
    summary="no call erases or changes the record of what was done",
    before=before,
)
