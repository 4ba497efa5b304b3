"""Where do two conversations with a model part? Turn by turn: what each of them showed it.

Asked of a trial to which recorded answers were played, and of the trial that they were recorded in.
The model says the same in both, so whatever differs is the framework's doing. Turn k is the k-th
request, and two requests show the same if they are equal in this normal form:

1. The offered tools, in order, whole.
2. The messages, in order: role (``developer`` is the system's), text (parts joined, none is the
   empty text), what an assistant's message calls (id, tool, arguments), the call that a tool's
   message answers, and whatever else stands in a message and is not null. Arguments that are JSON
   count by their value: that frameworks write them anew with other spacing shows nothing new.

Model id, settings of a request (temperature, stream) and how it was sent are not what a model is
shown. Both trials have one seed, so receipts, call ids and canaries are the same; where they
differ, another call was made. A request that cannot be decoded is compared as it is.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from grid.apart import ABSENT, apart
from grid.canonical import plain_json
from grid.matching import equal
from ledgers.conversation import SYSTEM, text_of
from proxy.wire.answer import Asked
from proxy.wire.answertext import parse
from proxy.wire.exchange import Exchange
from proxy.wire.protocol import decode_request

WORDS = {
    "system": "the system prompt",
    "user": "a user's message",
    "assistant": "the model's own words, shown again",
    "tool": "a tool's answer",
}
"""Role -> what such a message is called."""

TOOLS = "the offered tools"
ASKED = "how often the model was asked"
UNREADABLE = "a request that cannot be decoded"

_KNOWN = ("role", "content", "tool_calls", "tool_call_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """The first thing that a conversation did otherwise than the recorded one."""

    turn: int
    """Number of the request, from 1."""
    part: str
    """What differs, in words."""
    pointer: str
    """Where it stands in the normal form of the request; empty if one of the two was not made."""
    recorded: str
    """What the recorded conversation showed there, shortened, as Python writes it."""
    shown: str
    """What this one showed there."""


def first_divergence(
    recorded: Sequence[Exchange], shown: Sequence[Exchange], *, spent: bool
) -> Divergence | None:
    """Return the first divergence of a conversation, or None if it shows the same to its end.

    Args:
        recorded: exchanges of the trial that the answers were recorded in.
        shown: exchanges of the trial that they were played to.
        spent: this one asked for an answer more than there was; that request is no exchange.
    """
    for turn, (then, now) in enumerate(zip(recorded, shown, strict=False), 1):
        found = next(_differences(then, now), None)
        if found is not None:
            part, pointer, one, other = found
            told = apart(one, other)
            return Divergence(
                turn=turn, part=part, pointer=pointer, recorded=told[0], shown=told[1]
            )
    if len(shown) == len(recorded) and not spent:
        return None
    return Divergence(
        turn=min(len(recorded), len(shown)) + 1,
        part=ASKED,
        pointer="",
        recorded=_times(len(recorded)),
        shown=_times(len(shown) + spent),
    )


def _times(count: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count} times")


type _Difference = tuple[str, str, Any, Any]
"""What differs in words, its pointer, and both values."""


def _differences(then: Exchange, now: Exchange) -> Iterator[_Difference]:
    one, other = decode_request(then), decode_request(now)
    if not isinstance(one, Asked) or not isinstance(other, Asked):
        if then.request.body != now.request.body:
            yield UNREADABLE, "/", _raw(then), _raw(now)
        return
    for number, (left, right) in enumerate(_pairs(one.tools, other.tools)):
        if not equal(left, right):
            yield TOOLS, f"/tools/{number}", _text(left), _text(right)
    for number, pair in enumerate(_pairs(_messages(one), _messages(other))):
        if not equal(*pair):
            yield _message(f"/messages/{number}", *pair)


def _pairs(left: Sequence[Any], right: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    for number in range(max(len(left), len(right))):
        yield (
            left[number] if number < len(left) else ABSENT,
            right[number] if number < len(right) else ABSENT,
        )


def _message(pointer: str, then: Any, now: Any) -> _Difference:
    """Return how two messages differ, at least one of which is there."""
    if then is ABSENT or now is ABSENT:
        there = now if then is ABSENT else then
        return _named(there), pointer, _text(then), _text(now)
    if then["role"] != now["role"]:
        words = f"{_named(then)}, where {_named(now)} stands"
        return words, f"{pointer}/role", _text(then), _text(now)
    key = next(key for key in then if not equal(then[key], now[key]))
    return _named(then), f"{pointer}/{key}", _text(then[key]), _text(now[key])


def _named(message: dict[str, Any]) -> str:
    return WORDS.get(message["role"], f"a message of the role {message['role']!r}")


def _messages(asked: Asked) -> list[dict[str, Any]]:
    return [_normal(message) for message in asked.messages]


def _normal(message: dict[str, Any]) -> dict[str, Any]:
    role, content = message["role"], message.get("content")
    text = "" if content is None else text_of(content)
    calls = message.get("tool_calls") or []
    return {
        "role": "system" if role in SYSTEM else role,
        "text": content if text is None else text,
        "calls": [_call(call) for call in calls] if isinstance(calls, list) else calls,
        "answers": message.get("tool_call_id"),
        "more": {
            key: item for key, item in message.items() if key not in _KNOWN and item is not None
        },
    }


def _call(call: Any) -> Any:
    inner = call.get("function") if isinstance(call, dict) else None
    if not isinstance(inner, dict):
        return call
    arguments = inner.get("arguments")
    try:
        told: Any = {"json": parse(arguments)} if isinstance(arguments, str) else arguments
    except ValueError:
        told = {"text": arguments}
    return {"id": call.get("id"), "tool": inner.get("name"), "arguments": told}


def _text(value: Any) -> Any:
    """Return a value as text, so that two long ones can be cut where they part."""
    return value if value is ABSENT or isinstance(value, str) else plain_json(value, indent=None)


def _raw(exchange: Exchange) -> str:
    return "".join(exchange.request.body.values())
