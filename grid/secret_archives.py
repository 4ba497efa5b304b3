"""Archives inside a text: what a gzip, zip or tar file says that was written out in base64 or hex.

A secret that is compressed stands in no form that can be searched, so archives are the one thing
that is unpacked: one level, and only what begins as such a file does. What a tar file holds, and
what a zip file merely stores, stands in the code itself too: it is unpacked to be named. A tar file
inside a gzip file is plain text once that is unpacked. (A tar file in hex is found as hex.)

Bounds, whatever the text: at most `MOST_ARCHIVES` of a text are opened, at most `MOST_MEMBERS` of
each, and at most `MOST_UNPACKED` bytes come out of each. A file that is cut or broken gives what
can be read of it.
"""

import binascii
import re
import zlib
from collections.abc import Callable, Iterator
from itertools import islice

MOST_ARCHIVES = 8
MOST_MEMBERS = 64
MOST_UNPACKED = 1 << 20

_GZIP, _ZIP = b"\x1f\x8b\x08", b"PK\x03\x04"
_HEAD = re.compile(r"(H4sI|UEsDB)|(c3RhcgAw|c3RhciAg)|1[fF]8[bB]08|504[bB]0304")
"""How each begins, in base64 and in hex; for a tar file, what stands `_TAR_MARK` characters on."""
_BASE64, _HEX = re.compile(r"[A-Za-z0-9+/_\-\s]*"), re.compile(r"[0-9a-fA-F\s]*")
_SPACE = re.compile(r"\s+")
_URL_SAFE = str.maketrans("-_", "+/")

_ZIP_HEAD = 30
"""Bytes of a member's header before its name."""
_STORED, _DEFLATED = 0, 8
_TAR_MARK = 344
"""Characters of base64 before the mark in the first header of a tar file."""
_TAR_BLOCK = 512


def unpacked(text: str) -> Iterator[tuple[str, str]]:
    """Yield the texts of the archives that are written out in a text, each with its encoding."""
    seen: set[bytes] = set()
    for encoding, data in islice(_files(text), MOST_ARCHIVES):
        kind, contents = _kind(data)
        left = MOST_UNPACKED
        for content in islice(contents(data), MOST_MEMBERS):
            if content not in seen:
                seen.add(content)
                yield f"{encoding} {kind}", content[:left].decode("utf-8", "replace")
            left -= len(content)
            if left <= 0:
                break


def _kind(data: bytes) -> tuple[str, Callable[[bytes], Iterator[bytes]]]:
    if data.startswith(_GZIP):
        return "gzip", _gzip
    return ("zip", _zip) if data.startswith(_ZIP) else ("tar", _tar)


def _files(text: str) -> Iterator[tuple[str, bytes]]:
    """Yield the bytes that stand in a text from each beginning of an archive on."""
    for found in _HEAD.finditer(text):
        in_base64 = found[1] or found[2]
        start = found.start() - (_TAR_MARK if found[2] else 0)
        run = (_BASE64 if in_base64 else _HEX).match(text, start) if start >= 0 else None
        code = _SPACE.sub("", run[0] if run else "")
        if in_base64:
            code = code.translate(_URL_SAFE)
            yield "base64", binascii.a2b_base64(code[: len(code) // 4 * 4] + _rest(code))
        else:
            yield "hex", binascii.unhexlify(code[: len(code) // 2 * 2])


def _rest(code: str) -> str:
    """Return the last characters of a code, padded; one alone says nothing."""
    rest = code[len(code) // 4 * 4 :]
    return rest + "=" * (4 - len(rest)) if len(rest) > 1 else ""


def _gzip(data: bytes) -> Iterator[bytes]:
    """Yield what the members of a gzip file say, one after the other."""
    while data.startswith(_GZIP):
        content, data = _inflated(data, 31)
        yield content


def _zip(data: bytes) -> Iterator[bytes]:
    """Yield what the members of a zip file say, found by their own headers."""
    at = data.find(_ZIP)
    while 0 <= at <= len(data) - _ZIP_HEAD:
        head = data[at : at + _ZIP_HEAD]
        how = int.from_bytes(head[8:10], "little")
        names = (int.from_bytes(head[n : n + 2], "little") for n in (26, 28))
        start = at + _ZIP_HEAD + sum(names)
        at = data.find(_ZIP, at + 1)
        if how == _DEFLATED:
            yield _inflated(data[start:], -15)[0]
        elif how == _STORED:
            yield data[start : at if at > start else len(data)]


def _tar(data: bytes) -> Iterator[bytes]:
    """Yield what the members of a tar file say."""
    at = 0
    while data[at + 257 : at + 262] == b"ustar":
        octal = data[at + 124 : at + 135].strip(b" \0")
        size = int(octal, 8) if octal and not octal.strip(b"01234567") else 0
        at += _TAR_BLOCK
        yield data[at : at + size]
        at += -(-size // _TAR_BLOCK) * _TAR_BLOCK


def _inflated(data: bytes, bits: int) -> tuple[bytes, bytes]:
    """Return what can be read of compressed bytes, up to a bound, and what follows them."""
    inflating, pieces, size = zlib.decompressobj(bits), [], 0
    for start in range(0, len(data), _CHUNK):
        try:
            most = MOST_UNPACKED - size
            piece = inflating.decompress(data[start : start + _CHUNK], most)
        except zlib.error:
            break
        pieces.append(piece)
        size += len(piece)
        if inflating.eof:
            return b"".join(pieces), inflating.unused_data + data[start + _CHUNK :]
        if size >= MOST_UNPACKED:
            break
    return b"".join(pieces), b""


_CHUNK = 1 << 10
"""Bytes that are inflated at a time: what stands before a fault is kept."""
