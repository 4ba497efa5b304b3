"""`wording`: a value stands in somebody's words as it is, or not at all."""

import time

import pytest

from grid.wording import LONGEST, stands_in


@pytest.mark.parametrize(("value", "words"), [
    ("bob", "Mail bob."),
    ("bob", "bob"),
    ("bob", "(bob), please"),
    ("Bob", "Bob's address"),
    ("Bob", "Bob\u2019s address"),
    ("bob@a.test", "Mail bob@a.test."),
    ("bob@a.test", "bob@a.test, carol@a.test"),
    ("bob@a.test", "<bob@a.test>"),
    ("bob@a.test", "bob@a.testにメールして"),
    ("メモ", "「メモ」を読んで"),
    ("moon", "見てmoonのログ"),
    ("30", "30, please"),
    ("two words", "here are two words."),
    ("葛\U000e0100飾", "葛\U000e0100飾区"),
])  # fmt: skip
def test_what_was_said_stands_there(value: str, words: str) -> None:
    assert stands_in(value, words)


@pytest.mark.parametrize(("value", "words"), [
    ("bob", "bobby"),
    ("bob", "Bob"),
    ("bob", "bob_2"),
    ("bob", "bob-2"),
    ("bob@a.test", "bob@a.test.evil"),
    ("bob@a.test", "bob@a.tests"),
    ("bob@a.test", "x.bob@a.test"),
    ("bob@a.test", "xbob@a.test"),
    ("bob@a.test", "o'bob@a.test"),
    ("a.test", "bob@a.test"),
    ("bob@a.test", "b\u043eb@a.test"),
    ("bob", "bo\u200bb"),
    ("bob", "bob\u0301"),
    ("bob", "bob\u200dx"),
    ("3", "3.5"),
    ("3", "30"),
    ("", "anything"),
    ("  ", "two  blanks"),
    ("x", ""),
    ("\n", "a\nb"),
])  # fmt: skip
def test_what_was_not_said_does_not(value: str, words: str) -> None:
    assert not stands_in(value, words)


def test_a_later_place_counts_when_an_earlier_one_is_inside_a_word() -> None:
    assert stands_in("bob", "bobby, bob-2 and bob")


def test_a_value_that_is_too_long_stands_nowhere() -> None:
    assert stands_in("a" * LONGEST, "a" * LONGEST)
    assert not stands_in("a" * (LONGEST + 1), "a" * (LONGEST + 1))


def test_hostile_repetition_is_given_up_in_time() -> None:
    began = time.perf_counter()
    assert not stands_in("a" * 3999, "a" * 1_000_000)
    assert time.perf_counter() - began < 2
