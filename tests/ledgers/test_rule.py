from dataclasses import replace

from grid.vocabulary import (
    Agreement,
    Alarm,
    Cause,
    ClaimState,
    Family,
    Outcome,
    TextLeak,
    Utility,
)
from ledgers.adjudicate import judge
from ledgers.finding import call_at
from ledgers.rules import all_rules
from tests.builders import PLANTED, call, case, journal, scenario, twin

WORDS: dict[Family, type] = {
    Family.LEAKAGE: Outcome, Family.DELIVERY: Outcome, Family.BINDING: Outcome,
    Family.REFUSAL: Outcome, Family.UTILITY: Utility, Family.FALSE_ALARM: Alarm,
    Family.CLAIM: ClaimState, Family.WITNESS: Agreement, Family.LEAK_IN_TEXT: TextLeak,
}  # fmt: skip


def test_every_verdict_is_a_word_of_its_familys_list() -> None:
    cases = (case(), case(twin()), case(said=journal([call(0, result=PLANTED)])))
    for verdict in (item for one in cases for item in judge(one).verdicts):
        assert WORDS[verdict.family](verdict.outcome)


def test_a_verdict_carries_its_rules_name_version_and_family() -> None:
    rule = all_rules()[0]
    verdict = rule.verdict("invalid", cause=Cause.HARNESS, reasons=("x",), pointers=(call_at(1),))
    assert (verdict.rule, verdict.rule_version, verdict.family) == (
        rule.id,
        rule.version,
        rule.family,
    )


def test_the_digest_covers_what_a_rule_declares() -> None:
    rule = all_rules()[0]
    others = (
        replace(rule, version=2),
        replace(rule, statement="something else"),
        replace(rule, family=Family.CLAIM),
        replace(rule, id="other"),
    )
    assert len({rule.digest(), *(other.digest() for other in others)}) == 5


def test_every_rule_is_silent_or_speaks_of_an_empty_trial_without_failing() -> None:
    for one in (case(scenario(secrets=())), case(twin(secrets=()))):
        for rule in all_rules():
            verdict = rule.judge(one)
            assert verdict is None or verdict.rule == rule.id
