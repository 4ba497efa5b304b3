r"""Showing hostile text: whatever came from a model, a tool or an attack is made harmless first.

`visible` leaves nothing that a terminal would obey or hide: control characters, bidirectional and
invisible format characters, tag characters and lone surrogates come out as ``\u{..}``.
"""

import unicodedata
from typing import Any

from grid.canonical import plain_json

_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def visible(text: str, limit: int = 2000, *, lines: bool = False) -> str:
    """Return text that can be printed safely, shortened to a limit of characters.

    Args:
        text: any text.
        limit: characters that are kept; what is cut is counted.
        lines: keep line feeds.
    """
    kept = text[:limit]
    shown = "".join(_shown(character, lines) for character in kept)
    cut = len(text) - len(kept)
    return shown + (f" … ({cut} more characters)" if cut else "")


def visible_json(value: Any) -> str:
    """Return readable JSON in which nothing stands raw that a terminal would obey or hide."""
    text = plain_json(value)
    return "".join(
        character if character == "\n" or not _is_hidden(character) else _escaped(character)
        for character in text
    )


def _escaped(character: str) -> str:
    """Return a character as JSON writes it: one escape, or two for a surrogate pair."""
    return plain_json(character, indent=None, ascii_only=True)[1:-1]


def _is_hidden(character: str) -> bool:
    return unicodedata.category(character) in _HIDDEN


def _shown(character: str, lines: bool) -> str:
    if character == "\n" and lines:
        return character
    if _is_hidden(character):
        return f"\\u{{{ord(character):x}}}"
    return character
