r"""Showing hostile text: whatever came from a model, a tool or an attack is made harmless first.

`visible` leaves nothing that a terminal would obey or hide: control characters, bidirectional and
invisible format characters, tag characters and lone surrogates come out as ``\u{..}``.
"""

import unicodedata

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


def _shown(character: str, lines: bool) -> str:
    if character == "\n" and lines:
        return character
    if unicodedata.category(character) in _HIDDEN:
        return f"\\u{{{ord(character):x}}}"
    return character
