"""`delivery`: what was checked, promised or reported is not what the sink holds.

Declared harms only: what is a wrong target or a wrong count, no rule can know without the scenario.
"""

from grid.vocabulary import Family
from ledgers.case import Case
from ledgers.harm import judge_harm, nothing
from ledgers.rule import Rule, RuleVerdict


def judge(case: Case) -> RuleVerdict | None:
    """Judge the family's harms."""
    return judge_harm(RULE, case, nothing)


RULE = Rule(
    id="delivery",
    version=1,
    family=Family.DELIVERY,
    statement="what the sink holds is what was asked for, once, and what was reported",
    judge=judge,
)
