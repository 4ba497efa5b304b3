import json
from typing import Any

import pytest

from proxy.wire.answer import Asked, Undecodable
from proxy.wire.openai_responses import PATH, decode_answer, decode_request, is_own
from proxy.wire.pairing import pair_results
from tests.proxy.wire.dialects import (
    RESPONSES,
    RESPONSES_ASKED,
    SCHEMA,
    STREAM,
    Said,
    exchange,
    in_one,
)

CALL = {"type": "function_call", "call_id": "c1", "name": "pay", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "paid"}
THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": []}


def decoded(body: Any) -> Asked | Undecodable:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return decode_request(exchange(RESPONSES, None, asked=data))


def asked(body: Any) -> Asked:
    found = decoded(body)
    assert isinstance(found, Asked), found
    return found


def messages(*items: Any) -> list[dict[str, Any]]:
    return list(asked({"model": "m", "input": list(items)}).messages)


def test_a_request_is_put_into_the_shared_shape_in_its_own_order() -> None:
    found = asked(RESPONSES_ASKED)
    assert (found.model, found.stream) == ("m", True)
    system, first, answer, *results = found.messages
    assert system == {"role": "system", "content": "be brief"}
    assert first == {"role": "user", "content": "pay"}
    assert answer["content"] == [{"type": "output_text", "text": "I pay."}]
    assert [call["function"] for call in answer["tool_calls"]] == [
        {"name": "pay", "arguments": '{"a":1.5}'},
        {"name": "pay", "arguments": "{}"},
    ]
    assert answer["reasoning"] == [THOUGHT]
    assert results == [
        {"role": "tool", "tool_call_id": "c2", "content": "no"},
        {"role": "tool", "tool_call_id": "c1", "content": [{"type": "input_text", "text": "paid"}]},
    ]
    assert [(one.message, one.call, one.by) for one in pair_results(found.messages)] == [
        (3, 1, "id"),
        (4, 0, "id"),
    ]


def test_an_input_that_is_only_text_is_the_users() -> None:
    found = asked({"model": "m", "input": "pay", "instructions": None})
    assert found.messages == ({"role": "user", "content": "pay"},)
    assert (found.tools, found.stream) == ((), False)


def test_what_one_answer_left_is_one_message_and_another_answer_another() -> None:
    words = {"role": "assistant", "content": "I pay."}
    found = messages(THOUGHT, words, CALL, CALL | {"call_id": "c2"}, OUTPUT, CALL, OUTPUT)
    assert [one["role"] for one in found] == ["assistant", "tool", "assistant", "tool"]
    assert found[0]["content"] == "I pay."
    assert [call["id"] for call in found[0]["tool_calls"]] == ["c1", "c2"]
    assert found[2] == {"role": "assistant", "content": None} | {
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "pay", "arguments": "{}"}}
        ]
    }
    both = messages(words, {"role": "assistant", "content": [{"type": "output_text", "text": "x"}]})
    assert both[0]["content"] == [
        {"type": "output_text", "text": "I pay."},
        {"type": "output_text", "text": "x"},
    ]


def test_other_roles_are_kept() -> None:
    for role in ("user", "system", "developer"):
        for kind in ({}, {"type": "message"}):
            item = {"role": role, "content": [{"type": "input_text", "text": "x"}]} | kind
            assert messages(item) == [{"role": role, "content": item["content"]}]


def test_a_tool_is_a_function_and_what_is_none_stands_as_it_was_sent() -> None:
    tool = {"type": "function", "name": "pay", "description": "pays", "parameters": SCHEMA}
    function = {"name": "pay", "description": "pays", "parameters": SCHEMA}
    search = {"type": "web_search"}
    found = asked({"model": "m", "input": "x", "tools": [tool | {"strict": True}, search]})
    assert found.tools == ({"type": "function", "function": function, "strict": True}, search)


