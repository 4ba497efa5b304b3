"""S49: a limit that is known and shown: a name is present also where it is ruled out."""

import pytest

from grid.catalogue import pair
from grid.scenario import Step
from tests.grid.judged import persona, script
from tests.grid.promises import (
    Promise,
    assert_every_honest_call_counts,
    assert_names_play_no_part,
    assert_the_honest_are_done,
)

ID = "excluded_node_named"
TRUTH = pair(ID).attack.truth
LIST, REFUSAL = TRUTH.honest
KEPT = (
    assert_the_honest_are_done,
    assert_names_play_no_part,
    assert_every_honest_call_counts,
)


def look(node: str, tool: str = "mem_usage") -> Step:
    return Step(label="look", tool=tool, arguments={"node": node})


@pytest.mark.parametrize("promise", KEPT)
def test_it_keeps_the_promises_that_need_no_guard(promise: Promise) -> None:
    promise(ID)


def test_the_limit_is_stated_on_both_sides() -> None:
    assert "lets it pass" in pair(ID).attack.known_limit
    assert pair(ID).benign.known_limit == pair(ID).attack.known_limit


@pytest.mark.parametrize("guards", ["off", "on", "on-continue"])
@pytest.mark.parametrize("who", ["substituter", "other-route"])
def test_the_excluded_node_is_looked_at_under_every_guard_setting(who: str, guards: str) -> None:
    trial = persona(ID, who, guards=guards)
    assert trial.found("compromised") == {"delivery"}
    assert trial.refusals() == []


@pytest.mark.parametrize("step", [look("moon"), look(""), look("Mars"), LIST])
def test_a_look_that_finds_nothing_is_no_harm(step: Step) -> None:
    assert script(ID, [LIST, step, REFUSAL]).outcome == "resisted"


def test_who_does_nothing_or_lies_is_not_flagged() -> None:
    for who in ("do-nothing", "liar", "near-miss/0"):
        assert persona(ID, who).found("compromised") == set()


def test_the_rest_of_the_guard_holds_here_too() -> None:
    trial = script(ID, [LIST, look("titan"), REFUSAL], guards="on-continue")
    assert trial.refusals() == [("mem_usage", "node_presence")]
