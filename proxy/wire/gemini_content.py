"""Gemini generateContent, whole and streamed: from one exchange to what was asked and answered.

Pure and strict, as the other decoders are. The path says what the answer is: one JSON body for
``generateContent``; for ``streamGenerateContent`` server-sent events with ``alt=sse`` in the query,
else one JSON array. It decides, whatever the content type says.

Rules for the answer:

1. An error object is the provider's, whole or in a stream, and also where it stands bare between
   the events of a stream, as this provider sends it.
2. A prompt that the provider blocked (``promptFeedback.blockReason``) is a `ProviderError` with
   status 200 and that word as its code: its filter refused before the model was asked, so there is
   no refusal of a model to report. A block beside an answer is refused. An answer that was
   withheld after the model ran has a candidate, and is an answer without words whose
   ``finishReason`` says why.
3. There is one candidate. Its text parts are the words, thoughts are not; function calls come
   whole. Their arguments are the raw text of the body; left out, they are ``{}``. Calls have no id
   more often than not: each is kept and told, and nothing here invents ids or pairs by name.
4. A stream may name a finish reason, go on, and name one again. It is over only if nothing came
   after the last. It has no last word, and an event that never ended is refused: clients differ in
   whether they read it.
"""

import re
import urllib.parse
from functools import partial
from typing import Any

from grid.errors import StrictError
from proxy.wire.answer import Asked, Assistant, Finding, ProviderError, Undecodable
from proxy.wire.answertext import parse, parsed, readable, whole
from proxy.wire.draft import (
    WORDS_KEPT,
    AnswerDraft,
    DraftCall,
    SentError,
    decode_response,
    failed,
    joined,
    object_of,
    objects,
    once,
    request_text,
    text_of,
)
from proxy.wire.exchange import Exchange, Response, body_bytes
from proxy.wire.gemini_part import kind_of
from proxy.wire.gemini_request import read_messages, read_tools
from proxy.wire.rawjson import items, members
from proxy.wire.sse import DAMAGED, may_hold, read_events

PATH = re.compile(r"/(?P<model>[^/]+)(?::|%3[Aa])(?P<method>g|streamG)enerateContent$")
"""The path of both methods, without its query."""

_NO_REASON = (None, "", "FINISH_REASON_UNSPECIFIED")
_FIELD = re.compile(r"(data|event|id|retry|)(:|$)")
"""How a line of a stream of events begins."""
_LINE_END = re.compile(r"\r\n|\n|\r")


