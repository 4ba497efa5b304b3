"""Gemini's own client, google-genai, and `proxy.wire.gemini_content` read and write the same."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from google import genai
from google.genai import errors, types
from hypothesis import given
from hypothesis import strategies as st

from proxy.wire.answer import Asked, Assistant, ProviderError
from proxy.wire.gemini_content import decode_answer, decode_request
from tests.proxy.wire.anything import JSON, WORDS
from tests.proxy.wire.gemini import (
    ARGUMENTS,
    EVENTS,
    MODEL,
    USAGE,
    assistant,
    body,
    call,
    chunk,
    exchange,
    sse,
)

type Told = tuple[str, list[tuple[str, str, Any]], str, Any, str]
"""Words, calls, finish reason, total of the tokens and model of an answer."""


@dataclass
class Provider:
    """The provider's own client, with an answer of ours in place of the network's."""

    data: list[bytes] = field(default_factory=list)
    status: int = 200
    asked: list[httpx.Request] = field(default_factory=list)

    def __post_init__(self) -> None:
        transport = httpx.MockTransport(self.send)
        options = types.HttpOptions(httpx_client=httpx.Client(transport=transport))
        self.models = genai.Client(api_key="example", http_options=options).models

    def send(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        kind = "text/event-stream" if "alt=sse" in str(request.url) else "application/json"
        answer: Iterator[bytes] = iter(self.data)
        return httpx.Response(self.status, headers={"content-type": kind}, content=answer)

    def whole(self, data: bytes, status: int = 200) -> types.GenerateContentResponse:
        self.data, self.status = [data], status
        return self.models.generate_content(model=MODEL, contents="x")

    def pieces(self, *data: bytes) -> list[types.GenerateContentResponse]:
        self.data, self.status = list(data), 200
        return list(self.models.generate_content_stream(model=MODEL, contents="x"))


@pytest.fixture(scope="module")
def provider() -> Provider:
    return Provider()


def theirs(*answers: types.GenerateContentResponse) -> Told:
    """What the provider's client makes of an answer or of the pieces of one."""
    parts, reason, usage = [], "", None
    for answer in answers:
        for candidate in answer.candidates or []:
            parts += (candidate.content.parts or []) if candidate.content else []
            reason = candidate.finish_reason.value if candidate.finish_reason else reason
        usage = answer.usage_metadata or usage
    calls = [part.function_call for part in parts if part.function_call]
    return (
        "".join(part.text for part in parts if part.text and not part.thought),
        [(one.id or "", one.name or "", one.args or {}) for one in calls],
        reason,
        usage.total_token_count if usage else None,
        answers[0].model_version or "",
    )


def ours(answer: Assistant) -> Told:
    calls = [(call.id, call.name, json.loads(call.raw_arguments)) for call in answer.calls]
    total = (answer.usage or {}).get("totalTokenCount")
    return answer.text or "", calls, answer.finish_reason, total, answer.model


NAMES = st.text(min_size=1, max_size=9)
ARGS = st.dictionaries(WORDS, JSON, max_size=3)
PARTS = st.lists(
    st.one_of(
        WORDS.map(lambda words: {"text": words}),
        WORDS.map(lambda words: {"text": words, "thought": True}),
        st.builds(call, ARGS, st.none() | st.just("") | NAMES, NAMES),
        NAMES.map(lambda name: {"functionCall": {"name": name}}),
        st.just({"thoughtSignature": "czE="}),
    ),
    max_size=4,
)
REASONS = st.sampled_from(["STOP", "MAX_TOKENS", "SAFETY"])


@given(PARTS, REASONS)
def test_a_whole_answer_reads_as_the_providers_own_client_reads_it(
    provider: Provider, parts: list[Any], reason: str
) -> None:
    data = body(*parts, finish=reason)
    assert ours(assistant(exchange(data))) == theirs(provider.whole(data))


