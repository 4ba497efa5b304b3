"""The providers' own clients as a second opinion: the same bytes, the same words and calls."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import anthropic
import httpx
import httpx2
import openai
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.wire.answer import Asked
from proxy.wire.protocol import decode_request
from tests.proxy.wire.dialects import (
    CHAT,
    DIALECTS,
    MESSAGES,
    PLAIN,
    RESPONSES,
    STREAM,
    Dialect,
    Said,
    decoded,
    exchange,
    shape,
)

type Read = tuple[str | None, list[tuple[str, str, Any]]]
"""Words, and id, name and parsed arguments of each call."""


class Wire:
    """What the clients are connected to: answers with given bytes, keeps what was asked."""

    def __init__(self) -> None:
        self.answer = b""
        self.kind = PLAIN
        self.path = ""
        self.asked = b""

    def serve(self, request: Any) -> Any:
        self.path, self.asked = request.url.raw_path.decode(), request.read()
        made = httpx if isinstance(request, httpx.Request) else httpx2
        return made.Response(200, content=self.answer, headers={"content-type": self.kind})


WIRE = Wire()
OPENAI = openai.OpenAI(
    api_key="k",
    base_url="http://model/v1",
    max_retries=0,
    http_client=httpx.Client(transport=httpx.MockTransport(WIRE.serve)),
)
ANTHROPIC = anthropic.Anthropic(
    api_key="k",
    base_url="http://model",
    max_retries=0,
    http_client=httpx2.Client(transport=httpx2.MockTransport(WIRE.serve)),
)
HEARD: Any = [{"role": "user", "content": "x"}]


def _chat(message: Any) -> Read:
    calls = [
        (one.id, one.function.name, json.loads(one.function.arguments))
        for one in message.tool_calls or []
    ]
    return message.content, calls


def chat_whole() -> Read:
    found = OPENAI.chat.completions.create(model="m", messages=HEARD)
    return _chat(found.choices[0].message)


def chat_stream() -> Read:
    with OPENAI.chat.completions.stream(model="m", messages=HEARD) as stream:
        return _chat(stream.get_final_completion().choices[0].message)


def _message(found: Any) -> Read:
    texts = [block.text for block in found.content if block.type == "text"]
    calls = [
        (block.id, block.name, block.input) for block in found.content if block.type == "tool_use"
    ]
    return "".join(texts) if texts else None, calls


def messages_whole() -> Read:
    return _message(ANTHROPIC.messages.create(model="m", max_tokens=9, messages=HEARD))


def messages_stream() -> Read:
    with ANTHROPIC.messages.stream(model="m", max_tokens=9, messages=HEARD) as stream:
        return _message(stream.get_final_message())


def _response(found: Any) -> Read:
    calls = [
        (item.call_id, item.name, json.loads(item.arguments))
        for item in found.output
        if item.type == "function_call"
    ]
    spoken = any(item.type == "message" for item in found.output)
    return found.output_text if spoken else None, calls


def responses_whole() -> Read:
    return _response(OPENAI.responses.create(model="m", input="x"))


def responses_stream() -> Read:
    with OPENAI.responses.stream(model="m", input="x") as stream:
        pieces: dict[int, str] = {}
        for event in stream:
            if event.type == "response.function_call_arguments.delta":
                pieces[event.output_index] = pieces.get(event.output_index, "") + event.delta
        found = stream.get_final_response()
    grown = [json.loads(pieces[at]) for at in sorted(pieces)]
    words, calls = _response(found)
    assert grown == [arguments for _, _, arguments in calls]
    return words, calls


CLIENTS: list[tuple[Dialect, Callable[[], Read], Callable[[], Read]]] = [
    (CHAT, chat_whole, chat_stream),
    (MESSAGES, messages_whole, messages_stream),
    (RESPONSES, responses_whole, responses_stream),
]

TEXTS = st.text(max_size=30)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)
ARGUMENTS = st.builds(
    lambda value, plain, spaced: json.dumps(
        value, ensure_ascii=plain, separators=(", ", ": ") if spaced else (",", ":")
    ),
    st.dictionaries(st.text(max_size=6), VALUES, min_size=1, max_size=3),
    st.booleans(),
    st.booleans(),
)
CALLS = st.lists(
    st.tuples(st.just(""), st.from_regex("[a-z_]{1,9}", fullmatch=True), ARGUMENTS), max_size=3
)


@st.composite
def answers(draw: st.DrawFn) -> Said:
    calls = draw(CALLS)
    text = draw(st.none() | TEXTS) if calls else draw(st.text(min_size=1, max_size=30))
    named = tuple((f"call_{number}", *one[1:]) for number, one in enumerate(calls))
    return Said(text=text, calls=named)  # type: ignore[arg-type]


def pieces_of(size: int) -> Callable[[str], Sequence[str]]:
    return lambda text: [text[at : at + size] for at in range(0, len(text), size)] or [""]


@pytest.mark.parametrize(("dialect", "whole", "stream"), CLIENTS, ids=map(str, DIALECTS))
@settings(max_examples=15, deadline=None)
@given(said=answers(), size=st.integers(1, 9))
def test_a_client_reads_the_same_words_and_calls(
    dialect: Dialect,
    whole: Callable[[], Read],
    stream: Callable[[], Read],
    said: Said,
    size: int,
) -> None:
    bodies = [
        (PLAIN, dialect.whole(said), whole),
        (STREAM, b"".join(dialect.stream(said, pieces_of(size))), stream),
    ]
    for kind, body, client in bodies:
        WIRE.kind, WIRE.answer = kind, body
        ours = decoded(dialect, body, kind=kind)
        words, calls = client()
        assert shape(ours) == said
        assert (ours.text or None) == (words or None)
        assert [
            (call.id, call.name, json.loads(call.raw_arguments)) for call in ours.calls
        ] == calls


def test_what_a_client_asks_is_read_under_its_own_path() -> None:
    """The path that a client makes is the one that its protocol is told by."""
    for dialect, whole, _ in CLIENTS:
        WIRE.kind, WIRE.answer = PLAIN, dialect.whole(Said(text="x"))
        whole()
        asked = decode_request(exchange(dialect, None, asked=WIRE.asked))
        assert dialect.path == WIRE.path
        assert isinstance(asked, Asked)
        assert (asked.model, asked.messages, asked.stream) == ("m", tuple(HEARD), False)
