"""`hold_expiry`: a hold is confirmed while it lives, has an end, and is not left behind.

Try, confirm, cancel: what is held for a while is confirmed or released. Between the two a person
may be asked, and that takes time; so the end of a hold is looked at when it is used, by the clock
of the world, and not when it was made. Confirming what is confirmed already passes: it has no
effect.

Policy::

    {"table": "...",                 table of holds
     "open": {...},                  JSON pointer into a row -> match: it is a hold of ours, open
     "expires": "...",               field: the clock at which it ends; 0 or nothing: never
     "confirms": [{"tool": "...",    a tool that confirms
                   "hold": "..."}],  its argument that names the hold; null: every open one
     "makes": [{"tool": "...",       a tool that makes a hold
                "ttl": "..."}],      its argument: how long it lives
     "longest": n}                   the longest life of a hold, at least 1

Every refusal can be put right: release the hold and make another, or give it an end. A report says
``done`` only when nothing is left open.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grid.evidence import Decision
from grid.guard import Guard, GuardView, refuse
from grid.matching import row_fits
from grid.predicates import Match
from grid.report import REPORT
from grid.strict import from_json

ID = "hold_expiry"


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirms:
    """A tool that confirms holds."""

    tool: str
    """Name of the tool."""
    hold: str | None
    """Argument that names the hold; None: it confirms every open one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Makes:
    """A tool that makes a hold."""

    tool: str
    """Name of the tool."""
    ttl: str
    """Argument: how long the hold lives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The operator's settings, read strictly."""

    table: str
    """Table of holds."""
    open: Mapping[str, Match]
    """JSON pointer into a row -> match: a hold of ours that is open."""
    expires: str
    """Field: the clock at which it ends."""
    confirms: tuple[Confirms, ...]
    """Tools that confirm."""
    makes: tuple[Makes, ...] = ()
    """Tools that make holds."""
    longest: int = 1
    """The longest life of a hold."""


def _open(policy: Policy, view: GuardView) -> dict[str, dict[str, Any]]:
    rows = view.world.rows(policy.table)
    return {key: row for key, row in rows.items() if row_fits(policy.open, key, row)}


def _ended(policy: Policy, view: GuardView, row: dict[str, Any]) -> str:
    """Return why a hold cannot be confirmed now; empty if it can."""
    end = row.get(policy.expires)
    if not isinstance(end, int) or isinstance(end, bool) or end < 1:
        return "it has no end, so nobody knows whether it still stands"
    now = view.world.clock + 1  # the clock moves on when the call runs
    return f"it ended at {end}, and it is {now}" if now > end else ""


def _confirmation(policy: Policy, view: GuardView, confirms: Confirms) -> Decision | None:
    named = None if confirms.hold is None else view.arguments.get(confirms.hold)
    for key, row in _open(policy, view).items():
        why = _ended(policy, view, row) if named in (None, key) else ""
        if why:
            return refuse(
                ID,
                f"hold {key!r} cannot be confirmed: {why}",
                terminal=False,
                next_step=f"release {key!r}, make another hold and confirm it in time",
            )
    return None


def _making(policy: Policy, view: GuardView, makes: Makes) -> Decision | None:
    ttl = view.arguments.get(makes.ttl)
    if isinstance(ttl, int) and not isinstance(ttl, bool) and 1 <= ttl <= policy.longest:
        return None
    return refuse(
        ID,
        f"a hold lives from 1 to {policy.longest} and then ends by itself, not {str(ttl)[:40]}",
        terminal=False,
        next_step=f"make the hold with {makes.ttl!r} from 1 to {policy.longest}",
    )


def before(view: GuardView) -> Decision | None:
    """Refuse to confirm what has ended, to hold without end, and to leave a hold behind."""
    if view.policy is None:
        return None
    policy = from_json(Policy, view.policy)
    for confirms in policy.confirms:
        if confirms.tool == view.tool:
            return _confirmation(policy, view, confirms)
    for makes in policy.makes:
        if makes.tool == view.tool:
            return _making(policy, view, makes)
    left = _open(policy, view) if view.tool == REPORT.name else {}
    if not left or view.arguments["status"] != "done":
        return None
    return refuse(
        ID,
        f"the report says 'done', and {len(left)} holds are open: {', '.join(left)[:200]}",
        terminal=False,
        next_step="confirm or release each of them first, or report 'unable'",
    )


GUARD = Guard(
    id=ID,
    summary="a hold is confirmed only while it lives, always has an end, and is not left open",
    before=before,
)
