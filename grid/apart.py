"""Two values that differ, in short, for people: cut so that the place where they part is in view.

Nothing here is safe for a terminal by its content alone: text comes out as Python writes it, with
whatever cannot be printed as an escape.
"""

from itertools import takewhile
from typing import Any

WIDTH = 120
"""Characters of each value that are shown."""
BEFORE = 30
"""Characters that are shown before the place where two long texts part."""

ABSENT = object()
"""Stands for a value that one side does not have."""


def apart(left: Any, right: Any) -> tuple[str, str]:
    """Return both values as text of about `WIDTH` characters each."""
    if isinstance(left, str) and isinstance(right, str):
        pairs = zip(left, right, strict=False)
        start = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        start = 0 if start <= WIDTH // 2 else start - BEFORE
        return _text(left, start), _text(right, start)
    return _value(left), _value(right)


def _text(text: str, start: int) -> str:
    shown = ("..." if start else "") + repr(text[start : start + WIDTH])
    return shown if len(text) <= start + WIDTH else f"{shown}... ({len(text)} characters)"


def _value(value: Any) -> str:
    if value is ABSENT:
        return "nothing"
    if isinstance(value, str):
        return _text(value, 0)
    text = repr(value)
    return text if len(text) <= WIDTH else f"{text[:WIDTH]}... ({len(text)} characters)"
