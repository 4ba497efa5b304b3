"""OpenAI chat completions: from one recorded exchange to what was asked and what was answered.

Pure and strict. An answer is an `Assistant`, a `ProviderError` (the provider refused or failed in
its own words) or `Undecodable` with a reason; never an empty message that nobody sent. Oddities
that leave one reading only are kept as findings. Tool arguments stay raw text: whether they are
JSON is a finding, and they are never repaired, joined anew or cut.
"""

from typing import Any, TypeGuard

from grid.errors import StrictError
from proxy.wire.answer import Asked, Assistant, Finding, ProviderError, Undecodable
from proxy.wire.answertext import parsed
from proxy.wire.chat_stream import ChatDraft, merge_stream
from proxy.wire.draft import decode_response, media_type, object_of, request_text, text_of
from proxy.wire.exchange import Exchange, Response
from proxy.wire.sse import DAMAGED, may_hold, read_events


def decode_request(exchange: Exchange) -> Asked | Undecodable:
    """Read what was asked."""
    try:
        body = object_of(request_text(exchange), "request body")
    except StrictError as error:
        return Undecodable(reason=str(error))
    messages, tools = body.get("messages"), body.get("tools") or []
    if not _objects(messages) or any(not isinstance(m.get("role"), str) for m in messages):
        return Undecodable(reason="/messages is no list of messages with a role")
    if not _objects(tools):
        return Undecodable(reason="/tools is no list of objects")
    if not isinstance(body.get("model"), str):
        return Undecodable(reason="/model is no text")
    return Asked(
        model=body["model"],
        messages=tuple(messages),
        tools=tuple(tools),
        stream=body.get("stream") is True,
    )


def decode_answer(exchange: Exchange) -> Assistant | ProviderError | Undecodable:
    """Read what was answered."""
    return decode_response(exchange, _read)


def _read(response: Response) -> ChatDraft:
    findings: list[Finding] = []
    text = text_of(response, findings)
    if media_type(response) == "text/event-stream":
        draft = _from_stream(text, findings)
    else:
        draft = ChatDraft()
        draft.take_whole(object_of(text, "response body"))
    draft.findings += findings
    return draft


def _from_stream(text: str, findings: list[Finding]) -> ChatDraft:
    events = read_events(text)
    chunks: list[dict[str, Any]] = []
    done = damaged = False
    for data in events.data:
        if data == "[DONE]":
            done = True
            break
        chunk = parsed(data)
        if isinstance(chunk, dict):
            chunks.append(chunk)
        else:
            findings.append(Finding.BAD_EVENT)
            damaged = damaged or may_hold(data)
    if events.unterminated and not done:
        findings.append(Finding.UNTERMINATED_EVENT)
    draft = merge_stream(chunks)
    if damaged:
        raise StrictError(DAMAGED)
    if not draft.finish_reason:
        raise StrictError("the stream stops without a finish reason")
    if not done:
        findings.append(Finding.NO_DONE)
    return draft


def _objects(value: Any) -> TypeGuard[list[dict[str, Any]]]:
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)
