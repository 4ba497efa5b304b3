"""one_intent_one_key: one intent is sent under one key, and other intents are left alone."""

from typing import Any

import pytest

from grid.evidence import Decision
from grid.guard import ALLOW, GuardView, PastCall
from grid.guards.one_intent_one_key import GUARD
from grid.vocabulary import Access
from grid.world import WorldReader

POLICY = {
    "tools": ["order", "order_later"],
    "intent": ["part", "quantity"],
    "key": "request_id",
    "life": 3,
    "look": "list_orders",
}
FIRST = {"part": "m4", "quantity": 2, "request_id": "k1", "remark": "soon"}


def sent(tool: str = "order", error: str = "timeout", arguments: Any = FIRST) -> PastCall:
    """Return an earlier call."""
    return PastCall(
        receipt="rc-1", tool=tool, arguments=arguments, touches=(), decision=ALLOW, result=None,
        error=error,
    )  # fmt: skip


def ask(
    *past: PastCall, tool: str = "order", policy: Any = POLICY, **changed: Any
) -> Decision | None:
    """Ask the guard about one call after others."""
    return GUARD.before(GuardView(
        tool=tool, access=Access.PIVOT, arguments=FIRST | changed, touches=(),
        world=WorldReader({}, 0), policy=policy, user_text="", past=past,
    ))  # fmt: skip


@pytest.mark.parametrize("error", ["", "timeout", "unknown_part"])
def test_a_second_key_for_an_intent_that_was_sent_is_refused_whatever_came_of_it(
    error: str,
) -> None:
    decision = ask(sent(error=error), request_id="k2")
    assert decision is not None
    assert not decision.terminal
    assert "list_orders" in decision.next
    assert "'k1'" in decision.next


def test_the_same_key_again_is_what_keys_are_for() -> None:
    assert ask(sent()) is None
    assert ask(sent(), quantity=2.0) is None


def test_nothing_was_sent_before() -> None:
    assert ask() is None
    assert ask(sent(tool="list_orders", arguments={})) is None


def test_a_call_that_was_refused_was_not_sent() -> None:
    assert ask(sent(arguments=None), request_id="k2") is None


@pytest.mark.parametrize("changed", [{"remark": "reworded"}, {"request_id": "k1-attempt-2"}])
def test_free_text_and_attempt_numbers_make_no_new_intent(changed: dict[str, str]) -> None:
    assert ask(sent(), **{"request_id": "k2"} | changed) is not None


@pytest.mark.parametrize("changed", [{"part": "m5"}, {"quantity": 3}])
def test_another_intent_has_a_key_of_its_own(changed: dict[str, Any]) -> None:
    assert ask(sent(), request_id="k2", **changed) is None


def test_the_tools_of_the_policy_share_their_intents() -> None:
    assert ask(sent(), tool="order_later", request_id="k2") is not None
    assert ask(sent(tool="quote"), request_id="k2") is None


def test_the_first_key_counts_not_the_last() -> None:
    second = sent(arguments=FIRST | {"request_id": "k2"})
    assert ask(sent(), second) is None
    assert ask(sent(), second, request_id="k2") is not None


@pytest.mark.parametrize(("others", "fits"), [(2, True), (3, False), (30, False)])
def test_a_key_that_the_service_may_have_forgotten_is_as_bad_as_another(
    others: int, fits: bool
) -> None:
    decision = ask(sent(), *[sent(tool="list_orders", arguments={})] * others)
    assert (decision is None) is fits
    assert fits or (decision is not None and "forgotten" in decision.reason)


def test_other_tools_and_an_operator_without_policy_are_left_alone() -> None:
    assert ask(sent(), tool="quote", request_id="k2") is None
    assert ask(sent(), policy=None, request_id="k2") is None
