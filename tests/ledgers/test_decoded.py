from dataclasses import replace
from typing import Any

import pytest

from grid.canonical import plain_json
from grid.errors import CanonicalError, StrictError
from ledgers.decoded import Decoded, decode, without_own_messages
from proxy.wire.exchange import ErrorKind, Exchange, exchange_lines
from tests.builders import completion, exchange, message, wire_call

CALL = wire_call("c1", "pay", '{"to": "Bob"}')
ASKED = {
    "model": "scripted-name",
    "messages": [
        {"role": "user", "content": "please pay"},
        {"role": "user", "content": "", "tool_calls": [{"note": "no call of the agent"}]},
        {"role": "assistant", "content": "my own words", "refusal": "never", "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c1", "content": '{"lines": ["first\\nsecond"]}'},
    ],
    "tools": [{"type": "function", "function": {"name": "pay", "description": "sends money"}}],
    "metadata": {"note": "beside the messages"},
}  # fmt: skip


def one(found: Exchange) -> Decoded:
    return decode(exchange_lines([found]))[0]


def shown(asked: Any) -> list[str]:
    return [strand.text for strand in one(exchange(0, asked, completion(message()))).shown]


def test_a_request_shows_everything_but_the_agents_messages_and_the_model() -> None:
    texts = shown(ASKED)
    for text in (
        "please pay",
        "no call of the agent",
        "first\nsecond",
        "sends money",
        "beside the messages",
    ):
        assert text in texts
    own = ("my own words", "never", "scripted-name", '{"to": "Bob"}', "Bob")
    assert not [text for text in texts if text in own]


TOOL_ANSWER = '{"lines": ["paid to Bob"]}'
SAME = {
    "/v1/messages": {
        "model": "hidden-name",
        "max_tokens": 9,
        "system": [{"type": "text", "text": "be brief"}],
        "messages": [
            {"role": "user", "content": "please pay"},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "my own thought", "signature": "s"},
                    {"type": "text", "text": "my own words"},
                    {"type": "tool_use", "id": "c1", "name": "pay", "input": {"to": "my own aim"}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "c1", "content": TOOL_ANSWER},
                    {"type": "text", "text": "and then?"},
                ],
            },
        ],
        "tools": [{"name": "pay", "description": "sends money", "input_schema": {}}],
    },
    "/v1/responses": {
        "model": "hidden-name",
        "instructions": "be brief",
        "input": [
            {"role": "user", "content": "please pay"},
            {"type": "reasoning", "id": "r", "summary": [{"text": "my own thought"}]},
            {"role": "assistant", "content": "my own words"},
            {
                "type": "function_call",
                "call_id": "c1",
                "name": "pay",
                "arguments": '{"to": "my own aim"}',
            },
            {"type": "function_call_output", "call_id": "c1", "output": TOOL_ANSWER},
            {"role": "user", "content": "and then?"},
        ],
        "tools": [{"type": "function", "name": "pay", "description": "sends money"}],
    },
    "/model/hidden-name/converse": {
        "system": [{"text": "be brief"}],
        "messages": [
            {"role": "user", "content": [{"text": "please pay"}]},
            {
                "role": "assistant",
                "content": [
                    {"text": "my own words"},
                    {"toolUse": {"toolUseId": "c1", "name": "pay", "input": {"to": "my own aim"}}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"toolResult": {"toolUseId": "c1", "content": [{"text": TOOL_ANSWER}]}},
                    {"text": "and then?"},
                ],
            },
        ],
        "toolConfig": {
            "tools": [
                {
                    "toolSpec": {
                        "name": "pay",
                        "description": "sends money",
                        "inputSchema": {"json": {}},
                    }
                }
            ]
        },
    },
    "/v1beta/models/hidden-name:generateContent": {
        "systemInstruction": {"parts": [{"text": "be brief"}]},
        "contents": [
            {"role": "user", "parts": [{"text": "please pay"}]},
            {
                "role": "model",
                "parts": [
                    {"text": "my own words"},
                    {"functionCall": {"name": "pay", "args": {"to": "my own aim"}}},
                ],
            },
            {
                "role": "user",
                "parts": [
                    {
                        "functionResponse": {
                            "name": "pay",
                            "response": {"lines": ["paid to Bob"]},
                        }
                    },
                    {"text": "and then?"},
                ],
            },
        ],
        "tools": [{"functionDeclarations": [{"name": "pay", "description": "sends money"}]}],
    },
}
"""Path -> the same request in the protocol of that path."""


@pytest.mark.parametrize("path", SAME)
def test_the_same_request_shows_the_same_in_every_protocol(path: str) -> None:
    """The user's words, tool answers and tools stay; what the model said itself is left out."""
    made = exchange(0, SAME[path], completion(message()))
    found = one(replace(made, request=replace(made.request, path=path)))
    texts = [strand.text for strand in found.shown]
    for text in ("be brief", "please pay", "paid to Bob", "sends money", "and then?"):
        assert text in texts, text
    assert not [text for text in texts if "my own" in text or "hidden-name" in text]
    assert found.asked_model == "hidden-name"
    assert [message["role"] for message in found.messages] == [
        "system", "user", "assistant", "tool", "user",
    ]  # fmt: skip
    (call,) = found.messages[2]["tool_calls"]
    assert (call["function"]["name"], call["function"]["arguments"]) == (
        "pay",
        '{"to": "my own aim"}',
    )
    (tool,) = found.offered
    assert tool["function"]["name"] == "pay"


