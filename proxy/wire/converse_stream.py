"""Putting one Bedrock Converse answer together from the messages of its event stream.

Rules, in this order:

1. An ``exception`` or ``error`` message is the provider's, whatever came before it.
2. ``messageStart`` comes first and once, ``messageStop`` once; after it comes ``metadata`` only.
3. ``contentBlockStart`` opens a block at its index. A block of words is also opened by its first
   delta, as the protocol does; a tool use never is. An index that opens a second block while the
   first is open is refused, and told if the first had ended.
4. A delta goes to the open block at its index and must be of its kind. Without an index it goes to
   the block opened last, if that is open still (finding).
5. The input of a tool use is its deltas, appended. One that is open at ``messageStop`` may be cut:
   clients differ in whether they take it for a call, so it is refused. Words that are open are
   told, and so is a gap in the indices.
6. Words are joined in the order of their blocks, which come one after the other; two that grow at
   once are refused.

An event of an unknown type is skipped and told, as the provider's clients skip it. A block or a
delta of another kind than words, thoughts and tool uses is refused. Members beside those that are
read are let pass; Bedrock pads its payloads with some.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from grid.errors import StrictError
from proxy.wire.answer import Finding
from proxy.wire.answertext import parse, readable
from proxy.wire.aws_eventstream import Message
from proxy.wire.converse_block import member_of
from proxy.wire.draft import WORDS_KEPT, AnswerDraft, DraftCall, SentError, joined, object_of, once

_UNSPOKEN = ("reasoningContent", "citation")
"""Deltas of a block of words that are no words of the answer."""


@dataclass(slots=True, eq=False)
class _Block:
    """A content block while it grows."""

    call: DraftCall | None
    """The tool call that it is; None for words."""
    ended: bool = False
    """Its contentBlockStop has come."""


@dataclass(slots=True)
class _Stream:
    """State of one pass over the messages of a stream."""

    draft: AnswerDraft = field(default_factory=AnswerDraft)
    started: bool = False
    blocks: dict[int, _Block] = field(default_factory=dict)
    opened: list[_Block] = field(default_factory=list)

    def take(self, message: Message) -> None:
        """Read one message into the state."""
        text, valid = readable(message.payload)
        kind = message.headers.get(":message-type")
        if kind in ("exception", "error"):
            raise _sent(message, text)
        event = message.headers.get(":event-type")
        if kind != "event" or not isinstance(event, str):
            raise StrictError(f"the message at byte {message.offset} is of no known type")
        step = self._steps().get(event)
        if step is None:
            self.draft.findings.append(Finding.UNKNOWN_EVENT)
            return
        if (event == "messageStart") == self.started:
            raise StrictError(f"{event} at byte {message.offset} is out of place")
        if self.draft.finish_reason and event != "metadata":
            raise StrictError(f"{event} at byte {message.offset} comes after messageStop")
        if not valid:
            self.draft.findings.append(Finding.INVALID_UTF8)
        step(object_of(text, f"payload of the message at byte {message.offset}"))

    def _steps(self) -> dict[str, Callable[[dict[str, Any]], None]]:
        return {
            "messageStart": self._start,
            "contentBlockStart": self._open,
            "contentBlockDelta": self._grow,
            "contentBlockStop": self._end,
            "messageStop": self._stop,
            "metadata": self._count,
        }

    def _count(self, body: dict[str, Any]) -> None:
        usage = body.get("usage")
        self.draft.usage = usage if isinstance(usage, dict) else self.draft.usage

    def _start(self, body: dict[str, Any]) -> None:
        if body.get("role") != "assistant":
            raise StrictError("the message of the stream is not of the assistant")
        self.started = True

    def _open(self, body: dict[str, Any]) -> None:
        index, start = self._index(body), body.get("start")
        block = _Block(call=None)
        if start is not None and start != {}:
            kind, value = member_of(start, "a contentBlockStart")
            if kind != "toolUse" or not isinstance(value, dict) or value.get("type"):
                raise StrictError(f"a content block of kind {kind[:40]!r} in the stream")
            block.call = DraftCall(index=index)
            block.call.id = once("", value.get("toolUseId"), "id")
            block.call.name = once("", value.get("name"), "name")
            self.draft.calls.append(block.call)
        before = self.blocks.get(index) if index is not None else None
        if before is not None and not before.ended:
            raise StrictError(f"content block {index} starts while it is open")
        if before is not None:
            self.draft.findings.append(Finding.INDEX_REUSED)
        self._put(index, block)

    def _grow(self, body: dict[str, Any]) -> None:
        index = self._index(body)
        kind, value = member_of(body.get("delta"), "the delta of a content block")
        block = self._block(index)
        if kind == "toolUse":
            if block is None or block.ended or block.call is None:
                raise StrictError("a tool-use delta belongs to no open tool use")
            more = value.get("input") if isinstance(value, dict) else None
            if not isinstance(more, str):
                raise StrictError("the input of a tool-use delta is no text")
            block.call.arguments += more
            return
        if kind != "text" and kind not in _UNSPOKEN:
            raise StrictError(f"a delta of kind {kind[:40]!r} in the stream")
        if block is None:
            block = _Block(call=None)
            self._put(index, block)
        if block.ended or block.call is not None:
            raise StrictError("a delta of words belongs to no open block of words")
        if kind == "text":
            if any(later.call is None for later in self.opened[self.opened.index(block) + 1 :]):
                raise StrictError("two blocks of words grow at once")
            self.draft.text = joined(self.draft.text, value, "text of a delta")

    def _end(self, body: dict[str, Any]) -> None:
        index = self._index(body)
        block = self._block(index)
        if block is None:  # a block of words without a word
            block = _Block(call=None)
            self._put(index, block)
        if block.ended:
            raise StrictError("a content block ends twice")
        block.ended = True

    def _stop(self, body: dict[str, Any]) -> None:
        reason = body.get("stopReason")
        if not isinstance(reason, str) or not reason:
            raise StrictError("messageStop has no stopReason")
        if any(block.call is not None and not block.ended for block in self.opened):
            raise StrictError("the message ends inside a tool use")
        if any(not block.ended for block in self.opened):
            self.draft.findings.append(Finding.NOT_ENDED)
        if self.blocks and len(self.blocks) != max(self.blocks) + 1:
            self.draft.findings.append(Finding.INDEX_SKIPPED)
        self.draft.finish_reason = reason

    def _index(self, body: dict[str, Any]) -> int | None:
        index = body.get("contentBlockIndex")
        if index is None:
            self.draft.findings.append(Finding.INDEX_MISSING)
            return None
        if not isinstance(index, int) or isinstance(index, bool) or index < 0:
            raise StrictError("a contentBlockIndex is no number from 0")
        return index

    def _block(self, index: int | None) -> _Block | None:
        if index is not None:
            return self.blocks.get(index)
        last = self.opened[-1] if self.opened else None
        return None if last is None or last.ended else last

    def _put(self, index: int | None, block: _Block) -> None:
        if index is None and self._block(None) is not None:
            raise StrictError("a content block without an index starts inside another")
        self.opened.append(block)
        if index is not None:
            self.blocks[index] = block


def merge_messages(messages: Iterable[Message]) -> AnswerDraft:
    """Put the messages of a stream together.

    Raises:
        SentError: the provider sent an exception inside the stream.
        StrictError: they cannot be read in one way only.
    """
    stream = _Stream()
    for message in messages:
        stream.take(message)
    if not stream.draft.finish_reason:
        raise StrictError("the stream stops before messageStop")
    return stream.draft


def _sent(message: Message, text: str) -> SentError:
    headers = message.headers
    code = headers.get(":exception-type") or headers.get(":error-code") or ""
    words = headers.get(":error-message") or ""
    try:
        body = parse(text)
    except ValueError:
        body = None
    if isinstance(body, dict):
        named = [body.get(key) for key in ("message", "Message", "originalMessage")]
        words = next((item for item in named if isinstance(item, str) and item), words)
    return SentError(str(code), (str(words) or text)[:WORDS_KEPT])
