"""Putting one Anthropic message together, from a whole body or from the events of a stream.

Of the blocks of a message, ``text`` holds words and ``tool_use`` is a call; thinking is neither.
Any other block is something that the provider carried out or added by itself: nobody on the agent's
side saw it happen, so such an answer is refused.

Rules for the blocks of a stream:

1. Indices rise, since clients find a block by its position: one that comes again or falls back is
   refused, a gap is told. A block that begins without an index is the next one (finding).
2. A delta belongs to the block with its index; without one, to the only block that is under way
   (finding). A delta of another kind than its block, or for a block that is over, is refused.
3. The text pieces of a call's input are appended. If there are none, its input is what stood in its
   beginning; if both say something, the stream is refused.
"""

from dataclasses import dataclass, field
from typing import Any

from grid.errors import StrictError
from proxy.wire.answer import Finding
from proxy.wire.answertext import parse
from proxy.wire.draft import AnswerDraft, DraftCall, SentError, joined, object_of, objects, once
from proxy.wire.rawjson import items, members
from proxy.wire.typed_events import TypedEvent

_NOTHING: tuple[Any, ...] = ({}, "", None)
"""Input in the beginning of a call that says nothing yet."""
_THOUGHT = ("thinking", "redacted_thinking")
_NO_WORDS = ("thinking_delta", "signature_delta", "citations_delta")


@dataclass(slots=True)
class Block:
    """A block of a message while it grows."""

    kind: str
    """Its type."""
    index: int
    """Its index."""
    call: DraftCall | None
    """The call that it is."""
    given: str
    """Raw input that stood in its beginning."""


