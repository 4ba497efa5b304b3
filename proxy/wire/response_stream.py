"""Putting one answer of OpenAI's responses API together, from a whole body or from a stream.

Rules for a stream:

1. Positions of items rise, since clients find an item by its place: one that comes again or falls
   back is refused, a gap is told. An item that begins without a position is the next one (finding).
2. An event belongs to the item at its position; without one, to the item with its id, and without
   either to the only item that is under way (finding). An id and a position that name different
   items are refused, and so is what comes after an item's end.
3. The stream ends with the response as a whole, which must hold the items of the stream, all of
   them and no others, with the same words and calls. A stream without that end just stops.
"""

from dataclasses import dataclass, field
from typing import Any

from grid.errors import StrictError
from proxy.wire.answer import Finding
from proxy.wire.draft import AnswerDraft, SentError, joined, optional_text
from proxy.wire.response_items import ARGUMENTS, REFUSAL, WORDS, Item, whole_items
from proxy.wire.typed_events import TypedEvent

_TEXTS = {
    "output_text": (WORDS, "text"),
    "refusal": (REFUSAL, "refusal"),
    "function_call_arguments": (ARGUMENTS, "arguments"),
}
"""Event's stem -> which text it is about, and its member at the end of the pieces."""
_ENDS = ("completed", "incomplete", "failed")
_STATES = ("created", "in_progress", "queued")
_OF_ITEMS = ("output_item", "content_part", *_TEXTS)
_NO_WORDS = ("reasoning", "output_text.annotation")
_ALIVE = ("keepalive", "ping")


