"""Bedrock's own client, boto3, and `proxy.wire.bedrock_converse` read and write the same."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import boto3
import pytest
from botocore.awsrequest import AWSResponse
from botocore.config import Config
from botocore.exceptions import ClientError, EventStreamError
from hypothesis import given
from hypothesis import strategies as st

from proxy.wire.answer import Asked, Assistant, ProviderError
from proxy.wire.bedrock_converse import decode_answer, decode_request
from tests.proxy.wire.anything import JSON, WORDS
from tests.proxy.wire.converse import MODEL, STREAM, assistant, body, exchange, use
from tests.proxy.wire.eventstream import counts, end, exception, piece, start, stop, text, tool


@dataclass
class Raw:
    """The body of an HTTP response, in the chunks in which the network brought it."""

    chunks: list[bytes]

    def stream(self, *_: Any, **__: Any) -> Iterator[bytes]:
        yield from self.chunks


@dataclass
class Provider:
    """The provider's own client, with an answer of ours in place of the network's."""

    client: Any
    chunks: list[bytes] = field(default_factory=list)
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    asked: list[Any] = field(default_factory=list)

    def send(self, request: Any, **_: Any) -> AWSResponse:
        self.asked.append(request)
        return AWSResponse(request.url, self.status, self.headers, Raw(self.chunks))

    def whole(self, data: bytes, status: int = 200, **headers: str) -> Any:
        self.chunks, self.status, self.headers = [data], status, headers
        return self.client.converse(modelId=MODEL, messages=[])

    def events(self, *chunks: bytes) -> list[Any]:
        self.chunks, self.status, self.headers = list(chunks), 200, {}
        return list(self.client.converse_stream(modelId=MODEL, messages=[])["stream"])


@pytest.fixture(scope="module")
def provider() -> Provider:
    client = boto3.client(
        "bedrock-runtime",
        region_name="us-east-1",
        aws_access_key_id="AKIAEXAMPLE",
        aws_secret_access_key="example",
        config=Config(retries={"total_max_attempts": 1}),
    )
    found = Provider(client)
    client.meta.events.register("before-send", found.send)
    return found


def test_an_error_in_a_200_stream_is_the_providers_and_its_client_agrees(
    provider: Provider,
) -> None:
    data = start() + text("x") + exception("throttlingException", {"message": "slow down"})
    answer = decode_answer(exchange(data, stream=True))
    assert answer == ProviderError(
        status=200, code="throttlingException", message="slow down", retry_after=None
    )
    with pytest.raises(EventStreamError) as caught:
        provider.events(data)
    assert caught.value.response["Error"] == {
        "Code": "throttlingException",
        "Message": "slow down",
    }


def test_the_providers_client_names_the_same_error(provider: Provider) -> None:
    named = "ThrottlingException:http://internal.example.test/coral/"
    data = b'{"message":"Too many requests"}'
    with pytest.raises(ClientError) as caught:
        provider.whole(data, 429, **{"x-amzn-errortype": named})
    found = decode_answer(exchange(data, status=429, headers={"x-amzn-errortype": named}))
    assert isinstance(found, ProviderError)
    assert caught.value.response["Error"] == {"Code": found.code, "Message": found.message}


def told_whole(answer: Any) -> tuple[str, list[tuple[str, str, Any]], str, Any]:
    """What the provider's client makes of a whole answer."""
    blocks = answer["output"]["message"]["content"]
    calls = [block["toolUse"] for block in blocks if "toolUse" in block]
    return (
        "".join(block.get("text", "") for block in blocks),
        [(one["toolUseId"], one["name"], one["input"]) for one in calls],
        answer["stopReason"],
        answer["usage"],
    )


def told_events(events: list[Any]) -> tuple[str, list[tuple[str, str, Any]], str, Any]:
    """What the provider's client makes of a stream."""
    words, calls, reason, usage = "", {}, "", None
    for one in events:
        for name, told in one.items():
            if name == "contentBlockStart":
                use = told["start"]["toolUse"]
                calls[told["contentBlockIndex"]] = [use["toolUseId"], use["name"], ""]
            elif name == "contentBlockDelta" and "toolUse" in told["delta"]:
                calls[told["contentBlockIndex"]][2] += told["delta"]["toolUse"]["input"]
            elif name == "contentBlockDelta":
                words += told["delta"].get("text", "")
            elif name == "messageStop":
                reason = told["stopReason"]
            elif name == "metadata":
                usage = told["usage"]
    return words, [(a, b, json.loads(c)) for a, b, c in calls.values()], reason, usage


