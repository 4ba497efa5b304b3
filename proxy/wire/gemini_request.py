"""Gemini generateContent: from the body of a request to messages and tools in the shared shape.

1. The ``systemInstruction`` is the system message.
2. A ``functionResponse`` is a tool's message of its own, in its place; what stands before and after
   it stays the user's. Its name stays beside, for often it has no id: then ``tool_call_id`` is
   empty, and nothing here guesses which call it answers.
3. Function calls of the model are the ``tool_calls`` of its message; one without an id has an empty
   one. Thoughts stay beside, as the key ``thinking``.
4. Arguments and responses are the raw text as sent, never written anew; arguments left out are
   ``{}``, for the protocol has no other way to send none. A response that is only the wrapper that
   clients put around a tool's answer is that answer, if it is text.
5. One text is text; anything else is a list of parts. A part that is not words stays as it was
   sent, ``{"type": kind, kind: value}``. A tool that declares no functions stands as it was sent.

The interface takes member names in camelCase or snake_case, and one object where a list should be.
"""

from collections.abc import Iterator
from typing import Any

from grid.errors import StrictError
from proxy.wire.gemini_part import camel, kind_of
from proxy.wire.rawjson import items, members

_USERS = (None, "", "user", "function", "tool")
_WRAPPERS = ("output", "result", "error")
"""The one member of a response that stands for the tool's answer: the first and last by the
interface's documentation, all three by the provider's client."""
_DECLARATIONS = ("functionDeclarations", "function_declarations")
_SCHEMAS = ("parameters", "parametersJsonSchema")

type _Message = dict[str, Any]
type _Part = tuple[str, dict[str, Any], dict[str, str]]
"""Kind of a part, its members as parsed, and their raw text."""


def read_messages(body: dict[str, Any], text: str) -> tuple[_Message, ...]:
    """Return the messages of a request, in order.

    Args:
        body: the request's body.
        text: the same, as it was written.

    Raises:
        StrictError: it cannot be read in one way only.
    """
    body, raw = camel(body), camel(members(text))
    found: list[_Message] = []
    system = body.get("systemInstruction")
    if system is not None:
        parts = _parts(system, raw["systemInstruction"], "/systemInstruction")
        found.append({"role": "system", "content": _content(parts)})
    if body.get("contents") is None:
        raise StrictError("/contents is missing")
    for at, (content, written) in enumerate(_each(body["contents"], raw["contents"], "/contents")):
        parts = _parts(content, written, f"/contents/{at}")
        role = content.get("role")
        if role == "model":
            found.append(_said(parts))
        elif role in _USERS:
            found += _heard(parts)
        else:
            raise StrictError(f"/contents/{at}/role is neither user nor model")
    return tuple(found)


def read_tools(body: dict[str, Any], text: str) -> tuple[dict[str, Any], ...]:
    """Return the tools of a request, in order.

    Args:
        body: the request's body.
        text: the same, as it was written.

    Raises:
        StrictError: they cannot be read in one way only.
    """
    body, raw = camel(body), camel(members(text))
    found: list[dict[str, Any]] = []
    if body.get("tools") is None:
        return ()
    for tool, written in _each(body["tools"], raw["tools"], "/tools"):
        declared = camel(tool).get("functionDeclarations")
        if declared is not None:
            span = camel(members(written))["functionDeclarations"]
            found += [_function(item) for item, _ in _each(declared, span, "functionDeclarations")]
        rest = {key: value for key, value in tool.items() if key not in _DECLARATIONS}
        if any(value is not None for value in rest.values()):
            found.append(rest)
    return tuple(found)


def _function(declared: dict[str, Any]) -> dict[str, Any]:
    plain = camel(declared)
    if not isinstance(plain.get("name"), str):
        raise StrictError("a function declaration has no name")
    schemas = [plain[key] for key in _SCHEMAS if plain.get(key) is not None]
    if len(schemas) > 1:
        raise StrictError("a function declaration has two schemas")
    function = {key: plain[key] for key in ("name", "description") if plain.get(key) is not None}
    if schemas:
        function["parameters"] = schemas[0]
    beside = {
        key: value
        for key, value in plain.items()
        if key not in ("name", "description", *_SCHEMAS) and value is not None
    }
    return {"type": "function", "function": function} | beside


