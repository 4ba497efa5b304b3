import json
from typing import Any

import pytest

from proxy.wire.lastword import AWS_EVENTS, JSON, JSON_LINES, SERVER_EVENTS, said_its_last_word
from tests.proxy.wire import eventstream


def sse(*events: Any, name: str = "", end: bytes = b"\n\n") -> bytes:
    head = f"event: {name}\n".encode() if name else b""
    datas = [one if isinstance(one, bytes) else json.dumps(one).encode() for one in events]
    return b"".join(head + b"data: " + data + end for data in datas)


CHUNK = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "mo"}}]}
FINISHED = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
USAGE = {"choices": [], "usage": {"total_tokens": 3}}
DELTA = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "mo"}}
STOP = {"type": "message_stop"}
GEMINI = {"candidates": [{"content": {"parts": [{"text": "moon"}]}}]}
GEMINI_LAST = {"candidates": [{"content": {}, "finishReason": "STOP"}], "usageMetadata": {}}
UNICODE = "a\u2028b\x85c"
ITEM = {"message": {"content": "mo"}, "done": False}
AWS = b"".join([eventstream.start(), eventstream.text("mo"), eventstream.end()])
STOPPED = eventstream.stop("end_turn")

ENDED = {
    "chat completions": (SERVER_EVENTS, sse(CHUNK, b"[DONE]")),
    "carriage returns": (SERVER_EVENTS, sse(CHUNK, b"[DONE]", end=b"\r\n\r\n")),
    "without a space": (SERVER_EVENTS, b"data:[DONE]\n\n"),
    "line ends of two kinds": (SERVER_EVENTS, sse(CHUNK) + b"data: [DONE]\n\r\n"),
    "words with line ends of Unicode": (
        SERVER_EVENTS,
        sse(json.dumps(GEMINI_LAST | {"x": UNICODE}, ensure_ascii=False).encode()),
    ),
    "a comment behind it": (SERVER_EVENTS, sse(b"[DONE]") + b": bye\n\n"),
    "half a comment behind it": (SERVER_EVENTS, sse(b"[DONE]") + b": by"),
    "an error": (SERVER_EVENTS, sse(CHUNK, {"error": {"message": "overloaded"}})),
    "messages": (SERVER_EVENTS, sse(DELTA) + sse(STOP, name="message_stop")),
    "an error of messages": (SERVER_EVENTS, sse({"type": "error", "error": {}}, name="error")),
    "responses": (SERVER_EVENTS, sse({"type": "response.completed", "response": {}})),
    "incomplete responses": (SERVER_EVENTS, sse({"type": "response.incomplete"})),
    "failed responses": (SERVER_EVENTS, sse({"type": "response.failed"})),
    "gemini": (SERVER_EVENTS, sse(GEMINI, GEMINI_LAST)),
    "gemini's array": (JSON, json.dumps([GEMINI, GEMINI_LAST]).encode()),
    "json lines": (JSON_LINES, b'{"done": false}\n{"done": true, "model": "m"}\n'),
    "converse": (AWS_EVENTS, AWS + STOPPED + eventstream.counts()),
    "an exception": (AWS_EVENTS, AWS + eventstream.exception("throttlingException", {})),
}

NOT_ENDED = {
    "nothing": (SERVER_EVENTS, b""),
    "a chunk": (SERVER_EVENTS, sse(CHUNK)),
    "a finish reason, before the token counts": (SERVER_EVENTS, sse(CHUNK, FINISHED)),
    "token counts, before the end": (SERVER_EVENTS, sse(CHUNK, FINISHED, USAGE)),
    "an end that is not whole": (SERVER_EVENTS, b"data: [DONE]\n"),
    "an end and half an event more": (SERVER_EVENTS, sse(b"[DONE]") + b"data: {"),
    "a cut in a character": (SERVER_EVENTS, sse(CHUNK) + 'data: {"月'.encode()[:-1]),
    "the words in a text": (SERVER_EVENTS, sse({"choices": [{"delta": {"content": "[DONE]"}}]})),
    "the words as a name alone": (SERVER_EVENTS, b"event: message_stop\n\n"),
    "an error that is none": (SERVER_EVENTS, sse(CHUNK | {"error": None})),
    "messages": (SERVER_EVENTS, sse({"type": "message_delta", "delta": {"stop_reason": "x"}})),
    "responses": (SERVER_EVENTS, sse({"type": "response.output_item.done"})),
    "gemini": (SERVER_EVENTS, sse(GEMINI)),
    "gemini without candidates": (SERVER_EVENTS, sse({"candidates": []})),
    "gemini, one of two": (
        SERVER_EVENTS, sse({"candidates": [*GEMINI_LAST["candidates"], *GEMINI["candidates"]]})
    ),
    "gemini's array, cut behind an inner one": (JSON, b'[{"candidates": []'),
    "gemini's array, between two items": (JSON, json.dumps([GEMINI]).encode()[:-1] + b",\r\n"),
    "an object": (JSON, b"{}"),
    "json lines": (JSON_LINES, json.dumps(ITEM).encode() + b"\n"),
    "half a json line": (JSON_LINES, b'{"done": true}'),
    "converse without its counts": (AWS_EVENTS, AWS + STOPPED),
    "converse, its counts cut": (AWS_EVENTS, AWS + STOPPED + eventstream.counts()[:-1]),
    "converse, its counts damaged": (
        AWS_EVENTS, AWS + STOPPED + eventstream.counts()[:-1] + b"\0\0"
    ),
    "a stream of another kind": ("text/plain", sse(b"[DONE]")),
}  # fmt: skip


@pytest.mark.parametrize("what", ENDED)
def test_a_last_word_is_known(what: str) -> None:
    kind, body = ENDED[what]
    assert said_its_last_word(kind, body)
    assert said_its_last_word(f"{kind.upper()}; charset=utf-8", body)


@pytest.mark.parametrize("what", NOT_ENDED)
def test_what_is_near_a_last_word_is_none(what: str) -> None:
    assert not said_its_last_word(*NOT_ENDED[what])


@pytest.mark.parametrize("what", ENDED)
def test_a_last_word_that_is_cut_is_none(what: str) -> None:
    """But for the comments and line ends behind it, which say nothing."""
    kind, body = ENDED[what]
    bare = body.partition(b": b")[0].rstrip() if "behind" in what else body.rstrip()
    for end in range(len(bare)):
        assert not said_its_last_word(kind, body[:end]), body[:end]
