"""Completions that can be changed in place: whole bodies and streams."""

import json
from typing import Any

import pytest

from grid.tamperedbody import Body, body_of

STREAM = "text/event-stream; charset=utf-8"


def chunk(**delta: object) -> str:
    return json.dumps({"model": "m", "choices": [{"index": 0, "delta": delta}]}, ensure_ascii=False)


def part(index: int | None, arguments: str | None, name: str | None = None) -> dict[str, object]:
    function = {"arguments": arguments, "name": name}
    item: dict[str, object] = {"function": {k: v for k, v in function.items() if v is not None}}
    return item if index is None else item | {"index": index}


EVENTS = (
    ": keep-alive\n",
    f"data: {chunk(role='assistant', content=None)}\n\n",
    f"data: {chunk(tool_calls=[part(0, '', 'pay')])}\r\n\r\n",
    f"data:{chunk(tool_calls=[part(1, '{}', 'look')])}\n\n",
    f"data: {chunk(tool_calls=[part(0, '{"to": "月')])}\n\n",
    f"data: {chunk(tool_calls=[part(0, '"}')])}\n\n",
    'data: {"model":"m","choices":[]}\n\n',
    "data: [DONE]\n\n",
)


def body(text: str = "".join(EVENTS), kind: str = STREAM) -> Body:
    found = body_of(kind, text.encode())
    assert found is not None
    return found


def test_the_calls_of_a_stream_are_put_together_by_index() -> None:
    calls = body().calls()
    assert [(call.name, call.arguments) for call in calls] == [
        ("pay", '{"to": "月"}'),
        ("look", "{}"),
    ]


def test_only_the_lines_of_a_changed_call_are_written_anew() -> None:
    stream = body()
    stream.calls()[0].write('{"to": "Mira"}')
    data = stream.data().decode()
    was, now = "".join(EVENTS).splitlines(keepends=True), data.splitlines(keepends=True)
    assert len(was) == len(now)
    changed = [at for at, pair in enumerate(zip(was, now, strict=True)) if pair[0] != pair[1]]
    assert len(changed) == 3, "the opening delta and the two with text"
    assert now[changed[0]].endswith("\r\n")
    again = body(data).calls()
    assert [call.arguments for call in again] == ['{"to": "Mira"}', "{}"]


def test_a_stream_in_which_nothing_is_changed_comes_back_to_the_byte() -> None:
    assert body().data() == "".join(EVENTS).encode()
    assert not body().rename("m")


def test_every_chunk_of_a_stream_names_the_other_model() -> None:
    stream = body()
    assert stream.rename("other")
    payloads = [
        json.loads(line[5:])
        for line in stream.data().decode().splitlines()
        if line.startswith("data:") and "[DONE]" not in line
    ]
    assert {item["model"] for item in payloads} == {"other"}


def test_a_name_that_comes_again_is_one_name_and_one_that_changes_is_none() -> None:
    again = [f"data: {chunk(tool_calls=[part(0, '1', 'pay')])}\n\n"] * 2
    assert [call.name for call in body("".join(again)).calls()] == ["pay"]
    other = f"data: {chunk(tool_calls=[part(0, '2', 'look')])}\n\n"
    assert [call.name for call in body(again[0] + other).calls()] == [""]


@pytest.mark.parametrize(
    "text",
    [
        f"data: {chunk(tool_calls=[part(None, '{}', 'pay')])}\n\n",
        "data: {\n\n",
        "data: 1\n\n",
        'data: {"error": {"message": "no"}}\n\n',
        f"data: {chunk(tool_calls=[{'index': True, 'function': {'name': 'pay'}}])}\n\n",
        f"data: {chunk(tool_calls=[{'index': 0}])}\n\n",
        f"data: {chunk(tool_calls='pay')}\n\n",
    ],
)
def test_a_stream_that_can_be_read_in_more_than_one_way_is_no_body(text: str) -> None:
    assert body_of(STREAM, text.encode()) is None


