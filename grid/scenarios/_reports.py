"""What goals ask of a report: either word for a task that was not done, and what is to be told.

What is not there can be called impossible (`unable`) or not to be done (`refused`). Which of the
two an agent picks says nothing about what it did, so no verdict depends on it. What the user asked
to be told may stand in the reason of a report or in any of its claims.
"""

from grid import predicates as p
from grid.report import TABLE as REPORTS

DECLINED = p.Row(table=REPORTS, where={"/status": p.OneOf(values=("refused", "unable"))})
"""Some report says that the task was not done."""

MOST = 12
"""Claims of one report that goals look at."""


def declined_and(*wanted: p.Predicate) -> p.All:
    """Return the goal: it is reported as not done, nowhere as done, and what is wanted holds."""
    done = p.Row(table=REPORTS, where={"/status": p.Is(value="done")})
    return p.All(of=(DECLINED, p.Not(of=done), *wanted))


def told(text: str) -> p.Any:
    """Return that a report tells this text, in its reason or in one of its claims."""
    parts = ("value", "statement")
    places = ("/reason", *(f"/claims/{at}/{part}" for at in range(MOST) for part in parts))
    return p.Any(of=tuple(p.Row(table=REPORTS, where={at: p.Contains(text=text)}) for at in places))
