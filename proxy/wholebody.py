"""Undoing a content encoding, with a bound: a small body must not grow into all of memory.

The proxy asks upstreams for plain bodies, so this is for those that compress all the same. What
does not decode is kept as it came: broken bytes are evidence, and the client got the same ones.
"""

import zlib
from collections.abc import Callable

import brotli  # type: ignore[import-untyped]
import zstandard

_SLICE = 64
"""Bytes handed to zstd at once; each may grow to at most some megabytes."""


class BodyTooLargeError(Exception):
    """A body is over the limit once it is decoded."""


def plain(data: bytes, encoding: str, limit: int) -> bytes:
    """Return a body without its content encoding, or as it came if that cannot be undone.

    Raises:
        BodyTooLargeError: the plain body is over the limit.
    """
    decode = _DECODERS.get(encoding.strip().lower())
    if decode is None or not data:
        return data
    try:
        found = decode(data, limit + 1)
    except (zlib.error, zstandard.ZstdError, brotli.error, EOFError):
        return data
    if len(found) > limit:
        raise BodyTooLargeError(f"a body is over {limit} bytes once it is decoded")
    return found


def _zlib(data: bytes, most: int) -> bytes:
    try:
        return _inflate(data, most, 47)  # gzip or zlib, told apart by its head
    except zlib.error:
        return _inflate(data, most, -15)  # servers that send deflate without a head


def _inflate(data: bytes, most: int, window: int) -> bytes:
    machine = zlib.decompressobj(window)
    found = machine.decompress(data, most)
    if not machine.eof and len(found) < most:
        raise EOFError("the body is cut")
    if machine.unused_data:
        raise EOFError("something stands behind the body; clients differ in what they make of it")
    return found


def _zstd(data: bytes, most: int) -> bytes:
    machine = zstandard.ZstdDecompressor().decompressobj()
    found = bytearray()
    for start in range(0, len(data), _SLICE):
        if machine.eof or len(found) >= most:
            break
        found += machine.decompress(data[start : start + _SLICE])
    if not machine.eof and len(found) < most:
        raise EOFError("the body is cut")
    if machine.unused_data or (machine.eof and start + _SLICE < len(data)):
        raise EOFError("something stands behind the body; clients differ in what they make of it")
    return bytes(found[:most])


def _brotli(data: bytes, most: int) -> bytes:
    machine = brotli.Decompressor()
    found = bytes(machine.process(data, output_buffer_limit=most))
    if not machine.is_finished() and len(found) < most:
        raise EOFError("the body is cut")
    return found


_DECODERS: dict[str, Callable[[bytes, int], bytes]] = {
    "gzip": _zlib,
    "x-gzip": _zlib,
    "deflate": _zlib,
    "zstd": _zstd,
    "br": _brotli,
}
