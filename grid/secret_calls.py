"""What calls said, text by text, so that a secret can be looked for in all of them together.

Guards that look for a secret share this. A secret may stand in one text, or in pieces over several
arguments of one call, or over the same argument of several calls: so each text is told under every
channel in which its parts can be put together. JSON inside texts is opened a fixed number of times.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grid.canonical import load_json, plain_json
from grid.errors import CanonicalError
from grid.secret_search import Said, sights

NESTED = 3
"""How many times JSON inside a text is opened."""


def texts(value: Any) -> Iterator[str]:
    """Yield every text and number of a JSON value, in order."""
    if isinstance(value, dict):
        for item in value.values():
            yield from texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from texts(item)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield str(value)


def _opened(text: str) -> Any:
    if text.lstrip()[:1] not in ("{", "[", '"'):
        return None
    try:
        return load_json(text)
    except CanonicalError:
        return None


def _placed(value: Any, place: str, nested: int = NESTED) -> Iterator[Said]:
    """Yield every text, key and number of a JSON value with its place, JSON in texts opened."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield Said(f"{place}/@name", key)
            yield from _placed(item, f"{place}/{key}", nested)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _placed(item, f"{place}/*", nested)
    elif isinstance(value, str):
        yield Said(place, value)
        if nested and (inner := _opened(value)) is not None:
            yield from _placed(inner, f"{place}/@json", nested - 1)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield Said(f"{place}/@number", str(value))


def _said(tool: str, value: Any, number: int) -> Iterator[Said]:
    """Yield what one call said, under every channel in which its parts can be put together."""
    for place, text in _placed(value, ""):
        yield Said(tool + place, text)  # one place of one tool
        yield Said(place, text)  # one place, whatever the tool
    for text in texts(value):
        yield Said(f"call {number}", text)  # one call, whatever the place
    yield Said(f"{tool} whole", plain_json(value, indent=None))


def held_by(secrets: Mapping[str, str], contents: Sequence[tuple[str, Any]]) -> str | None:
    """Return the name of the first secret that JSON values of calls hold together.

    Args:
        secrets: name -> value.
        contents: tool and value of each call, in order.
    """
    said = [
        text
        for number, (tool, content) in enumerate(contents)
        for text in _said(tool, content, number)
    ]
    return next((name for name, value in secrets.items() if sights(value, said)), None)
