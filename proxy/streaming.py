"""Which answers are passed on as they come, and the copy that is kept of them.

The first byte goes on when it comes; nothing waits for the disk but the very end. A chunk that
cannot be kept is not passed on. Where a provider echoes its key into a stream of text, the agent
gets the placeholder in its place; only bytes that may be the beginning of the key are held back
until the next chunk tells.
"""

from urllib.parse import unquote

from mitmproxy import http

from proxy.passage import Passage, stop
from proxy.wholebody import BodyTooLargeError
from proxy.wire.lastword import AWS_EVENTS, JSON, JSON_LINES, SERVER_EVENTS, media_type

_STREAMS = (SERVER_EVENTS, AWS_EVENTS, JSON_LINES)
_JSON_METHOD = ":streamGenerateContent"
"""Gemini's method whose answer is a JSON array, sent item by item."""


def streams(path: str, response: http.Response) -> bool:
    """Tell by its head whether an answer to a path is to be passed on as it comes."""
    kind = media_type(response.headers.get("content-type", ""))
    if kind == JSON and "content-length" not in response.headers:
        return unquote(path.partition("?")[0]).endswith(_JSON_METHOD)
    return kind in _STREAMS


class Tee:
    """Passes a stream on as it comes and keeps a copy; what cannot be kept is not passed on."""

    def __init__(self, flow: http.HTTPFlow, passage: Passage, limit: int) -> None:
        """Start with nothing kept."""
        self._flow = flow
        self._passage = passage
        self._left = limit
        self._begun = False
        self._held = b""
        self._hides = False
        headers = {} if flow.response is None else flow.response.headers
        binary = media_type(headers.get("content-type", "")) == AWS_EVENTS
        # A checksum, or a length that was promised, would not fit what stands in the key's place.
        if not binary and "content-length" not in headers:
            self._hides = bool(passage.trial.redaction.secrets)

    def __call__(self, data: bytes) -> bytes | list[bytes]:
        """Keep and return a chunk, or b"" at the end; nothing at all once something went wrong.

        mitmproxy would drop the chunk of a callable that raises, log it and go on.
        """
        passage = self._passage
        if passage.refused or passage.chunks is None or passage.number is None:
            return []
        self._left -= len(data)
        if self._left < 0:
            stop(self._flow, BodyTooLargeError("a streamed body is over the limit"))
            return []
        if not self._begun:
            self._begun = True
            passage.trial.first_byte(passage.number)
        passage.chunks.append(data)
        return self._hidden(data) if self._hides else data

    def _hidden(self, data: bytes) -> bytes | list[bytes]:
        redaction = self._passage.trial.redaction
        found = redaction.without_secret(self._held + data)
        held = max(_begun(found, secret) for secret in redaction.secrets) if data else 0
        self._held = found[len(found) - held :]
        return found[: len(found) - held] or []  # an empty chunk would be the end of a body


def _begun(data: bytes, secret: bytes) -> int:
    """Return how many bytes at the end of some data may be the beginning of a secret."""
    place = data.find(secret[:1], max(0, len(data) - len(secret) + 1))
    while place >= 0:
        if secret.startswith(data[place:]):
            return len(data) - place
        place = data.find(secret[:1], place + 1)
    return 0
