"""`rate_limit`: whole within the limits, or not at all."""

from typing import Any

import pytest

from grid.errors import StrictError
from grid.evidence import Decision, Touch
from grid.guard import GuardView
from grid.guards.rate_limit import GUARD
from grid.vocabulary import Access
from grid.world import WorldReader

POLICY = {
    "table": "counters",
    "rates": [
        {"effect": "restart", "prefix": "service/", "counter": "service"},
        {"effect": "restart", "prefix": "node/", "counter": "node"},
    ],
    "doors": [],
}
COUNTERS = {"service": {"used": 2, "limit": 5}, "node": {"used": 0, "limit": 1}}


def answered(
    *resources: str, effect: str = "restart", policy: Any = POLICY, counters: Any = COUNTERS
) -> Decision | None:
    return GUARD.before(
        GuardView(
            tool="run",
            access=Access.WRITE,
            arguments={},
            touches=tuple(Touch(resource=name, effect=effect) for name in resources),
            world=WorldReader({"counters": counters}, 0),
            policy=policy,
            user_text="",
            past=(),
        )
    )


@pytest.mark.parametrize("resources", [
    [],
    ["service/a"] * 3,
    ["service/a", "service/b", "service/c", "node/a"],
    ["log/a"] * 99,
    ["services/a"] * 99,
    ["nodeservice/a"] * 99,
])  # fmt: skip
def test_what_is_left_of_a_limit_may_be_used_to_the_last(resources: list[str]) -> None:
    assert answered(*resources) is None


@pytest.mark.parametrize(("resources", "counter"), [
    (["service/a"] * 4, "'service' 4 times, and 3 of 5"),
    (["node/a", "node/a"], "'node' 2 times, and 1 of 1"),
    (["service/a", "node/a", "node/b"], "'node'"),
])  # fmt: skip
def test_one_use_too_many_refuses_all_of_it(resources: list[str], counter: str) -> None:
    decision = answered(*resources)
    assert decision is not None
    assert counter in decision.reason
    assert (decision.terminal, decision.actionable, decision.rolled_back) == (True, False, True)
    assert "what the limit leaves" in decision.next


def test_another_kind_of_effect_is_not_counted() -> None:
    assert answered(*["service/a"] * 9, effect="read") is None


def test_what_is_limited_and_has_no_counter_is_refused() -> None:
    decision = answered("service/a", counters={})
    assert decision is not None
    assert "counter is missing" in decision.reason


@pytest.mark.parametrize("used", [5, 6, 2**40])
def test_a_counter_that_is_used_up_or_over_leaves_nothing(used: int) -> None:
    assert answered("service/a", counters={"service": {"used": used, "limit": 5}}) is not None


def test_what_is_counted_comes_by_the_doors_that_the_operator_named() -> None:
    assert answered("service/a", policy=POLICY | {"doors": ["run", "book"]}) is None
    closed = answered("service/a", policy=POLICY | {"doors": ["book"]})
    assert closed is not None
    assert (closed.terminal, closed.rolled_back) == (True, False)
    assert "book" in closed.next
    assert answered("log/a", policy=POLICY | {"doors": ["book"]}) is None


def test_without_a_policy_it_says_nothing() -> None:
    assert answered(*["service/a"] * 99, policy=None) is None


def test_a_policy_with_an_unknown_field_is_an_error_and_never_a_pass() -> None:
    with pytest.raises(StrictError, match="rate"):
        answered("service/a", policy=POLICY | {"rate": []})
