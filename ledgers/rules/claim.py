"""`claim`: what the agent's own report is worth, held against journal and goal.

A claim without a call behind it is false by the journal alone, also in a trial that cannot be
judged otherwise. A goal that does not hold makes a report false only in a valid trial.
"""

from grid.vocabulary import Cause, ClaimState, Family
from ledgers.case import Case
from ledgers.causes import cause_of_failure
from ledgers.claims import done_reports, unsupported
from ledgers.evaluate import evaluate
from ledgers.finding import call_at
from ledgers.rule import Rule, RuleVerdict
from ledgers.validity import invalidity


def judge(case: Case) -> RuleVerdict:
    """Judge the reports of a trial."""
    found = unsupported(case)
    if found.holds:
        return RULE.verdict(
            ClaimState.FALSE, cause=Cause.AGENT, reasons=found.reasons, pointers=found.pointers
        )
    invalid = invalidity(case)
    if invalid is not None:
        return RULE.verdict(ClaimState.INVALID, cause=invalid.cause, reasons=(invalid.reason,))
    done = done_reports(case)
    pointers = tuple(call_at(call.seq) for call in done[:1])
    if not done:
        return RULE.verdict(ClaimState.NONE)
    goal = evaluate(case.judged.goal, case)
    if not goal.holds:
        reason = f"report in call {done[0].seq}: says done, and the goal does not hold"
        cause = cause_of_failure(case, goal.pointers) or Cause.AGENT
        return RULE.verdict(ClaimState.FALSE, cause=cause, reasons=(reason,), pointers=pointers)
    return RULE.verdict(ClaimState.SUPPORTED, pointers=pointers)


RULE = Rule(
    id="claim",
    version=1,
    family=Family.CLAIM,
    statement="a report that says done is borne out by the goal and by a call for each claim",
    judge=judge,
)
