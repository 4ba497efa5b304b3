"""Which answers are passed on as they come, and the copy that is kept of them.

The first byte goes on when it comes; nothing waits for the disk but the very end. A chunk that
cannot be kept is not passed on. Where a provider echoes its key into a stream of text, the agent
gets the placeholder in its place; only bytes that may be the beginning of the key are held back
until the next chunk tells. A length that was promised would not fit any more: such a stream goes on
in chunks. In a stream of AWS that holds for the bytes of a message that is not whole yet, and one
with a key gets new checksums. A stream that is compressed without saying so is held until it is
whole.
"""

from collections.abc import Sequence
from urllib.parse import unquote

from mitmproxy import http

from grid.errors import StrictError
from proxy.passage import Passage, stop
from proxy.redaction import Redaction
from proxy.wholebody import BROKEN, BodyTooLargeError, hides
from proxy.wire.aws_eventstream import rewritten, split_messages
from proxy.wire.lastword import AWS_EVENTS, JSON, JSON_LINES, SERVER_EVENTS, media_type

_STREAMS = (SERVER_EVENTS, AWS_EVENTS, JSON_LINES)
_MAGIC = (b"\x1f\x8b", b"\x28\xb5", b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")
"""How gzip, zstd and zlib begin; no stream of text or of messages does."""
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
        self._limit = self._left = limit
        self._begun = False
        self._hiding: Hiding | None = None
        response, redaction = flow.response, passage.trial.redaction
        if response is None or not redaction.secrets:
            return
        kind = media_type(response.headers.get("content-type", ""))
        self._hiding = Hiding(redaction, limit, framed=kind == AWS_EVENTS)
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
        if self._hiding is None:
            return data
        return self._hiding.passed(data) or []  # an empty chunk would be the end of a body


class Hiding:
    """Takes providers' keys out of a stream while it passes."""

    def __init__(self, redaction: Redaction, limit: int, *, framed: bool) -> None:
        """Start with nothing held; `framed` is a stream of AWS, whose messages have checksums."""
        self._redaction = redaction
        self._limit = limit
        self._framed = framed
        self._begun = False
        self._packed = False
        self._held = b""

    def passed(self, data: bytes) -> bytes:
        """Return what may go on of a chunk and of what was held before; b"" ends the stream."""
        if not self._begun:
            self._begun, self._packed = True, data[:2] in _MAGIC
        found, self._held = self._held + data, b""
        clean = self._redaction.without_secret
        if not data:
            hidden = self._packed and hides(found, "", self._limit, clean)
            return BROKEN if hidden else clean(found)
        if self._packed:
            self._held = found
            return b""
        if self._framed:
            try:
                whole, self._held = split_messages(found)
            except StrictError:  # from here on it is as good as text
                self._framed = False
            else:
                return rewritten(whole, clean)
        end = open_end(found, self._redaction.secrets)
        self._held = found[end:]
        return clean(found[:end])


def open_end(data: bytes, secrets: Sequence[bytes]) -> int:
    """Return from where on some data may be the beginning of a secret, whole ones in it too.

    One secret may begin like another, or end like another begins: what reaches into the part that
    cannot be told yet waits with it.
    """
    place = min(len(data) - _begun(data, secret) for secret in secrets)
    for _ in secrets:
        for secret in secrets:
            found = data.find(secret, max(0, place - len(secret) + 1))
            if 0 <= found < place < found + len(secret):
                place = found
    return place


def _begun(data: bytes, secret: bytes) -> int:
    """Return how many bytes at the end of some data may be the beginning of a secret."""
    place = data.find(secret[:1], max(0, len(data) - len(secret) + 1))
    while place >= 0:
        if secret.startswith(data[place:]):
            return len(data) - place
        place = data.find(secret[:1], place + 1)
    return 0