def _said(parts: list[_Part]) -> _Message:
    """Return the model's message."""
    calls, words, thoughts = [], [], []
    for part in parts:
        kind, fields, raw = part
        if kind == "functionResponse":
            raise StrictError("a functionResponse in a message of the model")
        if kind == "functionCall":
            calls.append(_call(fields[kind], raw[kind]))
        elif fields.get("thought") is True:
            thoughts.append(fields)
        else:
            words.append(part)
    message: _Message = {"role": "assistant", "content": _content(words) if words else None}
    if calls:
        message["tool_calls"] = calls
    if thoughts:
        message["thinking"] = thoughts
    return message


def _heard(parts: list[_Part]) -> Iterator[_Message]:
    """Yield a user's message and the tool results in it, in order."""
    words: list[_Part] = []
    for part in parts:
        kind, fields, raw = part
        if kind == "functionCall":
            raise StrictError("a functionCall in a message of the user")
        if kind != "functionResponse":
            words.append(part)
            continue
        if words:
            yield {"role": "user", "content": _content(words)}
        words = []
        yield _result(fields[kind], raw[kind])
    if words or not parts:
        yield {"role": "user", "content": _content(words)}


def _call(call: Any, written: str) -> dict[str, Any]:
    fields, raw = _object(call, "a functionCall"), camel(members(written))
    arguments = fields.get("args")
    if not isinstance(arguments, dict | None):
        raise StrictError("the args of a functionCall are no object")
    function = {
        "name": _text(fields, "name"),
        "arguments": "{}" if arguments is None else raw["args"],
    }
    return {"id": _text(fields, "id"), "type": "function", "function": function}


def _result(result: Any, written: str) -> _Message:
    fields = _object(result, "a functionResponse")
    response = fields.get("response")
    if not isinstance(response, dict):
        raise StrictError("the response of a functionResponse is no object")
    content: Any = camel(members(written))["response"]
    told: _Message = {
        "role": "tool",
        "tool_call_id": _text(fields, "id"),
        "name": _text(fields, "name"),
    }
    if len(response) == 1 and set(response) <= set(_WRAPPERS):
        wrapper, answer = next(iter(response.items()))
        content = answer if isinstance(answer, str) else members(content)[wrapper]
        told |= {"status": "error"} if wrapper == "error" else {}
    if fields.get("parts") is not None:
        content = [{"type": "text", "text": content}, {"type": "parts", "parts": fields["parts"]}]
    return told | {"content": content}


def _parts(content: Any, written: str, where: str) -> list[_Part]:
    """Return the parts of a content that hold something."""
    fields = _object(content, where)
    if fields.get("parts") is None:
        return []
    found = []
    span = camel(members(written))["parts"]
    for at, (part, raw) in enumerate(_each(fields["parts"], span, f"{where}/parts")):
        plain = camel(part)
        kind = kind_of(plain, f"{where}/parts/{at}")
        if kind == "text" and not isinstance(plain["text"], str):
            raise StrictError(f"{where}/parts/{at}/text is no text")
        if kind:
            found.append((kind, plain, camel(members(raw))))
    return found


def _each(value: Any, written: str, where: str) -> list[tuple[dict[str, Any], str]]:
    """Return the objects of a list, or one object in place of a list, each with its raw text."""
    listed = [(value, written)] if isinstance(value, dict) else None
    if isinstance(value, list):
        listed = list(zip(value, items(written), strict=True))
    if listed is None or any(not isinstance(item, dict) for item, _ in listed):
        raise StrictError(f"{where} is no list of objects")
    return listed


def _object(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise StrictError(f"{where} is no object")
    return camel(value)


def _text(fields: dict[str, Any], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str | None):
        raise StrictError(f"the {name} of a function is no text")
    return value or ""


def _content(parts: list[_Part]) -> str | list[dict[str, Any]]:
    told = [{"type": kind, kind: fields[kind]} for kind, fields, _ in parts]
    if len(told) == 1 and told[0]["type"] == "text":
        return str(told[0]["text"])
    return told
