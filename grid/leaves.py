"""What a tool's result holds: its leaves, and whether a claimed value stands among them.

The one meaning of "the cited result shows this value", shared by the guard that refuses a claim and
the rule that judges it. A result holds a value that is one of its leaves, that is the same number
as one (``30``, ``30.0`` and 30), or that stands inside a text of it as a whole word or number:

- A value without a letter or a digit says nothing and is never held.
- A word goes on through letters, digits, underscores and combining marks of any script. Scripts
  that are written without spaces end a word, so the 30 in a Japanese sentence is one.
- A number goes on through a separator that a digit follows: 3 is no part of 3.5, of 3,500 or of a
  date. A sign before a number belongs to it.
- Keys are no values.

Evidence is hostile: a result is indexed once, whatever the number of claims that cite it, a value
is no longer than a report may state it, and the search gives up on a text that repeats the value
inside longer words without end.
"""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

LONGEST_NUMBER = 40
"""Characters of a text that may be a number."""

LONGEST_VALUE = 4000
"""Characters of a claimed value; a longer one is not held."""
PATIENCE = 1_000_000
"""Characters that are compared, in all places where a value stands inside longer words."""
_A_LOOK = 20
"""What a look at the edges of one place costs, in characters."""

_BETWEEN_TEXTS = "\0"
_SEPARATORS = ".,-+'\u2019\u2212\u202f"
"""What may stand inside or before a number: points, signs and the marks that group digits."""
_SIGNS = ("-", "+", "\u2212")
_NO_SPACES = ("W", "H")
"""Widths of the scripts that are written without spaces; full-width Latin is not among them."""


def leaves(value: Any) -> Iterator[Any]:
    """Yield the texts, numbers and truth values of a JSON value."""
    if isinstance(value, dict):
        for item in value.values():
            yield from leaves(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from leaves(item)
    elif value is not None:
        yield value


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaves:
    """The leaves of one result, indexed."""

    spelled: frozenset[str]
    """Each leaf, as it is written."""
    numbers: frozenset[Decimal]
    """The leaves that are numbers."""
    text: str
    """All texts, one after the other, so that no value stands in two of them."""

    def hold(self, value: Any) -> bool:
        """Tell whether a value is a leaf or stands in a text as a whole word or number."""
        wanted = _spelled(value).strip()
        if len(wanted) > LONGEST_VALUE or not any(map(str.isalnum, wanted)):
            return False
        if wanted in self.spelled:
            return True
        number = _number(wanted)
        if number is not None and number in self.numbers:
            return True
        return _BETWEEN_TEXTS not in wanted and _stands_in(wanted, self.text)


def leaves_of(result: Any) -> Leaves:
    """Return the leaves of a result, indexed."""
    found = list(leaves(result))
    spelled = frozenset(map(_spelled, found))
    numbers = (_number(text.strip()) for text in spelled)
    return Leaves(
        spelled=spelled,
        numbers=frozenset(number for number in numbers if number is not None),
        text=_BETWEEN_TEXTS.join(leaf for leaf in found if isinstance(leaf, str)),
    )


def _spelled(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else ""


def _number(text: str) -> Decimal | None:
    if not text or len(text) > LONGEST_NUMBER or not set(text) <= set("0123456789.eE+-"):
        return None
    try:
        return Decimal(text)
    except InvalidOperation:
        return None


def _stands_in(wanted: str, text: str) -> bool:
    first, last = wanted[:2], wanted[-2:][::-1]
    left, at = PATIENCE, text.find(wanted)
    while at >= 0 and left > 0:
        end = at + len(wanted)
        before, after = text[max(0, at - 2) : at][::-1], text[end : end + 2]
        signed = first[0].isdigit() and before.startswith(_SIGNS)
        if not (signed or _runs_on(first, before) or _runs_on(last, after)):
            return True
        left, at = left - len(wanted) - _A_LOOK, text.find(wanted, at + 1)
    return False


def _runs_on(edge: str, beyond: str) -> bool:
    """Tell whether a word or number goes on beyond its edge; both are read away from the seam."""
    if not beyond:
        return False
    numeric = edge[0].isdigit() or (edge[0] in _SEPARATORS and edge[1:].isdigit())
    if not (numeric or _joins(edge[0])):
        return False
    return _joins(beyond[0]) or (numeric and beyond[0] in _SEPARATORS and beyond[1:].isdigit())


def _joins(character: str) -> bool:
    """Tell whether a character belongs to the word that it touches."""
    if character.isascii():
        return character.isalnum() or character == "_"
    if unicodedata.east_asian_width(character) in _NO_SPACES:
        return False
    return character.isalnum() or unicodedata.category(character).startswith("M")
