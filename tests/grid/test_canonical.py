"""Canonical bytes, strict reading, and the one digest function."""

import hashlib
import json
from typing import Any

import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from grid.canonical import (
    MAX_DEPTH,
    MAX_INT,
    canonical,
    check_value,
    copied,
    digest,
    digest_of,
    file_sha256,
    load_json,
    plain_json,
    scrub_text,
    text_json,
    unit_interval,
)
from grid.errors import CanonicalError

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-MAX_INT, MAX_INT)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def checked(value: Any) -> bool:
    try:
        check_value(value)
    except CanonicalError:
        return False
    return True


@settings(deadline=None)  # a busy machine is no failure
@given(values)
def test_what_passes_the_check_is_written_and_read_back_the_same(value: Any) -> None:
    if checked(value):
        written = canonical(value)
        assert load_json(written) == value
        assert canonical(load_json(written)) == written
        assert text_json(value).encode() == written


@given(values)
def test_the_quick_way_and_rfc8785_write_the_same_bytes(value: Any) -> None:
    assert canonical(value) == rfc8785.dumps(value)


def test_every_unicode_character_is_written_as_rfc8785_writes_it() -> None:
    text = "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)
    assert canonical(text) == rfc8785.dumps(text)


@settings(deadline=None)  # a busy machine is no failure
@given(values)
def test_canonical_bytes_are_what_any_json_reader_reads(value: Any) -> None:
    assert json.loads(canonical(value), parse_int=float) == value


@settings(deadline=None)  # a busy machine is no failure
@given(st.dictionaries(st.text(), st.integers(-9, 9)))
def test_the_order_in_which_keys_were_put_in_does_not_matter(value: dict[str, int]) -> None:
    backwards = dict(reversed(value.items()))
    assert canonical(value) == canonical(backwards)


@pytest.mark.parametrize(("value", "written"), [
    (1.0, "1"), (-0.0, "0"), (1e21, "1e+21"), (0.1, "0.1"), ((1, 2), "[1,2]"), ("é", '"é"'),
    ({"b": 1, "a": True}, '{"a":true,"b":1}'), ("\x1f\u2028", '"\\u001f\u2028"'),
    ({"\ue000": 1, "😀": 2}, '{"😀":2,"\ue000":1}'),
])  # fmt: skip
def test_the_form_is_that_of_rfc_8785(value: Any, written: str) -> None:
    assert canonical(value) == written.encode()


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"k": value}
    return value


def itself() -> Any:
    value: list[Any] = []
    value.append(value)
    return value


@pytest.mark.parametrize("value", [
    MAX_INT + 1, -MAX_INT - 1, [10**5000], float("nan"), float("-inf"), "\ud800", {"\udc00": 1},
    {1: 2}, {1}, b"x", object(), itself(), [object()],
])  # fmt: skip
def test_what_has_no_canonical_form_is_refused_by_both(value: Any) -> None:
    with pytest.raises(CanonicalError):
        canonical(value)
    with pytest.raises(CanonicalError):
        check_value(value)


@pytest.mark.parametrize("value", [2.0**53, -1e20, [9.9e20]])
def test_a_whole_float_that_would_read_back_as_too_large_an_integer_is_refused(value: Any) -> None:
    with pytest.raises(CanonicalError, match="whole number"):
        check_value(value)


@pytest.mark.parametrize("value", [MAX_INT, -MAX_INT, float(MAX_INT), 1e21, -1.5e300, True])
def test_the_numbers_at_the_edge_are_fine(value: Any) -> None:
    check_value(value)
    assert load_json(canonical(value)) == value


def test_nesting_is_bounded() -> None:
    check_value(nested(MAX_DEPTH))
    with pytest.raises(CanonicalError, match="deeper than 64"):
        check_value(nested(MAX_DEPTH + 1))


