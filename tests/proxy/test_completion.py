"""Both forms of an answer say the same, to our own decoder."""

import json
from typing import Any

import pytest

from grid.wirecall import WireCall
from proxy.completion import (
    EVENT_STREAM,
    JSON,
    PIECE,
    Completion,
    counts_tokens,
    stream_events,
    whole_body,
)
from proxy.wire.answer import Assistant
from proxy.wire.exchange import Exchange, Request, Response, body_json
from proxy.wire.openai_chat import decode_answer

CALLS = (
    WireCall(id="call_1", name="pay", raw_arguments='{"宛先": "髙橋🍣", "amount": 5}'),
    WireCall(id="", name="look", raw_arguments=""),
    WireCall(id="call_1", name="pay", raw_arguments='{"broken'),
)
USAGE = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}


def completion(**changes: Any) -> Completion:
    fields: dict[str, Any] = {
        "id": "chatcmpl-1", "model": "m", "text": "I pay now, and look.", "calls": CALLS,
        "finish_reason": "tool_calls", "usage": USAGE,
    }  # fmt: skip
    return Completion(**fields | changes)


def decoded(kind: str, body: bytes) -> Assistant:
    request = Request(method="POST", path="/chat/completions", headers={}, body={"text": "{}"})
    response = Response(status=200, headers={"content-type": kind}, body=body_json(body))
    found = decode_answer(Exchange(n=0, request=request, response=response, error=None))
    assert isinstance(found, Assistant)
    return found


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"text": None},
        {"text": "", "calls": (), "finish_reason": "stop"},
        {"text": None, "refusal": "I will not do that.", "calls": ()},
        {"calls": (), "finish_reason": "length", "text": "髙" * 50},
    ],
)
def test_whole_and_streamed_an_answer_decodes_to_the_same(changes: dict[str, Any]) -> None:
    said = completion(**changes)
    whole = decoded(JSON, whole_body(said))
    assert whole == decoded(EVENT_STREAM, b"".join(stream_events(said, counted=True)))
    assert (whole.text, whole.refusal, whole.calls) == (said.text, said.refusal, said.calls)
    assert (whole.finish_reason, whole.usage, whole.model) == (said.finish_reason, USAGE, "m")


def test_words_and_arguments_come_in_pieces() -> None:
    events = list(stream_events(completion(), counted=False))
    deltas = [json.loads(event[6:])["choices"][0]["delta"] for event in events[:-1]]
    assert [delta["content"] for delta in deltas if delta.get("content")] == [
        "I pay now, a",
        "nd look.",
    ]
    pieces = [
        call["function"]["arguments"] for delta in deltas for call in delta.get("tool_calls", ())
    ]
    assert max(map(len, pieces)) == PIECE
    assert "".join(pieces) == "".join(call.raw_arguments for call in CALLS)


def test_token_counts_come_only_where_they_are_told_and_asked_for() -> None:
    def counts(said: Completion, *, counted: bool) -> bool:
        return b'"usage"' in b"".join(stream_events(said, counted=counted))

    assert counts(completion(), counted=True)
    assert not counts(completion(), counted=False)
    assert not counts(completion(usage=None), counted=True)
    assert b"usage" not in whole_body(completion(usage=None))


@pytest.mark.parametrize(
    ("body", "counted"),
    [
        ({"stream_options": {"include_usage": True}}, True),
        ({"stream_options": {"include_usage": 1}}, False),
        ({"stream_options": None}, False),
        ({}, False),
        ([], False),
    ],
)
def test_token_counts_are_asked_for_in_so_many_words(body: Any, counted: bool) -> None:
    assert counts_tokens(body) is counted
