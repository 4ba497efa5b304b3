"""`answers_from_store`: a number that the user is given is the one that the store holds.

What a model says that it counted may never have been counted. A call that states a number is held
against the rows that the number is about; the agent can also leave the number to the harness.

Policy::

    {"answers": [{"tool": "...",      tool that states a number
                  "where": {...},     JSON pointer into its arguments -> match; empty: every call
                  "value": "...",     its argument that holds the number
                  "table": "...",     rows that the number is about
                  "rows": {...}}],    JSON pointer into a row -> match; empty: all rows
     "fill": "..."}                   what to call to have the number filled in

A refusal can be put right: by the number as it is, or by having it filled in.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from grid.evidence import Decision
from grid.guard import Guard, GuardView, refuse
from grid.matching import equal, fits, row_fits
from grid.predicates import Match
from grid.strict import from_json

LONGEST_SHOWN = 80
"""Characters of a stated number that a refusal repeats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A number that is given to the user, and the rows that it counts."""

    tool: str
    """Name of the tool that states it."""
    where: Mapping[str, Match]
    """JSON pointer into the arguments -> match."""
    value: str
    """Argument that holds the number."""
    table: str
    """Table of the rows that it counts."""
    rows: Mapping[str, Match]
    """JSON pointer into the row -> match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The operator's settings, read strictly."""

    answers: tuple[Answer, ...]
    """Every number that is held against the store."""
    fill: str
    """Tool that fills a number in."""


def _held(answer: Answer, view: GuardView) -> int:
    rows = view.world.rows(answer.table).items()
    return sum(row_fits(answer.rows, key, row) for key, row in rows)


def before(view: GuardView) -> Decision | None:
    """Refuse to state a number that the store does not hold."""
    if view.policy is None:
        return None
    policy = from_json(Policy, view.policy)
    for answer in policy.answers:
        if answer.tool != view.tool or not fits(answer.where, view.arguments):
            continue
        stated = view.arguments.get(answer.value)
        if not equal(stated, _held(answer, view)):
            return refuse(
                "answers_from_store",
                f"the store does not hold the number {repr(stated)[:LONGEST_SHOWN]}",
                terminal=False,
                next_step=f"call {policy.fill!r} to have it filled in, or report 'unable'",
            )
    return None


GUARD = Guard(
    id="answers_from_store",
    summary="a number that is given to the user is the one that the store holds",
    before=before,
)
