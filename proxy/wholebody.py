"""Undoing a content encoding, with a bound: a small body must not grow into all of memory.

The proxy asks upstreams for plain bodies, so this is for those that compress all the same. What
does not decode is kept as it came: broken bytes are evidence, and the client got the same ones.
`within` tells what can be read of such a body nevertheless, and `guessed` what can be read of one
whose header is wrong or missing, so that no credential `hides` in it.
"""

import zlib
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

import brotli  # type: ignore[import-untyped]
import zstandard

BROKEN = b"[body with a credential in a broken content encoding]"
"""Stands for a body that can neither be cleaned in its encoding nor without it."""

CODINGS_MOST = 5
"""How many content encodings, one over the other, are undone."""

_SLICE = 64
"""Bytes handed to zstd at once; each may grow to at most some megabytes."""

_STEP = 4096
"""Bytes of a broken body that are handed on at once to what grows less, or stops at a bound."""

_SHORTEST = 8
"""Bytes under which a body that was guessed can hold no credential."""

_BROKEN = (zlib.error, zstandard.ZstdError, brotli.error, EOFError)


class BodyTooLargeError(Exception):
    """A body is over the limit once it is decoded."""


def plain(data: bytes, encoding: str, limit: int) -> bytes:
    """Return a body without its content encodings, or the very bytes if they cannot all be undone.

    Raises:
        BodyTooLargeError: the plain body, or one on the way there, is over the limit.
    """
    found, names = data, _codings(encoding)
    if not data or len(names) > CODINGS_MOST:
        return data
    for name in reversed(names):
        decode = _DECODERS.get(name)
        if decode is None:
            return data
        try:
            found = decode(found, limit + 1)
        except _BROKEN:
            return data
        _check(found, limit)
    return found


def within(data: bytes, encoding: str, limit: int) -> Iterator[bytes]:
    """Yield what can be read of a body under each of its codings, as far as they can be undone.

    For a body that `plain` returns as it came: one that is cut, or holds something behind its end.

    Raises:
        BodyTooLargeError: it is over the limit, or has more than `CODINGS_MOST` codings.
    """
    names = _codings(encoding)
    if len(names) > CODINGS_MOST:
        raise BodyTooLargeError(f"a body has more than {CODINGS_MOST} content codings")
    for name in reversed(names):
        if name not in _MACHINES:
            return
        data = max((_beginning(data, *machine, limit) for machine in _MACHINES[name]), key=len)
        _check(data, limit)
        yield data


def guessed(data: bytes, limit: int, depth: int = CODINGS_MOST) -> Iterator[bytes]:
    """Yield what a body that is no text gives under every coding there is, and so on within.

    As far as the limit only: a file that somebody compressed may be larger than any answer.
    """
    if not depth or _is_text(data):
        return
    for machines in (_INFLATE, _ZSTD, _BROTLI):
        for machine in machines:
            found = _beginning(data, *machine, limit)[:limit]
            if len(found) >= _SHORTEST:
                yield found
                yield from guessed(found, limit, depth - 1)


def hides(data: bytes, encoding: str, limit: int, clean: Callable[[bytes], bytes]) -> bool:
    """Tell whether there is something to clean away in what can be read of a body that is kept.

    Args:
        data: the body, as it is kept.
        encoding: the content encoding that it is still said to be in.
        limit: as in `plain`.
        clean: returns a text with what must not be kept replaced.

    Raises:
        BodyTooLargeError: as in `within`.
    """
    readings = chain(within(data, encoding, limit), guessed(data, limit))
    return any(clean(reading) != reading for reading in readings)


def _is_text(data: bytes) -> bool:
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _check(found: bytes, limit: int) -> None:
    if len(found) > limit:
        raise BodyTooLargeError(f"a body is over {limit} bytes once it is decoded")


def _codings(encoding: str) -> list[str]:
    names = (name.strip().lower() for name in encoding.split(","))
    return [name for name in names if name not in ("", "identity")]


def _beginning(data: bytes, begin: Callable[[int], Any], step: int, limit: int) -> bytes:
    """Return what one coding gives before it breaks, of every body that stands behind the other."""
    found = bytearray()
    while data and len(found) <= limit:
        machine = begin(limit + 1)
        more, place = _fed(machine, data, 0, step, limit)
        if place < len(data) and not machine.eof:
            # What the broken step held before the place where it broke is still to come.
            machine = begin(limit + 1)
            more, place = _fed(machine, data[:place], 0, step, limit)
            last, place = _fed(machine, data[: place + step], place, 1, limit)
            more += last
        found += more
        data = machine.unused_data + data[place:] if machine.eof else b""
    return bytes(found)


def _fed(machine: Any, data: bytes, place: int, step: int, limit: int) -> tuple[bytes, int]:
    """Feed a machine from a place on; return what it gave, and the place it had taken whole."""
    found = bytearray()
    while place < len(data) and not machine.eof and len(found) <= limit:
        try:
            found += machine.decompress(data[place : place + step])
        except _BROKEN:
            break
        place += step
    return bytes(found), min(place, len(data))


class _Brotli:
    """brotli's machine in the shape of the others', with a bound on what it gives at once."""

    unused_data = b""  # it takes what stands behind the end as broken

    def __init__(self, most: int) -> None:
        self._machine = brotli.Decompressor()
        self._most = most
        self.eof = False

    def decompress(self, data: bytes) -> bytes:
        """Return what some further bytes give, or its beginning if it is over the bound."""
        found = bytes(self._machine.process(data, output_buffer_limit=self._most))
        self.eof = bool(self._machine.is_finished())  # not asked of one that broke: it would raise
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

_INFLATE: tuple[tuple[Callable[[int], Any], int], ...] = (
    (lambda most: zlib.decompressobj(47), _STEP),
    (lambda most: zlib.decompressobj(-15), _STEP),
)
_ZSTD: tuple[tuple[Callable[[int], Any], int], ...] = (
    (lambda most: zstandard.ZstdDecompressor().decompressobj(), _SLICE),
)
_BROTLI: tuple[tuple[Callable[[int], Any], int], ...] = ((_Brotli, _STEP),)
_MACHINES = {
    "gzip": _INFLATE,
    "x-gzip": _INFLATE,
    "deflate": _INFLATE,
    "zstd": _ZSTD,
    "br": _BROTLI,
}
