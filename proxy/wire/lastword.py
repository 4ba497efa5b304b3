"""Has a stream said its last word? Told from its bytes, in the words of each protocol.

After its last word a stream holds nothing more that a client could want, and many clients hang up
there. A last word is a whole one: half an event, half a line or half a message is none.

| stream | last word |
|---|---|
| server-sent events: chat completions | ``[DONE]`` |
| Anthropic messages | an event of the type ``message_stop`` |
| OpenAI responses | ``response.completed``, ``response.incomplete`` or ``response.failed`` |
| Gemini | an event in which every candidate has a ``finishReason``: it has no other end mark |
| any of these | an error, after which no provider goes on |
| AWS event stream | ``metadata``, which follows ``messageStop``, or an exception |
| JSON lines | a line with ``"done": true`` |
| Gemini's JSON array | the array is whole |
"""

from typing import Any

from grid.canonical import load_json
from grid.errors import CanonicalError, StrictError
from proxy.wire.aws_eventstream import read_messages
from proxy.wire.sse import read_events

SERVER_EVENTS = "text/event-stream"
AWS_EVENTS = "application/vnd.amazon.eventstream"
JSON_LINES = "application/x-ndjson"
JSON = "application/json"

_DONE = "[DONE]"
_LAST_TYPES = (
    "message_stop",
    "response.completed",
    "response.incomplete",
    "response.failed",
    "error",
)


def media_type(content_type: str) -> str:
    """Return the media type of a header's value, in lower case and without parameters."""
    return content_type.partition(";")[0].strip().lower()


def said_its_last_word(content_type: str, body: bytes) -> bool:
    """Tell whether a stream that was cut had said its last word by then.

    Args:
        content_type: the header, as it was sent.
        body: what had come, without content encoding.
    """
    match media_type(content_type):
        case "text/event-stream":
            return _last_event_ends(body)
        case "application/vnd.amazon.eventstream":
            return _last_message_ends(body)
        case "application/x-ndjson":
            return _last_line_ends(body)
        case "application/json":
            return isinstance(_json(body), list)
    return False


def _last_event_ends(body: bytes) -> bool:
    events = read_events(body.decode("utf-8", "replace"))
    data = next(filter(None, reversed(events.data)), "")
    if events.unterminated:
        return False
    if data == _DONE:
        return True
    value = _json(data)
    if not isinstance(value, dict):
        return False
    return value.get("type") in _LAST_TYPES or bool(value.get("error")) or _finished(value)


def _finished(value: dict[str, Any]) -> bool:
    candidates = value.get("candidates")
    if not isinstance(candidates, list) or not candidates:
        return False
    return all(isinstance(one, dict) and one.get("finishReason") for one in candidates)


def _last_message_ends(body: bytes) -> bool:
    last: dict[str, Any] = {}
    try:
        for message in read_messages(body):
            last = message.headers
    except StrictError:
        return False
    return last.get(":event-type") == "metadata" or last.get(":message-type") in _AWS_FAILURES


_AWS_FAILURES = ("exception", "error")


def _last_line_ends(body: bytes) -> bool:
    value = _json(body.rstrip(b"\n").rpartition(b"\n")[2]) if body.endswith(b"\n") else None
    return isinstance(value, dict) and value.get("done") is True


def _json(data: bytes | str) -> Any:
    try:
        return load_json(data)
    except CanonicalError:
        return None