@dataclass(slots=True)
class MessageDraft(AnswerDraft):
    """A message while it grows."""

    blocks: dict[int, Block] = field(default_factory=dict)
    """Index -> block, in order."""
    growing: dict[int, Block] = field(default_factory=dict)
    """Those that are not over."""
    last: int = -1
    """Index of the last block."""
    begun: bool = False
    """The message has begun."""
    ended: bool = False
    """The message was said to be over."""

    def take_whole(self, text: str) -> None:
        """Take a whole message.

        Raises:
            SentError: it is an error object.
            StrictError: it cannot be read in one way only.
        """
        body = object_of(text, "response body")
        if body.get("error") is not None:
            raise SentError.of(body["error"])
        if body.get("type") not in (None, "message") or "content" not in body:
            raise StrictError("the response body is no message")
        self._begin(body)
        raw = items(members(text)["content"])
        for index, block in enumerate(objects(body, "content")):
            self._start(index, block, raw[index])
            self._close(self.blocks[index])
        self._stop(body)
        if not self.finish_reason:
            raise StrictError("/stop_reason is missing")

    def take_event(self, event: TypedEvent) -> None:
        """Take one event of a stream.

        Raises:
            StrictError: it cannot be read in one way only.
        """
        if event.type == "ping":
            return
        if event.type not in _EVENTS:
            self.findings.append(Finding.UNKNOWN_EVENT)
            return
        if not event.named:
            self.findings.append(Finding.UNNAMED_EVENT)
        if self.ended:
            raise StrictError("the stream goes on after its end")
        if self.begun is (event.type == "message_start"):
            raise StrictError(f"{event.type} stands in the wrong place")
        if event.type.startswith("content_block"):
            self._take_block(event)
        elif event.type == "message_start":
            self._begin(_part(event.body, "message"))
        elif event.type == "message_delta":
            self._stop(_part(event.body, "delta"))
            self._count(event.body)
        else:
            self.ended = True

    def finish(self) -> None:
        """Close a stream that has ended.

        Raises:
            StrictError: it stops before the message was whole.
        """
        if not self.finish_reason:
            raise StrictError("the stream stops without a finish reason")
        for block in list(self.growing.values()):
            self.findings.append(Finding.NOT_ENDED)
            self._close(block)
        if not self.ended:
            self.findings.append(Finding.NO_DONE)

    def _begin(self, message: dict[str, Any]) -> None:
        if message.get("role") not in (None, "assistant"):
            raise StrictError("the message is not the assistant's")
        if isinstance(message.get("model"), str):
            self.model = message["model"]
        self._count(message)
        self.begun = True

    def _count(self, record: dict[str, Any]) -> None:
        """Take token counts; those that come later replace those of the beginning."""
        usage = record.get("usage")
        if isinstance(usage, dict):
            said = {key: value for key, value in usage.items() if value is not None}
            self.usage = usage if self.usage is None else self.usage | said

    def _take_block(self, event: TypedEvent) -> None:
        index = event.body.get("index")
        if event.type == "content_block_start":
            begun = _part(event.body, "content_block")
            self._start(self._next(index), begun, members(event.raw)["content_block"])
        elif event.type == "content_block_delta":
            self._grow(self._block_of(index), _part(event.body, "delta"))
        else:
            self._close(self._block_of(index))

    def _next(self, index: Any) -> int:
        if index is None:
            self.findings.append(Finding.INDEX_MISSING)
            return self.last + 1
        if _integer(index) <= self.last:
            raise StrictError(f"a block begins with the index {index} after one with {self.last}")
        if index > self.last + 1:
            self.findings.append(Finding.INDEX_SKIPPED)
        return int(index)

    def _block_of(self, index: Any) -> Block:
        if index is None:
            self.findings.append(Finding.INDEX_MISSING)
            if len(self.growing) != 1:
                raise StrictError(
                    "an event of a block says not which, and not exactly one is under way"
                )
            return next(iter(self.growing.values()))
        if _integer(index) not in self.blocks:
            raise StrictError(f"an event of the block {index}, which never began")
        if index not in self.growing:
            raise StrictError(f"the block {index} goes on after its end")
        return self.growing[index]

    def _start(self, index: int, block: dict[str, Any], raw: str) -> None:
        kind = block.get("type")
        call = None
        if kind == "tool_use":
            call = DraftCall(index=index)
            call.id = once("", block.get("id"), "id")
            call.name = once("", block.get("name"), "name")
            self.calls.append(call)
        elif kind == "text":
            self.text = (self.text or "") + _text(block.get("text"))
        elif kind not in _THOUGHT:
            raise StrictError(f"a block of type {str(kind)[:40]!r}")
        given = members(raw).get("input", "") if call else ""
        self.blocks[index] = Block(kind=str(kind), index=index, call=call, given=given)
        self.growing[index] = self.blocks[index]
        self.last = index

    def _grow(self, block: Block, delta: dict[str, Any]) -> None:
        kind = delta.get("type")
        if kind == "text_delta" and block.kind == "text":
            self.text = (self.text or "") + _text(delta.get("text"))
        elif kind == "input_json_delta" and block.call:
            block.call.arguments += _text(delta.get("partial_json"))
        elif kind not in _NO_WORDS:
            raise StrictError(f"a delta of type {str(kind)[:40]!r} in a block of {block.kind!r}")

    def _close(self, block: Block) -> None:
        del self.growing[block.index]
        if block.call is None:
            return
        if not block.call.arguments:
            block.call.arguments = block.given
        elif block.given and parse(block.given) not in _NOTHING:
            raise StrictError("a call's input stands in its beginning and comes in pieces too")
        if not block.call.arguments:
            raise StrictError("a call has no input")

    def _stop(self, record: dict[str, Any]) -> None:
        reason = record.get("stop_reason")
        if reason is None:
            return
        if not isinstance(reason, str) or self.finish_reason not in ("", reason):
            raise StrictError("the stop reason is no text, or changes within one answer")
        self.finish_reason = reason
        details = record.get("stop_details")
        if reason == "refusal" and isinstance(details, dict):
            self.refusal = joined(None, details.get("explanation"), "an explanation")


_EVENTS = (
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
)


def _part(record: dict[str, Any], key: str) -> dict[str, Any]:
    value = record.get(key)
    if not isinstance(value, dict):
        raise StrictError(f"{key} of an event is no object")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise StrictError("the text of a block or of a delta is no text")
    return value


def _integer(index: Any) -> int:
    if not isinstance(index, int) or isinstance(index, bool):
        raise StrictError("an index is no integer")
    return index
