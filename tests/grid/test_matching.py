"""What a match means: pointers and comparison by JSON type."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grid.canonical import canonical
from grid.matching import KEY, equal, fits, matches, pointed, row_fits
from grid.predicates import Contains, Is, IsNot, NoneOf, OneOf

VALUE = {"a": {"b": [10, {"c": True}]}, "x/y": 1, "m~n": 2, "": 3, "01": 4, "n": None}
NOWHERE = pointed({}, "/nowhere")

values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-3, 3) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=1), inner),
    max_leaves=6,
)


@pytest.mark.parametrize(("pointer", "found"), [
    ("", VALUE), ("/a/b/0", 10), ("/a/b/1/c", True), ("/x~1y", 1), ("/m~0n", 2), ("/", 3),
    ("/01", 4), ("/n", None),
])  # fmt: skip
def test_a_pointer_leads_to_a_part(pointer: str, found: Any) -> None:
    assert pointed(VALUE, pointer) == found


@pytest.mark.parametrize("pointer", [
    "/b", "/a/c", "/a/b/2", "/a/b/-1", "/a/b/01", "/a/b/²", "/a/b/\u0661", "/a/b/1e0", "/a/b/",
    "/a/b/0/0", "/n/x", "/a/b/99999999999999999999", "/A", "/a/b/ 1",
])  # fmt: skip
def test_a_pointer_that_leads_nowhere_is_no_error_and_matches_nothing(pointer: str) -> None:
    assert pointed(VALUE, pointer) is NOWHERE
    for match in (IsNot(value=1), NoneOf(values=(1,)), Is(value=None)):
        assert not fits({pointer: match}, VALUE)


def test_a_text_is_no_list() -> None:
    assert pointed("abc", "/0") is NOWHERE


@pytest.mark.parametrize(("left", "right", "same"), [
    (1, 1.0, True), (0, -0.0, True), (True, True, True), (True, 1, False), (False, 0, False),
    (0, None, False), ("", None, False), ("1", 1, False), ([], {}, False), ([1], (1,), True),
    ([1, 2], [2, 1], False), ([1], [1, 1], False), ({"a": 1}, {"a": 1.0}, True),
    ({"a": 1}, {"a": True}, False), ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
    ({"a": 1}, {"a": 1, "b": None}, False), ([[True]], [[1]], False), ("é", "e\u0301", False),
])  # fmt: skip
def test_values_are_compared_by_json_type(left: Any, right: Any, same: bool) -> None:
    assert equal(left, right) is same
    assert equal(right, left) is same


@settings(deadline=None)  # a busy machine is no failure
@given(values, values)
def test_values_are_equal_exactly_if_their_canonical_bytes_are(left: Any, right: Any) -> None:
    assert equal(left, right) is (canonical(left) == canonical(right))


@settings(deadline=None)  # a busy machine is no failure
@given(values, values)
def test_is_and_is_not_are_opposites_where_there_is_something(value: Any, wanted: Any) -> None:
    assert matches(Is(value=wanted), value) is not matches(IsNot(value=wanted), value)
    assert matches(OneOf(values=(wanted,)), value) is matches(Is(value=wanted), value)
    assert matches(NoneOf(values=(wanted,)), value) is matches(IsNot(value=wanted), value)


def test_one_of_several_is_enough_and_none_of_several_may_be() -> None:
    assert matches(OneOf(values=(1, "a")), "a")
    assert not matches(NoneOf(values=(1, "a")), 1.0)


@pytest.mark.parametrize(("value", "found"), [
    ("xaby", True), ("ab", True), ("a b", False), ("AB", False), (["ab"], False), (None, False),
    ({"ab": "ab"}, False),
])  # fmt: skip
def test_only_a_text_contains_a_text(value: Any, found: bool) -> None:
    assert matches(Contains(text="ab"), value) is found


def test_every_pointer_has_to_fit_and_no_pointer_fits_everything() -> None:
    where = {"/a/b/0": Is(value=10), "/x~1y": Is(value=2)}
    assert not fits(where, VALUE)
    assert fits({"/a/b/0": Is(value=10), "/x~1y": Is(value=1)}, VALUE)
    assert fits({}, None)


def test_the_key_of_a_row_is_its_own_and_no_field_can_pose_as_it() -> None:
    assert row_fits({KEY: Is(value="k1")}, "k1", {"v": 1})
    assert not row_fits({KEY: Is(value="k2")}, "k1", {"@key": "k2"})
