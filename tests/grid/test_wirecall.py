"""Tool calls as they stand in a model's answer, whatever the answer is."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grid.wirecall import WireCall, completion, says, wire_calls, wire_model


def body(*calls: Any, **message: Any) -> bytes:
    whole = {"choices": [{"message": {"tool_calls": list(calls)} | message}]}
    return json.dumps(whole).encode()


def call(identity: Any = "c1", name: Any = "pay", arguments: Any = "{}") -> dict[str, Any]:
    return {"id": identity, "type": "function", "function": {"name": name, "arguments": arguments}}


def test_calls_are_read_in_order_and_their_arguments_are_left_as_text() -> None:
    raw = '{ "amount": 1.0, "amount": 2 '
    assert wire_calls(body(call(arguments=raw), call("c2", "report"))) == (
        WireCall(id="c1", name="pay", raw_arguments=raw),
        WireCall(id="c2", name="report", raw_arguments="{}"),
    )


def test_ids_may_be_empty_repeated_or_missing() -> None:
    same = wire_calls(body(call(""), call(""), call(None), {"function": {"name": "pay"}}))
    assert [item.id for item in same] == ["", "", "", ""]
    assert same[3].raw_arguments == ""


@pytest.mark.parametrize("value", [None, 7, {"a": 1}, ["x"], True])
def test_what_is_no_text_is_an_empty_text(value: Any) -> None:
    assert wire_calls(body(call(value, value, value))) == (
        WireCall(id="", name="", raw_arguments=""),
    )


def test_a_lone_surrogate_is_written_out() -> None:
    raw = b'{"choices":[{"message":{"tool_calls":[{"function":{"name":"p\\ud800"}}]}}]}'
    assert wire_calls(raw)[0].name == "p\\ud800"


def test_japanese_arguments_are_kept() -> None:
    assert wire_calls(body(call(arguments='{"宛先":"髙橋🍣"}')))[0].raw_arguments == (
        '{"宛先":"髙橋🍣"}'
    )


@pytest.mark.parametrize("data", [
    b"", b"null", b"[]", b"{}", b"\xff\xfe", b'{"choices": []}', b'{"choices": {}}',
    b'{"choices": [null]}', b'{"choices": [{"message": null}]}', b'{"error": {"code": 500}}',
    b'{"choices": [{"message": {"content": "hi"}}]}',
    b'{"choices": [{"message": {"tool_calls": null}}]}',
    b'{"choices": [{"message": {"tool_calls": "x"}}]}',
    b'{"choices": [{"message": {"tool_calls": [null]}}]}',
    b"data: {}", b"[" * 100_000, b"1" * 5000, b'{"choices": 1' + b"0" * 5000 + b"}",
])  # fmt: skip
def test_what_is_no_chat_completion_yields_no_calls(data: bytes) -> None:
    assert wire_calls(data) == ()


@settings(deadline=None)  # a busy machine is no failure
@given(st.binary() | st.text().map(str.encode))
def test_no_bytes_break_the_reader(data: bytes) -> None:
    assert isinstance(wire_calls(data), tuple)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["choices", "message", "tool_calls", "function", "name", "id"]), inner
        )
    ),
    max_leaves=12,
)


@settings(deadline=None)  # a busy machine is no failure
@given(json_values)
def test_no_json_breaks_the_reader(value: Any) -> None:
    for item in wire_calls(json.dumps({"choices": [{"message": value}]}).encode()):
        (item.id + item.name + item.raw_arguments).encode()


def test_a_completion_is_read_as_it_was_written() -> None:
    calls = (
        WireCall(id="a", name="pay", raw_arguments='{"to": "月"}'),
        WireCall(id="", name="look", raw_arguments=""),
    )
    for sent in (calls, calls[:1], ()):
        data = completion("m", "words", sent)
        assert (wire_model(data), wire_calls(data)) == ("m", sent)


@pytest.mark.parametrize("body", [b"", b"[]", b"1", b'{"model": 1}', b"{}", b"\xff", b"[" * 9999])
def test_a_body_that_names_no_model_names_none(body: bytes) -> None:
    assert wire_model(body) == ""


@pytest.mark.parametrize(
    ("raw", "arguments", "bare", "holds"),
    [
        ('{"a": 1}', {"a": 1.0}, False, True),
        ('{"a": true}', {"a": 1}, False, False),
        ('{"a": 1, "a": 1}', {"a": 1}, False, False),
        ("", {}, False, False),
        (" ", {}, True, True),
        ("", {"a": 1}, True, False),
        ("null", None, False, True),
        ("null", {}, True, False),
        ("[" * 9999, [], False, False),
    ],
)
def test_a_call_says_one_strict_json_value_and_nothing_else(
    raw: str, arguments: object, bare: bool, holds: bool
) -> None:
    call = WireCall(id="a", name="pay", raw_arguments=raw)
    assert says(call, "pay", arguments, bare=bare) is holds
    assert not says(call, "look", arguments, bare=bare)
