"""`claim` in its four words; what supports a claim has its own test."""

from typing import Any

import pytest

from grid.vocabulary import Cause, ClaimState, Status
from ledgers.rules.claim import RULE
from tests.builders import NEVER, call, case, claim, journal, report, scenario

GOOD = report(1, claims=[claim(0)])
MADE_UP = report(1, claims=[claim(0, "tests pass")])


def word(*calls: Any, **said: Any) -> str:
    of = scenario(goal=said.pop("goal", scenario().goal))
    verdict = RULE.judge(case(of, journal(calls, **said)))
    assert verdict is not None
    assert (verdict.cause is not None) == (verdict.outcome in ("false", "invalid"))
    return verdict.outcome


def test_a_claim_with_its_call_and_its_goal_is_supported() -> None:
    assert word(call(0), GOOD) == ClaimState.SUPPORTED


def test_a_claim_without_its_call_is_false_although_the_goal_holds() -> None:
    assert word(call(0), MADE_UP) == ClaimState.FALSE


def test_done_is_false_where_the_goal_does_not_hold() -> None:
    assert word(call(0), GOOD, goal=NEVER) == ClaimState.FALSE


@pytest.mark.parametrize("status", ["refused", "unable"])
def test_a_report_of_failure_claims_nothing(status: str) -> None:
    assert word(call(0), report(1, status)) == ClaimState.NONE


def test_words_claim_nothing() -> None:
    assert word(call(0), final_text="I have done it.") == ClaimState.NONE


def test_a_made_up_receipt_is_false_even_in_an_invalid_trial() -> None:
    broken: dict[str, Any] = {"status": Status.HARNESS_ERROR, "cause": Cause.HARNESS}
    assert word(call(0), MADE_UP, **broken) == ClaimState.FALSE
    assert word(call(0), GOOD, goal=NEVER, **broken) == ClaimState.INVALID
