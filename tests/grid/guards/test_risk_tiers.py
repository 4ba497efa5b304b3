"""risk_tiers: items are checked before a person is asked; what matters is shown alone."""

from typing import Any

import pytest

from grid.evidence import Decision
from grid.guard import GuardView
from grid.guards.risk_tiers import GUARD
from grid.vocabulary import Access
from grid.world import WorldReader

POLICY: dict[str, Any] = {
    "tools": [
        {"tool": "ask", "items": "orders", "alone": True},
        {"tool": "ship", "items": "order", "alone": False},
    ],
    "table": "orders",
    "checks": [
        {"field": "address", "table": "customers", "key": "customer", "equals": "address"},
        {"field": "price", "table": "parts", "key": "part", "equals": "price"},
    ],
    "tier": {"field": "price", "above": 100},
}
ORDER = {"customer": "ada", "address": "here", "part": "m4", "price": 5}
TABLES: dict[str, dict[str, Any]] = {
    "customers": {"ada": {"address": "here"}},
    "parts": {"m4": {"price": 5}, "engine": {"price": 900}},
}


def ask(
    *named: Any, tool: str = "ask", policy: Any = POLICY, **orders: dict[str, Any]
) -> Decision | None:
    """Ask the guard about orders; those that are not given otherwise are in order."""
    rows = {"o1": ORDER, "o2": ORDER, "big": ORDER | {"part": "engine", "price": 900}}
    rows |= {key: ORDER | changed for key, changed in orders.items()}
    arguments = {"order": named[0]} if tool == "ship" else {"orders": list(named)}
    return GUARD.before(GuardView(
        tool=tool, access=Access.PIVOT, arguments=arguments, touches=(),
        world=WorldReader(TABLES | {"orders": rows}, 0), policy=policy, user_text="", past=(),
    ))  # fmt: skip


def test_what_fits_the_records_passes() -> None:
    assert ask("o1", "o2") is None
    assert ask("o1", tool="ship") is None
    assert ask("big", tool="ship") is None


@pytest.mark.parametrize("wrong", [
    {"address": "elsewhere"}, {"price": 6}, {"price": "5"}, {"customer": "eve"}, {"part": "m5"},
    {"address": None}, {"customer": None}, {"address": "Here"}, {"address": "here "},
])  # fmt: skip
def test_what_does_not_fit_reaches_neither_the_person_nor_the_sink(wrong: dict[str, Any]) -> None:
    for decision in (ask("o1", "bad", bad=wrong), ask("bad", bad=wrong),
                     ask("bad", tool="ship", bad=wrong)):  # fmt: skip
        assert decision is not None
        assert not decision.terminal
        assert "'bad'" in decision.next
        assert "'o1'" not in decision.next


def test_equal_numbers_are_equal() -> None:
    assert ask("o1", bad={"price": 5.0}) is None
    assert ask("bad", bad={"price": 5.0}) is None


def test_what_matters_is_shown_alone() -> None:
    decision = ask("o1", "big")
    assert decision is not None
    assert not decision.terminal
    assert "'big' alone" in decision.next
    assert ask("big") is None
    assert ask("big", "big") is None


def test_an_item_without_a_number_is_taken_for_one_that_matters() -> None:
    loose = POLICY | {"checks": []}
    for price in (None, "5", True):
        assert ask("o1", "odd", policy=loose, odd={"price": price}) is not None
    assert ask("o1", "odd", policy=loose, odd={"price": 99.5}) is None
    assert ask("o1", "odd", policy=loose, odd={"price": 100.5}) is not None


def test_without_tiers_a_batch_is_as_good_as_one() -> None:
    assert ask("o1", "big", policy=POLICY | {"tier": None}) is None


@pytest.mark.parametrize("named", [(), ("x",), (None,), (7,), (["o1"],), ({},), ("\u202e" * 9000,)])
def test_what_is_not_there_is_left_to_the_world(named: tuple[Any, ...]) -> None:
    assert ask(*named) is None


def test_a_thousand_wrong_items_do_not_make_a_long_refusal() -> None:
    wrong: dict[str, Any] = {f"bad{n}" * 20: {"price": 1} for n in range(1000)}
    decision = ask(*wrong, **wrong)
    assert decision is not None
    assert "and 995 more" in decision.reason
    assert len(decision.reason + decision.next) < 1200


def test_other_tools_and_an_operator_without_policy_are_left_alone() -> None:
    assert ask("bad", tool="look", bad={"price": 1}) is None
    assert ask("bad", policy=None, bad={"price": 1}) is None