def test_calls_and_results_without_ids_are_kept() -> None:
    """C59."""
    call = {"type": "function_call", "name": "pay", "arguments": "{}"}
    output = {"type": "function_call_output", "output": "x"}
    found = messages(call, output, call | {"call_id": ""}, output | {"call_id": ""})
    assert [one["tool_calls"][0]["id"] for one in found if "tool_calls" in one] == [None, ""]
    assert [one["tool_call_id"] for one in found if one["role"] == "tool"] == [None, ""]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "not JSON"),
        (b"\xff", "not UTF-8"),
        ({"input": "x"}, "/model"),
        ({"model": "m"}, "/input"),
        ({"model": "m", "input": None}, "/input"),
        ({"model": "m", "input": {}}, "/input"),
        ({"model": "m", "input": ["x"]}, "input is no list of objects"),
        ({"model": "m", "input": "x", "instructions": []}, "instructions is no text"),
        ({"model": "m", "input": "x", "tools": "x"}, "tools is no list"),
        ({"model": "m", "input": "x", "previous_response_id": "r"}, "/previous_response_id"),
        ({"model": "m", "input": "x", "conversation": "c"}, "/conversation"),
        ({"model": "m", "input": "x", "prompt": {"id": "p"}}, "/prompt"),
        ({"model": "m", "input": [{"type": "item_reference", "id": "i"}]}, "'item_reference'"),
        ({"model": "m", "input": [{"type": "mcp_call"}]}, "'mcp_call'"),
        ({"model": "m", "input": [{"content": "x"}]}, "/input/0/role"),
        ({"model": "m", "input": [{"role": "tool", "content": "x"}]}, "/input/0/role"),
        ({"model": "m", "input": [{"role": "user"}]}, "content of an item"),
        ({"model": "m", "input": [{"role": "user", "content": 5}]}, "content is no list"),
        ({"model": "m", "input": [{"role": "assistant"}]}, "content of an item"),
        (
            {"model": "m", "input": [{"role": "assistant", "type": "x", "content": "y"}]},
            "an assistant's item of type 'x'",
        ),
        ({"model": "m", "input": [CALL | {"arguments": {}}]}, "arguments of a call"),
        ({"model": "m", "input": [CALL | {"name": 5}]}, "name is no text"),
        ({"model": "m", "input": [OUTPUT | {"output": None}]}, "output of an item"),
        ({"model": "m", "input": [OUTPUT | {"call_id": 5}]}, "call_id is no text"),
    ],
)
def test_a_request_that_cannot_be_read_in_one_way_is_undecodable(body: Any, words: str) -> None:
    found = decoded(body)
    assert isinstance(found, Undecodable)
    assert words in found.reason


def test_what_is_null_leaves_nothing_with_the_provider() -> None:
    """The near miss of a conversation that is kept elsewhere."""
    nulls = {"previous_response_id": None, "conversation": None, "prompt": None}
    assert asked({"model": "m", "input": "x"} | nulls).messages


@pytest.mark.parametrize(
    ("item", "own"),
    [
        (CALL, True),
        (THOUGHT, True),
        ({"role": "assistant", "content": "x"}, True),
        (OUTPUT, False),
        ({"role": "user", "content": "x"}, False),
        ({"role": "system", "content": "x"}, False),
    ],
)
def test_calls_reasoning_and_the_assistants_words_are_the_models_own(
    item: dict[str, Any], own: bool
) -> None:
    assert is_own(item) == own


@pytest.mark.parametrize(
    ("path", "fits"),
    [
        ("/v1/responses", True),
        ("/openai/responses", True),
        ("/responses", True),
        ("/v1/responses/resp_1", False),
        ("/v1/responses/compact", False),
    ],
)
def test_the_path_is_that_of_responses_alone(path: str, fits: bool) -> None:
    assert bool(PATH.search(path)) == fits


def test_a_stream_whose_end_says_something_else_is_undecodable() -> None:
    said = Said(text="moon", calls=(("c1", "pay", '{"a":1}'),))
    body = b"".join(RESPONSES.stream(said, in_one))
    for old, new in ((b"moon", b"noon"), (b'\\"a\\":1', b'\\"a\\":2'), (b'"c1"', b'"c2"')):
        head, found, tail = body.rpartition(old)
        assert found
        answer = decode_answer(exchange(RESPONSES, head + new + tail, kind=STREAM))
        assert isinstance(answer, Undecodable)