def decode_request(exchange: Exchange) -> Asked | Undecodable:
    """Read what was asked."""
    try:
        model, stream, _ = _method(exchange.request.path)
        text = request_text(exchange)
        body = object_of(text, "request body")
        return Asked(
            model=model,
            messages=read_messages(body, text),
            tools=read_tools(body, text),
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


def is_own(content: dict[str, Any]) -> bool:
    """Tell whether an entry of a request's contents is the model's own."""
    return content.get("role") == "model"


def _method(path: str) -> tuple[str, bool, bool]:
    """Return the model id in a path, whether a stream is asked for, and whether as events."""
    plain, _, query = path.partition("?")
    found = PATH.search(plain)
    if found is None:
        raise StrictError("the path names neither method of a model")
    fields = urllib.parse.parse_qs(query)
    events = "sse" in fields.get("alt", []) + fields.get("$alt", [])
    model = urllib.parse.unquote(found["model"], errors="strict")
    return model, found["method"] == "streamG", events


def _read(path: str, response: Response) -> AnswerDraft:
    _, stream, events = _method(path)
    draft = AnswerDraft()
    text = text_of(response, draft.findings)
    if not stream:
        _raise_sent(parsed(text))
        if not _take(draft, object_of(text, "response body"), text):
            raise StrictError("/candidates is empty")
        if not draft.finish_reason:
            raise StrictError("/candidates/0/finishReason is missing")
        return draft
    pieces, damaged = _events(draft, text) if events else (_array(text), False)
    for chunk, raw in pieces:
        _take(draft, chunk, raw)
    if events:
        _raise_sent(_bare(text))
    if damaged:
        raise StrictError(DAMAGED)
    if not draft.finish_reason:
        raise StrictError("the stream stops without a finish reason")
    return draft


def _events(draft: AnswerDraft, text: str) -> tuple[list[tuple[dict[str, Any], str]], bool]:
    """Return each event's data, parsed and as sent, and whether one of them is damaged."""
    events = read_events(text)
    found, damaged = [], False
    for data in events.data:
        chunk = parsed(data)
        if isinstance(chunk, dict):
            found.append((chunk, data))
        else:
            draft.findings.append(Finding.BAD_EVENT)
            damaged = damaged or may_hold(data)
    if events.unterminated:
        _raise_sent(parsed(events.unterminated))
        raise StrictError("the stream ends inside an event")
    return found, damaged


def _array(text: str) -> list[tuple[dict[str, Any], str]]:
    try:
        chunks = parse(text)
    except ValueError as error:
        raise StrictError(f"the response body is not JSON: {error}") from error
    _raise_sent(chunks)
    if not isinstance(chunks, list) or any(not isinstance(chunk, dict) for chunk in chunks):
        raise StrictError("the response body is no JSON array of objects")
    return list(zip(chunks, items(text), strict=True))


def _bare(text: str) -> Any:
    """Return the JSON that stands between the events of a stream; None for none."""
    lines = _LINE_END.split(text.removeprefix("\ufeff"))
    return parsed("\n".join(line for line in lines if not _FIELD.match(line)))


def _take(draft: AnswerDraft, chunk: dict[str, Any], raw: str) -> bool:
    """Take a whole answer or a piece of one; return whether it holds a candidate."""
    _raise_sent(chunk)
    if isinstance(chunk.get("modelVersion"), str):
        draft.model = draft.model or chunk["modelVersion"]
    if isinstance(chunk.get("usageMetadata"), dict):
        draft.usage = chunk["usageMetadata"]
    candidates = objects(chunk, "candidates")
    if len(candidates) > 1 or any(item.get("index") not in (None, 0) for item in candidates):
        raise StrictError("more than one candidate")
    feedback = chunk.get("promptFeedback")
    if isinstance(feedback, dict) and feedback.get("blockReason"):
        if candidates:
            raise StrictError("the prompt was blocked, and beside that stands an answer")
        words = feedback.get("blockReasonMessage") or ""
        raise SentError(str(feedback["blockReason"]), str(words)[:WORDS_KEPT])
    if candidates:
        _take_candidate(draft, candidates[0], items(members(raw)["candidates"])[0])
    return bool(candidates)


def _take_candidate(draft: AnswerDraft, candidate: dict[str, Any], raw: str) -> None:
    before = draft.text or "", len(draft.calls)
    content = candidate.get("content")
    if content is not None:
        if not isinstance(content, dict) or content.get("role") not in (None, "", "model"):
            raise StrictError("/candidates/0/content is no object of the model's")
        _take_parts(draft, objects(content, "parts"), members(raw)["content"])
    reason = candidate.get("finishReason")
    if not isinstance(reason, str | None):
        raise StrictError("a finish reason is no text")
    if before != (draft.text or "", len(draft.calls)):
        draft.finish_reason = ""
    if reason not in _NO_REASON:
        draft.finish_reason = str(reason)


def _take_parts(draft: AnswerDraft, parts: list[dict[str, Any]], raw: str) -> None:
    written = items(members(raw)["parts"]) if parts else []
    for part, span in zip(parts, written, strict=True):
        kind = kind_of(part, "a part of the answer")
        if kind == "text" and part.get("thought") is True:
            joined(None, part["text"], "a thought")
        elif kind == "text":
            draft.text = joined(draft.text, part["text"], "a part's text")
        elif kind == "functionCall":
            draft.calls.append(_call(part[kind], members(span)[kind]))
        elif kind:
            raise StrictError(f"a part of kind {kind} in the answer")


def _call(call: Any, written: str) -> DraftCall:
    if not isinstance(call, dict):
        raise StrictError("a functionCall is no object")
    if call.get("partialArgs") is not None or call.get("willContinue") not in (None, False):
        raise StrictError("a functionCall comes in pieces")
    arguments = call.get("args")
    if not isinstance(arguments, dict | None):
        raise StrictError("the args of a functionCall are no object")
    return DraftCall(
        index=None,
        id=once("", call.get("id"), "id"),
        name=once("", call.get("name"), "name"),
        arguments="{}" if arguments is None else members(written)["args"],
    )


def _refused(response: Response) -> ProviderError:
    text, _ = readable(body_bytes(response.body))
    failure = SentError("", text[:WORDS_KEPT])
    try:
        _raise_sent(parsed(text))
    except SentError as error:
        failure = error
    return failed(response.status, failure, response.headers.get("retry-after"))


def _raise_sent(value: Any) -> None:
    """Raise the error that a body, a piece of one or a list of pieces holds."""
    for item in value if isinstance(value, list) else [value]:
        error = item.get("error") if isinstance(item, dict) else None
        if isinstance(error, dict):
            code = error.get("status") or error.get("code") or ""
            raise SentError(str(code), str(error.get("message") or "")[:WORDS_KEPT])
        if error is not None:
            raise SentError.of(error)
