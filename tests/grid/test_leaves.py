"""`leaves`: a value stands in a result as a whole, or the result does not hold it."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grid.leaves import LONGEST_VALUE, leaves, leaves_of


def holds(result: Any, value: Any) -> bool:
    return leaves_of(result).hold(value)


@pytest.mark.parametrize(
    ("result", "value"),
    [
        ({"n": 30}, "30"),
        ({"n": "30"}, "30"),
        ({"n": 30}, 30),
        ({"n": 30}, "30.0"),
        ({"n": 30.0}, "30"),
        ({"n": -3}, "-3"),
        ({"n": "-30"}, "-30"),
        ({"ok": True}, "true"),
        ([{"deep": ["30 s"]}], "30"),
        (["a", {"b": "up 3.5 days"}], "3.5"),
        ("memory: 3.1 GiB of 16 GiB", "3.1 GiB of 16 GiB"),
        ("memory: 3.1 GiB of 16 GiB", "16 GiB"),
        ("memory: 3.1 GiB of 16 GiB", "of"),
        ({"text": "ends with 30."}, "30"),
        ({"text": "値は30です"}, "30"),
        ("第3章", "3"),
        ("月曜日に送信", "月曜日"),
        ("the café opens", "café"),
        ("Straße 5", "Straße"),
        ("it is .5 now", ".5"),
        ("left: -3, right: 4", "-3"),
        ("'30'", "30"),
        ("a moon, a sun", "moon"),
        ("mooné moon", "moon"),
        ({"a": "x", "b": "30\0"}, "30"),
    ],
)
def test_a_result_holds_a_value(result: Any, value: Any) -> None:
    assert holds(result, value)


@pytest.mark.parametrize("value", ["", " ", ".", "-", '"', "--", "…", "、", "_", "€", "\0", "✓"])
def test_what_has_no_letter_or_digit_says_nothing_even_where_it_stands(value: str) -> None:
    assert not holds({"text": f"a {value} b", "alone": value, "list": [value]}, value)


@pytest.mark.parametrize(
    ("result", "value"),
    [
        ({"n": 30}, "3"),
        ({"n": 30}, "1"),
        ({"n": 300}, "30"),
        ({"n": 1}, "true"),
        ({"n": None}, "null"),
        ({"n": None}, "None"),
        ({"30": "x"}, "30"),
        ({"n": 30}, ["30"]),
        ({"n": 30}, None),
        ({"n": 30}, {"n": 30}),
        (None, "null"),
        (None, "30"),
        ("13.1 GiB", "3.1 GiB"),
        ("3.12", "3.1"),
        ("3.5", "3"),
        ("3.5", ".5"),
        ("3.5", "3."),
        ("1,300", "300"),
        ("1\u202f300", "300"),
        ("1'300", "1"),
        ("1300", "30"),
        ("-30 degrees", "30"),
        ("\u221230 degrees", "30"),
        ("+30", "30 "),
        ("node-30", "30"),
        ("node-30", "-30"),
        ("2026-09-30", "2026"),
        ("7-3", "-3"),
        ("rc30", "30"),
        ("30²", "30"),
        ("30٣", "30"),
        ("\uff1330", "30"),
        ({"text": "30"}, "3 0"),
        ("mooné", "moon"),
        ("moone\u0301", "moone"),
        ("émoon", "moon"),
        ("луна", "лун"),
        ("whole", "e"),
        ("moon_base", "moon"),
        ({"a": "memory is", "b": "low"}, "memory is low"),
        ({"a": "x", "b": "y"}, "x\0y"),
    ],
)
def test_a_result_does_not_hold_a_value(result: Any, value: Any) -> None:
    if value == "30 ":
        assert holds({"n": "+30"}, value), "the same number, as a leaf of its own"
        result = f"at {result}"
    assert not holds(result, value)


PIECES = st.sampled_from(
    ["3", "30", "3.5", "-3", "+3", "a", "A_", " ", ".", ",", "-", "値", "é", "\u0301", "²", "\0"]
)
TEXTS = st.lists(PIECES, max_size=6).map("".join)


@given(TEXTS, TEXTS, TEXTS)
def test_a_value_set_apart_is_held_and_one_with_a_letter_glued_on_is_not(
    before: str, value: str, after: str
) -> None:
    wanted = value.strip()
    says = any(character.isalnum() for character in wanted)
    assert holds([wanted], value) is says
    assert holds(f"{before} | {wanted} | {after}", value) is (says and "\0" not in wanted)
    if wanted[:1].isalpha() and wanted[0] != "値":
        assert not holds(f"z{wanted} |", value)


def test_the_search_is_patient_enough_for_a_value_among_many_longer_words() -> None:
    assert holds("3.5 " * 20_000 + "3", "3")
    assert not holds("3.5 " * 200_000 + "3", "3")


def test_a_value_longer_than_a_report_may_state_is_not_held() -> None:
    assert holds({"text": "x" * LONGEST_VALUE}, "x" * LONGEST_VALUE)
    assert not holds({"text": "x" * (LONGEST_VALUE + 1)}, "x" * (LONGEST_VALUE + 1))


def test_leaves_come_in_order_and_keys_and_nothing_are_none() -> None:
    assert list(leaves({"a": [1, {"b": "x"}], "c": None, "d": (False, 2.5)})) == [
        1,
        "x",
        False,
        2.5,
    ]


def test_hostile_values_take_no_long_time() -> None:
    start = time.process_time()
    assert not holds("a" * 1_000_000, "a")
    assert not holds("a" * 1_000_000, "a" * 2000)
    assert not holds("ab" * 500_000, "ab" * 1000 + "a")
    assert not holds({"n": 1}, "1e99999999999999999999")
    assert not holds({"n": "1e999999999999999"}, "2e999999999999999")
    assert not holds({"n": "9" * 5000}, "9" * 4999)
    assert time.process_time() - start < 2
