import json
from typing import Any

import pytest

from grid.errors import StrictError
from proxy.wire.gemini_request import read_messages, read_tools
from proxy.wire.pairing import PairedBy, pair_results


def messages(body: dict[str, Any] | str) -> list[dict[str, Any]]:
    text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
    return list(read_messages(json.loads(text), text))


def tools(*given: Any) -> list[dict[str, Any]]:
    body = {"tools": list(given)}
    return list(read_tools(body, json.dumps(body)))


def talk(*contents: tuple[str, list[Any]]) -> dict[str, Any]:
    return {"contents": [{"role": role, "parts": parts} for role, parts in contents]}


def call(name: Any = "pay", **more: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": {}} | more}


def result(response: Any, name: Any = "pay", **more: Any) -> dict[str, Any]:
    return {"functionResponse": {"name": name, "response": response} | more}


def test_a_conversation_is_put_into_the_shared_shape() -> None:
    body = {"systemInstruction": {"parts": [{"text": "be good"}], "role": "user"}} | talk(
        ("user", [{"text": "pay"}]),
        ("model", [{"text": "I pay"}, call(id="c1"), call("mail", id="c2")]),
        ("user", [result({"result": "done"}, id="c1"), result({"error": "no"}, "mail", id="c2")]),
    )
    first = {"id": "c1", "type": "function", "function": {"name": "pay", "arguments": "{}"}}
    second = {"id": "c2", "type": "function", "function": {"name": "mail", "arguments": "{}"}}
    assert messages(body) == [
        {"role": "system", "content": "be good"},
        {"role": "user", "content": "pay"},
        {"role": "assistant", "content": "I pay", "tool_calls": [first, second]},
        {"role": "tool", "tool_call_id": "c1", "name": "pay", "content": "done"},
        {
            "role": "tool",
            "tool_call_id": "c2",
            "name": "mail",
            "content": "no",
            "status": "error",
        },
    ]


def test_arguments_and_responses_are_the_raw_text_that_was_sent() -> None:
    raw = '{ "amount" : 1.0, "big":12345678901234567890123, "to": "\\u9ad9\\ud83c\\udf63" }'
    text = (
        '{"contents":[{"role":"model","parts":[{"functionCall":{"name":"n",'
        f'"args": {raw} }}}}]}},{{"role":"function","parts":[{{"functionResponse":{{"name":"n",'
        f'"response":{raw}}}}}]}}]}}'
    )
    said, heard = messages(text)
    assert said["tool_calls"][0]["function"]["arguments"] == raw
    assert heard == {"role": "tool", "tool_call_id": "", "name": "n", "content": raw}


@pytest.mark.parametrize(
    ("response", "content", "more"),
    [
        ({"output": "x"}, "x", {}),
        ({"result": "x"}, "x", {}),
        ({"error": "x"}, "x", {"status": "error"}),
        ({"result": [1, 2.50]}, "[1, 2.5]", {}),
        ({"error": None}, "null", {"status": "error"}),
        ({"result": "x", "error": "y"}, '{"result": "x", "error": "y"}', {}),
        ({"content": "x"}, '{"content": "x"}', {}),
        ({}, "{}", {}),
    ],
)
def test_the_wrapper_of_a_tools_answer_is_taken_off_only_where_it_is_one(
    response: dict[str, Any], content: str, more: dict[str, str]
) -> None:
    [message] = messages(talk(("user", [result(response)])))
    told = {"role": "tool", "tool_call_id": "", "name": "pay", "content": content}
    assert message == told | more


def test_the_spellings_and_short_forms_of_the_interface_are_read() -> None:
    short = {
        "system_instruction": {"parts": {"text": "be good"}},
        "contents": {"parts": {"text": "pay"}},
        "tools": {"function_declarations": {"name": "pay", "parameters_json_schema": {}}},
    }
    assert messages(short) == [
        {"role": "system", "content": "be good"},
        {"role": "user", "content": "pay"},
    ]
    assert read_tools(short, json.dumps(short)) == (
        {"type": "function", "function": {"name": "pay", "parameters": {}}},
    )
    snake = {
        "contents": [
            {"role": "model", "parts": [{"function_call": {"name": "n", "args": {"to_x": 1}}}]},
            {"role": "user", "parts": [{"function_response": {"name": "n", "response": {}}}]},
        ]
    }
    said, heard = messages(snake)
    assert said["tool_calls"][0]["function"]["arguments"] == '{"to_x": 1}'
    assert heard["role"] == "tool"


def test_words_around_results_stay_the_users_in_their_places() -> None:
    parts = [{"text": "a"}, result({"result": "r"}), {"text": "b"}, {"text": "c"}]
    assert messages(talk(("user", parts))) == [
        {"role": "user", "content": "a"},
        {"role": "tool", "tool_call_id": "", "name": "pay", "content": "r"},
        {"role": "user", "content": [{"type": "text", "text": w} for w in "bc"]},
    ]


def test_thoughts_stand_beside_and_what_is_not_words_stays_as_it_was_sent() -> None:
    image = {"mimeType": "image/png", "data": "eA=="}
    thought = {"text": "hm", "thought": True, "thoughtSignature": "s"}
    body = talk(
        ("user", [{"inlineData": image}, {}]),
        ("model", [thought, {"text": "y", "thoughtSignature": "s"}]),
        ("model", [{"executableCode": {"code": "1"}}]),
        ("user", [result({"result": "r"}, parts=[{"inlineData": image}])]),
    )
    assert messages(body) == [
        {"role": "user", "content": [{"type": "inlineData", "inlineData": image}]},
        {"role": "assistant", "content": "y", "thinking": [thought]},
        {
            "role": "assistant",
            "content": [{"type": "executableCode", "executableCode": {"code": "1"}}],
        },
        {
            "role": "tool",
            "tool_call_id": "",
            "name": "pay",
            "content": [
                {"type": "text", "text": "r"},
                {"type": "parts", "parts": [{"inlineData": image}]},
            ],
        },
    ]


def test_empty_contents_stay_and_left_out_arguments_are_none() -> None:
    bare = {"functionCall": {"name": "n"}}
    body = {"contents": [{"role": "user"}, {"role": "model", "parts": []}]}
    body["contents"].append({"role": "model", "parts": [bare]})
    user, model, calling = messages(body)
    assert (user, model) == (
        {"role": "user", "content": []},
        {"role": "assistant", "content": None},
    )
    assert calling["tool_calls"] == [
        {"id": "", "type": "function", "function": {"name": "n", "arguments": "{}"}}
    ]


def pairs(*ids: tuple[Any, Any], names: tuple[str, str] = ("w", "w")) -> list[Any]:
    calls = [call(name, id=one) for (one, _), name in zip(ids, names, strict=True)]
    results = [
        result({"result": "x"}, name, id=two) for (_, two), name in zip(ids, names, strict=True)
    ]
    found = messages(talk(("model", calls), ("user", results[::-1])))
    assert len(found) == 3
    return [(pairing.by, pairing.call) for pairing in pair_results(found)]


def test_results_are_paired_by_an_id_of_their_own_and_else_with_nothing_for_sure() -> None:
    """C59: empty ids, ids that are the tool's name, and ids that only one side made up."""
    assert pairs(("a", "a"), ("b", "b")) == [(PairedBy.ID, 1), (PairedBy.ID, 0)]
    unsure = [(PairedBy.AMBIGUOUS, None)] * 2
    assert pairs(("", ""), ("", "")) == unsure
    assert pairs((None, None), (None, None), names=("x", "y")) == unsure
    assert pairs(("w", "w"), ("w", "w")) == unsure
    assert pairs(("made-1", "w"), ("made-2", "w")) == unsure
    alone = messages(talk(("model", [call()]), ("user", [result({"result": "x"})])))
    assert [pairing.by for pairing in pair_results(alone)] == [PairedBy.ORDER]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"contents": None},
        {"contents": "pay"},
        {"contents": ["pay"]},
        {"contents": [None]},
        {"contents": [{"parts": "x"}]},
        {"contents": [{"parts": ["x"]}]},
        {"contents": [{"parts": [None]}]},
        talk(("system", [{"text": "x"}])),
        talk(("user", [{"text": 5}])),
        talk(("user", [{"text": "x", "inlineData": {}}])),
        talk(("user", [{"text": "x", "inline_data": {}}])),
        talk(("user", [{"functionCall": {}, "function_call": {}}])),
        talk(("user", [{"unheardOf": 1}])),
        talk(("user", [call()])),
        talk(("model", [result({})])),
        talk(("model", [{"functionCall": "x"}])),
        talk(("model", [call(args="{}")])),
        talk(("model", [call(5)])),
        talk(("model", [call(id=5)])),
        talk(("user", [{"functionResponse": "x"}])),
        talk(("user", [{"functionResponse": {"name": "x"}}])),
        talk(("user", [result("x")])),
        talk(("user", [result({}, id=5)])),
        {"contents": [], "systemInstruction": "be good"},
        {"contents": [], "systemInstruction": {}, "system_instruction": {}},
    ],
)
def test_what_can_be_read_in_more_than_one_way_is_refused(body: dict[str, Any]) -> None:
    with pytest.raises(StrictError):
        messages(body)


