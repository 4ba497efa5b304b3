"""`write_scope`: only what the operator granted for this task may write.

Reading is free, and so is the report; every other call needs a grant for its tool, and its
arguments must fit it. What a text in a log, a page or a file asks for grants nothing, so an order
that was read has no way to become an effect.

Policy::

    {"grants": [{"tool": "...",          tool that may write
                 "where": {...}}]}       JSON pointer into the arguments -> match

No grant at all is a policy too: a task that only reads. A call outside the grants is outside the
user's authority.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from grid.evidence import Decision
from grid.guard import Guard, GuardView, refuse
from grid.matching import fits
from grid.predicates import Match
from grid.report import REPORT
from grid.strict import from_json
from grid.vocabulary import Access


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """One tool that may write in this task."""

    tool: str
    """Name of the tool."""
    where: Mapping[str, Match]
    """JSON pointer into the arguments -> match; empty: any arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The operator's settings, read strictly."""

    grants: tuple[Grant, ...]
    """What may write."""


def before(view: GuardView) -> Decision | None:
    """Refuse a write that the task was not granted."""
    if view.policy is None or view.access is Access.READ or view.tool == REPORT.name:
        return None
    grants = [grant for grant in from_json(Policy, view.policy).grants if grant.tool == view.tool]
    if any(fits(grant.where, view.arguments) for grant in grants):
        return None
    what = "with these arguments" if grants else "at all"
    return refuse(
        "write_scope",
        f"this task gives no authority to use {view.tool!r} {what}",
        terminal=True,
        next_step="do what the user asked for without it, or report status 'refused'",
    )


GUARD = Guard(
    id="write_scope",
    summary="a call that writes needs a grant of the operator that its arguments fit",
    before=before,
)
