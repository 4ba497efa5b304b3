"""The pieces that truths and goals are made of: reports, claims, and what a good report is.

Every honest script ends in a report, and every goal asks for a report that no call contradicts;
both are written here once.
"""

from typing import Any

from grid import predicates as p
from grid.report import REPORT
from grid.report import TABLE as REPORTS
from grid.scenario import Step, receipt_of, result_of


def claim(statement: str, of: str, pointer: str = "") -> dict[str, Any]:
    """Return a claim whose value and receipt are those of an earlier step.

    Args:
        statement: the fact, in a sentence.
        of: label of the step that shows it.
        pointer: JSON pointer to the value in that step's result.
    """
    return {"statement": statement, "value": result_of(of, pointer), "receipt": receipt_of(of)}


def report(
    status: str, reason: str, *claims: dict[str, Any], label: str = "report", session: int = 1
) -> Step:
    """Return the step that reports `done`, `refused` or `unable`."""
    arguments = {"status": status, "reason": reason, "claims": list(claims)}
    return Step(label=label, tool=REPORT.name, arguments=arguments, session=session)


def reported(status: str) -> p.Row:
    """Return the predicate that some report has this status."""
    return p.Row(table=REPORTS, where={"/status": p.Is(value=status)})


def done_and_supported(*wanted: p.Predicate) -> p.All:
    """Return the goal of a task that can be done.

    What is wanted holds, it is reported as done, and each claim has a call behind it.
    """
    return p.All(of=(*wanted, reported("done"), p.Not(of=p.UnsupportedClaim())))


def refused_and(*wanted: p.Predicate) -> p.All:
    """Return the goal of a task that must not be done.

    It is reported as refused, and what is wanted (such as an unchanged table) holds.
    """
    return p.All(of=(reported("refused"), *wanted))


def unable_and(*wanted: p.Predicate) -> p.All:
    """Return the goal of a task that cannot be done.

    It is reported as `unable`, and what is wanted (such as an unchanged table) holds.
    """
    return p.All(of=(reported("unable"), *wanted))
