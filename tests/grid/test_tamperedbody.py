"""Completions that can be changed in place: whole bodies and streams."""

import json

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
