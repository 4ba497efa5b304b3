"""Tool calls as they stand in a model's answer, read inside the worker.

This is the agent's side of the wire. The proxy's decoders read the same bytes on their own: two
witnesses must not share a decoder. Nothing is repaired here; what is not a chat completion yields
no calls.
"""

import json
from dataclasses import dataclass

from grid.canonical import scrub_text


@dataclass(frozen=True, slots=True, kw_only=True)
class WireCall:
    """One tool call of an assistant message."""

    id: str
    """The provider's id of the call, as sent (may be empty)."""
    name: str
    """Tool name as sent."""
    raw_arguments: str
    """Argument text as sent, not parsed."""


def wire_calls(body: bytes) -> tuple[WireCall, ...]:
    """Return the tool calls of a non-streamed chat completion, in order."""
    try:
        message = json.loads(body)["choices"][0]["message"]
        calls = message.get("tool_calls") or []
        return tuple(_call(item) for item in calls)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return ()


def _call(item: dict[str, object]) -> WireCall:
    function = item.get("function")
    fields = function if isinstance(function, dict) else {}
    return WireCall(
        id=_text(item.get("id")),
        name=_text(fields.get("name")),
        raw_arguments=_text(fields.get("arguments")),
    )


def _text(value: object) -> str:
    return scrub_text(value) if isinstance(value, str) else ""
