"""Chat completions that can be changed in place: a whole body, or a stream of events.

Only what is changed is written anew. In a stream that is the lines of the events concerned: the new
argument text of a call stands in its first delta, and the later ones add nothing; the copy of a
call comes in one piece, in the event with its last delta. What cannot be read in one way only is no
`Body` at all.

Where a call is taken out or repeated, those after it are counted anew, as if the provider had sent
it so; where none is left, the answer says that it just stopped.
"""

import copy
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from grid.canonical import load_json, plain_json
from grid.errors import CanonicalError

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|$)")
_DATA = "data:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One tool call in a body."""

    id: str
    """The provider's id; empty if there is none."""
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

    def drop(self, places: Collection[int]) -> None:
        """Take calls out, by their places in `calls`."""

    def repeat(self, ids: Mapping[int, str]) -> None:
        """Put a copy of calls, by their places in `calls`, right after them, under these ids."""

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
        self._choice = choices[0] if choices and isinstance(choices[0], dict) else {}
        message = self._choice.get("message")
        self._message: dict[str, Any] = message if isinstance(message, dict) else {}
        self._items = _objects(self._message.get("tool_calls"))
        self.calls()  # refuses calls that cannot be read

    def calls(self) -> tuple[Call, ...]:
        """Return the tool calls, in order."""
        return tuple(_call([item]) for item in self._items)

    def drop(self, places: Collection[int]) -> None:
        """Take calls out."""
        self._items[:] = [item for at, item in enumerate(self._items) if at not in places]
        if not self._items and self._message.pop("tool_calls", None) is not None:
            self._message.setdefault("content", None)
            _stop(self._choice)

    def repeat(self, ids: Mapping[int, str]) -> None:
        """Put copies of calls right after them."""
        kept = list(self._items)
        for at in sorted(ids, reverse=True):
            kept.insert(at + 1, copy.deepcopy(kept[at]) | {"id": ids[at]})
        self._items[:] = kept

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
        self.calls()  # refuses calls that cannot be read

    def calls(self) -> tuple[Call, ...]:
        """Return the tool calls, in order of appearance."""
        return tuple(_call(parts) for parts in self._parts().values())

    def drop(self, places: Collection[int]) -> None:
        """Take calls out, and every delta of them."""
        indices = list(self._parts())
        gone = {indices[place] for place in places}
        for delta, items in self._deltas():
            items[:] = [item for item in items if item["index"] not in gone]
            for item in items:
                item["index"] -= sum(index < item["index"] for index in gone)
            if not items:
                del delta["tool_calls"]
        if gone == set(indices):
            for choice in self._choices():
                _stop(choice)

    def repeat(self, ids: Mapping[int, str]) -> None:
        """Put copies of calls right behind their last deltas."""
        parts = self._parts()
        indices = list(parts)
        again = {indices[place]: identity for place, identity in ids.items()}
        whole = {index: _call(parts[index]) for index in again}
        last = {index: id(parts[index][-1]) for index in again}
        first = {index: copy.deepcopy(parts[index][0]) for index in again}
        for _, items in self._deltas():
            for item in list(items):
                old = item["index"]
                item["index"] = old + sum(index < old for index in again)
                if last.get(old) == id(item):
                    said = {"name": whole[old].name, "arguments": whole[old].arguments}
                    twin = first[old] | {"index": item["index"] + 1, "id": again[old]}
                    twin["function"] |= said
                    place = next(at for at, other in enumerate(items) if other is item)
                    items.insert(place + 1, twin)

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

    def _parts(self) -> dict[int, list[dict[str, Any]]]:
        """Return the deltas of each call, by its index, in order of appearance."""
        found: dict[int, list[dict[str, Any]]] = {}
        for _, items in self._deltas():
            for item in items:
                index = item.get("index")
                if type(index) is not int:
                    raise ValueError("a delta does not say which call it belongs to")
                found.setdefault(index, []).append(item)
        return found

    def _deltas(self) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
        """Yield each delta of the first choice that holds tool calls, with their list."""
        for choice in self._choices():
            delta = choice.get("delta")
            if isinstance(delta, dict) and (items := _objects(delta.get("tool_calls"))):
                yield delta, items

    def _choices(self) -> Iterator[dict[str, Any]]:
        """Yield the first choice of each chunk; the others are other answers."""
        for chunk in self._chunks.values():
            choices = _objects(chunk["choices"])
            if len(choices) > 1 and any(choice.get("index") is None for choice in choices):
                raise ValueError("a choice does not say which answer it belongs to")
            yield from (choice for choice in choices if choice.get("index") in (None, 0))


def _call(parts: list[dict[str, Any]]) -> Call:
    """Return a call that came in parts; one whose name changes on the way has no name."""
    functions = [_function(part) for part in parts]
    names = {name for function in functions if (name := _text(function, "name"))}
    ids = {identity for part in parts if (identity := _text(part, "id"))}
    if len(ids) > 1:
        raise ValueError("a delta may belong to one call or to another")

    def write(text: str) -> None:
        for function in functions:
            function["arguments"] = ""
        functions[0]["arguments"] = text

    return Call(
        id=next(iter(ids), ""),
        name=names.pop() if len(names) == 1 else "",
        arguments="".join(_text(function, "arguments") for function in functions),
        write=write,
    )


def _stop(choice: dict[str, Any]) -> None:
    if choice.get("finish_reason") == "tool_calls":
        choice["finish_reason"] = "stop"


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
