"""The output items of one answer of OpenAI's responses API, whole or while they grow.

A ``message`` holds words and refusals in numbered parts, a ``function_call`` is a call, a
``reasoning`` item is neither. Any other item is something that the provider carried out or added by
itself: nobody on the agent's side saw it happen, so such an answer is refused.

A text of an item is said up to five times: in pieces, at the end of its pieces, of its part and of
its item, and in the response as a whole. Clients go by one or another of them, so all that are
given must say the same (`Item.settle`).
"""

from dataclasses import dataclass, field
from typing import Any

from grid.errors import StrictError
from proxy.wire.answertext import whole
from proxy.wire.draft import DraftCall, objects, once, optional_text

type Place = tuple[int, str]
"""Which text of an item: number of the part, and `WORDS`, `REFUSAL` or `ARGUMENTS`."""

WORDS = "output_text"
REFUSAL = "refusal"
ARGUMENTS = "arguments"

_MEMBER = {WORDS: "text", REFUSAL: "refusal"}
"""Type of a part -> its member that holds the text."""
_KINDS = ("message", "function_call", "reasoning")


@dataclass(slots=True)
class Item:
    """One output item."""

    kind: str
    """Its type."""
    index: int
    """Its position in the output, as sent."""
    id: str
    """The item's own id, which is not that of its call; empty for none."""
    call: DraftCall | None
    """The call that it is; its arguments stand in `said`."""
    said: dict[Place, str] = field(default_factory=dict)
    """Its texts so far."""
    settled: set[Place] = field(default_factory=set)
    """The texts that were said to be whole."""

    @classmethod
    def begin(cls, item: dict[str, Any], index: int) -> "Item":
        """Begin an item with what is known of it.

        Raises:
            StrictError: it is of another type, or not the assistant's.
        """
        kind = item.get("type")
        if kind not in _KINDS:
            raise StrictError(f"an output item of type {str(kind)[:40]!r}")
        if item.get("role") not in (None, "assistant"):
            raise StrictError("an output message is not the assistant's")
        call = DraftCall(index=index) if kind == "function_call" else None
        begun = cls(kind=str(kind), index=index, id=optional_text(item, "id") or "", call=call)
        begun.name(item)
        if call and item.get("arguments"):
            begun.said[0, ARGUMENTS] = _text(item["arguments"])
        for place, text in _parts(item).items():
            begun.said[place] = text
        return begun

    def name(self, item: dict[str, Any]) -> None:
        """Take the call's id and name, which may be said again but never otherwise.

        Raises:
            StrictError: they change.
        """
        if self.call:
            self.call.id = once(self.call.id, item.get("call_id"), "id")
            self.call.name = once(self.call.name, item.get("name"), "name")

    def open_part(self, part: dict[str, Any], number: int) -> None:
        """Begin a part of a message.

        Raises:
            StrictError: it began before, or is no text.
        """
        kind = self._part_kind(part)
        if kind is None:
            return
        if (number, WORDS) in self.said or (number, REFUSAL) in self.said:
            raise StrictError("a part of an output item begins twice")
        self.said[number, kind] = _text(part.get(_MEMBER[kind], ""))

    def close_part(self, part: dict[str, Any], number: int) -> None:
        """Take a whole part of a message.

        Raises:
            StrictError: it says something else than its pieces.
        """
        kind = self._part_kind(part)
        if kind is not None:
            self.settle((number, kind), part.get(_MEMBER[kind]))

    def grow(self, place: Place, piece: Any) -> None:
        """Append a piece to a text.

        Raises:
            StrictError: the text is whole already, or stands where there is none.
        """
        number, kind = place
        if (kind == ARGUMENTS) is not (self.kind == "function_call") or self.kind == "reasoning":
            raise StrictError(f"a piece of {kind} in an output item of type {self.kind!r}")
        if place in self.settled:
            raise StrictError(f"{kind} of an output item goes on after its end")
        if kind != ARGUMENTS and (number, WORDS if kind == REFUSAL else REFUSAL) in self.said:
            raise StrictError("a part of an output item is words and a refusal at once")
        self.said[place] = self.said.get(place, "") + _text(piece)

    def settle(self, place: Place, text: Any) -> None:
        """Take a whole text, said once more or for the first time.

        Raises:
            StrictError: it is another one than before.
        """
        if place not in self.said:
            self.grow(place, "")
            self.said[place] = _text(text)
        elif self.said[place] != _text(text) and whole(self.said[place]) != whole(text):
            # `whole`, since pieces may end between the two halves of a character
            raise StrictError(f"the stream says two different things as {place[1]} of one item")
        self.settled.add(place)

    def close(self, item: dict[str, Any]) -> None:
        """Take the whole item, said once more or for the first time.

        Raises:
            StrictError: it says something else than before.
        """
        if item.get("type") != self.kind:
            raise StrictError("an output item changes its type")
        self.name(item)
        texts = _parts(item)
        if self.call:
            texts = {(0, ARGUMENTS): _text(item.get("arguments"))}
        for place, text in texts.items():
            self.settle(place, text)
        if any(text and place not in texts for place, text in self.said.items()):
            raise StrictError("a whole output item lacks what its pieces said")

    def _part_kind(self, part: dict[str, Any]) -> str | None:
        """Return what kind of text a part is; None for a part of the reasoning."""
        kind = part.get("type")
        if self.kind == "reasoning":
            return None
        if self.kind != "message":
            raise StrictError(f"a part of type {str(kind)[:40]!r} in an item of {self.kind!r}")
        return _kind_of(part)


def whole_items(response: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the output of a whole response.

    Raises:
        StrictError: it has none.
    """
    if not isinstance(response.get("output"), list):
        raise StrictError("/output is no list of items")
    return objects(response, "output")


def _parts(item: dict[str, Any]) -> dict[Place, str]:
    if item.get("type") != "message":
        return {}
    found: dict[Place, str] = {}
    for number, part in enumerate(objects(item, "content")):
        kind = _kind_of(part)
        found[number, kind] = _text(part.get(_MEMBER[kind]))
    return found


def _kind_of(part: dict[str, Any]) -> str:
    kind = part.get("type")
    if not isinstance(kind, str) or kind not in _MEMBER:
        raise StrictError(f"a part of type {str(kind)[:40]!r} in an output message")
    return kind


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise StrictError("a text of an output item is no text")
    return value