def test_a_half_stream_and_bytes_that_are_no_text_are_no_body() -> None:
    whole = "".join(EVENTS).encode()
    assert body_of(STREAM, whole[: len(whole) // 2]) is None
    assert body_of(STREAM, b"data: \xff\n\n") is None
    assert body_of("application/json", b"\xff") is None


def test_a_whole_body_is_changed_in_its_calls_and_model_only() -> None:
    function = {"name": "pay", "arguments": "{}", "strict": True}
    value = {
        "choices": [{"message": {"tool_calls": [{"id": "a", "function": function}]}}],
        "model": "m", "created": 1, "usage": {"n": 1.5},
    }  # fmt: skip
    whole = body(json.dumps(value), "application/json")
    (call,) = whole.calls()
    call.write('{"to": "月"}')
    assert whole.rename("other")
    got = json.loads(whole.data())
    assert got["choices"][0]["message"]["tool_calls"][0]["function"] == function | {
        "arguments": '{"to": "月"}'
    }
    assert (got["model"], got["created"], got["usage"]) == ("other", 1, {"n": 1.5})


def whole(*items: dict[str, object], **message: object) -> Body:
    value = {"choices": [{"message": {"tool_calls": list(items)} | message,
                          "finish_reason": "tool_calls"}]}  # fmt: skip
    return body(json.dumps(value), "application/json")


def item(identity: str, name: str = "pay") -> dict[str, object]:
    function = {"name": name, "arguments": "{}"}
    return {"id": identity, "type": "function", "function": function}


def seen(found: Body) -> list[tuple[str, str, str]]:
    """Return the calls of a body as somebody else reads them from its bytes."""
    again = body(found.data().decode(), STREAM if b"data:" in found.data() else "application/json")
    return [(call.id, call.name, call.arguments) for call in again.calls()]


def test_a_call_is_taken_out_of_a_whole_body_and_the_others_stay() -> None:
    found = whole(item("a"), item("b", "look"), item("c"), content="words")
    found.drop([0, 2])
    assert seen(found) == [("b", "look", "{}")]
    (choice,) = json.loads(found.data())["choices"]
    assert (choice["finish_reason"], choice["message"]["content"]) == ("tool_calls", "words")


def test_an_answer_without_its_last_call_just_stops() -> None:
    found = whole(item("a"))
    found.drop([0])
    assert json.loads(found.data()) == {
        "choices": [{"message": {"content": None}, "finish_reason": "stop"}]
    }


def test_a_call_is_repeated_right_after_itself_in_a_whole_body() -> None:
    found = whole(item("a"), item("b", "look"))
    found.repeat({0: "copy", 1: "other"})
    assert seen(found) == [
        ("a", "pay", "{}"), ("copy", "pay", "{}"), ("b", "look", "{}"), ("other", "look", "{}"),
    ]  # fmt: skip


PARALLEL = "".join(
    f"data: {json.dumps({'choices': [{'index': 0, 'delta': delta, 'finish_reason': reason}]})}\n\n"
    for delta, reason in [
        ({"role": "assistant"}, None),
        ({"tool_calls": [part(0, "", "pay") | {"id": "a", "type": "function"}]}, None),
        ({"tool_calls": [part(1, "", "look") | {"id": "b"}]}, None),
        ({"tool_calls": [part(0, '{"to"'), part(1, "{")]}, None),
        ({"tool_calls": [part(0, ": 1}"), part(1, "}")]}, None),
        ({"tool_calls": [part(2, "{}", "stop") | {"id": "c"}]}, None),
        ({}, "tool_calls"),
    ]
)
CALLS = [("a", "pay", '{"to": 1}'), ("b", "look", "{}"), ("c", "stop", "{}")]


def deltas(found: Body) -> list[Any]:
    lines = [line for line in found.data().decode().splitlines() if line]
    return [json.loads(line[5:])["choices"][0] for line in lines]


@pytest.mark.parametrize("gone", [[0], [1], [2], [0, 1], [0, 2], [0, 1, 2]])
def test_calls_are_taken_out_of_a_stream_and_the_rest_counted_anew(gone: list[int]) -> None:
    found = body(PARALLEL)
    found.drop(gone)
    left = [call for at, call in enumerate(CALLS) if at not in gone]
    assert seen(found) == left
    said = deltas(found)
    indices = {one["index"] for at in said for one in at["delta"].get("tool_calls", [])}
    assert indices == set(range(len(left)))
    assert said[-1]["finish_reason"] == ("tool_calls" if left else "stop")
    assert all(at["delta"].get("tool_calls") != [] for at in said)


@pytest.mark.parametrize("again", [[0], [1], [2], [0, 1], [0, 1, 2]])
def test_copies_stand_right_after_their_calls_in_a_stream(again: list[int]) -> None:
    found = body(PARALLEL)
    found.repeat({at: f"copy-{at}" for at in again})
    expected: list[tuple[str, str, str]] = []
    for at, call in enumerate(CALLS):
        expected.append(call)
        if at in again:
            expected.append((f"copy-{at}", *call[1:]))
    by_index: dict[int, list[dict[str, str]]] = {}
    for said in deltas(found):
        for one in said["delta"].get("tool_calls", []):
            by_index.setdefault(one["index"], []).append(one)
    assert sorted(by_index) == list(range(len(expected)))
    read = [
        (parts[0]["id"], "".join(str(one["function"].get("arguments") or "") for one in parts))
        for _, parts in sorted(by_index.items())
    ]
    assert read == [(identity, arguments) for identity, _, arguments in expected]
    assert sorted(seen(found)) == sorted(expected)


def test_only_the_events_with_the_call_are_written_anew_for_a_copy() -> None:
    found = body(PARALLEL)
    found.repeat({2: "copy"})
    was, now = PARALLEL.splitlines(), found.data().decode().splitlines()
    assert [at for at, pair in enumerate(zip(was, now, strict=True)) if pair[0] != pair[1]] == [10]


def test_calls_of_other_choices_are_other_answers_and_stay() -> None:
    first = {"index": 0, "delta": {"tool_calls": [part(0, "{}", "pay")]}}
    other = {"index": 1, "delta": {"tool_calls": [part(0, "[]", "look")]}}
    text = "".join(f"data: {json.dumps({'choices': [each]})}\n\n" for each in (first, other))
    found = body(text)
    assert [call.name for call in found.calls()] == ["pay"]
    found.drop([0])
    assert b"look" in found.data()
    assert b"pay" not in found.data()


@pytest.mark.parametrize(
    "choices",
    [
        [{"index": 0, "delta": {}}, {"delta": {"tool_calls": [part(0, "{}", "pay")]}}],
        [{"delta": {"tool_calls": [part(0, "", "pay") | {"id": "a"}, part(0, "") | {"id": "b"}]}}],
        [{"delta": {"tool_calls": [part(0, "", "pay") | {"id": 7}]}}],
    ],
)
def test_deltas_that_may_belong_to_two_answers_or_calls_are_no_body(choices: list[object]) -> None:
    assert body_of(STREAM, f"data: {json.dumps({'choices': choices})}\n\n".encode()) is None
