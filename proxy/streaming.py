"""Which answers are passed on as they come, and the copy that is kept of them.

The first byte goes on when it comes; nothing waits for the disk but the very end. A chunk that
cannot be kept is not passed on. Where a provider echoes its key into a stream of text, the agent
gets the placeholder in its place; only bytes that may be the beginning of the key are held back
until the next chunk tells. A length that was promised would not fit any more: such a stream goes on
in chunks.
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


def unmeasure(response: http.Response, asked: str) -> None:
    """Take the promised length off an answer; its end is told by chunks, or by the connection's.

    Args:
        response: the answer, whose body is still to come.
        asked: HTTP version of the request; before 1.1 there were no chunks.
    """
    if "content-length" in response.headers:
        del response.headers["content-length"]
        if response.http_version == asked == "HTTP/1.1":
            response.headers["transfer-encoding"] = "chunked"


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
        response = flow.response
        if response is None or not passage.trial.redaction.secrets:
            return
        # A checksum would not fit what stands in the key's place.
        if media_type(response.headers.get("content-type", "")) != AWS_EVENTS:
            self._hides = True
            unmeasure(response, flow.request.http_version)

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
