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

from grid.canonical import scrub_text
from grid.errors import StrictError
from proxy.wire.answer import Finding
from proxy.wire.draft import AnswerDraft, DraftCall, SentError, joined, objects, once


@dataclass(slots=True)
class ChatDraft(AnswerDraft):
    """A chat completion while it grows."""

    latest: dict[int, DraftCall] = field(default_factory=dict)
    """Index -> the last call with it."""

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
        for index, item in enumerate(objects(message, "tool_calls")):
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
        for item in objects(delta, "tool_calls"):
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
        if isinstance(chunk.get("system_fingerprint"), str):
            self.fingerprint = self.fingerprint or scrub_text(chunk["system_fingerprint"])
        if isinstance(chunk.get("usage"), dict):
            self.usage = chunk["usage"]
        choices = objects(chunk, "choices")
        if len(choices) > 1 or any(item.get("index") not in (None, 0) for item in choices):
            raise StrictError("more than one choice")
        return choices[0] if choices else None

    def _words(self, message: dict[str, Any]) -> None:
        if message.get("function_call") is not None:
            raise StrictError("a function_call of the old form")
        content = message.get("content")
        if isinstance(content, list):
            content = "".join(_part(item) for item in content)
        self.text = joined(self.text, content, "content")
        self.refusal = joined(self.refusal, message.get("refusal"), "refusal")

    def _call_of(self, item: dict[str, Any]) -> DraftCall:
        index, identity = item.get("index"), item.get("id") or ""
        if index is None:
            self.findings.append(Finding.INDEX_MISSING)
            last = self.calls[-1] if self.calls else None
            if last is not None and identity in ("", last.id):
                return last
            if not identity:
                raise StrictError("a tool-call delta has neither index nor id, and no call before")
        elif not isinstance(index, int) or isinstance(index, bool):
            raise StrictError("a tool-call index is no integer")
        else:
            same = self.latest.get(index)
            if same and (not identity or not same.id or same.id == identity):
                return same
            if same:
                self.findings.append(Finding.INDEX_REUSED)
            self.latest[index] = DraftCall(index=index)
            self.calls.append(self.latest[index])
            return self.calls[-1]
        self.calls.append(DraftCall(index=None))
        return self.calls[-1]

    def _grow(self, call: DraftCall, item: dict[str, Any]) -> None:
        if item.get("type") not in (None, "", "function"):
            raise StrictError(f"a tool call of type {str(item['type'])[:40]!r}")
        function = item.get("function")
        if function is None:
            function = {}
        if not isinstance(function, dict):
            raise StrictError("a tool call's function is no object")
        call.id = once(call.id, item.get("id"), "id")
        call.name = once(call.name, function.get("name"), "name")
        arguments = function.get("arguments")
        if arguments is not None and not isinstance(arguments, str):
            raise StrictError("a tool call's arguments are no text")
        call.arguments += arguments or ""


def merge_stream(chunks: Iterable[Any]) -> ChatDraft:
    """Put the chunks of a stream together.

    Raises:
        SentError: the provider sent an error inside the stream.
        StrictError: they cannot be read in one way only.
    """
    draft = ChatDraft()
    for chunk in chunks:
        if isinstance(chunk, dict):
            draft.take_delta(chunk)
        else:
            draft.findings.append(Finding.BAD_EVENT)
    return draft


def _part(item: Any) -> str:
    if isinstance(item, dict) and item.get("type") == "text" and isinstance(item.get("text"), str):
        return str(item["text"])
    raise StrictError("a part of the content is no text")
