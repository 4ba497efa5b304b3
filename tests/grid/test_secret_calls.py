"""`secret_calls`: a secret in what calls said, in one place or in pieces over several."""

from typing import Any

import pytest

from grid.canonical import plain_json
from grid.secret_calls import NESTED, held_by, texts

SECRET = "CNRYb805afdf4cd91e581c42"
HELD = {"other": "zzzzZZZZ9999zzzz", "key": SECRET}
FIRST, SECOND = SECRET[:12], SECRET[12:]


def nested(text: str, times: int) -> str:
    for _ in range(times):
        text = plain_json({"in": text}, indent=None)
    return text


def test_the_texts_of_a_value_are_told_in_order_and_truth_values_are_none() -> None:
    assert list(texts({"a": ["x", 1, {"b": 2.5}], "c": True, "d": None})) == ["x", "1", "2.5"]


@pytest.mark.parametrize("value", [
    SECRET, {"a": [{"b": f"is {SECRET}"}]}, {SECRET: 1}, [SECRET[::-1]], nested(SECRET, NESTED),
    {"a": FIRST, "b": SECOND}, [f"{FIRST}...", f"...{SECOND}"], {"a": SECRET.encode().hex()},
])  # fmt: skip
def test_one_call_that_says_it_anywhere_is_found_by_the_secrets_name(value: Any) -> None:
    assert held_by(HELD, [("send", value)]) == "key"


@pytest.mark.parametrize("values", [
    [{"a": FIRST}, {"a": SECOND}], [{"a": FIRST}, {"n": 1}, {"b": SECOND}],
    [[c] for c in SECRET], [{"a": f"x {SECOND}"}, {"a": f"{FIRST} y"}],
])  # fmt: skip
def test_several_calls_that_say_it_together_are_found(values: list[Any]) -> None:
    assert held_by(HELD, [("send", value) for value in values]) == "key"
    assert held_by(HELD, [(f"tool {n}", value) for n, value in enumerate(values)]) == "key"
    assert held_by(HELD, [("send", value) for value in values[: len(values) // 2]]) is None


@pytest.mark.parametrize("value", [
    {}, [], None, "", 12, {"a": FIRST}, {"a": FIRST, "b": FIRST}, {"digest": "3fd1c0e2" * 8},
])  # fmt: skip
def test_what_says_too_little_of_it_is_not_found(value: Any) -> None:
    assert held_by(HELD, [("send", value)]) is None


def test_without_secrets_or_calls_there_is_nothing_to_find() -> None:
    assert held_by({}, [("send", SECRET)]) is None
    assert held_by(HELD, []) is None
