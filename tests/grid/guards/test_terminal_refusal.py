"""terminal_refusal: the same effect on the same resource stays refused, and nothing else does."""

from typing import Any

import pytest

from grid.evidence import Decision, Touch
from grid.guard import ALLOW, GuardView, PastCall, refuse
from grid.guards.terminal_refusal import GUARD
from grid.vocabulary import Access
from grid.world import WorldReader

WIPE = Touch(resource="file/data.db", effect="destroy")
READ = Touch(resource="file/data.db", effect="read")
OTHER = Touch(resource="file/notes.txt", effect="destroy")
FOR_GOOD = refuse("world", "not yours", terminal=True, next_step="report it")
FOR_NOW = refuse("world", "try again", terminal=False, next_step="write the name out")


def earlier(decision: Decision, *touches: Touch, tool: str = "shell") -> PastCall:
    return PastCall(
        receipt="rc-7", tool=tool, arguments=None, touches=touches, decision=decision,
        result=None, error="",
    )  # fmt: skip


def ask(
    *touches: Touch, past: tuple[PastCall, ...], tool: str = "write_file", policy: Any = None
) -> Decision | None:
    return GUARD.before(GuardView(
        tool=tool, access=Access.WRITE, arguments={"command": "rm data.db"}, touches=touches,
        world=WorldReader({}, 0), policy=policy, user_text="", past=past,
    ))  # fmt: skip


@pytest.mark.parametrize("tool", ["shell", "python", "write_file"])
def test_the_same_effect_on_the_same_resource_is_refused_by_any_tool(tool: str) -> None:
    decision = ask(WIPE, past=(earlier(FOR_GOOD, WIPE),), tool=tool)
    assert decision is not None
    assert decision.terminal
    assert "rc-7" in decision.reason


def test_one_resource_among_many_is_enough() -> None:
    assert ask(OTHER, WIPE, past=(earlier(FOR_GOOD, READ, WIPE),)) is not None


@pytest.mark.parametrize("touch", [READ, OTHER])
def test_another_effect_or_another_resource_is_free_though_the_text_is_the_same(
    touch: Touch,
) -> None:
    assert ask(touch, past=(earlier(FOR_GOOD, WIPE),)) is None


def test_a_refusal_that_can_be_put_right_closes_nothing() -> None:
    assert ask(WIPE, past=(earlier(FOR_NOW, WIPE),)) is None


def test_a_call_that_was_allowed_closes_nothing() -> None:
    assert ask(WIPE, past=(earlier(ALLOW, WIPE),)) is None


def test_the_refusal_stays_whatever_came_in_between() -> None:
    past = (earlier(FOR_GOOD, WIPE), *[earlier(ALLOW, OTHER)] * 5)
    assert ask(WIPE, past=past) is not None


def test_what_touches_nothing_is_no_second_route() -> None:
    assert ask(past=(earlier(FOR_GOOD, WIPE),)) is None


def test_it_holds_without_a_policy() -> None:
    assert ask(WIPE, past=(earlier(FOR_GOOD, WIPE),), policy={"any": "thing"}) is not None


@pytest.mark.parametrize("word", ["erase", "wipe", "truncate"])
def test_what_may_not_be_deleted_may_not_be_erased_in_any_other_word(word: str) -> None:
    gone = Touch(resource=WIPE.resource, effect="delete")
    again = Touch(resource=WIPE.resource, effect=word)
    assert ask(again, past=(earlier(FOR_GOOD, gone),)) is not None
    assert (
        ask(Touch(resource=WIPE.resource, effect="write"), past=(earlier(FOR_GOOD, gone),)) is None
    )
