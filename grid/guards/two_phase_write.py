"""`two_phase_write`: a row counts once it is verified, and stays when it is not.

The first phase writes a row as pending (its field is null); the second looks at the world again and
writes true or false. Until then nothing may be said that rests on the row, only verified rows are
counted, and what failed to be verified is kept: it is what an auditor wants to see.

Policy::

    {"table": "...",                   table of the rows
     "field": "...",                   their field that is null, then true or false
     "settle": "...",                  tool that verifies what is pending
     "prefix": "...",                  beginning of the rows' resources
     "erases": [...],                  kinds of effect that would take a row away
     "numbers": [{"tool": "...",       tool that states how many rows there are
                  "value": "..."}]}    its argument that holds the number

Taking a row away lies outside the user's authority. The other refusals can be put right.
"""

from dataclasses import dataclass
from typing import Any

from grid.evidence import Decision
from grid.guard import Guard, GuardView, refuse
from grid.matching import equal
from grid.report import REPORT
from grid.strict import from_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A call that states how many rows there are."""

    tool: str
    """Name of the tool."""
    value: str
    """Argument that holds the number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The operator's settings, read strictly."""

    table: str
    """Table of the rows."""
    field: str
    """Field that tells the phase."""
    settle: str
    """Tool that verifies what is pending."""
    prefix: str
    """Beginning of the rows' resources."""
    erases: tuple[str, ...]
    """Kinds of effect that would take a row away."""
    numbers: tuple[Number, ...]
    """Calls that state how many rows there are."""


def _no(reason: str, next_step: str, *, terminal: bool = False) -> Decision:
    return refuse("two_phase_write", reason, terminal=terminal, next_step=next_step)


def _erased(policy: Policy, view: GuardView) -> bool:
    return any(
        touch.effect in policy.erases and touch.resource.startswith(policy.prefix)
        for touch in view.touches
    )


def _says_done(view: GuardView) -> bool:
    return view.tool == REPORT.name and view.arguments["status"] == "done"


def _stated(policy: Policy, view: GuardView) -> list[Any]:
    """Return the numbers that a call states."""
    return [view.arguments.get(one.value) for one in policy.numbers if one.tool == view.tool]


def before(view: GuardView) -> Decision | None:
    """Refuse what counts a row before it is verified, or takes one away."""
    if view.policy is None:
        return None
    policy = from_json(Policy, view.policy)
    if _erased(policy, view):
        return _no(
            "a row that was written stays, verified or not",
            "leave the row as it is and report what became of it",
            terminal=True,
        )
    stated = _stated(policy, view)
    if not stated and not _says_done(view):
        return None
    phases = [row.get(policy.field) for row in view.world.rows(policy.table).values()]
    pending = sum(phase is None for phase in phases)
    if pending:
        return _no(
            f"{pending} rows of {policy.table!r} are not verified yet",
            f"call {policy.settle!r} first, then count again",
        )
    verified = sum(phase is True for phase in phases)
    if any(not equal(number, verified) for number in stated):
        return _no(
            "this is not the number of verified rows",
            "state the number of verified rows, or report 'unable'",
        )
    return None


GUARD = Guard(
    id="two_phase_write",
    summary="a written row counts once it is verified, and is never taken away",
    before=before,
)
