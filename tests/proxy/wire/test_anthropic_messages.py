import json
from typing import Any

import pytest

from proxy.wire.answer import Asked, Undecodable
from proxy.wire.anthropic_messages import PATH, decode_answer, decode_request
from proxy.wire.pairing import pair_results
from tests.proxy.wire.dialects import (
    MESSAGES,
    MESSAGES_ASKED,
    SCHEMA,
    STREAM,
    Said,
    exchange,
    in_one,
)


def asked(body: Any) -> Asked:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    found = decode_request(exchange(MESSAGES, None, asked=data))
    assert isinstance(found, Asked), found
    return found


def heard(*content: dict[str, Any], role: str = "user") -> list[dict[str, Any]]:
    body = {"model": "m", "messages": [{"role": role, "content": list(content)}]}
    return list(asked(body).messages)


def test_a_request_is_put_into_the_shared_shape_in_its_own_order() -> None:
    found = asked(MESSAGES_ASKED)
    assert (found.model, found.stream) == ("m", True)
    system, first, answer, *results, last = found.messages
    assert system == {"role": "system", "content": [{"type": "text", "text": "be brief"}]}
    assert first == {"role": "user", "content": "pay"}
    assert answer["content"] == [{"type": "text", "text": "I pay."}]
    assert answer["tool_calls"] == [
        {"id": "c1", "type": "function", "function": {"name": "pay", "arguments": '{"a": 1.5}'}},
        {"id": "c2", "type": "function", "function": {"name": "pay", "arguments": "{}"}},
    ]
    assert answer["thinking"] == [{"type": "thinking", "thinking": "hm", "signature": "s"}]
    assert results == [
        {"role": "tool", "tool_call_id": "c2", "content": "no", "is_error": True},
        {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "paid"}]},
    ]
    assert last == {"role": "user", "content": [{"type": "text", "text": "and now?"}]}
    assert [(one.message, one.call, one.by) for one in pair_results(found.messages)] == [
        (3, 1, "id"),
        (4, 0, "id"),
    ]


def test_a_tool_is_a_function_with_its_schema_as_parameters() -> None:
    function = {"name": "pay", "description": "pays", "parameters": SCHEMA}
    for kind in ({}, {"type": None}, {"type": "custom"}, {"cache_control": {"type": "ephemeral"}}):
        tool = {"name": "pay", "description": "pays", "input_schema": SCHEMA} | kind
        beside = {key: value for key, value in kind.items() if key != "type"}
        found = asked({"model": "m", "messages": [], "tools": [tool]})
        assert found.tools == ({"type": "function", "function": function} | beside,)
    bare = asked({"model": "m", "messages": [], "tools": [{"name": "pay", "input_schema": {}}]})
    assert bare.tools[0]["function"] == {"name": "pay", "parameters": {}}
    theirs = {"type": "web_search_20250305", "name": "web_search"}
    assert asked({"model": "m", "messages": [], "tools": [theirs]}).tools == (theirs,)


def test_a_system_prompt_may_be_text_blocks_or_absent() -> None:
    for system in ("be brief", [{"type": "text", "text": "be brief"}], ""):
        found = asked({"model": "m", "messages": [], "system": system})
        assert found.messages == ({"role": "system", "content": system},)
    assert asked({"model": "m", "messages": [], "system": None}).messages == ()
    later = heard({"type": "text", "text": "and be kind"}, role="system")
    assert later == [{"role": "system", "content": [{"type": "text", "text": "and be kind"}]}]


def test_words_before_between_and_after_tool_results_keep_their_places() -> None:
    words = [{"type": "text", "text": str(number)} for number in range(3)]
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": ""}}
    results = [{"type": "tool_result", "tool_use_id": f"c{number}"} for number in range(2)]
    found = heard(words[0], image, results[0], words[1], results[1], words[2])
    assert found == [
        {"role": "user", "content": [words[0], image]},
        {"role": "tool", "tool_call_id": "c0", "content": None},
        {"role": "user", "content": [words[1]]},
        {"role": "tool", "tool_call_id": "c1", "content": None},
        {"role": "user", "content": [words[2]]},
    ]
    assert heard() == [{"role": "user", "content": []}]