@dataclass(slots=True)
class ResponseDraft(AnswerDraft):
    """A response while it grows."""

    items: dict[int, Item] = field(default_factory=dict)
    """Position -> output item, in order."""
    growing: dict[int, Item] = field(default_factory=dict)
    """Those that are not over."""
    last: int = -1
    """Position of the last item."""
    ended: bool = False
    """The response as a whole has come."""

    def take_whole(self, body: dict[str, Any]) -> None:
        """Take a whole response.

        Raises:
            SentError: it failed, or is an error object.
            StrictError: it cannot be read in one way only.
        """
        self._end(body)
        for index, item in enumerate(whole_items(body)):
            self._begin(item, index).close(item)
        self._gather()

    def take_event(self, event: TypedEvent) -> None:
        """Take one event of a stream.

        Raises:
            SentError: the response failed.
            StrictError: it cannot be read in one way only.
        """
        if event.type in _ALIVE:
            return
        if self.ended:
            raise StrictError("the stream goes on after its end")
        prefix, _, kind = event.type.partition(".")
        stem, _, stage = kind.rpartition(".")
        if prefix != "response":
            self.findings.append(Finding.UNKNOWN_EVENT)
        elif kind in _STATES:
            self._name(_part(event.body, "response"))
        elif kind in _ENDS:
            self._agree(_part(event.body, "response"), kind)
        elif stem in _OF_ITEMS and stage in ("added", "delta", "done"):
            self._take_item(stem, stage, event.body)
        elif not kind.startswith(_NO_WORDS):
            self.findings.append(Finding.UNKNOWN_EVENT)

    def finish(self) -> None:
        """Close a stream that has ended.

        Raises:
            StrictError: it stops before the response was whole.
        """
        if not self.ended:
            raise StrictError("the stream stops without a finish reason")
        self._gather()

    def _take_item(self, stem: str, stage: str, body: dict[str, Any]) -> None:
        index = body.get("output_index")
        if stem != "output_item":
            self._take_text(self._item_of(index, optional_text(body, "item_id")), stem, stage, body)
            return
        item = _part(body, "item")
        if stage == "added":
            self._begin(item, self._next(index))
        else:
            known = self._item_of(index, optional_text(item, "id"))
            known.close(item)
            del self.growing[known.index]

    def _begin(self, item: dict[str, Any], index: int) -> Item:
        begun = Item.begin(item, index)
        self.items[index] = self.growing[index] = begun
        self.last = index
        return begun

    def _take_text(self, item: Item, stem: str, stage: str, body: dict[str, Any]) -> None:
        number = 0 if stem == "function_call_arguments" else self._number(body)
        if stem == "content_part":
            take = item.open_part if stage == "added" else item.close_part
            take(_part(body, "part"), number)
            return
        kind, member = _TEXTS[stem]
        if stage == "delta":
            item.grow((number, kind), body.get("delta"))
        else:
            item.name({"name": body.get("name")})
            item.settle((number, kind), body.get(member))

    def _number(self, body: dict[str, Any]) -> int:
        number = body.get("content_index")
        if number is None:
            self.findings.append(Finding.INDEX_MISSING)
            return 0
        return _integer(number)

    def _next(self, index: Any) -> int:
        if index is None:
            self.findings.append(Finding.INDEX_MISSING)
            return self.last + 1
        if _integer(index) <= self.last:
            raise StrictError(f"an output item begins at {index} after one at {self.last}")
        if index > self.last + 1:
            self.findings.append(Finding.INDEX_SKIPPED)
        return int(index)

    def _item_of(self, index: Any, item_id: str | None) -> Item:
        if index is None:
            self.findings.append(Finding.INDEX_MISSING)
            index = self._only(item_id)
        if _integer(index) not in self.items:
            raise StrictError(f"an event of the output item {index}, which never began")
        if index not in self.growing:
            raise StrictError(f"the output item {index} goes on after its end")
        item = self.growing[index]
        if item_id and item.id and item.id != item_id:
            raise StrictError("an event names one output item by id and another by position")
        return item

    def _only(self, item_id: str | None) -> int:
        """Return the position of the one item that an event without a position can mean."""
        growing = self.growing.values()
        found = [item.index for item in growing if not item_id or item.id == item_id]
        if len(found) != 1:
            raise StrictError("an event of an output item says not which")
        return found[0]

    def _agree(self, response: dict[str, Any], end: str) -> None:
        """Take the response as a whole, which must say what the stream has said."""
        if response.get("status") not in (None, end):
            raise StrictError(f"the stream ends as {end!r}, and its response says otherwise")
        self._end(response | {"status": end})
        whole = whole_items(response)
        if [item.get("type") for item in whole] != [item.kind for item in self.items.values()]:
            raise StrictError("the stream and its response as a whole hold different items")
        for item, last in zip(self.items.values(), whole, strict=True):
            item.close(last)

    def _end(self, response: dict[str, Any]) -> None:
        status, error = response.get("status"), response.get("error")
        if error is not None:
            raise SentError.of(error)
        if status == "failed":
            raise SentError(str(status), "")
        if status not in ("completed", "incomplete"):
            raise StrictError(f"/status is {str(status)[:40]!r}: the response is not over")
        details = response.get("incomplete_details")
        reason = optional_text(details, "reason") if isinstance(details, dict) else None
        self.finish_reason = reason or str(status)
        self._name(response)
        if isinstance(response.get("usage"), dict):
            self.usage = response["usage"]
        self.ended = True

    def _name(self, response: dict[str, Any]) -> None:
        if isinstance(response.get("model"), str):
            self.model = response["model"]

    def _gather(self) -> None:
        """Put the texts of the items together."""
        for item in self.items.values():
            for (_, kind), text in sorted(item.said.items()):
                if item.call:
                    item.call.arguments = text
                elif kind == WORDS:
                    self.text = joined(self.text, text, kind)
                else:
                    self.refusal = joined(self.refusal, text, kind)
            if item.call:
                self.calls.append(item.call)


def _part(record: dict[str, Any], key: str) -> dict[str, Any]:
    value = record.get(key)
    if not isinstance(value, dict):
        raise StrictError(f"{key} of an event is no object")
    return value


def _integer(index: Any) -> int:
    if not isinstance(index, int) or isinstance(index, bool):
        raise StrictError("an index is no integer")
    return index
