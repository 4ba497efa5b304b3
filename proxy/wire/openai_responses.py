"""OpenAI responses: from one recorded exchange to what was asked and what was answered.

Pure and strict, as `proxy.wire.openai_chat`. The input's items are put into the shared shape in
their own order: what the model made itself and stands together (its messages, calls and reasoning)
is one assistant's message, as it was one answer. Reasoning stays beside, as the key ``reasoning``.

A request that leaves part of its conversation with the provider is refused: the recording does not
hold what the model saw.
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
from proxy.wire.response_stream import ResponseDraft
from proxy.wire.typed_events import typed_events

PATH = re.compile(r"(^|/)responses$")
"""The path of a request, without its query."""
OWN_ITEMS = ("function_call", "reasoning")
"""Items of the input that the model made; so are messages of the role ``assistant``."""
_ELSEWHERE = ("previous_response_id", "conversation", "prompt")
_FUNCTION = ("name", "description", "parameters")
_ROLES = ("user", "assistant", "system", "developer")


def decode_request(exchange: Exchange) -> Asked | Undecodable:
    """Read what was asked."""
    try:
        body = object_of(request_text(exchange), "request body")
        if not isinstance(body.get("model"), str):
            raise StrictError("/model is no text")
        for key in _ELSEWHERE:
            if body.get(key) is not None:
                raise StrictError(f"/{key}: part of the conversation is not in the request")
        return Asked(
            model=body["model"],
            messages=tuple(_messages(body)),
            tools=tuple(_tool(tool) for tool in objects(body, "tools")),
            stream=body.get("stream") is True,
        )
    except StrictError as error:
        return Undecodable(reason=str(error))


def decode_answer(exchange: Exchange) -> Assistant | ProviderError | Undecodable:
    """Read what was answered."""
    return decode_response(exchange, _read)


def is_own(item: dict[str, Any]) -> bool:
    """Tell whether an item of the input is the model's own."""
    return item.get("role") == "assistant" or item.get("type") in OWN_ITEMS


def _read(response: Response) -> ResponseDraft:
    draft = ResponseDraft()
    findings: list[Finding] = []
    text = text_of(response, findings)
    if media_type(response) == "text/event-stream":
        for event in typed_events(text, findings):
            draft.take_event(event)
        draft.finish()
    else:
        draft.take_whole(object_of(text, "response body"))
    draft.findings += findings
    return draft


def _messages(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    instructions = optional_text(body, "instructions")
    if instructions is not None:
        yield {"role": "system", "content": instructions}
    if isinstance(body.get("input"), str):
        yield {"role": "user", "content": body["input"]}
        return
    if not isinstance(body.get("input"), list):
        raise StrictError("/input is neither text nor a list of items")
    own: list[dict[str, Any]] = []
    for number, item in enumerate(objects(body, "input")):
        if is_own(item):
            own.append(item)
            continue
        if own:
            yield _said(own)
        own = []
        yield _heard(item, f"/input/{number}")
    if own:
        yield _said(own)


def _heard(item: dict[str, Any], place: str) -> dict[str, Any]:
    kind, role = item.get("type"), item.get("role")
    if kind == "function_call_output":
        name = optional_text(item, "call_id")
        return {"role": "tool", "tool_call_id": name, "content": _content(item, "output")}
    if kind not in (None, "message"):
        raise StrictError(f"{place} is an item of type {str(kind)[:40]!r}")
    if role not in _ROLES:
        raise StrictError(f"{place}/role is none of {', '.join(_ROLES)}")
    return {"role": role, "content": _content(item, "content")}


def _said(items: list[dict[str, Any]]) -> dict[str, Any]:
    """Return one assistant's message of the items that one answer left."""
    spoken = [item for item in items if item.get("type") not in OWN_ITEMS]
    for item in spoken:
        if item.get("type") not in (None, "message"):
            raise StrictError(f"an assistant's item of type {str(item['type'])[:40]!r}")
    contents = [_content(item, "content") for item in spoken]
    calls = [_call(item) for item in items if item.get("type") == "function_call"]
    thought = [item for item in items if item.get("type") == "reasoning"]
    message: dict[str, Any] = {"role": "assistant", "content": _one(contents)}
    if calls:
        message["tool_calls"] = calls
    if thought:
        message["reasoning"] = thought
    return message


def _one(contents: list[Any]) -> Any:
    """Return the content of several messages as that of one."""
    if len(contents) < 2:
        return contents[0] if contents else None
    parts: list[Any] = []
    for content in contents:
        text = [{"type": "output_text", "text": content}]
        parts += text if isinstance(content, str) else content or []
    return parts


def _call(item: dict[str, Any]) -> dict[str, Any]:
    arguments = item.get("arguments")
    if not isinstance(arguments, str):
        raise StrictError("the arguments of a call of the request are no text")
    function = {"name": optional_text(item, "name"), "arguments": arguments}
    return {"id": optional_text(item, "call_id"), "type": "function", "function": function}


def _content(item: dict[str, Any], key: str) -> Any:
    """Return content as it was sent: text or a list of parts."""
    value = item.get(key)
    if value is None:
        raise StrictError(f"{key} of an item of the request is missing")
    return value if isinstance(value, str) else objects(item, key)


def _tool(tool: dict[str, Any]) -> dict[str, Any]:
    """Return a tool in the shared shape; one that is no function stands as it was sent."""
    if tool.get("type") != "function":
        return tool
    function = {key: tool[key] for key in _FUNCTION if key in tool}
    beside = {key: value for key, value in tool.items() if key not in (*_FUNCTION, "type")}
    return {"type": "function", "function": function} | beside
