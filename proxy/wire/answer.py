"""What every wire decoder returns: what was asked, what was answered, what was odd.

One shape for all providers, so that nobody who judges needs to know which of them spoke. Messages
and tools stand in the shape of chat completions: a message has ``role`` (``system``, ``user``,
``assistant`` or ``tool``), ``content``, on an assistant's message ``tool_calls`` and on a tool's
``tool_call_id``; a tool is ``{"type": "function", "function": {name, description, parameters}}``.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from grid.wirecall import WireCall


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
    NO_DONE = "no_done"
    """The stream has a finish reason but no ``[DONE]``."""
    INDEX_MISSING = "index_missing"
    """A tool-call delta has no index."""
    INDEX_REUSED = "index_reused"
    """Two tool calls with ids of their own share one index."""
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
    """Messages, as sent."""
    tools: tuple[dict[str, Any], ...]
    """Tools, as sent; empty for none."""
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


def seconds_to_wait(retry_after: str | None) -> float | None:
    """Return the seconds of a ``Retry-After`` header; None if it is absent, a date or no wait.

    A date needs a clock, and a recording holds none; a negative wait is none.
    """
    try:
        seconds = float(retry_after or "")
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None