def test_under_another_path_the_same_lists_are_no_conversation() -> None:
    """Chat completions has no `input` and no `contents`: whoever adds one hides nothing there."""
    body = {"input": [{"role": "assistant", "content": "seen"}], "contents": [{"role": "model"}]}
    assert without_own_messages(body, "/chat/completions") == body
    assert without_own_messages(body, "/v1/responses")["input"] == [None]


def test_calls_and_words_of_another_protocol_are_read_by_its_path() -> None:
    block = {"type": "tool_use", "id": "c1", "name": "pay", "input": {"to": "Bob"}}
    said = {
        "type": "message", "role": "assistant", "model": "m-1", "stop_reason": "tool_use",
        "content": [{"type": "text", "text": "I pay now."}, block],
    }  # fmt: skip
    made = exchange(0, SAME["/v1/messages"], said)
    found = one(replace(made, request=replace(made.request, path="/v1/messages")))
    assert [(call.id, call.name, call.raw_arguments) for call in found.calls] == [
        ("c1", "pay", '{"to": "Bob"}')
    ]
    assert (found.words, found.told_model, found.trouble) == (("I pay now.",), "m-1", "")


def test_a_request_that_is_no_json_still_shows_its_text() -> None:
    found = one(exchange(0, "key=abc", completion(message())))
    assert "key=abc" in [strand.text for strand in found.shown]
    assert found.trouble == "the request cannot be decoded"


def test_the_path_is_shown_too() -> None:
    assert "/chat/completions" in shown(ASKED)


@pytest.mark.parametrize("body", [[], "text", 3, {"messages": "none"}, {"messages": [1, None]}])
def test_bodies_of_other_shapes_lose_nothing_but_the_model(body: Any) -> None:
    assert without_own_messages(body, "/chat/completions") == body


def test_calls_and_words_of_an_answer_are_kept_apart() -> None:
    found = one(exchange(0, ASKED, completion(message([CALL], "I pay now."))))
    assert [(call.id, call.name, call.raw_arguments) for call in found.calls] == [
        ("c1", "pay", '{"to": "Bob"}')
    ]
    assert found.words == ("I pay now.",)
    assert (found.responded, found.answered, found.trouble) == (True, True, "")


def test_an_observation_in_the_words_is_no_call() -> None:
    words = 'Action: pay\nAction Input: {"to": "Bob"}\nObservation: paid\nFinal Answer: paid'
    found = one(exchange(0, ASKED, completion(message(words=words))))
    assert found.calls == ()
    assert found.words == (words,)


def test_a_providers_error_is_a_response_and_no_trouble() -> None:
    found = one(exchange(0, ASKED, {"error": {"message": "busy"}}, status=503))
    assert (found.responded, found.answered, found.calls, found.trouble) == (True, False, (), "")


def test_an_answer_that_is_no_completion_is_trouble() -> None:
    found = one(exchange(0, ASKED, '{"choices": ['))
    assert found.trouble == "the answer cannot be decoded"
    assert found.calls == ()


def test_an_exchange_without_a_whole_answer_is_no_response() -> None:
    cut = replace(exchange(0, ASKED, completion(message([CALL]))), error=ErrorKind.DISCONNECT)
    found = one(cut)
    assert (found.responded, found.answered, found.calls, found.trouble) == (False, False, (), "")


def test_what_is_no_recording_is_refused() -> None:
    with pytest.raises(StrictError, match="cut"):
        decode(b'{"n":0')
    with pytest.raises(CanonicalError):
        decode(b"{}{}\n")


def test_a_stream_with_a_damaged_event_is_trouble_and_noise_is_none() -> None:
    """C55, C61: a call may be lost in it; then nobody can say what the agent was asked to do."""
    delta = {"index": 0, "delta": {"tool_calls": [CALL | {"index": 0}]}}
    last = {"index": 0, "delta": {}, "finish_reason": "tool_calls"}
    lines = [f"data: {plain_json({'choices': [one]}, indent=None)}" for one in (delta, last)]
    whole = exchange(0, ASKED, "")
    assert whole.response is not None
    for noise, trouble in (
        ("data: : PROCESSING", ""),
        ('data: {"a": 1, "a": 2}', "the answer cannot be decoded"),
    ):
        body = "\n\n".join([noise, *lines, "data: [DONE]", ""])
        said = replace(
            whole.response, headers={"content-type": "text/event-stream"}, body={"text": body}
        )
        found = one(replace(whole, response=said))
        assert found.trouble == trouble
        assert [call.name for call in found.calls] == ([] if trouble else ["pay"])
