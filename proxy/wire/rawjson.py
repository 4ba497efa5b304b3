"""The raw text of the parts of a JSON text, to be kept as evidence exactly as it was sent.

Some protocols send a tool call's arguments as JSON inside JSON rather than as text. Written anew,
``1.0`` might become ``1`` and a long number lose its tail; so the span itself is kept, spaces and
escapes included. Only text that `proxy.wire.answertext.parse` has read comes here.
"""

import json
import re

_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str)
"""Finds where a value ends; what the value is does not matter here."""


def members(text: str) -> dict[str, str]:
    """Return key -> raw text of each member of a JSON object; empty for any other value."""
    found: dict[str, str] = {}
    at = _after(text, 0)
    if text[at : at + 1] != "{":
        return found
    at = _after(text, at + 1)
    while text[at] != "}":
        key, end = _DECODER.raw_decode(text, at)
        at = _after(text, _after(text, end) + 1)  # over the colon
        _, end = _DECODER.raw_decode(text, at)
        found[key] = text[at:end]
        at = _past_comma(text, end)
    return found


def items(text: str) -> list[str]:
    """Return the raw text of each item of a JSON array; empty for any other value."""
    found: list[str] = []
    at = _after(text, 0)
    if text[at : at + 1] != "[":
        return found
    at = _after(text, at + 1)
    while text[at] != "]":
        _, end = _DECODER.raw_decode(text, at)
        found.append(text[at:end])
        at = _past_comma(text, end)
    return found


def _past_comma(text: str, end: int) -> int:
    at = _after(text, end)
    return _after(text, at + 1) if text[at] == "," else at


def _after(text: str, at: int) -> int:
    """Return the place after the white space that begins here."""
    found = _SPACE.match(text, at)
    return found.end() if found else at