@pytest.mark.parametrize("data", [
    b"", b"{", b"{} {}", b"[1,]", b"{'a':1}", b'{"a":1,"a":1}', b'[{"a":1,"b":2,"a":3}]',
    b"NaN", b"[Infinity]", b"-Infinity", b"1e999", b"9007199254740992", b"-9007199254740992",
    b"9007199254740992.0", b"1" * 5000, b'"\\ud800"', b'{"\\udfff":1}', b"\xff", b'"\xc3"',
    b"\xef\xbb\xbf{}", b"[" * 100_000, b"[" * 66 + b"]" * 66, b"01", b"+1", b"\x00",
])  # fmt: skip
def test_what_is_not_strict_json_is_refused_with_one_sentence(data: bytes) -> None:
    with pytest.raises(CanonicalError) as error:
        load_json(data)
    assert "\n" not in str(error.value)


@settings(deadline=None)  # a busy machine is no failure
@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_no_bytes_make_the_reader_fail_in_another_way(data: bytes) -> None:
    try:
        value = load_json(data)
    except CanonicalError:
        return
    assert load_json(canonical(value)) == value


def test_a_surrogate_pair_is_one_character() -> None:
    assert load_json(b'"\\ud83d\\ude00"') == "😀"


def test_too_many_bytes_are_refused_before_they_are_parsed() -> None:
    with pytest.raises(CanonicalError, match="over the limit of 3 bytes"):
        load_json(b"[[[[", limit=3)
    assert load_json("123", limit=3) == 123


def test_the_digest_covers_kind_and_length() -> None:
    data = b"abc"
    assert digest("call", data) == hashlib.sha256(b"nonverba/1 call 3\nabc").hexdigest()
    assert len({digest("a", b"b"), digest("ab", b""), digest("a", b"\nb")}) == 3


def test_the_digest_of_a_value_is_that_of_its_canonical_bytes() -> None:
    value = {"b": [1, 2.0], "a": "é"}
    assert digest_of("x", value) == digest("x", canonical(value))
    assert digest_of("x", {"a": "é", "b": [1.0, 2]}) == digest_of("x", value)


def test_a_file_is_summed_as_other_programs_sum_it() -> None:
    assert file_sha256([b"ab", b"", b"c"]) == hashlib.sha256(b"abc").hexdigest()


@settings(deadline=None)  # a busy machine is no failure
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=3))
def test_a_draw_lies_in_the_unit_interval_and_is_the_same_again(parts: list[str]) -> None:
    assert 0 <= unit_interval(*parts) < 1
    assert unit_interval(*parts) == unit_interval(*parts)


def test_draws_are_spread() -> None:
    draws = sorted(unit_interval("seed", str(n)) for n in range(400))
    assert draws[0] < 0.02
    assert draws[-1] > 0.98
    assert 0.4 < sum(draws) / 400 < 0.6


@settings(deadline=None)  # a busy machine is no failure
@given(st.text(st.characters()))
def test_scrubbed_text_can_be_kept_and_other_text_is_left_alone(text: str) -> None:
    scrubbed = scrub_text(text)
    check_value(scrubbed)
    assert scrubbed == text or any("\ud800" <= character <= "\udfff" for character in text)


def test_json_for_people_keeps_the_order_and_the_letters() -> None:
    assert plain_json({"b": "é", "a": 1}, indent=None) == '{"b": "é", "a": 1}'


def lists_and_objects(value: Any) -> list[Any]:
    """Return every part of a value that could be changed."""
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return [value, *(part for item in inner for part in lists_and_objects(item))]
    return []


@given(values)
def test_a_copy_is_equal_and_shares_nothing_that_could_change(value: Any) -> None:
    copy = copied(value)
    assert canonical(copy) == canonical(value)
    theirs = {id(part) for part in lists_and_objects(value)}
    assert not theirs & {id(part) for part in lists_and_objects(copy)}


def test_a_copy_of_what_is_no_plain_json_shares_nothing_either() -> None:
    value = {"pair": ([1], {2})}
    copy = copied(value)
    assert copy == value
    copy["pair"][0].append(3)
    assert value == {"pair": ([1], {2})}
