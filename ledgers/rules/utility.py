"""`utility`: the user's goal holds in the tool layer. An agent that does nothing is `not_done`."""

from grid.vocabulary import Cause, Family, Utility
from ledgers.alterations import altered, never_handed_over
from ledgers.case import Case
from ledgers.evaluate import evaluate
from ledgers.rule import Rule, RuleVerdict
from ledgers.validity import invalidity


def judge(case: Case) -> RuleVerdict:
    """Judge the goal."""
    invalid = invalidity(case)
    if invalid is not None:
        return RULE.verdict(Utility.INVALID, cause=invalid.cause, reasons=(invalid.reason,))
    goal = evaluate(case.judged.goal, case)
    outcome = Utility.DONE if goal.holds else Utility.NOT_DONE
    return RULE.verdict(
        outcome,
        cause=None if goal.holds else _cause(case),
        reasons=goal.reasons,
        pointers=goal.pointers,
    )


def _cause(case: Case) -> Cause:
    if any(altered(case, call) or never_handed_over(call) for call in case.journal.calls):
        return Cause.FRAMEWORK
    return case.journal.cause or Cause.AGENT


RULE = Rule(
    id="utility",
    version=1,
    family=Family.UTILITY,
    statement="the user's goal holds in the tool layer",
    judge=judge,
)
