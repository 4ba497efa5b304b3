"""Every string of a JSON value with the place it stands at, JSON inside strings included.

Tool results travel as JSON text inside JSON text; a payload that stands there is as visible to a
model as any other. Keys count as strings. Places are written with ``*`` for positions in arrays, so
that the same argument of two calls has the same place. Nesting of JSON in strings is followed a
fixed number of times, and through what a clause puts around tool results.
"""

from typing import Any, NamedTuple

from grid.canonical import load_json
from grid.errors import CanonicalError
from grid.resultframe import unframed

NESTED = 3
"""How many times JSON inside a string is opened."""


class Strand(NamedTuple):
    """One string and where it stands."""

    place: str
    """JSON pointer with ``*`` for array positions."""
    text: str
    """The string."""
    at: str = ""
    """JSON pointer with the array positions themselves: where exactly."""


def strands(value: Any, place: str = "", nested: int = NESTED) -> list[Strand]:
    """Return every string of a JSON value, in document order."""
    found: list[Strand] = []
    _gather(found, value, (place, place), nested)
    return found


def _gather(found: list[Strand], value: Any, where: tuple[str, str], nested: int) -> None:
    place, at = where
    if isinstance(value, str):
        found.append(Strand(place, value, at))
        if nested and (inner := opened(value)) is not None:
            _gather(found, inner, (f"{place}/@json", f"{at}/@json"), nested - 1)
    elif isinstance(value, dict):
        for key, item in value.items():
            found.append(Strand(f"{place}/@name", key, f"{at}/@name"))
            _gather(found, item, (f"{place}/{key}", f"{at}/{key}"), nested)
    elif isinstance(value, list | tuple):
        for position, item in enumerate(value):
            _gather(found, item, (f"{place}/*", f"{at}/{position}"), nested)


def opened(text: str) -> Any:
    """Return the JSON array, object or string that a text is, or that is framed in it, or None."""
    if text.lstrip()[:1] not in ("{", "[", '"'):
        return None
    try:
        return load_json(unframed(text).answer)
    except CanonicalError:
        return None
