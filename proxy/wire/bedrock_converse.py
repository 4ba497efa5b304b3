"""Bedrock Converse and ConverseStream: from one recorded exchange to what was asked and answered.

Pure and strict, as the other decoders are. The operation in the path says what the answer is: one
JSON body for ``converse``, a binary event stream for ``converse-stream``. It decides, whatever the
content type says, because so it does for the provider's own clients.

The model id stands in the path alone, there in percent-encoding. Bedrock's answer names none, so
`Assistant.model` is always empty: that the requested model did answer is nowhere said, and taking
it from the request would make a swapped model look like the right one.

The input of a tool use is kept as raw text: the span of the body, or the deltas appended. Thoughts
are no words of the answer. Words that a guardrail put in place of the model's are the answer's
words; its ``stopReason`` says whose they are. Latency, which the metrics hold, is no token count
and is left out.
"""

import re
import urllib.parse
from functools import partial
from typing import Any

from grid.errors import StrictError
from proxy.wire.answer import Asked, Assistant, ProviderError, Undecodable
from proxy.wire.answertext import parse, readable, whole
from proxy.wire.aws_eventstream import read_messages
from proxy.wire.converse_block import member_of, words_of
from proxy.wire.converse_request import read_messages as asked_messages
from proxy.wire.converse_request import read_tools
from proxy.wire.converse_stream import merge_messages
from proxy.wire.draft import (
    WORDS_KEPT,
    AnswerDraft,
    DraftCall,
    SentError,
    decode_response,
    failed,
    joined,
    object_of,
    once,
    request_text,
    text_of,
)
from proxy.wire.exchange import Exchange, Response, body_bytes
from proxy.wire.rawjson import items, members

PATH = re.compile(r"/model/(?P<model>.+)/converse(?P<stream>-stream)?$")
"""The path of both operations, without its query."""

_ERROR_TYPE = "x-amzn-errortype"
_ERROR_CODES = ("code", "Code", "__type")
_ERROR_WORDS = ("message", "Message")


def decode_request(exchange: Exchange) -> Asked | Undecodable:
    """Read what was asked."""
    try:
        model, stream = _operation(exchange.request.path)
        text = request_text(exchange)
        body = object_of(text, "request body")
        return Asked(
            model=model,
            messages=asked_messages(body, text),
            tools=read_tools(body),
            stream=stream,
        )
    except (StrictError, ValueError) as error:
        return Undecodable(reason=whole(str(error))[0])


def decode_answer(exchange: Exchange) -> Assistant | ProviderError | Undecodable:
    """Read what was answered."""
    response = exchange.response
    if exchange.error is None and response is not None and response.status != 200:
        return _refused(response)
    return decode_response(exchange, partial(_read, exchange.request.path))


def _operation(path: str) -> tuple[str, bool]:
    """Return the model id in a path, and whether a stream is asked for."""
    found = PATH.search(path.partition("?")[0])
    if found is None:
        raise StrictError("the path names neither converse nor converse-stream of a model")
    return urllib.parse.unquote(found["model"], errors="strict"), found["stream"] is not None


def _read(path: str, response: Response) -> AnswerDraft:
    _, stream = _operation(path)
    if stream:
        return merge_messages(read_messages(body_bytes(response.body)))
    draft = AnswerDraft()
    text = text_of(response, draft.findings)
    body = object_of(text, "response body")
    failure = _failure(body, response.headers)
    if failure is not None and "output" not in body:
        raise failure
    kind, message = member_of(body.get("output"), "/output")
    if kind != "message" or not isinstance(message, dict):
        raise StrictError("/output/message is no object")
    if message.get("role") != "assistant":
        raise StrictError("/output/message/role is not assistant")
    reason = body.get("stopReason")
    if not isinstance(reason, str) or not reason:
        raise StrictError("/stopReason is missing")
    draft.finish_reason = reason
    draft.usage = body["usage"] if isinstance(body.get("usage"), dict) else None
    written = members(members(members(text)["output"])["message"])
    _take_blocks(draft, message.get("content"), written.get("content", ""))
    return draft


def _take_blocks(draft: AnswerDraft, content: Any, written: str) -> None:
    if not isinstance(content, list):
        raise StrictError("/output/message/content is no list")
    for at, raw in enumerate(items(written)):
        kind, value = member_of(content[at], f"/output/message/content/{at}")
        words = None if kind == "guardContent" else words_of(kind, value)
        if words is not None:
            draft.text = joined(draft.text, words, "text")
        elif kind == "toolUse":
            draft.calls.append(_call(at, value, members(raw)["toolUse"]))
        elif kind != "reasoningContent":
            raise StrictError(f"a content block of kind {kind[:40]!r} in the answer")


def _call(index: int, value: Any, written: str) -> DraftCall:
    if not isinstance(value, dict) or value.get("type"):
        raise StrictError("a toolUse of the answer is no call of one of the client's tools")
    if "input" not in value:
        raise StrictError("a toolUse of the answer has no input")
    return DraftCall(
        index=index,
        id=once("", value.get("toolUseId"), "id"),
        name=once("", value.get("name"), "name"),
        arguments=members(written)["input"],
    )


def _refused(response: Response) -> ProviderError:
    text, _ = readable(body_bytes(response.body))
    try:
        body = parse(text)
    except ValueError:
        body = None
    failure = _failure(body, response.headers) or SentError("", "")
    said = SentError(failure.code, failure.message or text[:WORDS_KEPT])
    return failed(response.status, said, response.headers.get("retry-after"))


def _failure(body: Any, headers: dict[str, str]) -> SentError | None:
    """Return the error that a response names, in its header or in its body."""
    fields = body if isinstance(body, dict) else {}
    code = headers.get(_ERROR_TYPE) or _first(fields, _ERROR_CODES)
    words = _first(fields, _ERROR_WORDS)
    if not code and not words:
        return None
    # The name may come with its namespace before it and the address of its schema after it.
    return SentError(code.partition(":")[0].rpartition("#")[2], words[:WORDS_KEPT])


def _first(fields: dict[str, Any], names: tuple[str, ...]) -> str:
    named = (fields.get(name) for name in names)
    return next((value for value in named if isinstance(value, str) and value), "")