def ours(answer: Assistant) -> tuple[str, list[tuple[str, str, Any]], str, Any]:
    calls = [(call.id, call.name, json.loads(call.raw_arguments)) for call in answer.calls]
    return answer.text or "", calls, answer.finish_reason, answer.usage


INPUTS = st.dictionaries(WORDS, JSON, max_size=3)
BLOCKS = st.lists(
    st.one_of(
        WORDS.map(lambda words: {"text": words}),
        st.builds(use, INPUTS, st.text(min_size=1, max_size=9), st.text(min_size=1, max_size=9)),
        st.just({"reasoningContent": {"reasoningText": {"text": "hm"}}}),
    ),
    max_size=4,
)
REASONS = st.sampled_from(["end_turn", "tool_use", "max_tokens", "guardrail_intervened"])


def streamed(blocks: list[dict[str, Any]], cut: Callable[[str], list[str]]) -> list[bytes]:
    found = [start()]
    for index, block in enumerate(blocks):
        if "toolUse" in block:
            call = block["toolUse"]
            found.append(tool(index, call["name"], call["toolUseId"]))
            given = json.dumps(call["input"], ensure_ascii=False)
            found += [piece(part, index) for part in cut(given)]
        elif "text" in block:
            found += [text(part, index) for part in cut(block["text"])]
        found.append(end(index))
    return found


@given(BLOCKS, REASONS)
def test_a_whole_answer_reads_as_the_providers_own_client_reads_it(
    provider: Provider, blocks: list[Any], reason: str
) -> None:
    data = body(*blocks, stopReason=reason, metrics={"latencyMs": 1})
    assert ours(assistant(exchange(data))) == told_whole(provider.whole(data))


@given(BLOCKS, REASONS, st.data())
def test_a_stream_reads_as_the_providers_own_client_reads_it(
    provider: Provider, blocks: list[Any], reason: str, data: st.DataObject
) -> None:
    def cut(words: str) -> list[str]:
        at = sorted(data.draw(st.lists(st.integers(0, len(words)), max_size=3)))
        ends = zip([0, *at], [*at, len(words)], strict=True)
        return [words[first:last] for first, last in ends]

    stream = b"".join([*streamed(blocks, cut), stop(reason), counts()])
    assert ours(assistant(exchange(stream, stream=True))) == told_events(provider.events(stream))


def test_network_chunks_cut_at_any_byte_give_the_client_what_the_recording_gives(
    provider: Provider,
) -> None:
    """C57."""
    found = ours(assistant(exchange(STREAM, stream=True)))
    for size in (1, 2, 3, 7, 100):
        chunks = [STREAM[at : at + size] for at in range(0, len(STREAM), size)]
        assert told_events(provider.events(*chunks)) == found


def test_what_the_providers_own_client_asks_is_read(provider: Provider) -> None:
    provider.chunks, provider.status, provider.headers = [body({"text": "x"})], 200, {}
    schema = {"type": "object", "properties": {"amount": {"type": "number"}}}
    provider.client.converse(
        modelId=MODEL,
        system=[{"text": "be good"}],
        messages=[
            {"role": "user", "content": [{"text": "pay"}]},
            {"role": "assistant", "content": [use({"宛先": "髙橋", "amount": 1.5})]},
            {
                "role": "user",
                "content": [
                    {
                        "toolResult": {
                            "toolUseId": "t1",
                            "content": [{"text": "no"}],
                            "status": "error",
                        }
                    }
                ],
            },
        ],
        toolConfig={
            "tools": [
                {
                    "toolSpec": {
                        "name": "pay",
                        "description": "pays",
                        "inputSchema": {"json": schema},
                    }
                }
            ]
        },
    )
    sent = provider.asked[-1]
    path = sent.url.partition(".amazonaws.com")[2]
    asked = decode_request(exchange(None, path=path, asked=sent.body))
    assert isinstance(asked, Asked)
    assert (asked.model, asked.stream) == (MODEL, False)
    assert asked.tools == (
        {
            "type": "function",
            "function": {"name": "pay", "description": "pays", "parameters": schema},
        },
    )
    system, user, said, result = asked.messages
    assert (system, user) == (
        {"role": "system", "content": "be good"},
        {"role": "user", "content": "pay"},
    )
    arguments = said["tool_calls"][0]["function"]["arguments"]
    assert json.loads(arguments) == {"宛先": "髙橋", "amount": 1.5}
    assert arguments.encode() in sent.body
    assert result == {"role": "tool", "tool_call_id": "t1", "content": "no", "status": "error"}
