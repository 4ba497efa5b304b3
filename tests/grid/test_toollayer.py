"""The only door to the world: what gets through, what does not, and what the wire said of it."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grid.canonical import MAX_INT, canonical, load_json
from grid.evidence import CallRecord
from grid.strict import from_json, to_json
from grid.toollayer import ToolLayer
from grid.wirecall import WireCall
from tests.grid.layers import layer, put, wire

# --- what gets through --------------------------------------------------------------------------


def test_a_call_is_run_answered_with_its_receipt_and_journalled_with_its_effect() -> None:
    on = layer()
    back = on.call(name="put", arguments={"key": "a", "value": 1}, call_id=None)
    (call,) = on.calls
    assert load_json(back.text) == {
        "ok": True, "receipt": call.receipt, "result": {"written": "a"},
    }  # fmt: skip
    assert (back.is_error, back.halt) == (False, False)
    assert call.delivered == back.text
    assert call.parsed == call.executed == {"key": "a", "value": 1}
    assert [(e.table, e.key, e.before, e.after) for e in call.effects] == [
        ("rows", "a", None, {"value": 1})
    ]


def test_receipts_differ_by_call_and_by_trial() -> None:
    one, other = layer(), layer(seed="cd" * 16)
    receipts = {put(one).receipt, put(one).receipt, put(other).receipt}
    assert len(receipts) == 3


def test_the_report_tool_is_offered_last_and_works() -> None:
    on = layer()
    assert [spec.name for spec in on.specs()][-1] == "report"
    on.call(name="report", arguments={"status": "unable", "reason": "", "claims": []}, call_id=None)
    assert on.world.rows("reports")["report-1"]["status"] == "unable"


def test_what_the_framework_changes_after_the_call_changes_no_journal() -> None:
    on = layer()
    arguments: dict[str, Any] = {"items": [{"n": 1}]}
    on.call(name="many", arguments=arguments, call_id=None)
    arguments["items"][0]["n"] = 2
    arguments["more"] = True
    assert on.calls[0].parsed == on.calls[0].executed == {"items": [{"n": 1}]}


# --- strict validation --------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [
    {"key": "a"}, {"key": "a", "value": 1, "more": 1}, {"key": 1, "value": 1},
    {"key": "a", "value": "1"}, {"key": "a", "value": True}, {"key": "a", "value": 1.5},
    {"key": None, "value": 1}, {"Key": "a", "value": 1}, {},
])  # fmt: skip
def test_arguments_that_do_not_fit_the_schema_never_reach_the_tool(arguments: Any) -> None:
    on = layer()
    back = on.call(name="put", arguments=arguments, call_id=None)
    (call,) = on.calls
    assert call.error is not None
    assert call.error.code == "invalid_arguments"
    assert (call.parsed, call.executed, call.effects) == (arguments, None, ())
    assert back.is_error
    assert load_json(back.text)["error"]["code"] == "invalid_arguments"


def test_the_error_names_the_place_and_always_the_same_one() -> None:
    messages = set()
    for arguments in ({"items": [{"n": "x"}, {}]}, {"items": [{"n": "x"}, {}]}):
        on = layer()
        on.call(name="many", arguments=arguments, call_id=None)
        error = on.calls[0].error
        assert error is not None
        messages.add(error.message)
    (message,) = messages
    assert message.startswith("/items/0/n: ")


@pytest.mark.parametrize("arguments", [
    ["a", 1], "text", 7, None, True, '{"key": "a", "value": 1}',
])  # fmt: skip
def test_arguments_that_are_no_object_are_kept_and_refused(arguments: Any) -> None:
    on = layer()
    on.call(name="put", arguments=arguments, call_id=None)
    (call,) = on.calls
    assert call.error is not None
    assert call.error.code == "malformed_arguments"
    assert (call.parsed, call.executed) == (arguments, None)


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def itself() -> Any:
    value: list[Any] = []
    value.append(value)
    return value


@pytest.mark.parametrize("hostile", [
    MAX_INT + 1, 2.0**53, 1e20, 10**40, float("nan"), float("inf"), "\ud800", {"\udfff": 1},
    {1: 2}, {1, 2}, object(), b"bytes", deep(64), itself(),
])  # fmt: skip
def test_what_has_no_canonical_form_is_said_to_be_so_and_not_kept(hostile: Any) -> None:
    on = layer()
    back = on.call(name="put", arguments={"key": "a", "value": hostile}, call_id=None)
    (call,) = on.calls
    assert call.error is not None
    assert call.error.code == "malformed_arguments"
    assert (call.parsed, call.executed) == (None, None)
    assert back.is_error
    back.text.encode()


def test_the_largest_integer_is_no_problem() -> None:
    assert put(layer(), value=MAX_INT).executed["value"] == MAX_INT


def test_an_unknown_tool_is_journalled_and_the_known_ones_are_named() -> None:
    on = layer()
    back = on.call(name="Put", arguments={"key": "a", "value": 1}, call_id=None)
    (call,) = on.calls
    assert call.error is not None
    assert call.error.code == "unknown_tool"
    assert (call.tool, call.executed) == ("Put", None)
    assert "put" in load_json(back.text)["error"]["message"]


def test_a_tool_name_with_a_lone_surrogate_is_written_down_so_that_it_can_be_kept() -> None:
    on = layer()
    on.call(name="put\ud800", arguments={}, call_id=None)
    assert on.calls[0].tool == "put\\ud800"


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)  # a busy machine is no failure
@given(
    name=st.sampled_from(["put", "many", "fail", "report", "nothing", "\ud800"]),
    arguments=anything | st.fixed_dictionaries({"key": anything, "value": anything}),
    call_id=st.none() | st.text(max_size=3),
    raw=st.text(max_size=5),
)
def test_nothing_that_a_framework_hands_over_breaks_the_layer_or_the_journal(
    name: str, arguments: Any, call_id: str | None, raw: str
) -> None:
    on = layer()
    on.announce((wire("put", "c1", raw),))
    back = on.call(name=name, arguments=arguments, call_id=call_id)
    (call,) = on.calls
    assert from_json(CallRecord, load_json(canonical(to_json(call)))) is not None
    assert load_json(back.text)["receipt"] == call.receipt
    assert on.fault == ""


# --- the wire: which announced call is this one? ------------------------------------------------


def announced(on: ToolLayer, *calls: WireCall) -> ToolLayer:
    on.announce(calls)
    return on


def test_a_call_is_matched_by_its_id_first() -> None:
    on = announced(layer(), wire("put", "c1", "first"), wire("put", "c2", "second"))
    assert put(on, call_id="c2").raw_arguments == "second"
    assert put(on, call_id="c1").raw_arguments == "first"


def test_without_an_id_calls_of_one_name_are_matched_in_order() -> None:
    on = announced(layer(), wire("many", "c1"), wire("put", "", "1st"), wire("put", "", "2nd"))
    assert [put(on).raw_arguments, put(on, call_id="").raw_arguments] == ["1st", "2nd"]


def test_an_id_that_the_framework_made_up_falls_back_on_the_name() -> None:
    on = announced(layer(), wire("many", "c1"), wire("put", "c2", "mine"))
    assert put(on, call_id="framework-7").wire_id == "c2"


def test_a_renamed_call_keeps_the_name_and_arguments_of_the_wire() -> None:
    on = announced(layer(), wire("put_v2", "c1", '{"key":"b"}'))
    call = put(on)
    assert (call.tool, call.wire_tool, call.raw_arguments) == ("put", "put_v2", '{"key":"b"}')


def test_a_call_that_nobody_announced_is_journalled_without_a_wire_side() -> None:
    call = put(announced(layer()))
    assert (call.wire_id, call.wire_tool, call.raw_arguments) == ("", "", None)


def test_each_announced_call_is_matched_once() -> None:
    on = announced(layer(), wire("put", "c1"))
    assert put(on, call_id="c1").wire_id == "c1"
    assert put(on, call_id="c1").wire_id == ""


def test_arguments_stand_in_the_journal_in_three_forms() -> None:
    on = announced(layer(), wire("put", "c1", '{"key": "a", "value": 1.0}'))
    call = put(on, value=1, call_id="c1")
    assert call.raw_arguments == '{"key": "a", "value": 1.0}'
    assert call.parsed == call.executed == {"key": "a", "value": 1}


@pytest.mark.parametrize("end", ["announce", "finish"])
def test_what_was_announced_and_never_handed_over_is_journalled_as_such(end: str) -> None:
    on = announced(layer(), wire("put", "c1", "raw 1"), wire("many", "c2", "raw 2"))
    put(on, call_id="c1")
    on.announce(()) if end == "announce" else on.finish()
    left = on.calls[1]
    assert left.error is not None
    assert left.error.code == "not_handed_over"
    assert (left.turn, left.wire_id, left.raw_arguments) == (1, "c2", "raw 2")
    assert (left.executed, left.delivered) == (None, "")
    assert [call.seq for call in on.calls] == [0, 1]


def test_a_call_knows_the_number_of_the_answer_that_asked_for_it() -> None:
    on = layer()
    assert put(on).turn == 0
    assert put(announced(on, wire("put"))).turn == 1
    assert put(announced(on, wire("put"))).turn == 2
