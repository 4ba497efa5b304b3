"""`alter/<n>`: an honest agent with one argument of its n-th call changed."""

from typing import Any

import pytest

from grid.personas.alter import PERSONA, alterable, altered
from grid.scenario import receipt_of, result_of, secret
from tests.grid.personas.staged import TOOL, made, stage, step

SCHEMA = TOOL.parameters


@pytest.mark.parametrize(
    ("arguments", "other"),
    [
        ({"amount": 3}, {"amount": 4}),
        ({"amount": 9}, {"amount": 8}),
        ({"kind": "a"}, {"kind": "b"}),
        ({"kind": "b", "amount": 1}, {"kind": "a", "amount": 1}),
        ({"who": "ab"}, {"who": "abx"}),
        ({"who": "abc"}, {"who": "abx"}),
        ({"who": "abx"}, {"who": "aby"}),
        ({"free": True}, {"free": False}),
        ({"deep": {"list": [None, {"x": "v"}]}}, {"deep": {"list": [None, {"x": "vx"}]}}),
        ({"free": 1.5}, {"free": 2.5}),
    ],
)
def test_the_first_plain_value_becomes_another_of_its_type(
    arguments: dict[str, Any], other: dict[str, Any]
) -> None:
    assert altered(arguments, SCHEMA) == other
    assert altered(arguments, SCHEMA) != arguments


@pytest.mark.parametrize("arguments", [{}, {"a": []}, {"a": {}, "b": None}])
def test_where_there_is_no_plain_value_nothing_changes(arguments: dict[str, Any]) -> None:
    assert altered(arguments, SCHEMA) == arguments
    assert not alterable(arguments)


def test_a_reference_stands_for_a_plain_value() -> None:
    for value in (secret("key"), result_of("a", "/b"), receipt_of("a"), "text", 0, False):
        assert alterable({"list": [{"value": value}]})


def test_only_the_nth_call_is_changed_also_among_calls_side_by_side() -> None:
    steps = (step("pay", amount=1), step("pay", beside=True, amount=2), step("pay", amount=3))
    for number, wanted in (("0", [2, 2, 3]), ("1", [1, 3, 3]), ("2", [1, 2, 4]), ("7", [1, 2, 3])):
        calls = made(PERSONA, stage(*steps, parameter=number))
        assert [arguments["amount"] for group in calls for _, arguments in group] == wanted
        assert [len(group) for group in calls] == [2, 1]


def test_calls_are_counted_over_all_sessions() -> None:
    steps = (step("pay", amount=1), step("pay", session=2, amount=2))
    calls = made(PERSONA, stage(*steps, parameter="1", session=2))
    assert calls == [[("pay", {"amount": 3})]]
    assert made(PERSONA, stage(*steps, parameter="1")) == [[("pay", {"amount": 1})]]


def test_a_tool_without_a_known_schema_is_changed_all_the_same() -> None:
    calls = made(PERSONA, stage(step("other", word="w"), parameter="0"))
    assert calls == [[("other", {"word": "wx"})]]
