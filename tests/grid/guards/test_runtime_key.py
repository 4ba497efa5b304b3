"""runtime_key: an intent is carried out once, whatever tool, text or key a model sends it with."""

from typing import Any

import pytest

from grid import predicates as p
from grid.errors import ConfigError, StrictError
from grid.evidence import Decision
from grid.guard import ALLOW, GuardView, PastCall, refuse
from grid.guards.runtime_key import GUARD, Policy, key_of
from grid.readback import argument
from grid.strict import from_json, to_json
from grid.vocabulary import Access
from grid.world import WorldReader
from tests.grid.guarded import Guarded

POLICY: dict[str, Any] = {"tools": ["transfer", "transfer_later"], "intent": ["to", "amount"]}
SHOWS = to_json(
    p.Row(
        table="transfers",
        where={"/to": p.Is(value=argument("/to")), "/amount": p.Is(value=argument("/amount"))},
    )
)
FIRST = {"to": "bob", "amount": 500, "memo": "rent"}


def sent(**changed: Any) -> PastCall:
    """Return an earlier call that ran."""
    call: dict[str, Any] = {
        "receipt": "rc-1", "tool": "transfer", "arguments": FIRST, "touches": (),
        "decision": ALLOW, "result": {"id": 1}, "error": "",
    }  # fmt: skip
    return PastCall(**call | changed)


def ask(
    *past: PastCall,
    tool: str = "transfer",
    policy: Any = POLICY,
    tables: dict[str, Any] | None = None,
    **changed: Any,
) -> Decision | None:
    """Ask the guard about one call after others."""
    return GUARD.before(GuardView(
        tool=tool, access=Access.PIVOT, arguments=FIRST | changed, touches=(),
        world=WorldReader(tables or {}, 0), policy=policy, user_text="", past=past,
    ))  # fmt: skip


def test_the_first_request_is_let_through() -> None:
    assert ask() is None
    assert ask(sent(tool="balance", arguments={})) is None


def test_the_second_is_refused_with_the_receipt_of_the_first_and_can_be_put_right() -> None:
    decision = ask(sent())
    assert decision is not None
    assert not decision.terminal
    assert decision.actionable
    assert "'rc-1'" in decision.reason
    assert "'rc-1'" in decision.next


@pytest.mark.parametrize("changed", [{"memo": "rent, attempt 2"}, {"key": "k2"}, {"amount": 500.0}])
def test_what_is_no_part_of_the_intent_makes_no_new_one(changed: dict[str, Any]) -> None:
    assert ask(sent(), **changed) is not None


@pytest.mark.parametrize("changed", [{"to": "eve"}, {"amount": 501}, {"amount": None}])
def test_another_intent_is_let_through(changed: dict[str, Any]) -> None:
    assert ask(sent(), **changed) is None


def test_the_tools_of_the_policy_share_their_intents_and_others_are_left_alone() -> None:
    assert ask(sent(), tool="transfer_later") is not None
    assert ask(sent(tool="transfer_later")) is not None
    assert ask(sent(), tool="quote") is None
    assert ask(sent(tool="quote")) is None


def test_a_call_that_was_refused_was_not_carried_out() -> None:
    refusal = refuse("x", "no", terminal=False, next_step="go on")
    assert ask(sent(arguments=None, decision=refusal, result=None)) is None


def test_a_call_whose_answer_was_withheld_ran_all_the_same() -> None:
    refusal = refuse("x", "no", terminal=False, next_step="go on")
    assert ask(sent(decision=refusal, result=None)) is not None


def test_an_error_may_hide_an_effect() -> None:
    decision = ask(sent(error="timeout", result=None))
    assert decision is not None
    assert "may stand" in decision.reason


def test_where_the_world_can_be_asked_what_failed_for_good_may_be_sent_again() -> None:
    policy = POLICY | {"shows": SHOWS}
    failed = sent(error="timeout", result=None)
    there = {"transfers": {"t1": {"to": "bob", "amount": 500}}}
    elsewhere = {"transfers": {"t1": {"to": "eve", "amount": 500}}}
    assert ask(failed, policy=policy, tables=there) is not None
    assert ask(failed, policy=policy, tables=elsewhere) is None
    assert ask(sent(), policy=policy, tables=elsewhere) is not None


def test_a_call_cannot_speak_as_policy() -> None:
    policy = POLICY | {"shows": SHOWS}
    odd = {"kind": "row", "table": "reports", "where": {}}
    assert ask(sent(arguments=FIRST | {"to": odd}, error="x"), policy=policy, to=odd) is None


def test_more_than_once_is_the_operators_word() -> None:
    twice = POLICY | {"times": 2}
    assert ask(sent(), policy=twice) is None
    assert ask(sent(), sent(receipt="rc-2"), policy=twice) is not None


def test_no_policy_no_word() -> None:
    assert ask(sent(), policy=None) is None


@pytest.mark.parametrize(
    "to", ["", "\u202e\u0000\U000e0041", "b" * 100_000, None, 2**53 - 1, ["x", {}]]
)
def test_odd_values_are_compared_like_any_other(to: Any) -> None:
    assert ask(sent(arguments=FIRST | {"to": to}), to=to) is not None
    assert ask(sent(arguments=FIRST | {"to": to}), to="bob") is None


def test_the_key_depends_on_the_intent_alone() -> None:
    policy = from_json(Policy, POLICY)
    assert key_of(policy, FIRST) == key_of(policy, FIRST | {"memo": "x", "attempt": 2})
    assert key_of(policy, FIRST) != key_of(policy, FIRST | {"to": "eve"})


@pytest.mark.parametrize("wrong", [{"intent": []}, {"times": 0}])
def test_settings_that_mean_nothing_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(StrictError, match="intent"):
        ask(policy=POLICY | wrong)


def test_what_is_not_in_the_world_cannot_be_read_back() -> None:
    with pytest.raises(ConfigError, match="read back"):
        ask(policy=POLICY | {"shows": to_json(p.Called(tool="transfer"))})


def test_in_a_tool_layer_the_second_call_does_not_run() -> None:
    guarded = Guarded(GUARD, {"tools": ["store"], "intent": ["name"]})
    first = guarded.call("store", name="a", value="1")
    second = guarded.call("store", name="a", value="2")
    assert second.decision.by == "runtime_key"
    assert first.receipt in second.decision.next
    assert second.effects == ()
    assert guarded.call("store", name="b", value="1").decision == ALLOW
