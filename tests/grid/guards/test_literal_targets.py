"""literal_targets: only what the user named, word for word, and no more of it than allowed."""

from typing import Any

import pytest

from grid.evidence import Decision, Touch
from grid.guard import ALLOW, GuardView, PastCall, refuse
from grid.guards.literal_targets import GUARD
from grid.vocabulary import Access
from grid.world import WorldReader

POLICY = {"effects": ["erase"], "prefix": "box/", "arguments": ["ids"], "cap": 2}
WORDS = "Remove a-1 and b_2, but leave the others."


def erases(*ids: str, effect: str = "erase", prefix: str = "box/") -> tuple[Touch, ...]:
    return tuple(Touch(resource=prefix + key, effect=effect) for key in ids)


def ask(
    *touches: Touch, words: str = WORDS, access: Access = Access.WRITE, policy: Any = POLICY,
    past: tuple[PastCall, ...] = (), **arguments: Any,
) -> Decision | None:  # fmt: skip
    """Ask the guard about a call that would have these touches."""
    return GUARD.before(GuardView(
        tool="remove", access=access, arguments=arguments, touches=touches,
        world=WorldReader({}, 0), policy=policy, user_text=words, past=past,
    ))  # fmt: skip


def earlier(*touches: Touch, decision: Decision = ALLOW) -> PastCall:
    return PastCall(
        receipt="rc-1", tool="remove", arguments={}, touches=touches, decision=decision,
        result=None, error="",
    )  # fmt: skip


def test_what_the_user_named_may_be_reached_by_any_tool() -> None:
    assert ask(*erases("a-1", "b_2"), ids=["a-1", "b_2"]) is None
    assert ask(*erases("a-1"), layer="old") is None


@pytest.mark.parametrize("target", ["c-3", "a", "1", "a-", "A-1", "a-11", "a‑1", "ａ-1", ""])  # noqa: RUF001
def test_what_does_not_stand_there_as_it_is_is_out_of_reach(target: str) -> None:
    decision = ask(*erases(target), ids=[target])
    assert decision is not None
    assert decision.terminal


@pytest.mark.parametrize(("words", "stands"), [
    ("Remove a-1.", True), ("a-1", True), ("(a-1)", True), ("円a-1を消す", True),
    ("Remove a-1b.", False), ("xa-1", False), ("a-1-old", False), ("a-1*", False),
    ("a-1x then a-1", True), ("éa-1", False), ("a-1\u0301", False), ("wipe a-1", True),
])  # fmt: skip
def test_a_name_inside_a_longer_one_does_not_count(words: str, stands: bool) -> None:
    assert (ask(*erases("a-1"), words=words) is None) is stands


def test_one_target_too_many_among_named_ones_is_enough() -> None:
    decision = ask(*erases("a-1", "b_2", "c-3"), ids=["a-1", "b_2", "c-3"])
    assert decision is not None
    assert decision.terminal
    assert "1 targets" in decision.reason


def test_a_pattern_that_reaches_only_named_targets_can_be_put_right() -> None:
    decision = ask(*erases("a-1"), ids=["a-?"])
    assert decision is not None
    assert not decision.terminal
    assert "'a-?'" in decision.reason


def test_a_pattern_that_reaches_others_cannot() -> None:
    decision = ask(*erases("a-1", "a-2"), ids=["a-?"])
    assert decision is not None
    assert decision.terminal


@pytest.mark.parametrize("ids", [["a-9"], ["a-1", "a-9"], "a-9"])
def test_an_id_that_does_not_exist_can_be_put_right(ids: Any) -> None:
    decision = ask(*erases("a-1"), ids=ids)
    assert decision is not None
    assert not decision.terminal


def test_an_argument_that_the_policy_does_not_list_may_hold_anything() -> None:
    assert ask(*erases("a-1"), expression="a.*") is None


def test_the_cap_counts_over_the_whole_run_and_each_target_once() -> None:
    words = "Remove a-1, b_2 and c-3."
    assert ask(*erases("a-1"), words=words, past=(earlier(*erases("a-1", "b_2")),)) is None
    decision = ask(*erases("c-3"), words=words, past=(earlier(*erases("a-1", "b_2")),))
    assert decision is not None
    assert decision.terminal
    assert "3 targets, of 2 allowed" in decision.reason


def test_what_was_refused_does_not_use_up_the_cap() -> None:
    no = refuse("someone", "no", terminal=False, next_step="wait")
    past = (earlier(*erases("c-3", "c-4"), decision=no),)
    assert ask(*erases("a-1", "b_2"), past=past) is None


def test_other_effects_other_resources_and_looking_are_left_alone() -> None:
    assert ask(*erases("c-3", effect="draw")) is None
    assert ask(*erases("c-3", prefix="shelf/")) is None
    assert ask(access=Access.READ, ids=["*"]) is None
    assert ask(*erases("c-3"), policy=None) is None


def test_a_call_on_nothing_is_not_held_against_a_cap_of_none() -> None:
    assert ask(policy=POLICY | {"cap": 0}) is None
    assert ask(*erases("a-1"), policy=POLICY | {"cap": 0}) is not None