def test_tools_are_functions_and_others_stand_as_they_were_sent() -> None:
    schema = {"type": "OBJECT", "properties": {"to_whom": {"type": "STRING"}}}
    declared = [
        {"name": "pay", "description": "pays", "parameters": schema},
        {"name": "mail", "parametersJsonSchema": {"type": "object"}, "behavior": "BLOCKING"},
        {"name": "bare", "description": None},
    ]
    search = {"google_search": {"time_range_filter": {}}}
    given = [{"functionDeclarations": declared}, search, {"googleSearch": None}]
    assert tools(*given, {"functionDeclarations": [], "codeExecution": {}}) == [
        {
            "type": "function",
            "function": {"name": "pay", "description": "pays", "parameters": schema},
        },
        {
            "type": "function",
            "function": {"name": "mail", "parameters": {"type": "object"}},
            "behavior": "BLOCKING",
        },
        {"type": "function", "function": {"name": "bare"}},
        search,
        {"codeExecution": {}},
    ]
    assert read_tools({}, "{}") == read_tools({"tools": None}, '{"tools": null}') == ()


@pytest.mark.parametrize(
    "tool",
    [
        "x",
        {"functionDeclarations": "x"},
        {"functionDeclarations": ["x"]},
        {"functionDeclarations": [{}]},
        {"functionDeclarations": [{"name": "x", "parameters": {}, "parametersJsonSchema": {}}]},
        {"functionDeclarations": [], "function_declarations": []},
    ],
)
def test_tools_that_are_none_are_refused(tool: Any) -> None:
    with pytest.raises(StrictError):
        tools(tool)
