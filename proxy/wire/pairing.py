"""Which tool result answers which tool call, read from the messages of one request.

Providers and frameworks send empty, repeated and invented call ids (class 8 of the public reports).
Nothing is dropped by a map keyed by id: every tool message gets a `Pairing`, and where two readings
are possible it says ``ambiguous``.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class PairedBy(StrEnum):
    """What a pairing rests on."""

    ID = "id"
    """The id, which only one call of that turn has."""
    ORDER = "order"
    """No id fits, but the turn has one call and one result."""
    AMBIGUOUS = "ambiguous"
    """More than one call could be meant."""
    NOTHING = "nothing"
    """No assistant turn with calls stands before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """One tool message and its call."""

    message: int
    """Index of the tool message."""
    turn: int | None
    """Index of the assistant message whose call it answers."""
    call: int | None
    """Index of the call in that message; None if it is not known."""
    by: PairedBy
    """What this rests on."""


def pair_results(messages: Sequence[dict[str, Any]]) -> tuple[Pairing, ...]:
    """Pair every tool message with a call of the assistant message before it."""
    found: list[Pairing] = []
    turn: int | None = None
    results: list[int] = []
    for index, message in enumerate([*messages, {"role": "end"}]):
        if message.get("role") == "tool":
            results.append(index)
            continue
        found += _pair_turn(messages, turn, results)
        results = []
        turn = index if message.get("role") == "assistant" else turn
    return tuple(found)


def _pair_turn(
    messages: Sequence[dict[str, Any]], turn: int | None, results: list[int]
) -> list[Pairing]:
    calls = None if turn is None else messages[turn].get("tool_calls")
    if not calls or not isinstance(calls, list):
        return [_pairing(index, turn, None, PairedBy.NOTHING) for index in results]
    ids = [_id_in(call, "id") for call in calls]
    wanted = [_id_in(messages[index], "tool_call_id") for index in results]
    asked, answered = Counter(ids), Counter(wanted)  # a turn may hold very many
    places = {identity: place for place, identity in enumerate(ids)}
    pairings: list[Pairing] = []
    for index, identity in zip(results, wanted, strict=True):
        if identity and asked[identity] == 1 and answered[identity] == 1:
            pairings.append(_pairing(index, turn, places[identity], PairedBy.ID))
        elif len(ids) == 1 and len(results) == 1:
            pairings.append(_pairing(index, turn, 0, PairedBy.ORDER))
        else:
            pairings.append(_pairing(index, turn, None, PairedBy.AMBIGUOUS))
    return pairings


def _id_in(record: Any, key: str) -> str:
    """Return an id; empty for none, and for what is no text."""
    identity = record.get(key) if isinstance(record, dict) else None
    return identity if isinstance(identity, str) else ""


def _pairing(message: int, turn: int | None, call: int | None, by: PairedBy) -> Pairing:
    return Pairing(message=message, turn=turn, call=call, by=by)
