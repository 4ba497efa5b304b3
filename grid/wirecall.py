"""Tool calls as they stand in a model's answer, read inside the worker.

This is the agent's side of the wire. The proxy's decoders read the same bytes on their own: two
witnesses must not share a decoder. Nothing is repaired here; what is not a chat completion yields
no calls.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from grid.canonical import load_json, plain_json, scrub_text
from grid.errors import CanonicalError
from grid.matching import equal

_VERSION = re.compile(r"-([0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{8}|(0[1-9]|1[0-2])[0-3][0-9]|0[0-9]{2})")
"""What providers append to a model id for the version that it stands for: a date, or 001."""
_LATEST = "-latest"


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


def completion(model: str, text: str, calls: Sequence[WireCall]) -> bytes:
    """Return the body of a chat completion: what `wire_calls` and `wire_model` read."""
    message: dict[str, Any] = {"role": "assistant", "content": text or None}
    if calls:
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.raw_arguments},
            }
            for call in calls
        ]
    reason = "tool_calls" if calls else "stop"
    choice = {"index": 0, "message": message, "finish_reason": reason}
    return plain_json({"model": model, "choices": [choice]}, indent=None).encode()


def wire_model(body: bytes) -> str:
    """Return the model id that a chat completion says it comes from; empty if it says none."""
    try:
        return _text(json.loads(body).get("model"))
    except (ValueError, AttributeError, RecursionError):
        return ""


def same_model(requested: str, told: str) -> bool | None:
    """Tell whether an answer came under the requested model id; None if one of them is not known.

    A provider that is asked for a model may answer with the version that it stands for, such as
    ``model-2031-05-06`` for ``model`` or ``model-latest``: that is the requested one.
    """
    if not told or not requested:
        return None
    if told == requested:
        return True
    plain = requested.removesuffix(_LATEST)
    return told.startswith(plain) and _VERSION.fullmatch(told, len(plain)) is not None


def says(call: WireCall, name: str, arguments: Any, *, bare: bool) -> bool:
    """Tell whether a call as announced asks for exactly this: one tool, one strict JSON value.

    Args:
        call: the call as announced.
        name: the tool.
        arguments: its arguments.
        bare: the tool takes no arguments at all; then no text stands for none.
    """
    if call.name != name:
        return False
    if bare and not call.raw_arguments.strip():
        return equal(arguments, {})
    try:
        return equal(load_json(call.raw_arguments), arguments)
    except CanonicalError:
        return False


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
