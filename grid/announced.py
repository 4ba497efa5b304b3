"""The calls that the model announced on the wire, until the framework hands them over.

Each call that reaches the tool layer is matched with an announced one, so that the journal can say
in which words the model asked for it. What is left when the next answer comes was never handed
over, and is journalled as such. When the agent is restored from a checkpoint, the calls of the last
answer may come a second time with no new answer of the model: they are matched with the same
announcement again.
"""

from dataclasses import dataclass, replace

from grid.canonical import scrub_text
from grid.evidence import CallError, CallRecord, Decision
from grid.toolanswer import NOT_HANDED_OVER
from grid.vocabulary import Verdict
from grid.wirecall import WireCall

ANNOUNCED_LIMIT = 1000
"""Calls of one model answer that are journalled; the wire then tells of more than the journal."""
ARGUMENT_LIMIT = 256 * 1024
"""Characters of one call's arguments; longer ones are malformed, and kept cut."""
NAME_LIMIT = 256
"""Characters of a tool's name that are kept."""


def short(text: str, limit: int) -> str:
    """Return a text of the model's as it is kept."""
    return scrub_text(text[:limit])


@dataclass(frozen=True, slots=True, kw_only=True)
class Announced:
    """A call that the model announced."""

    turn: int
    """Number of the model answer, from 1."""
    place: int
    """Its place in that answer, from 0."""
    call: WireCall
    """The call as it stands on the wire."""
    model_as_requested: bool | None = None
    """The answer came under the model id that was asked for; None: it is not known."""
    again: bool = False
    """It was handed over before the last restore; it need not come a second time."""

    @property
    def name(self) -> str:
        """The tool's name on the wire, as it is kept."""
        return short(self.call.name, NAME_LIMIT)

    @property
    def arguments(self) -> str:
        """The argument text on the wire, as it is kept."""
        return short(self.call.raw_arguments, ARGUMENT_LIMIT)

    def never_handed_over(self, seq: int, receipt: str) -> CallRecord:
        """Return the record of a call that the framework kept to itself."""
        return CallRecord(
            seq=seq,
            turn=self.turn,
            wire_id=self.call.id,
            receipt=receipt,
            tool=self.name,
            wire_tool=self.name,
            raw_arguments=self.arguments,
            parsed=None,
            executed=None,
            touches=(),
            decision=Decision(verdict=Verdict.ALLOW),
            result=None,
            delivered="",
            error=CallError(
                code=NOT_HANDED_OVER,
                message="the framework never handed this call to the tool layer",
            ),
            effects=(),
        )


class Announcements:
    """What the model asked for and is still waited for."""

    def __init__(self) -> None:
        """Begin with no answer."""
        self.turn = 0
        self._waiting: list[Announced] = []
        self._taken: list[Announced] = []

    def announce(self, calls: tuple[WireCall, ...], model_as_requested: bool | None) -> None:
        """Note the calls of a new model answer; what was still waited for is taken before."""
        self.turn += 1
        self._taken = []
        self._waiting = [
            Announced(turn=self.turn, place=place, call=call, model_as_requested=model_as_requested)
            for place, call in enumerate(calls[:ANNOUNCED_LIMIT])
        ]

    def match(self, name: str, call_id: str | None) -> Announced | None:
        """Take the announced call that this one is: by id, else by name in order, else the next."""
        keys = (
            lambda item: bool(call_id) and item.call.id == call_id,
            lambda item: item.call.name == name,
            lambda item: True,
        )
        for fits in keys:
            found = next((item for item in self._waiting if fits(item)), None)
            if found is not None:
                self._waiting.remove(found)
                self._taken.append(found)
                return found
        return None

    def left_over(self) -> tuple[Announced, ...]:
        """Take what was never handed over."""
        left = tuple(item for item in self._waiting if not item.again)
        self._waiting = []
        return left

    def restored(self) -> None:
        """Wait again for the calls of the last answer: the agent has forgotten them."""
        forgotten = (replace(item, again=True) for item in self._taken)
        self._waiting = sorted((*forgotten, *self._waiting), key=lambda item: item.place)
        self._taken = []
