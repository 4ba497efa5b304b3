import json
from typing import Any

import pytest

from grid.errors import StrictError
from proxy.wire.converse_request import read_messages, read_tools
from proxy.wire.pairing import PairedBy, pair_results


def messages(body: dict[str, Any] | str) -> list[dict[str, Any]]:
    text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
    return list(read_messages(json.loads(text), text))


def talk(*contents: tuple[str, list[Any]]) -> dict[str, Any]:
    return {"messages": [{"role": role, "content": content} for role, content in contents]}


def use(identity: Any = "t1", name: Any = "pay", **more: Any) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": identity, "name": name, "input": {}} | more}


def result(identity: Any, *content: Any, **more: Any) -> dict[str, Any]:
    return {"toolResult": {"toolUseId": identity, "content": list(content)} | more}


def test_a_conversation_is_put_into_the_shared_shape() -> None:
    body = {"system": [{"text": "be good"}]} | talk(
        ("user", [{"text": "pay"}]),
        ("assistant", [{"text": "I pay"}, use("t1"), use("t2", "mail")]),
        ("user", [result("t1", {"text": "done"}), result("t2", {"text": "no"}, status="error")]),
    )
    first = {"id": "t1", "type": "function", "function": {"name": "pay", "arguments": "{}"}}
    second = {"id": "t2", "type": "function", "function": {"name": "mail", "arguments": "{}"}}
    assert messages(body) == [
        {"role": "system", "content": "be good"},
        {"role": "user", "content": "pay"},
        {"role": "assistant", "content": "I pay", "tool_calls": [first, second]},
        {"role": "tool", "tool_call_id": "t1", "content": "done"},
        {"role": "tool", "tool_call_id": "t2", "content": "no", "status": "error"},
    ]


def test_inputs_and_json_results_are_the_raw_text_that_was_sent() -> None:
    raw = '{ "amount" : 1.0, "big":12345678901234567890123, "to": "\\u9ad9\\ud83c\\udf63" }'
    text = (
        '{"messages":[{"role":"assistant","content":[{"toolUse":{"toolUseId":"t","name":"n",'
        f'"input": {raw} }}}}]}},{{"role":"user","content":[{{"toolResult":{{"toolUseId":"t",'
        f'"content":[{{"json":{raw}}}]}}}}]}}]}}'
    )
    said, heard = messages(text)
    assert said["tool_calls"][0]["function"]["arguments"] == raw
    assert heard == {"role": "tool", "tool_call_id": "t", "content": raw}


def test_words_around_results_stay_the_users_in_their_places() -> None:
    body = talk(("user", [{"text": "a"}, result("t", {"text": "r"}), {"text": "b"}, {"text": "c"}]))
    assert messages(body) == [
        {"role": "user", "content": "a"},
        {"role": "tool", "tool_call_id": "t", "content": "r"},
        {"role": "user", "content": [{"type": "text", "text": w} for w in "bc"]},
    ]


def test_what_is_not_words_stays_as_it_was_sent_and_marks_are_left_out() -> None:
    image = {"format": "png", "source": {"bytes": "eA=="}}
    mark = {"cachePoint": {"type": "default"}}
    guarded = {"guardContent": {"text": {"text": "g"}}}
    thought = {"reasoningText": {"text": "hm", "signature": "s"}}
    body = {"system": [{"text": "s"}, mark]} | talk(
        ("user", [{"text": "x"}, mark]),
        ("user", [{"image": image}, guarded]),
        ("assistant", [{"reasoningContent": thought}, {"text": "y"}]),
        ("user", [result("t", {"image": image}, {"text": "z"})]),
    )
    assert messages(body) == [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "x"},
        {
            "role": "user",
            "content": [{"type": "image", "image": image}, {"type": "text", "text": "g"}],
        },
        {"role": "assistant", "content": "y", "thinking": [thought]},
        {
            "role": "tool",
            "tool_call_id": "t",
            "content": [{"type": "image", "image": image}, {"type": "text", "text": "z"}],
        },
    ]


