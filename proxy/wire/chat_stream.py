"""Putting one chat-completions answer together, from a whole body or from the deltas of a stream.

Rules for tool-call deltas, in this order:

1. A delta with an index belongs to the call with that index, unless both have an id and the ids
   differ: then it starts a call of its own (finding).
2. A delta without an index and with a new id starts a call; without an id it goes on with the last
   call (finding in both cases). With no call to go on with, the stream is refused.
3. Argument text is appended. A name or id that comes again must be the same.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from grid.errors import StrictError


class SentError(Exception):
    """The provider sent an error object instead of an answer, or inside a 200 stream."""

    def __init__(self, code: str, message: str) -> None:
        """Keep the provider's words."""
        super().__init__(message)
        self.code = code
        self.message = message

    @classmethod
    def of(cls, error: Any) -> "SentError":
        """Read an error object, or an error that is only text."""
        if not isinstance(error, dict):
            return cls("", str(error)[:2000])
        code = error.get("code") or error.get("type") or ""
        return cls(str(code), str(error.get("message") or "")[:2000])


@dataclass(slots=True)
class DraftCall:
    """A tool call while it grows."""

    index: int | None
    """Its index in the stream."""
    id: str = ""
    """Its id."""
    name: str = ""
    """Its name."""
    arguments: str = ""
    """Its arguments so far."""


@dataclass(slots=True)
class Draft:
    """An answer while it grows."""

    text: str | None = None
    """Words so far."""
    refusal: str | None = None
    """Refusal text so far."""
    calls: list[DraftCall] = field(default_factory=list)
    """Tool calls so far, in order of appearance."""
    finish_reason: str = ""
    """Empty until it is known."""
    usage: dict[str, Any] | None = None
    """Token counts."""
    model: str = ""
    """Model id."""
    findings: list[str] = field(default_factory=list)
    """Words of `proxy.wire.answer.Finding`."""

    def take_whole(self, body: dict[str, Any]) -> None:
        """Take a whole completion.

        Raises:
            SentError: it is an error object.
            StrictError: it cannot be read in one way only.
        """
        choice = self._choice(body)
        if choice is None:
            raise StrictError("/choices is empty")
        message = choice.get("message")
        if not isinstance(message, dict):
            raise StrictError("/choices/0/message is no object")
        if not {"content", "tool_calls", "refusal"} & set(message):
            raise StrictError("/choices/0/message has neither content nor tool calls")
        self._words(message)
        for index, item in enumerate(_items(message, "tool_calls")):
            self.calls.append(DraftCall(index=index))
            self._grow(self.calls[-1], item)
        reason = choice.get("finish_reason")
        if not isinstance(reason, str) or not reason:
            raise StrictError("/choices/0/finish_reason is missing")
        self.finish_reason = reason

    def take_delta(self, chunk: dict[str, Any]) -> None:
        """Take one chunk of a stream.

        Raises:
            SentError: it is an error object.
            StrictError: it cannot be read in one way only.
        """
        choice = self._choice(chunk)
        if choice is None:
            return
        delta = choice.get("delta")
        if delta is None:
            delta = {}
        if not isinstance(delta, dict):
            raise StrictError("a delta of the stream is no object")
        self._words(delta)
        for item in _items(delta, "tool_calls"):
            self._grow(self._call_of(item), item)
        reason = choice.get("finish_reason")
        if reason and not isinstance(reason, str):
            raise StrictError("a finish reason of the stream is no text")
        self.finish_reason = reason or self.finish_reason

    def _choice(self, chunk: dict[str, Any]) -> dict[str, Any] | None:
        if chunk.get("error") is not None:
            raise SentError.of(chunk["error"])
        if isinstance(chunk.get("model"), str):
            self.model = self.model or chunk["model"]
        if isinstance(chunk.get("usage"), dict):
            self.usage = chunk["usage"]
        choices = _items(chunk, "choices")
        if len(choices) > 1 or any(item.get("index") not in (None, 0) for item in choices):
            raise StrictError("more than one choice")
        return choices[0] if choices else None

    def _words(self, message: dict[str, Any]) -> None:
        if message.get("function_call") is not None:
            raise StrictError("a function_call of the old form")
        content = message.get("content")
        if isinstance(content, list):
            content = "".join(_part(item) for item in content)
        self.text = _joined(self.text, content, "content")
        self.refusal = _joined(self.refusal, message.get("refusal"), "refusal")

    def _call_of(self, item: dict[str, Any]) -> DraftCall:
        index, identity = item.get("index"), item.get("id") or ""
        if index is None:
            self.findings.append("index_missing")
            last = self.calls[-1] if self.calls else None
            if last is not None and identity in ("", last.id):
                return last
            if not identity:
                raise StrictError("a tool-call delta has neither index nor id, and no call before")
        elif not isinstance(index, int) or isinstance(index, bool):
            raise StrictError("a tool-call index is no integer")
        else:
            same = [call for call in self.calls if call.index == index]
            if same and (not identity or not same[-1].id or same[-1].id == identity):
                return same[-1]
            if same:
                self.findings.append("index_reused")
        self.calls.append(DraftCall(index=index))
        return self.calls[-1]

    def _grow(self, call: DraftCall, item: dict[str, Any]) -> None:
        if item.get("type") not in (None, "", "function"):
            raise StrictError(f"a tool call of type {str(item['type'])[:40]!r}")
        function = item.get("function")
        if function is None:
            function = {}
        if not isinstance(function, dict):
            raise StrictError("a tool call's function is no object")
        call.id = _once(call.id, item.get("id"), "id")
        call.name = _once(call.name, function.get("name"), "name")
        arguments = function.get("arguments")
        if arguments is not None and not isinstance(arguments, str):
            raise StrictError("a tool call's arguments are no text")
        call.arguments += arguments or ""


def merge_stream(chunks: Iterable[Any]) -> Draft:
    """Put the chunks of a stream together.

    Raises:
        SentError: the provider sent an error inside the stream.
        StrictError: they cannot be read in one way only.
    """
    draft = Draft()
    for chunk in chunks:
        if isinstance(chunk, dict):
            draft.take_delta(chunk)
        else:
            draft.findings.append("bad_event")
    return draft


def _items(record: dict[str, Any], key: str) -> list[dict[str, Any]]:
    value = record.get(key)
    if value is None:
        return []
    if not isinstance(value, list) or any(not isinstance(item, dict) for item in value):
        raise StrictError(f"{key} is no list of objects")
    return value


def _part(item: Any) -> str:
    if isinstance(item, dict) and item.get("type") == "text" and isinstance(item.get("text"), str):
        return str(item["text"])
    raise StrictError("a part of the content is no text")


def _joined(before: str | None, more: Any, what: str) -> str | None:
    if more is None:
        return before
    if not isinstance(more, str):
        raise StrictError(f"{what} is no text")
    return (before or "") + more


def _once(before: str, now: Any, what: str) -> str:
    if now is None or now == "":
        return before
    if not isinstance(now, str):
        raise StrictError(f"a tool call's {what} is no text")
    if before and before != now:
        raise StrictError(f"a tool call's {what} changes within one answer")
    return now
