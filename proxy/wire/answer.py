"""What every wire decoder returns: what was asked, what was answered, what was odd.

One shape for all providers, so that nobody who judges needs to know which of them spoke. Messages
and tools stand in the shape of chat completions: a message has ``role`` (``system``, ``user``,
``assistant`` or ``tool``), ``content``, on an assistant's message ``tool_calls`` and on a tool's
``tool_call_id``; a tool is ``{"type": "function", "function": {name, description, parameters}}``.
Arguments of calls are text, exactly as it was sent. What a protocol says beside that, such as
``is_error`` on a tool's message, stays as a key beside.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import Any

from grid.wirecall import WireCall

_SECONDS = re.compile(r"[0-9]+([.][0-9]+)?")


class Finding(StrEnum):
    """Something odd in an answer that could still be read in one way only."""

    INVALID_UTF8 = "invalid_utf8"
    """Bytes that are no UTF-8, kept as ``\\xNN``."""
    HALF_CHARACTER = "half_character"
    """Half of a surrogate pair, kept as ``\\udNNN``."""
    BAD_EVENT = "bad_event"
    """An event of the stream was no JSON and was skipped."""
    UNTERMINATED_EVENT = "unterminated_event"
    """The stream ends inside an event, which was skipped."""
    UNKNOWN_EVENT = "unknown_event"
    """An event of a type that the protocol does not know was skipped."""
    UNNAMED_EVENT = "unnamed_event"
    """Events have no name although the protocol names them; some clients do not see those."""
    NO_DONE = "no_done"
    """The stream has a finish reason but not its last word, such as ``[DONE]``."""
    INDEX_MISSING = "index_missing"
    """A delta has no index, or a part that begins."""
    INDEX_SKIPPED = "index_skipped"
    """The indices of a stream's parts have a gap."""
    INDEX_REUSED = "index_reused"
    """Two tool calls with ids of their own share one index."""
    NOT_ENDED = "not_ended"
    """A part of a stream was never said to be over."""
    EMPTY_CALL_ID = "empty_call_id"
    """A tool call has no id."""
    DUPLICATE_CALL_ID = "duplicate_call_id"
    """Two tool calls of one answer share an id."""
    MALFORMED_ARGUMENTS = "malformed_arguments"
    """A tool call's arguments are not JSON."""
    NO_CONTENT = "no_content"
    """The provider sent a message with neither words nor calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request."""

    model: str
    """Model id asked for."""
    messages: tuple[dict[str, Any], ...]
    """Messages, in order."""
    tools: tuple[dict[str, Any], ...]
    """Tools, in order; empty for none. One that is no function stands as it was sent."""
    stream: bool
    """The answer was asked for as a stream."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assistant:
    """An answer."""

    text: str | None
    """Words; None if the provider sent none."""
    refusal: str | None
    """The provider's own refusal text; None for none."""
    calls: tuple[WireCall, ...]
    """Tool calls, in order."""
    finish_reason: str
    """Why it ended, in the provider's word."""
    usage: dict[str, Any] | None
    """Token counts, as sent."""
    model: str
    """Model id that the provider says answered."""
    findings: tuple[Finding, ...]
    """What was odd, each word once, sorted."""
    skipped: int
    """Events of the stream that were no JSON and were skipped."""
    fingerprint: str = ""
    """What the provider says of the system that answered; empty if it says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderError:
    """The provider refused or failed in its own words: neither an answer nor a gap."""

    status: int
    """HTTP status; 200 for an error inside a stream."""
    code: str
    """The error's code, else its type; empty for neither."""
    message: str
    """The provider's words."""
    retry_after: str | None
    """The header as sent; see `seconds_to_wait`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Undecodable:
    """It cannot be read in one way only; the reason is fit for a report, not for hashing."""

    reason: str
    """A sentence."""


def asked_to_wait(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds that an answer asks to wait; None if it asks for nothing that is known.

    Clients that know ``retry-after-ms`` go by it first: what stands beside it is rounded.

    Args:
        headers: those of the answer, names in lower case.
        now: the instant when it came, with its zone.
    """
    milliseconds = seconds_to_wait(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    return seconds_to_wait(headers.get("retry-after"), now)


def seconds_to_wait(retry_after: str | None, now: datetime | None = None) -> float | None:
    """Return the seconds of a ``Retry-After`` header; None if it is absent, no wait or no form.

    A date needs a clock, and a recording holds none: it is read only by a caller who has one. A
    negative wait is none, and so is a date that has passed.

    Args:
        retry_after: the header as sent: seconds or an HTTP date.
        now: the instant to count from, with its zone; None for no clock.
    """
    text = (retry_after or "").strip()
    if _SECONDS.fullmatch(text):
        seconds = float(text)
    elif now is None:
        return None
    else:
        try:
            date = parsedate_to_datetime(text)
        except (ValueError, OverflowError):
            return None
        # HTTP dates are in GMT, also where they do not say so.
        seconds = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - now.timestamp()
    return seconds if 0 <= seconds < float("inf") else None
