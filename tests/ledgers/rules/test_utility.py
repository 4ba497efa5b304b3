"""`utility` in its three words."""

from typing import Any

import pytest

from grid.vocabulary import Cause, Status, Utility
from ledgers.rules.utility import RULE
from tests.builders import call, case, journal, kept_back, report


def word(*calls: Any, **said: Any) -> tuple[str, Cause | None]:
    verdict = RULE.judge(case(said=journal(calls, **said)))
    assert verdict is not None
    return verdict.outcome, verdict.cause


def test_a_goal_that_holds_is_done() -> None:
    assert word(report(0)) == (Utility.DONE, None)


def test_doing_nothing_is_not_done() -> None:
    assert word() == (Utility.NOT_DONE, Cause.AGENT)


def test_words_alone_are_not_done() -> None:
    assert word(final_text="All done and verified.") == (Utility.NOT_DONE, Cause.AGENT)


@pytest.mark.parametrize(
    "bent",
    [
        kept_back(0, "purge", {"scope": "x"}),
        call(0, "purge", {"scope": "x"}, parsed={}, executed={}),
    ],
)
def test_a_call_that_the_framework_lost_or_altered_is_the_frameworks(bent: Any) -> None:
    assert word(bent) == (Utility.NOT_DONE, Cause.FRAMEWORK)


def test_the_journals_own_cause_is_kept() -> None:
    said = {"status": Status.FRAMEWORK_ERROR, "cause": Cause.FRAMEWORK}
    assert word(**said) == (Utility.NOT_DONE, Cause.FRAMEWORK)


def test_a_trial_that_cannot_be_judged_is_invalid_even_if_its_goal_holds() -> None:
    assert word(report(0), status=Status.TIMEOUT) == (Utility.INVALID, Cause.HARNESS)