def test_the_input_of_a_call_is_the_text_that_was_sent() -> None:
    sent = '{ "n":1.0, "id": 12345678901234567890 }'
    block = f'{{"type":"tool_use","id":"c1","name":"pay","input":{sent}}}'
    body = f'{{"model":"m","messages":[{{"role":"assistant","content":[{block}]}}]}}'
    (message,) = asked(body.encode()).messages
    assert message["content"] is None
    assert message["tool_calls"][0]["function"]["arguments"] == sent


def test_calls_and_results_without_ids_are_kept() -> None:
    """C59."""
    calls = heard({"type": "tool_use", "name": "pay", "input": {}}, role="assistant")
    assert calls[0]["tool_calls"][0]["id"] is None
    assert heard({"type": "tool_result", "content": "x"})[0]["tool_call_id"] is None
    assert heard({"type": "tool_result", "tool_use_id": ""})[0]["tool_call_id"] == ""


TOOL_USE = {"type": "tool_use", "id": "c1", "name": "pay", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "c1"}


def one(role: str, *content: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": role, "content": list(content)}]}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "not JSON"),
        (b"\xff", "not UTF-8"),
        (b"[]", "no JSON object"),
        ({"messages": []}, "/model"),
        ({"model": "m"}, "/messages"),
        ({"model": "m", "messages": None}, "/messages"),
        ({"model": "m", "messages": {}}, "/messages"),
        ({"model": "m", "messages": ["x"]}, "messages is no list of objects"),
        ({"model": "m", "messages": [{"content": "x"}]}, "/messages/0/role"),
        ({"model": "m", "messages": [{"role": "tool", "content": "x"}]}, "/messages/0/role"),
        ({"model": "m", "messages": [{"role": "user"}]}, "/messages/0/content"),
        ({"model": "m", "messages": [{"role": "user", "content": 5}]}, "content is no list"),
        (one("user", "x"), "no list of objects"),
        (one("user", TOOL_USE), "'tool_use'"),
        (one("user", {}), "type 'None'"),
        (one("assistant", RESULT), "tool_result"),
        (one("assistant", {"type": "mcp_tool_use"}), "'mcp_tool_use'"),
        (one("assistant", {"type": "tool_use"}), "no input"),
        (one("user", RESULT | {"content": 5}), "content is no list"),
        (one("user", RESULT | {"tool_use_id": 5}), "tool_use_id is no text"),
        (one("system", RESULT), "tool_result"),
        ({"model": "m", "messages": [], "system": 5}, "system is no list"),
        ({"model": "m", "messages": [], "system": [{"type": "image"}]}, "'image'"),
        ({"model": "m", "messages": [], "tools": {"a": 1}}, "tools is no list"),
    ],
)
def test_a_request_that_cannot_be_read_in_one_way_is_undecodable(body: Any, words: str) -> None:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    found = decode_request(exchange(MESSAGES, None, asked=data))
    assert isinstance(found, Undecodable)
    assert words in found.reason


@pytest.mark.parametrize(
    ("path", "fits"),
    [
        ("/v1/messages", True),
        ("/messages", True),
        ("messages", True),
        ("/v1/messages/count_tokens", False),
        ("/v1/messages/batches", False),
        ("/v1/old_messages", False),
    ],
)
def test_the_path_is_that_of_messages_alone(path: str, fits: bool) -> None:
    assert bool(PATH.search(path)) == fits


def test_a_tool_that_the_provider_ran_by_itself_makes_an_answer_undecodable() -> None:
    block = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
    whole = {"type": "message", "content": [block], "stop_reason": "end_turn"}
    found = decode_answer(exchange(MESSAGES, json.dumps(whole).encode()))
    assert found == Undecodable(reason="a block of type 'server_tool_use'")
    events = MESSAGES.stream(Said(text="x"), in_one)
    body = b"".join(events).replace(b'"type": "text"', b'"type": "server_tool_use"')
    assert decode_answer(exchange(MESSAGES, body, kind=STREAM)) == found