def test_a_tool_that_the_provider_runs_is_no_call_of_ours() -> None:
    body = talk(("assistant", [use("s", "search", type="server_tool_use"), result("s")]))
    [message] = messages(body)
    assert "tool_calls" not in message
    assert [part["type"] for part in message["content"]] == ["toolUse", "toolResult"]


def test_empty_messages_stay_and_null_is_no_content() -> None:
    assert messages(talk(("user", []), ("assistant", []))) == [
        {"role": "user", "content": []},
        {"role": "assistant", "content": None},
    ]
    assert messages({"messages": [], "system": None}) == []


@pytest.mark.parametrize("identity", ["", None])
def test_results_without_an_id_are_kept_and_pair_with_nothing_for_sure(identity: Any) -> None:
    """C59."""
    found = messages(
        talk(
            ("assistant", [use(identity), use(identity)]),
            ("user", [result(identity, {"text": "b"}), result(identity, {"text": "a"})]),
        )
    )
    assert [message["content"] for message in found[1:]] == ["b", "a"]
    assert [pairing.by for pairing in pair_results(found)] == [PairedBy.AMBIGUOUS] * 2


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"messages": None},
        {"messages": {"role": "user"}},
        {"messages": ["x"]},
        {"messages": [{"role": "user"}]},
        {"messages": [{"role": "user", "content": None}]},
        {"messages": [{"role": "user", "content": "x"}]},
        {"messages": [{"content": []}]},
        talk(("tool", [{"text": "x"}])),
        talk(("user", [None])),
        talk(("user", [{}])),
        talk(("user", [{"text": 5}])),
        talk(("user", [{"text": "x", "image": {}}])),
        talk(("user", [use()])),
        talk(("system", [result("t")])),
        talk(("user", [result(5)])),
        talk(("user", [{"toolResult": "x"}])),
        talk(("user", [{"toolResult": {"toolUseId": "t"}}])),
        talk(("assistant", [{"toolUse": {"toolUseId": "t", "name": "n"}}])),
        talk(("assistant", [use(name=None)])),
        talk(("assistant", [{"toolUse": "x"}])),
        {"messages": [], "system": "be good"},
        {"messages": [], "system": {}},
        {"messages": [], "system": 0},
    ],
)
def test_what_can_be_read_in_more_than_one_way_is_refused(body: dict[str, Any]) -> None:
    with pytest.raises(StrictError):
        messages(body)


def test_tools_are_functions_and_others_stand_as_they_were_sent() -> None:
    schema = {"type": "object", "properties": {"to": {"type": "string"}}}
    spec = {"name": "pay", "description": "pays", "inputSchema": {"json": schema}, "strict": True}
    grounding = {"systemTool": {"name": "grounding"}}
    bare = {"toolSpec": {"name": "x", "inputSchema": {"json": {}}}}
    tools = [{"toolSpec": spec}, {"cachePoint": {"type": "default"}}, grounding, bare]
    assert read_tools({"toolConfig": {"tools": tools, "toolChoice": {"auto": {}}}}) == (
        {
            "type": "function",
            "function": {"name": "pay", "description": "pays", "parameters": schema},
            "strict": True,
        },
        grounding,
        {"type": "function", "function": {"name": "x", "parameters": {}}},
    )
    assert read_tools({}) == read_tools({"toolConfig": None}) == ()


@pytest.mark.parametrize(
    "config",
    [
        [],
        {},
        {"tools": {}},
        {"tools": ["x"]},
        {"tools": [{}]},
        {"tools": [{"toolSpec": {"inputSchema": {"json": {}}}}]},
        {"tools": [{"toolSpec": {"name": "x"}}]},
        {"tools": [{"toolSpec": {"name": "x", "inputSchema": {"xml": {}}}}]},
    ],
)
def test_tools_that_are_none_are_refused(config: Any) -> None:
    with pytest.raises(StrictError):
        read_tools({"toolConfig": config})
