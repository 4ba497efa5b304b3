"""A model's answer written as a chat completion: in one body, or as the events of a stream.

Shared by the scripted models and by whoever plays a recorded answer to a client that asks for the
other form. Equal answers give equal bytes: no clock, no random id, and argument text as it is.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from grid.canonical import canonical, plain_json
from grid.wirecall import WireCall

PIECE = 12
"""Characters of argument text or words in one streamed delta."""

JSON = "application/json"
"""Content type of an answer in one body."""
EVENT_STREAM = "text/event-stream"
"""Content type of a streamed answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What an answer says."""

    id: str
    """Id of the completion."""
    model: str
    """Model id that the answer names."""
    text: str | None
    """Words; None for no words at all."""
    calls: tuple[WireCall, ...]
    """Tool calls, in order."""
    finish_reason: str
    """Why it ended."""
    usage: dict[str, Any] | None
    """Token counts; None if they are not told."""
    refusal: str | None = None
    """The provider's own refusal text; None for none."""


def whole_body(said: Completion) -> bytes:
    """Return an answer as one body of JSON."""
    message: dict[str, Any] = {"role": "assistant", "content": said.text}
    if said.refusal is not None:
        message["refusal"] = said.refusal
    if said.calls:
        message["tool_calls"] = [_call(call) for call in said.calls]
    choice = {
        "index": 0,
        "message": message,
        "logprobs": None,
        "finish_reason": said.finish_reason,
    }
    usage = {} if said.usage is None else {"usage": said.usage}
    return canonical(_head(said) | {"object": "chat.completion", "choices": [choice]} | usage)


def stream_events(said: Completion, *, counted: bool) -> Iterator[bytes]:
    """Yield an answer as the events of a stream, words and argument text cut into pieces.

    Args:
        said: the answer.
        counted: token counts were asked for, and come in a chunk of their own if there are any.
    """
    kind = _head(said) | {"object": "chat.completion.chunk"}
    for delta in _deltas(said):
        yield _event(kind | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
    last = {"index": 0, "delta": {}, "finish_reason": said.finish_reason}
    yield _event(kind | {"choices": [last]})
    if counted and said.usage is not None:
        yield _event(kind | {"choices": [], "usage": said.usage})
    yield b"data: [DONE]\n\n"


def counts_tokens(body: Any) -> bool:
    """Tell whether a request body asks for token counts at the end of a stream."""
    options = body.get("stream_options") if isinstance(body, dict) else None
    return isinstance(options, dict) and options.get("include_usage") is True


def _head(said: Completion) -> dict[str, Any]:
    return {"id": said.id, "created": 0, "model": said.model}


def _deltas(said: Completion) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": None}
    for piece in _pieces(said.text):
        yield {"content": piece}
    for piece in _pieces(said.refusal):
        yield {"refusal": piece}
    for index, call in enumerate(said.calls):
        opening = _call(call) | {"index": index}
        opening["function"] = {"name": call.name, "arguments": ""}
        yield {"tool_calls": [opening]}
        for piece in _pieces(call.raw_arguments or None):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def _pieces(text: str | None) -> list[str]:
    if text is None:
        return []
    return [text[start : start + PIECE] for start in range(0, len(text), PIECE)] or [""]


def _call(call: WireCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.raw_arguments}
    return {"id": call.id, "type": "function", "function": function}


def _event(chunk: dict[str, Any]) -> bytes:
    return b"data: " + plain_json(chunk, indent=None).encode() + b"\n\n"
