"""Bedrock Converse: from the body of a request to messages and tools in the shared shape.

1. The ``system`` blocks are one system message.
2. A tool result in a user's message is a tool's message of its own, in its place; what stands
   before and after it stays the user's. A result's ``status`` stays beside its text.
3. Tool uses of an assistant's message are its ``tool_calls``. Their input, and a result that is
   JSON, is the raw text as sent, never written anew. Thoughts stay beside, as the key ``thinking``.
4. One text is text; anything else is a list of parts. A block that is not words stays a part as it
   was sent, ``{"type": kind, kind: value}``; a ``cachePoint`` says nothing and is left out.
5. A tool that is no ``toolSpec`` stands as it was sent.
"""

from collections.abc import Iterator
from typing import Any

from grid.errors import StrictError
from proxy.wire.converse_block import member_of, words_of
from proxy.wire.rawjson import items, members

_MARK = "cachePoint"
_TOOL_USE, _TOOL_RESULT, _THOUGHT = "toolUse", "toolResult", "reasoningContent"
_SPEC = ("name", "description", "inputSchema")
_ROLES = ("user", "assistant", "system")

type _Part = dict[str, Any]
"""One part of a message's content."""
type _Block = tuple[str, Any, str]
"""Kind, value and raw text of a block."""


def read_messages(body: dict[str, Any], text: str) -> tuple[dict[str, Any], ...]:
    """Return the messages of a request, in order.

    Args:
        body: the request's body.
        text: the same, as it was written.

    Raises:
        StrictError: it cannot be read in one way only.
    """
    raw = members(text)
    found: list[dict[str, Any]] = []
    if body.get("system") not in (None, []):
        system = _parts(_blocks(body["system"], raw["system"], "/system"))
        found.append({"role": "system", "content": _content(system)})
    messages = body.get("messages")
    if not isinstance(messages, list):
        raise StrictError("/messages is no list")
    for at, written in enumerate(items(raw["messages"])):
        found += _message(messages[at], written, f"/messages/{at}")
    return tuple(found)


def read_tools(body: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    """Return the tools of a request, in order.

    Args:
        body: the request's body.

    Raises:
        StrictError: they cannot be read in one way only.
    """
    config = body.get("toolConfig")
    if config is None:
        return ()
    tools = config.get("tools") if isinstance(config, dict) else None
    if not isinstance(tools, list):
        raise StrictError("/toolConfig/tools is no list")
    found = []
    for at, item in enumerate(tools):
        kind, value = member_of(item, f"/toolConfig/tools/{at}")
        if kind == "toolSpec":
            found.append(_function(value))
        elif kind != _MARK:
            found.append(item)
    return tuple(found)


def _function(spec: Any) -> dict[str, Any]:
    if not isinstance(spec, dict) or not isinstance(spec.get("name"), str):
        raise StrictError("a toolSpec has no name")
    kind, schema = member_of(spec.get("inputSchema"), "the inputSchema of a toolSpec")
    if kind != "json":
        raise StrictError("the inputSchema of a toolSpec is no JSON")
    function = {"name": spec["name"], "parameters": schema}
    if spec.get("description") is not None:
        function["description"] = spec["description"]
    beside = {key: value for key, value in spec.items() if key not in _SPEC}
    return {"type": "function", "function": function} | beside


def _message(message: Any, written: str, where: str) -> Iterator[dict[str, Any]]:
    role = message.get("role") if isinstance(message, dict) else None
    if role not in _ROLES:
        raise StrictError(f"{where}/role is none of {', '.join(_ROLES)}")
    raw = members(written).get("content", "")
    blocks = _blocks(message.get("content"), raw, f"{where}/content")
    if role == "assistant":
        yield _said(blocks)
        return
    kinds = {kind for kind, _, _ in blocks}
    if _TOOL_USE in kinds or (_TOOL_RESULT in kinds and role != "user"):
        raise StrictError(f"{where} is of the {role} and holds a tool use or result")
    heard: list[_Block] = []
    for kind, value, span in blocks:
        if kind != _TOOL_RESULT:
            heard.append((kind, value, span))
            continue
        if parts := _parts(heard):
            yield {"role": role, "content": _content(parts)}
        heard = []
        yield _result(value, span)
    if (parts := _parts(heard)) or _TOOL_RESULT not in kinds:
        yield {"role": role, "content": _content(parts)}


def _said(blocks: list[_Block]) -> dict[str, Any]:
    """Return an assistant's message."""
    calls = [_call(value, span) for kind, value, span in blocks if _is_call(kind, value)]
    thoughts = [value for kind, value, _ in blocks if kind == _THOUGHT]
    rest = [item for item in blocks if item[0] != _THOUGHT and not _is_call(item[0], item[1])]
    parts = _parts(rest)
    message: dict[str, Any] = {"role": "assistant", "content": _content(parts) if parts else None}
    if calls:
        message["tool_calls"] = calls
    if thoughts:
        message["thinking"] = thoughts
    return message


def _is_call(kind: str, value: Any) -> bool:
    """Tell a use of one of our tools from one that the provider runs itself."""
    return kind == _TOOL_USE and not (isinstance(value, dict) and value.get("type"))


def _call(value: Any, written: str) -> dict[str, Any]:
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        raise StrictError("a toolUse has no name")
    if "input" not in value:
        raise StrictError("a toolUse has no input")
    function = {"name": value["name"], "arguments": members(written)["input"]}
    return {"id": _identity(value), "type": "function", "function": function}


def _result(value: Any, written: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise StrictError("a toolResult is no object")
    blocks = _blocks(value.get("content"), members(written).get("content", ""), "a toolResult")
    told = {"role": "tool", "tool_call_id": _identity(value), "content": _content(_parts(blocks))}
    return told if value.get("status") is None else told | {"status": value["status"]}


def _identity(value: dict[str, Any]) -> str:
    identity = value.get("toolUseId")
    if not isinstance(identity, str | None):
        raise StrictError("a toolUseId is no text")
    return identity or ""


def _blocks(content: Any, written: str, where: str) -> list[_Block]:
    """Return kind, value and raw text of each block."""
    if not isinstance(content, list):
        raise StrictError(f"{where} is no list of blocks")
    found = []
    for at, raw in enumerate(items(written)):
        kind, value = member_of(content[at], f"{where}/{at}")
        found.append((kind, value, members(raw)[kind]))
    return found


def _parts(blocks: list[_Block]) -> list[_Part]:
    found: list[_Part] = []
    for kind, value, written in blocks:
        words = written if kind == "json" else words_of(kind, value)
        if words is not None:
            found.append({"type": "text", "text": words})
        elif kind != _MARK:
            found.append({"type": kind, kind: value})
    return found


def _content(parts: list[_Part]) -> str | list[_Part]:
    if len(parts) == 1 and parts[0]["type"] == "text":
        return str(parts[0]["text"])
    return parts
