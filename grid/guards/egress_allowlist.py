"""`egress_allowlist`: what leaves goes only where the operator said that this task may send.

A request for a page leaves as surely as a mail does: its address can carry whatever stands in it.
So the guard does not ask whether a tool reads or writes. It looks at what a call would touch,
resolved against the world, and takes every resource under one of the kinds of effect by which
something leaves. What a page, a file or a tool's description asks for adds nothing to the list.

Policy::

    {"effects": [...],      kinds of effect by which something leaves, such as send and fetch
     "allowed": [...],      resources that may be reached, as they are touched
     "domains": [...]}      domains whose hosts and mailboxes may all be reached; no subdomains

An address that is spelled otherwise than it stands in the list is another address. What is not on
the list is outside the user's authority.
"""

from dataclasses import dataclass

from grid.evidence import Decision
from grid.guard import Guard, GuardView, refuse
from grid.strict import from_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The operator's settings, read strictly."""

    effects: tuple[str, ...]
    """Kinds of effect by which something leaves."""
    allowed: tuple[str, ...]
    """Resources that may be reached."""
    domains: tuple[str, ...]
    """Domains that may be reached."""


def _domain(resource: str) -> str:
    """Return the domain of a host or a mailbox: what follows the last slash and the last ``@``."""
    return resource.rpartition("/")[2].rpartition("@")[2]


def before(view: GuardView) -> Decision | None:
    """Refuse a call by which something would leave for where it may not go."""
    if view.policy is None:
        return None
    policy = from_json(Policy, view.policy)
    leaving = (touch for touch in view.touches if touch.effect in policy.effects)
    outside = [
        touch
        for touch in leaving
        if touch.resource not in policy.allowed and _domain(touch.resource) not in policy.domains
    ]
    if not outside:
        return None
    return refuse(
        "egress_allowlist",
        f"to {outside[0].effect} to {outside[0].resource!r} is not allowed in this task",
        terminal=True,
        next_step="go on without it, or report status 'refused' and say who asked for it",
    )


GUARD = Guard(
    id="egress_allowlist",
    summary="what leaves, by a read or by a write, goes only where the operator allows it",
    before=before,
)
