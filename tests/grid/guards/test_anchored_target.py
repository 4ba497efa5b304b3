"""`anchored_target`: what the agent acts on stands in the user's own words."""

from typing import Any

import pytest

from grid.errors import StrictError
from grid.evidence import Decision, Touch
from grid.guard import ALLOW, GuardView, PastCall, refuse
from grid.guards.anchored_target import GUARD, quotations
from grid.vocabulary import Access
from grid.world import WorldReader

POLICY = {
    "tool": "name_it", "argument": "title", "effects": ["vote"], "prefix": "story/",
    "table": "stories", "field": "title",
}  # fmt: skip
TITLES = {"1": "The Loss of Bikash", "2": "The Loss", "3": "Bikash", "4": "春の夜"}


def view(
    tool: str = "vote",
    *,
    words: str = "upvote The Loss of Bikash please",
    title: Any = "",
    targets: tuple[str, ...] = (),
    past: tuple[PastCall, ...] = (),
    policy: Any = POLICY,
    titles: dict[str, Any] = TITLES,
) -> GuardView:
    rows = {key: {"title": name} for key, name in titles.items()}
    return GuardView(
        tool=tool, access=Access.WRITE, arguments={"title": title},
        touches=tuple(Touch(resource=f"story/{one}", effect="vote") for one in targets),
        world=WorldReader({"stories": rows}, 0), policy=policy, user_text=words, past=past,
    )  # fmt: skip


def declared(title: Any, decision: Decision = ALLOW, error: str = "") -> PastCall:
    return PastCall(
        receipt="rc-1", tool="name_it", arguments={"title": title}, touches=(),
        decision=decision, result={}, error=error,
    )  # fmt: skip


def asked(**changes: Any) -> Decision | None:
    return GUARD.before(view("name_it", **changes))


def acted(*past: PastCall, on: tuple[str, ...] = ("1",), **changes: Any) -> Decision | None:
    return GUARD.before(view(targets=on, past=past, **changes))


def test_without_a_policy_it_says_nothing() -> None:
    assert asked(policy=None, title="x") is None
    assert acted(policy=None) is None


@pytest.mark.parametrize("title", [
    "The Loss of Bikash", "the loss OF bikash", " The  Loss of\u00a0Bikash ",
    "\uff34he Loss of Bikash",
])  # fmt: skip
def test_the_users_own_words_are_taken_in_any_case_width_and_spacing(title: str) -> None:
    assert asked(title=title) is None


@pytest.mark.parametrize("title", [
    "June in Servo", "The Loss of Bikas", "oss of Bikash", "", " ", "...", "\u200b",
    "The L\u043ess of Bikash", "The\u200b Loss of Bikash", "x" * 100_000, "\U0001f600" * 50,
])  # fmt: skip
def test_words_that_the_user_did_not_write_are_refused_and_can_be_put_right(title: str) -> None:
    decision = asked(title=title)
    assert decision is not None
    assert (decision.by, decision.terminal) == ("anchored_target", False)
    assert "user's message" in decision.next


@pytest.mark.parametrize("title", ["The Loss", "Bikash"])
def test_a_part_of_a_longer_name_that_the_user_wrote_is_ambiguous(title: str) -> None:
    decision = asked(title=title)
    assert decision is not None
    assert "only a part" in decision.reason
    assert asked(title=title, words=f"upvote The Loss of Bikash, and {title}") is None


@pytest.mark.parametrize(("words", "title", "fine"), [
    ('upvote "The Los of Bikash"', "The Los of Bikash", True),
    ('upvote "The Los of Bikash"', "Bikash", False),
    ("「The Los of Bikash」に", "Los", False),
    ("「春の夜」に投票", "春の夜", True),
    ("『春の夜』と«A B»", "a b", True),
    ('a " alone, upvote Bikash', "Bikash", True),
    ('""', "", False),
    ("春の夜に投票", "春の夜", True),
])  # fmt: skip
def test_where_the_user_quotes_a_target_is_a_whole_quotation(
    words: str, title: str, fine: bool
) -> None:
    assert (asked(words=words, title=title) is None) == fine


def test_quotations_are_found_in_order_and_end_with_their_own_mark() -> None:
    assert quotations('x "a" 「b" c」 “D” "open') == ("a", 'b" c', "d")


def test_an_act_before_any_declaration_is_told_what_to_do() -> None:
    decision = acted()
    assert decision is not None
    assert not decision.terminal
    assert "'name_it'" in decision.next


def test_the_declared_target_can_be_acted_on_and_no_other() -> None:
    past = declared("the loss of bikash")
    assert acted(past) is None
    other = acted(past, on=("2",))
    assert other is not None
    assert other.terminal
    both = acted(past, on=("1", "3"))
    assert both is not None


def test_what_touches_nothing_that_is_watched_passes() -> None:
    assert acted(on=()) is None
    opened = view(targets=("1",), policy=POLICY | {"effects": ["erase"]})
    assert GUARD.before(opened) is None


def test_a_declaration_that_was_refused_or_failed_counts_for_nothing() -> None:
    no = refuse("some_guard", "no", terminal=False, next_step="stop")
    assert acted(declared("The Loss of Bikash", no)) is not None
    assert acted(declared("The Loss of Bikash", error="broken")) is not None


def test_the_last_declaration_counts() -> None:
    assert acted(declared("Bikash"), declared("The Loss of Bikash")) is None
    assert acted(declared("The Loss of Bikash"), declared("Bikash")) is not None


def test_a_name_that_two_targets_bear_is_ambiguous() -> None:
    decision = acted(declared("Bikash"), on=("3",), titles={"3": "Bikash", "9": "bikash "})
    assert decision is not None
    assert "2 targets" in decision.reason
    assert not decision.terminal


def test_an_id_that_is_not_there_can_be_put_right() -> None:
    decision = acted(declared("Bikash"), on=("77",))
    assert decision is not None
    assert (decision.terminal, "77" in decision.reason) == (False, True)


@pytest.mark.parametrize("odd", [None, 3, ["The Loss"], {"a": 1}])
def test_odd_values_are_only_other_words(odd: Any) -> None:
    assert asked(title=odd) is not None
    assert acted(declared(odd)) is not None
    assert acted(declared("Bikash"), on=("3",), titles={"3": "Bikash", "4": odd}) is None


def test_without_quotation_marks_a_word_that_a_row_bears_is_taken_as_the_docstring_says() -> None:
    assert asked(words="upvote The Los of Bikash", title="Bikash") is None
    assert asked(words='upvote "The Los of Bikash"', title="Bikash") is not None


def test_a_policy_that_says_more_or_less_than_it_may_is_an_error() -> None:
    for wrong in (POLICY | {"also": 1}, {"tool": "name_it"}):
        with pytest.raises(StrictError):
            asked(title="x", policy=wrong)
