import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.wire.rawjson import items, members

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
LAYOUTS = st.sampled_from([(",", ":"), (", ", ": "), (" ,\n\t", "\r\n : ")])


def test_numbers_spaces_and_escapes_stay_as_they_were_sent() -> None:
    text = ' {"a" : 1.0 , "b":12345678901234567890123, "c": {"d" :\t"\\u00e9", "e": 1E+2 }, "f":[]}'
    assert members(text) == {
        "a": "1.0",
        "b": "12345678901234567890123",
        "c": '{"d" :\t"\\u00e9", "e": 1E+2 }',
        "f": "[]",
    }
    assert items('\n[ 1.50, "x,]" ,[2 ,3],{} ]\n') == ["1.50", '"x,]"', "[2 ,3]", "{}"]


@pytest.mark.parametrize("text", ["{}", " { } ", "[]", "[ ]", "5", '"{"', "null", ""])
def test_what_has_no_parts_yields_none(text: str) -> None:
    assert members(text) == {}
    assert items(text) == []


@given(st.dictionaries(st.text(), VALUES), LAYOUTS, st.booleans(), st.sampled_from([None, 2]))
def test_the_parts_of_an_object_read_as_its_members(
    value: dict[str, Any], layout: tuple[str, str], plain: bool, indent: int | None
) -> None:
    text = json.dumps(value, separators=layout, ensure_ascii=plain, indent=indent)
    found = members(text)
    assert {key: json.loads(raw) for key, raw in found.items()} == value
    assert all(raw in text and raw == raw.strip(" \t\r\n") for raw in found.values())


@given(st.lists(VALUES), LAYOUTS, st.sampled_from([None, 2]))
def test_the_parts_of_an_array_read_as_its_items(
    value: list[Any], layout: tuple[str, str], indent: int | None
) -> None:
    text = json.dumps(value, separators=layout, indent=indent)
    assert [json.loads(raw) for raw in items(text)] == value
