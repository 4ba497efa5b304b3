"""Anthropic messages: from one recorded exchange to what was asked and what was answered.

Pure and strict, as `proxy.wire.openai_chat`. A request is put into the shared shape in its own
order: the system prompt first, each ``tool_result`` as a tool's message of its own, and each
``tool_use`` as a call of its assistant's message, its input as the raw JSON text that was sent.
Thinking stays beside, as the key ``thinking`` of its message.
"""

import re
from collections.abc import Iterator
from typing import Any

from grid.errors import StrictError
from proxy.wire.answer import Asked, Assistant, Finding, ProviderError, Undecodable
from proxy.wire.draft import (
    decode_response,
    media_type,
    object_of,
    objects,
    optional_text,
    request_text,
    text_of,
)
from proxy.wire.exchange import Exchange, Response
from proxy.wire.message_stream import MessageDraft
from proxy.wire.rawjson import items, members
from proxy.wire.typed_events import typed_events

PATH = re.compile(r"(^|/)messages$")
"""The path of a request, without its query."""

_SHOWN = ("text", "image", "document", "search_result")
_THOUGHT = ("thinking", "redacted_thinking")
_FUNCTION = {"name": "name", "description": "description", "input_schema": "parameters"}
"""Member of a tool -> member of a function in the shared shape."""


def decode_request(exchange: Exchange) -> Asked | Undecodable:
    """Read what was asked."""
    try:
        text = request_text(exchange)
        body = object_of(text, "request body")
        if not isinstance(body.get("model"), str):
            raise StrictError("/model is no text")
        return Asked(
            model=body["model"],
            messages=tuple(_messages(body, text)),
            tools=tuple(_tool(tool) for tool in objects(body, "tools")),
            stream=body.get("stream") is True,
        )
    except StrictError as error:
        return Undecodable(reason=str(error))


def decode_answer(exchange: Exchange) -> Assistant | ProviderError | Undecodable:
    """Read what was answered."""
    return decode_response(exchange, _read)


def _read(response: Response) -> MessageDraft:
    draft = MessageDraft()
    findings: list[Finding] = []
    text = text_of(response, findings)
    if media_type(response) == "text/event-stream":
        for event in typed_events(text, findings):
            draft.take_event(event)
        draft.finish()
    else:
        draft.take_whole(text)
    draft.findings += findings
    return draft


def _messages(body: dict[str, Any], text: str) -> Iterator[dict[str, Any]]:
    system = body.get("system")
    if system is not None:
        if not isinstance(system, str):
            system = objects(body, "system")
            _only(system, ("text",), "/system")
        yield {"role": "system", "content": system}
    if not isinstance(body.get("messages"), list):
        raise StrictError("/messages is no list of messages")
    raw = items(members(text)["messages"])
    for number, message in enumerate(objects(body, "messages")):
        yield from _split(message, raw[number], f"/messages/{number}")


def _split(message: dict[str, Any], raw: str, place: str) -> Iterator[dict[str, Any]]:
    role, content = message.get("role"), message.get("content")
    if role not in ("user", "assistant", "system"):
        raise StrictError(f"{place}/role is neither user nor assistant nor system")
    if isinstance(content, str):
        yield {"role": role, "content": content}
        return
    if content is None:
        raise StrictError(f"{place}/content is missing")
    blocks = objects(message, "content")
    if role == "assistant":
        yield _said(blocks, items(members(raw)["content"]), place)
    elif role == "user":
        yield from _heard(blocks, place)
    else:
        _only(blocks, ("text",), place)
        yield {"role": role, "content": blocks}


def _said(blocks: list[dict[str, Any]], raw: list[str], place: str) -> dict[str, Any]:
    """Return an assistant's message."""
    _only(blocks, ("text", "tool_use", *_THOUGHT), place)
    words = [block for block in blocks if block["type"] == "text"]
    thought = [block for block in blocks if block["type"] in _THOUGHT]
    calls = [
        _call(block, members(text))
        for block, text in zip(blocks, raw, strict=True)
        if block["type"] == "tool_use"
    ]
    message: dict[str, Any] = {"role": "assistant", "content": words or None}
    if calls:
        message["tool_calls"] = calls
    if thought:
        message["thinking"] = thought
    return message


def _call(block: dict[str, Any], raw: dict[str, str]) -> dict[str, Any]:
    if "input" not in raw:
        raise StrictError("a tool_use block of the request has no input")
    function = {"name": optional_text(block, "name"), "arguments": raw["input"]}
    return {"id": optional_text(block, "id"), "type": "function", "function": function}


def _heard(blocks: list[dict[str, Any]], place: str) -> Iterator[dict[str, Any]]:
    """Yield a user's message and the tool results in it, in order."""
    _only(blocks, ("tool_result", *_SHOWN), place)
    parts: list[dict[str, Any]] = []
    for block in blocks:
        if block["type"] != "tool_result":
            parts.append(block)
            continue
        if parts:
            yield {"role": "user", "content": parts}
        parts = []
        yield _result(block)
    if parts or not blocks:
        yield {"role": "user", "content": parts}


def _result(block: dict[str, Any]) -> dict[str, Any]:
    content = block.get("content")
    if not isinstance(content, str | None):
        content = objects(block, "content")
    message = {
        "role": "tool",
        "tool_call_id": optional_text(block, "tool_use_id"),
        "content": content,
    }
    return message | ({"is_error": block["is_error"]} if "is_error" in block else {})


def _tool(tool: dict[str, Any]) -> dict[str, Any]:
    """Return a tool in the shared shape; one that the provider defines stands as it was sent."""
    if tool.get("type") not in (None, "custom"):
        return tool
    function = {theirs: tool[ours] for ours, theirs in _FUNCTION.items() if ours in tool}
    beside = {key: value for key, value in tool.items() if key not in (*_FUNCTION, "type")}
    return {"type": "function", "function": function} | beside


def _only(blocks: list[dict[str, Any]], kinds: tuple[str, ...], place: str) -> None:
    for block in blocks:
        if block.get("type") not in kinds:
            raise StrictError(f"{place} holds a block of type {str(block.get('type'))[:40]!r}")
