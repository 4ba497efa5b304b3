r"""Text in which single characters are escaped, as servers do each in its own way.

A whole value in one of the usual encodings is found as that (see `proxy.redaction`). Here it is one
in which some characters stand as they are and others as a percent code, a ``\u`` escape of JSON or
a character reference of HTML, once or, inside of another text, several times over. Such text is
undone as a whole to see what it says, and searched character by character only if it says it.
"""

import re
from urllib.parse import unquote_to_bytes

OVER_MOST = 4
"""How many times over an escape is undone."""

_PERCENT = re.compile(rb"%[0-7][0-9A-Fa-f]")
_JSON = re.compile(rb"\\{1,16}u00([0-7][0-9A-Fa-f])")
_HTML = re.compile(rb"&#(?:[xX]0{0,8}([2-7][0-9A-Fa-f])|0{0,8}([1-9][0-9]{1,2}));")
# Bounded: an endless run of backslashes or zeros would be tried from each of its places.


def unescaped(data: bytes) -> bytes:
    """Return what a text says; the very bytes if nothing in it is escaped."""
    for _ in range(OVER_MOST):
        before = data
        if b"%" in data and _PERCENT.search(data):  # a single byte is looked for much faster
            data = unquote_to_bytes(data)
        if b"\\" in data and b"\\u00" in data:
            data = _JSON.sub(lambda hit: bytes([int(hit[1], 16)]), data)
        if b"&" in data and b"&#" in data:
            data = _HTML.sub(_referred, data)
        if data == before:
            break
    return data


def replaced(data: bytes, said: bytes, by: bytes) -> bytes:
    """Return a text with every place replaced where it says something, however it is escaped."""
    return re.sub(b"".join(map(_any_way, said)), lambda _: by, data)


def _any_way(code: int) -> bytes:
    digits = b"".join(
        b"[%s%s]" % (one, one.upper()) if one.isalpha() else one
        for one in (b"%x" % (code >> 4), b"%x" % (code & 15))
    )
    ways = [
        re.escape(bytes([code])),
        b"%%(?:25){0,%d}%s" % (OVER_MOST - 1, digits),
        rb"\\{1,16}u00%s" % digits,
        b"&#(?:[xX]0{0,8}%s|0{0,8}%d);" % (digits, code),
    ]
    return b"(?:%s)" % b"|".join(ways)


def _referred(hit: re.Match[bytes]) -> bytes:
    code = int(hit[1], 16) if hit[1] else int(hit[2])
    return bytes([code]) if code < 128 else hit[0]
