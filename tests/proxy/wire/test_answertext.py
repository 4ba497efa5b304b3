import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.wire.answertext import parse, parsed, readable, whole


def test_stray_bytes_are_escaped_and_stay_readable_as_json() -> None:
    text, valid = readable(b'{"a":"x\xff\xe6\x9c\x88"}')
    assert not valid
    assert parse(text) == {"a": "x\\xff月"}
    assert readable("月".encode()) == ("月", True)


def test_what_is_not_json_can_be_read_as_nothing() -> None:
    assert parsed('{"a": 1.0}') == {"a": 1.0}
    assert parsed('{"a": 1, "a": 1}') is None


def test_half_characters_that_meet_become_one() -> None:
    halves = json.loads('["\\ud83d", "\\ude00"]')
    assert whole("".join(halves)) == ("😀", True)


@pytest.mark.parametrize("half", [chr(0xD83D), chr(0xDE00), chr(0xDE00) + chr(0xD83D)])
def test_a_half_character_left_over_is_escaped(half: str) -> None:
    text, fine = whole(f"a{half}b")
    assert not fine
    assert text == f"a{half}b".encode("utf-8", "backslashreplace").decode()


@pytest.mark.parametrize(
    "text", ['{"a":1,"a":2}', "NaN", "[Infinity]", "", "{", "[" * 100_000, "1" * 10_000]
)
def test_what_is_no_strict_json_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - json's own error is one too
        parse(text)


@given(st.binary(max_size=100))
def test_any_bytes_can_be_read_and_written(data: bytes) -> None:
    text, _ = readable(data)
    text.encode()


@given(st.text(st.characters(categories=["L", "Cs"])))
def test_any_text_can_be_written_once_it_is_whole(text: str) -> None:
    kept, fine = whole(text)
    kept.encode()
    assert fine == all(not "\ud800" <= c <= "\udfff" for c in joined(text))


def joined(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
