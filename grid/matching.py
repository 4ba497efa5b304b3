"""What a match means: pointers into JSON and comparison of JSON values.

Comparison is by JSON type: true is not 1, but 1 and 1.0 are the same number. A pointer that leads
nowhere matches nothing, not even `IsNot`.
"""

import re
from collections.abc import Mapping
from typing import Any

from grid.predicates import Contains, Is, IsNot, Match, NoneOf, OneOf

KEY = "/@key"
"""Pointer to a row's own key."""

_NOWHERE = object()
_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")  # `isdigit` takes characters that `int` does not


def pointed(value: Any, pointer: str) -> Any:
    """Return the part of a value that a JSON pointer names, or a marker for nowhere."""
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, Mapping) and name in value:
            value = value[name]
        elif isinstance(value, list | tuple) and _INDEX.fullmatch(name) and int(name) < len(value):
            value = value[int(name)]
        else:
            return _NOWHERE
    return value


def equal(left: Any, right: Any) -> bool:
    """Compare two JSON values by JSON type."""
    kind = type(left) if type(left) is type(right) else None  # the usual kinds first: they are many
    if kind is str:
        return bool(left == right)
    if kind is dict:
        same = left.keys() == right.keys()
        return same and all([equal(value, right[key]) for key, value in left.items()])
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(equal(left[key], right[key]) for key in left)
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return len(left) == len(right) and all(map(equal, left, right))
    return bool(left == right)


def matches(match: Match, value: Any) -> bool:
    """Tell whether a value matches."""
    if value is _NOWHERE:
        return False
    match match:
        case Is(value=wanted):
            return equal(value, wanted)
        case IsNot(value=unwanted):
            return not equal(value, unwanted)
        case OneOf(values=wanted_ones):
            return any(equal(value, item) for item in wanted_ones)
        case NoneOf(values=unwanted_ones):
            return not any(equal(value, item) for item in unwanted_ones)
        case Contains(text=text):
            return isinstance(value, str) and text in value


def fits(where: Mapping[str, Match], value: Any) -> bool:
    """Tell whether every pointer's part matches."""
    return all(matches(match, pointed(value, pointer)) for pointer, match in where.items())


def row_fits(where: Mapping[str, Match], key: str, row: Mapping[str, Any]) -> bool:
    """Tell whether a row matches, its key reachable as ``/@key``."""
    return fits(where, {**row, "@key": key})
