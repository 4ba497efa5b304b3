"""`answers_from_store`: a number that the user is given is the one that the store holds.

What a model says that it counted may never have been counted. A call that states a number is held
against the rows that the number is about; the agent can also leave the number to the harness. A
number that was right when it was given may be wrong by the end: a report that says ``done`` is
taken only while the number that was given last, by the agent or by the harness, is still right.

Policy::

    {"answers": [{"tool": "...",      tool that states a number
                  "where": {...},     JSON pointer into its arguments -> match; empty: every call
                  "value": "...",     its argument that holds the number
                  "table": "...",     rows that the number is about
                  "rows": {...}}],    JSON pointer into a row -> match; empty: all rows
     "fill": "..."}                   what to call to have the number filled in; its result holds
                                      the number under the same name

A refusal can be put right: by the number as it is, or by having it filled in.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grid.evidence import Decision
from grid.guard import Guard, GuardView, refuse
from grid.matching import equal, fits, row_fits
from grid.predicates import Match
from grid.report import REPORT
from grid.strict import from_json
from grid.vocabulary import Verdict

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


def _given(policy: Policy, answer: Answer, view: GuardView) -> Any:
    """Return the number that was given last; None if none was."""
    for past in reversed(view.past):
        if past.error or past.decision.verdict is not Verdict.ALLOW:
            continue
        if past.tool == answer.tool and fits(answer.where, past.arguments):
            return past.arguments.get(answer.value)
        if past.tool == policy.fill and isinstance(past.result, dict):
            return past.result.get(answer.value)
    return None


def _outdated(policy: Policy, view: GuardView) -> Decision | None:
    """Refuse a report that says done over a number that is right no longer."""
    if view.arguments["status"] != "done":
        return None
    for answer in policy.answers:
        given = _given(policy, answer, view)
        if given is not None and not equal(given, _held(answer, view)):
            return refuse(
                "answers_from_store",
                f"the number {repr(given)[:LONGEST_SHOWN]} was given, and the store has changed",
                terminal=False,
                next_step=f"call {policy.fill!r} to have it filled in anew, then report",
            )
    return None


def before(view: GuardView) -> Decision | None:
    """Refuse to state a number that the store does not hold."""
    if view.policy is None:
        return None
    policy = from_json(Policy, view.policy)
    if view.tool == REPORT.name:
        return _outdated(policy, view)
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
    version=2,
)
