"""Events that say their type in their data, as Anthropic's and OpenAI's newer streams do.

An event has a type in its data and, mostly, the same word as its name. Clients go by one or the
other, so an event that says two different things cannot be read in one way only. Data that is no
JSON object, or an object without a type, is one bad event: it is skipped and told, unless it may
have held something (see `proxy.wire.sse`) or its name says that it did.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from grid.errors import StrictError
from proxy.wire.answer import Finding
from proxy.wire.answertext import parsed
from proxy.wire.draft import SentError
from proxy.wire.sse import DAMAGED, may_hold, read_events

_DONE = "[DONE]"
_NO_NAME = ("", "message")
"""Names of an event that was given none; the second is the one it then has by the standard."""
_HOLDS = ("message_", "content_block_", "response.")
"""How the names begin of events that hold a part of an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedEvent:
    """One event."""

    type: str
    """Its type."""
    named: bool
    """The event's name says so too."""
    body: dict[str, Any]
    """Its data, parsed."""
    raw: str
    """Its data, as sent."""


def typed_events(text: str, findings: list[Finding]) -> Iterator[TypedEvent]:
    """Yield the events of a stream's text.

    Args:
        text: the whole stream.
        findings: takes what is odd.

    Raises:
        SentError: the provider sent an error inside the stream.
        StrictError: an event says two different things, the stream goes on after its end, or, once
            all is read, an event was damaged.
    """
    events = read_events(text)
    done = damaged = False
    for name, data in zip(events.names, events.data, strict=True):
        if done:
            raise StrictError("the stream goes on after [DONE]")
        if data == _DONE:
            done = True
            continue
        body = parsed(data)
        event = _event("" if name in _NO_NAME else name, data, body)
        if event is None:
            findings.append(Finding.BAD_EVENT)
            lost = may_hold(data) or name.startswith(_HOLDS)
            damaged = damaged or (lost and not isinstance(body, dict))
        else:
            yield event
    if events.unterminated and not done:
        findings.append(Finding.UNTERMINATED_EVENT)
    if damaged:
        raise StrictError(DAMAGED)


def _event(name: str, data: str, body: Any) -> TypedEvent | None:
    if name == "error":
        raise SentError.of(_error_in(data if body is None else body))
    if not isinstance(body, dict) or not body:
        return None
    kind = body.get("type")
    if kind == "error" or body.get("error") is not None:
        raise SentError.of(_error_in(body))
    if isinstance(kind, str) and name in ("", kind):
        return TypedEvent(type=kind, named=bool(name), body=body, raw=data)
    if not name and not kind:
        return None
    raise StrictError(f"an event named {name[:40]!r} says that it is {str(kind)[:40]!r}")


def _error_in(body: Any) -> Any:
    inner = body.get("error") if isinstance(body, dict) else None
    return body if inner is None else inner