@given(st.lists(PARTS, max_size=3), PARTS, REASONS)
def test_a_stream_reads_as_the_providers_own_client_reads_it(
    provider: Provider, pieces: list[list[Any]], last: list[Any], reason: str
) -> None:
    data = sse(*(chunk(*parts, finish=None) for parts in pieces), chunk(*last, finish=reason))
    assert ours(assistant(exchange(data, EVENTS))) == theirs(*provider.pieces(data))


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_network_chunks_cut_at_any_byte_give_the_client_what_the_recording_gives(
    provider: Provider, size: int
) -> None:
    """C57."""
    pieces = [chunk({"text": "月🍣"}, finish=None), chunk(call(json.loads(ARGUMENTS)))]
    data = sse(*pieces)
    cut = [data[at : at + size] for at in range(0, len(data), size)]
    assert theirs(*provider.pieces(*cut)) == ours(assistant(exchange(data, EVENTS)))


def test_the_providers_client_names_the_same_error(provider: Provider) -> None:
    sent = {"error": {"code": 400, "message": "no such tool", "status": "INVALID_ARGUMENT"}}
    data = json.dumps(sent).encode()
    with pytest.raises(errors.ClientError) as caught:
        provider.whole(data, 400)
    found = decode_answer(exchange(data, status=400))
    assert isinstance(found, ProviderError)
    assert (caught.value.code, caught.value.status) == (found.status, found.code)
    assert caught.value.message == found.message


@pytest.mark.parametrize("bare", [False, True])
def test_the_providers_client_names_the_same_error_in_a_200_stream(
    provider: Provider, bare: bool
) -> None:
    sent = {"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}}
    before = sse(chunk({"text": "x"}, finish=None))
    data = before + (json.dumps(sent, indent=2).encode() if bare else sse(sent))
    with pytest.raises(errors.ServerError) as caught:
        provider.pieces(data)
    found = decode_answer(exchange(data, EVENTS))
    assert isinstance(found, ProviderError)
    assert (caught.value.status, caught.value.message) == (found.code, found.message)


def test_a_blocked_prompt_is_what_the_providers_client_calls_it(provider: Provider) -> None:
    data = json.dumps({"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": USAGE})
    answer = provider.whole(data.encode())
    found = decode_answer(exchange(data.encode()))
    assert isinstance(found, ProviderError)
    assert not answer.candidates
    assert answer.prompt_feedback
    assert answer.prompt_feedback.block_reason == types.BlockedReason(found.code)


def test_what_the_providers_own_client_asks_is_read(provider: Provider) -> None:
    provider.data, provider.status = [body({"text": "x"})], 200
    schema = {"type": "object", "properties": {"to_whom": {"type": "string"}}}
    declared = types.FunctionDeclaration(
        name="pay", description="pays", parameters_json_schema=schema
    )
    calling = types.FunctionCall(name="pay", args={"宛先": "髙橋", "amount": 1.5})
    provider.models.generate_content(
        model=MODEL,
        contents=[
            types.Content(role="user", parts=[types.Part(text="pay")]),
            types.Content(role="model", parts=[types.Part(function_call=calling)]),
            types.Content(
                role="user",
                parts=[types.Part.from_function_response(name="pay", response={"error": "no"})],
            ),
        ],
        config=types.GenerateContentConfig(
            system_instruction="be good",
            tools=[types.Tool(function_declarations=[declared])],
            automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
        ),
    )
    sent = provider.asked[-1]
    asked = decode_request(exchange(None, sent.url.raw_path.decode(), asked=sent.content))
    assert isinstance(asked, Asked)
    assert (asked.model, asked.stream) == (MODEL, False)
    function = {"name": "pay", "description": "pays", "parameters": schema}
    assert asked.tools == ({"type": "function", "function": function},)
    system, user, said, result = asked.messages
    assert (system, user) == (
        {"role": "system", "content": "be good"},
        {"role": "user", "content": "pay"},
    )
    arguments = said["tool_calls"][0]["function"]["arguments"]
    assert json.loads(arguments) == {"宛先": "髙橋", "amount": 1.5}
    assert arguments.encode() in sent.content
    told = {"role": "tool", "tool_call_id": "", "name": "pay", "content": "no", "status": "error"}
    assert result == told
