from typing import Any

import pytest

from proxy.wire import (
    anthropic_messages,
    bedrock_converse,
    gemini_content,
    openai_chat,
    openai_responses,
)
from proxy.wire.answer import Asked, Assistant
from proxy.wire.protocol import (
    decode_answer,
    decode_request,
    decoder_of,
    path_without_model,
    without_own,
)
from tests.proxy.wire.dialects import DIALECTS, Dialect, Said, exchange


@pytest.mark.parametrize(
    ("path", "module"),
    [
        ("/chat/completions", openai_chat),
        ("/openai/deployments/d/chat/completions?api-version=1", openai_chat),
        ("/v1beta/openai/chat/completions", openai_chat),
        ("/v1/messages", anthropic_messages),
        ("/v1/messages?beta=true", anthropic_messages),
        ("/v1/responses", openai_responses),
        ("/model/anthropic.claude-v1%3A0/converse", bedrock_converse),
        ("/model/arn%3Aaws%3Abedrock/converse-stream", bedrock_converse),
        ("/v1beta/models/gemini-1:generateContent", gemini_content),
        ("/v1beta/models/gemini-1:streamGenerateContent?alt=sse", gemini_content),
        ("/v1/projects/p/locations/l/publishers/google/models/g:generateContent", gemini_content),
        ("/somewhere/else", openai_chat),
        ("/else?x=/v1/messages", openai_chat),
        ("", openai_chat),
    ],
)
def test_the_path_alone_tells_the_protocol(path: str, module: Any) -> None:
    assert decoder_of(path) is module


@pytest.mark.parametrize("dialect", DIALECTS, ids=str)
def test_each_protocol_is_read_under_its_path_and_not_under_another(dialect: Dialect) -> None:
    said = Said(text="moon")
    answer = decode_answer(exchange(dialect, dialect.whole(said)))
    assert isinstance(answer, Assistant)
    assert answer.text == "moon"
    for other in DIALECTS:
        found = decode_answer(exchange(other, dialect.whole(said)))
        assert isinstance(found, Assistant) == (other is dialect)


def test_a_request_is_read_under_its_path() -> None:
    messages = exchange(DIALECTS[1], None, asked=b'{"model":"m","messages":[],"system":"x"}')
    found = decode_request(messages)
    assert isinstance(found, Asked)
    assert found.messages == ({"role": "system", "content": "x"},)


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/model/name/converse", "/model/*/converse"),
        ("/model/a%2Fb/converse-stream?x=name", "/model/*/converse-stream?x=name"),
        ("/v1beta/models/name:generateContent?alt=sse", "/v1beta/models/*:generateContent?alt=sse"),
        ("/v1/messages?x=1", "/v1/messages?x=1"),
        ("/chat/completions", "/chat/completions"),
        ("/models/name", "/models/name"),
    ],
)
def test_a_model_id_is_left_out_of_a_path_where_the_protocol_puts_it(path: str, shown: str) -> None:
    assert path_without_model(path) == shown


USER = {"role": "user", "content": "x"}
ASSISTANT = {"role": "assistant", "content": "x"}
MODEL = {"role": "model", "parts": []}
CALL = {"type": "function_call", "call_id": "c1"}
THOUGHT = {"type": "reasoning"}
OUTPUT = {"type": "function_call_output", "call_id": "c1"}


@pytest.mark.parametrize(
    ("path", "key", "listed", "own"),
    [
        ("/chat/completions", "messages", [USER, ASSISTANT, {"role": "tool"}], [1]),
        ("/v1/messages", "messages", [USER, ASSISTANT, USER], [1]),
        ("/model/m/converse", "messages", [USER, ASSISTANT, USER], [1]),
        ("/v1/responses", "input", [USER, ASSISTANT, CALL, THOUGHT, OUTPUT], [1, 2, 3]),
        ("/models/m:generateContent", "contents", [USER, MODEL, {"role": "function"}], [1]),
        ("/v1/responses", "messages", [ASSISTANT], []),
        ("/chat/completions", "input", [CALL], []),
        ("/chat/completions", "contents", [MODEL], []),
        ("/chat/completions", "messages", [MODEL, CALL, "x", None], []),
    ],
)
def test_what_the_model_said_itself_is_left_out_where_its_protocol_puts_it(
    path: str, key: str, listed: list[Any], own: list[int]
) -> None:
    body = {key: listed, "note": "beside"}
    kept = [None if at in own else one for at, one in enumerate(listed)]
    assert without_own(body, path) == {key: kept, "note": "beside"}


@pytest.mark.parametrize("body", [{}, {"messages": "x"}, {"messages": {"a": ASSISTANT}}])
def test_a_body_of_another_shape_stays_as_it_is(body: dict[str, Any]) -> None:
    assert without_own(body, "/chat/completions") == body
