"""The binary framing ``application/vnd.amazon.eventstream``, read strictly from a whole body.

A stream is messages back to back, all numbers big-endian:

    total length (4) | headers length (4) | CRC-32 of these eight bytes (4)
    headers | payload | CRC-32 of everything before (4)

and a header is the length of its name (1), the name, its type (1) and its value. Nothing is read
from bytes whose checksum does not fit, nothing is guessed after damage, and nothing may be left
over: each of these ends the reading with the offset of the byte where it stands. What was whole
before that place has been yielded by then, so that an error which a provider sent in its last words
is not lost to the cut that follows it.
"""

import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from grid.errors import StrictError

LONGEST_HEADERS = 128 * 1024
"""Bytes of headers that a message may hold, as the format says."""
LONGEST_PAYLOAD = 24 * 1024 * 1024
"""Bytes of payload that a message may hold, as the format says."""

type HeaderValue = bool | int | bytes | str
"""A timestamp is its milliseconds, a UUID its 16 bytes."""

_PRELUDE = struct.Struct(">III")
_CHECKSUM = struct.Struct(">I")
_LENGTH = struct.Struct(">H")
_NUMBERS = {
    2: struct.Struct(">b"),
    3: struct.Struct(">h"),
    4: struct.Struct(">i"),
    5: struct.Struct(">q"),
    8: struct.Struct(">q"),
}
"""Type of a header -> its number: byte, short, integer, long and timestamp."""
_TRUE, _FALSE, _BYTES, _TEXT, _UUID = 0, 1, 6, 7, 9
_UUID_LENGTH = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a stream."""

    offset: int
    """Byte of the stream where it begins."""
    headers: dict[str, HeaderValue]
    """Name -> value; in the order in which they came."""
    payload: bytes
    """What it carries."""


def read_messages(data: bytes) -> Iterator[Message]:
    """Yield the messages of a whole stream, in order.

    Raises:
        StrictError: the stream is cut, a checksum does not fit, a length is over its bound or a
            header cannot be read; the sentence says at which byte.
    """
    at = 0
    while at < len(data):
        message, at = _message(data, at)
        yield message


def split_messages(data: bytes) -> tuple[bytes, bytes]:
    """Return the messages that are whole, and the bytes of one that is still to come.

    Raises:
        StrictError: what stands there is no message by its lengths.
    """
    at = 0
    while len(data) - at >= _PRELUDE.size:
        total, length, checksum = _PRELUDE.unpack_from(data, at)
        if zlib.crc32(data[at : at + 8]) != checksum or not _fits(total, length):
            raise StrictError(f"the lengths at byte {at} are those of no message")
        if len(data) - at < total:
            break
        at += total
    return data[:at], data[at:]


def rewritten(data: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """Return a stream in which every text in a message is changed, with lengths and sums that fit.

    A message without anything to change stays as it is; what cannot be read as messages, to its
    end, is changed as it stands.

    Args:
        data: messages, back to back.
        change: returns the new payload for a payload, and the new value for that of a header.
    """
    if change(data) == data:
        return data
    found, at = [], 0
    try:
        while at < len(data):
            message, end = _message(data, at)
            payload = change(message.payload)
            headers = _changed_headers(data, at, message, change)
            found.append(_written(headers, payload))
            at = end
    except StrictError:
        found.append(change(data[at:]))
    return b"".join(found)


def _written(headers: bytes, payload: bytes) -> bytes:
    sizes = len(headers) + len(payload) + _PRELUDE.size + _CHECKSUM.size, len(headers)
    lengths = _PRELUDE.pack(*sizes, 0)[: -_CHECKSUM.size]
    message = lengths + _CHECKSUM.pack(zlib.crc32(lengths)) + headers + payload
    return message + _CHECKSUM.pack(zlib.crc32(message))


def _changed_headers(
    data: bytes, start: int, message: Message, change: Callable[[bytes], bytes]
) -> bytes:
    length = _PRELUDE.unpack_from(data, start)[1]
    body = start + _PRELUDE.size
    raw = data[body : body + length]
    if change(raw) == raw:
        return raw
    reader, found = _Headers(data=data, at=body, end=body + length), []
    while reader.at < reader.end:
        found.append(reader.changed(change))
    return b"".join(found)


def _fits(total: int, length: int) -> bool:
    size = total - length - _PRELUDE.size - _CHECKSUM.size
    return length <= LONGEST_HEADERS and 0 <= size <= LONGEST_PAYLOAD


def _message(data: bytes, start: int) -> tuple[Message, int]:
    body = start + _PRELUDE.size
    if len(data) < body:
        raise StrictError(f"the event stream is cut inside the message at byte {start}")
    total, length, checksum = _PRELUDE.unpack_from(data, start)
    if zlib.crc32(data[start : body - _CHECKSUM.size]) != checksum:
        raise StrictError(f"the checksum of the lengths at byte {start} does not fit")
    if not _fits(total, length):
        raise StrictError(f"the lengths at byte {start} are out of bounds")
    end = start + total
    if len(data) < end:
        raise StrictError(f"the event stream is cut inside the message at byte {start}")
    last = end - _CHECKSUM.size
    if zlib.crc32(data[start:last]) != _CHECKSUM.unpack_from(data, last)[0]:
        raise StrictError(f"the checksum of the message at byte {start} does not fit")
    headers = _Headers(data=data, at=body, end=body + length).read()
    return Message(offset=start, headers=headers, payload=data[body + length : last]), end


@dataclass(slots=True, kw_only=True)
class _Headers:
    """Reads the headers of one message; never a byte beyond them."""

    data: bytes
    at: int
    end: int

    def read(self) -> dict[str, HeaderValue]:
        found: dict[str, HeaderValue] = {}
        while self.at < self.end:
            start = self.at
            name = self._text(self._take(1)[0], start)
            if not name:
                raise StrictError(f"the header at byte {start} has no name")
            if name in found:
                raise StrictError(f"the header at byte {start} comes a second time")
            found[name] = self._value(start)
        return found

    def changed(self, change: Callable[[bytes], bytes]) -> bytes:
        """Return the next header as it stands on the wire, its value changed if it is text."""
        start = self.at
        self._take(self._take(1)[0])
        kind = self._take(1)[0]
        if kind not in (_BYTES, _TEXT):
            self.at -= 1
            self._value(start)
            return self.data[start : self.at]
        head = self.data[start : self.at]
        value = change(self._take(self._unpack(_LENGTH)))
        return head + _LENGTH.pack(len(value)) + value

    def _value(self, start: int) -> HeaderValue:
        kind = self._take(1)[0]
        if kind in (_TRUE, _FALSE):
            return kind == _TRUE
        if kind in _NUMBERS:
            number: int = self._unpack(_NUMBERS[kind])
            return number
        if kind == _UUID:
            return self._take(_UUID_LENGTH)
        if kind == _BYTES:
            return self._take(self._unpack(_LENGTH))
        if kind == _TEXT:
            return self._text(self._unpack(_LENGTH), start)
        raise StrictError(f"the header at byte {start} is of no known type: {kind}")

    def _text(self, length: int, start: int) -> str:
        try:
            return self._take(length).decode()
        except UnicodeDecodeError as error:
            raise StrictError(f"the header at byte {start} is not UTF-8") from error

    def _unpack(self, form: struct.Struct) -> Any:
        return form.unpack(self._take(form.size))[0]

    def _take(self, count: int) -> bytes:
        taken = self.data[self.at : self.at + count]
        if self.at + count > self.end:
            raise StrictError(f"a header is cut at byte {self.at}, where the headers end too soon")
        self.at += count
        return taken
