r"""Showing hostile text: whatever came from a model, a tool or an attack is made harmless first.

`visible` leaves nothing that a terminal would obey or hide: control characters, bidirectional and
invisible format characters, tag characters, blank fillers, stray variation selectors and lone
surrogates come out as ``\u{..}``. What spells nothing by itself and belongs to the character before
it is no hidden text and stays: one variation selector after what it varies (a Japanese ideograph, a
sign), a joiner between two pictures, and the tags of the three flags that are written with them.
"""

import re
import unicodedata
from collections.abc import Callable
from typing import Any

from grid.canonical import plain_json

_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
_BLANK = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
    + "".join(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
)
"""Letters, marks and selectors that are drawn as nothing, though they count as text."""
_PICTURE = (
    "[\u00a9\u00ae\u203c\u2049\u2122-\u27ff\u2801-\u2bff\u3030\u303d\u3297\u3299"
    "\U0001f000-\U0001faff]"
)
"""Ranges that hold every picture of Unicode; no letter of any script stands in them."""
_BELONGING = re.compile(
    # an ideograph in one of its registered forms
    "(?:[\u2e80-\u2fdf\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])"
    "[\ufe00-\ufe02\U000e0100-\U000e01ef]"
    # a sign or a key cap, as text or as a picture, and pictures that are joined to one
    f"|[#*0-9\u3001\u3002\uff01\uff0c\uff0e\uff1a\uff1b\uff1f][\ufe00\ufe01\ufe0e\ufe0f]"
    f"|{_PICTURE}[\ufe0e\ufe0f]?[\U0001f3fb-\U0001f3ff]?"
    f"(?:\u200d{_PICTURE}\ufe0f?[\U0001f3fb-\U0001f3ff]?)*"
    # the flags of England, Scotland and Wales
    "(?:(?<=\U0001f3f4)\U000e0067\U000e0062"
    "(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074"
    "|\U000e0077\U000e006c\U000e0073)\U000e007f)?"
)
"""Characters that are read together, although one of them alone would be hidden."""


def visible(text: str, limit: int = 2000, *, lines: bool = False) -> str:
    """Return text that can be printed safely, shortened to a limit of characters.

    Args:
        text: any text.
        limit: characters that are kept; what is cut is counted.
        lines: keep line feeds.
    """
    kept = text[:limit]
    shown = _shown(kept, _code_point, "\n" if lines else "")
    cut = len(text) - len(kept)
    return shown + (f" … ({cut} more characters)" if cut else "")


def visible_json(value: Any) -> str:
    """Return readable JSON in which nothing stands raw that a terminal would obey or hide."""
    return _shown(plain_json(value), _escaped, "\n")


def _shown(text: str, escape: Callable[[str], str], kept: str) -> str:
    """Return text with what is hidden escaped, but for what belongs to the character before it."""
    parts: list[str] = []
    at = 0
    for found in _BELONGING.finditer(text):
        whole = all(unicodedata.category(character) != "Cn" for character in found[0])
        together = found[0] if whole else _plain(found[0], escape, kept)
        parts += [_plain(text[at : found.start()], escape, kept), together]
        at = found.end()
    return "".join((*parts, _plain(text[at:], escape, kept)))


def _plain(text: str, escape: Callable[[str], str], kept: str) -> str:
    return "".join(
        escape(character) if _is_hidden(character) and character not in kept else character
        for character in text
    )


def _escaped(character: str) -> str:
    """Return a character as JSON writes it: one escape, or two for a surrogate pair."""
    return plain_json(character, indent=None, ascii_only=True)[1:-1]


def _code_point(character: str) -> str:
    return f"\\u{{{ord(character):x}}}"


def _is_hidden(character: str) -> bool:
    return unicodedata.category(character) in _HIDDEN or character in _BLANK
