"""Chat completions that can be changed in place: a whole body, or a stream of events.

Only what is changed is written anew. In a stream that is the lines of the events concerned: the new
argument text of a call stands in its first delta, and the later ones add nothing. What cannot be
read in one way only is no `Body` at all.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from grid.canonical import load_json, plain_json
from grid.errors import CanonicalError

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|$)")
_DATA = "data:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One tool call in a body."""

    name: str
    """Tool name."""
    arguments: str
    """Argument text, whole."""
    write: Callable[[str], None]
    """Puts another argument text in its place."""


class Body(Protocol):
    """A completion that can be changed."""

    def calls(self) -> tuple[Call, ...]:
        """Return the tool calls, in order."""

    def rename(self, model: str) -> bool:
        """Name another model; tell whether that changes anything."""

    def data(self) -> bytes:
        """Return the bytes as they are now."""


def body_of(content_type: str, data: bytes) -> Body | None:
    """Return the body of an answer, or None for what is no completion that can be read."""
    stream = content_type.partition(";")[0].strip().lower() == "text/event-stream"
    try:
        return _Stream(data.decode()) if stream else _Whole(load_json(data))
    except (CanonicalError, UnicodeDecodeError, ValueError):
        return None


class _Whole:
    """A completion in one piece."""

    def __init__(self, value: Any) -> None:
        self._value = _completion(value)
        choices = self._value["choices"]
        message = choices[0].get("message") if choices and isinstance(choices[0], dict) else None
        items = message.get("tool_calls") if isinstance(message, dict) else None
        self._functions = [_function(item) for item in _objects(items)]

    def calls(self) -> tuple[Call, ...]:
        """Return the tool calls, in order."""
        return tuple(_call([function]) for function in self._functions)

    def rename(self, model: str) -> bool:
        """Name another model."""
        return _rename(self._value, model)

    def data(self) -> bytes:
        """Return the bytes as they are now."""
        return plain_json(self._value, indent=None).encode()


class _Stream:
    """A completion in events of one line each."""

    def __init__(self, text: str) -> None:
        self._lines: list[str] = _LINE.findall(text)
        self._chunks: dict[int, dict[str, Any]] = {}
        for at, line in enumerate(self._lines):
            payload = line.removeprefix(_DATA).strip()
            if line.startswith(_DATA) and payload != "[DONE]":
                self._chunks[at] = _completion(load_json(payload))
        self._functions: dict[int, list[dict[str, Any]]] = {}
        for index, function in self._deltas():
            self._functions.setdefault(index, []).append(function)

    def calls(self) -> tuple[Call, ...]:
        """Return the tool calls, in order of appearance."""
        return tuple(_call(parts) for parts in self._functions.values())

    def rename(self, model: str) -> bool:
        """Name another model in every chunk."""
        return any([_rename(chunk, model) for chunk in self._chunks.values()])

    def data(self) -> bytes:
        """Return the bytes as they are now."""
        return "".join(self._line(at) for at in range(len(self._lines))).encode()

    def _line(self, at: int) -> str:
        line = self._lines[at]
        chunk = self._chunks.get(at)
        if chunk is None or load_json(line.removeprefix(_DATA)) == chunk:
            return line
        end = line[len(line.rstrip("\r\n")) :]
        return f"{_DATA} {plain_json(chunk, indent=None)}{end}"

    def _deltas(self) -> Iterator[tuple[int, dict[str, Any]]]:
        for chunk in self._chunks.values():
            for choice in _objects(chunk["choices"])[:1]:
                delta = choice.get("delta")
                items = delta.get("tool_calls") if isinstance(delta, dict) else None
                for item in _objects(items):
                    index = item.get("index")
                    if type(index) is not int:
                        raise ValueError("a delta does not say which call it belongs to")
                    yield index, _function(item)


def _call(parts: list[dict[str, Any]]) -> Call:
    """Return a call that came in parts; one whose name changes on the way has no name."""
    names = {name for part in parts if (name := _text(part, "name"))}

    def write(text: str) -> None:
        for part in parts:
            part["arguments"] = ""
        parts[0]["arguments"] = text

    return Call(
        name=names.pop() if len(names) == 1 else "",
        arguments="".join(_text(part, "arguments") for part in parts),
        write=write,
    )


def _completion(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict) or not isinstance(value.get("choices"), list):
        raise ValueError("no completion")
    return value


def _rename(completion: dict[str, Any], model: str) -> bool:
    changed = completion.get("model") != model
    completion["model"] = model
    return changed


def _function(item: dict[str, Any]) -> dict[str, Any]:
    function = item.get("function")
    if not isinstance(function, dict):
        raise ValueError("a tool call without a function")
    return function


def _objects(value: Any) -> list[dict[str, Any]]:
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise ValueError("no list of objects")
    return value


def _text(function: dict[str, Any], key: str) -> str:
    value = function.get(key)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"a call's {key} is no text")
    return value or ""
