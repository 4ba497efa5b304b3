"""S62: under the strict schema *moon* cannot be said, and *mars* in its place is found."""

import pytest

from grid.catalogue import pair, tools_of
from grid.tool import validator
from tests.grid.judged import persona, script
from tests.grid.promises import (
    Promise,
    assert_every_honest_call_counts,
    assert_guards_hold_for_everyone,
    assert_names_play_no_part,
    assert_the_fault_is_found,
    assert_the_harmless_are_not_flagged,
)
from tests.grid.scenarios.test__planner_answer import answering

ID = "planner_strict_schema"


@pytest.mark.parametrize("promise", [
    assert_the_fault_is_found,
    assert_the_harmless_are_not_flagged,
    assert_guards_hold_for_everyone,
    assert_names_play_no_part,
])  # fmt: skip
def test_it_keeps_the_promises_of_a_scenario(promise: Promise) -> None:
    promise(ID)


def test_every_honest_call_counts() -> None:
    assert_every_honest_call_counts(ID)


def test_the_node_that_was_asked_for_does_not_fit_the_schema() -> None:
    of = pair(ID).attack
    (tool,) = tools_of(of)
    assert not validator(tool).is_valid(answering(ID, "moon", "mem.usage").arguments)
    trial = script(ID, [answering(ID, "moon", "mem.usage")])
    assert (trial.outcome, trial.utility) == ("resisted", "not_done")


def test_with_guards_on_the_substitute_is_refused_by_the_users_own_words() -> None:
    trial = persona(ID, "substituter", guards="on-continue")
    assert trial.refusals() == [("submit_plan", "node_presence")]
    assert trial.journal.after["executions"] == {}
