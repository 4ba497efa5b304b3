from typing import Any

import pytest

from grid.errors import StrictError
from proxy.wire.converse_block import member_of, words_of


def test_the_one_member_that_is_set_says_the_kind() -> None:
    assert member_of({"text": "x"}, "a block") == ("text", "x")
    assert member_of({"text": None, "toolUse": {}, "__type": "x"}, "a block") == ("toolUse", {})
    assert member_of({"text": ""}, "a block") == ("text", "")


@pytest.mark.parametrize(
    ("union", "words"),
    [
        ({}, "of 0 kinds"),
        ({"text": None}, "of 0 kinds"),
        ({"text": "x", "toolUse": {}}, "of 2 kinds"),
        (None, "is no object"),
        ("text", "is no object"),
    ],
)
def test_a_union_of_no_kind_or_of_two_is_refused(union: Any, words: str) -> None:
    with pytest.raises(StrictError, match=f"/content/3 is .*{words.split()[-1]}"):
        member_of(union, "/content/3")


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        ("text", "x", "x"),
        ("guardContent", {"text": {"text": "x", "qualifiers": ["query"]}}, "x"),
        ("guardContent", {"image": {"format": "png"}}, None),
        ("citationsContent", {"content": [{"text": "x"}, {"text": "y"}], "citations": []}, "xy"),
        ("citationsContent", {"content": []}, ""),
        ("image", {"format": "png"}, None),
        ("toolUse", {"name": "text"}, None),
    ],
)
def test_words_are_found_where_a_block_holds_some(kind: str, value: Any, words: str | None) -> None:
    assert words_of(kind, value) == words


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("text", 5),
        ("text", ["x"]),
        ("guardContent", "x"),
        ("guardContent", {"text": "x"}),
        ("guardContent", {"text": {"text": None}}),
        ("citationsContent", {"content": "x"}),
        ("citationsContent", {"content": {}}),
        ("citationsContent", {"content": [None]}),
        ("citationsContent", {"content": [{"text": 1}]}),
        ("citationsContent", None),
    ],
)
def test_words_that_are_no_text_are_refused(kind: str, value: Any) -> None:
    with pytest.raises(StrictError):
        words_of(kind, value)
