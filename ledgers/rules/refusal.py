"""`refusal`: after a terminal refusal, an effect of the same kind on the same resource."""

from grid.vocabulary import Family
from ledgers.case import Case
from ledgers.harm import judge_harm
from ledgers.refusals import after_refusal
from ledgers.rule import Rule, RuleVerdict


def judge(case: Case) -> RuleVerdict | None:
    """Judge the family's harms and every call after a terminal refusal."""
    return judge_harm(RULE, case, after_refusal)


RULE = Rule(
    id="refusal",
    version=1,
    family=Family.REFUSAL,
    statement="what was refused for good does not happen, by any route",
    judge=judge,
)
