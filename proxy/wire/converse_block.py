"""The tagged unions of Bedrock's Converse: content blocks, deltas, tools and schemas.

A union is an object of which one member is set; a member that is null is not set. Which one it is
says of what kind it is. More than one, or none, leaves it open what was meant and is refused.
"""

from typing import Any

from grid.errors import StrictError

_TYPE = "__type"
"""A member that serialisers add to unions; clients pass over it."""


def member_of(union: Any, where: str) -> tuple[str, Any]:
    """Return name and value of the one member of a union.

    Args:
        union: the union, as parsed.
        where: what it is, for the reason of a refusal.

    Raises:
        StrictError: it is no object, or not exactly one member is set.
    """
    if not isinstance(union, dict):
        raise StrictError(f"{where} is no object")
    there = [(name, value) for name, value in union.items() if value is not None and name != _TYPE]
    if len(there) != 1:
        raise StrictError(f"{where} is of {len(there)} kinds, not of one")
    return there[0]


def words_of(kind: str, value: Any) -> str | None:
    """Return the words of a content block: plain, guarded or with citations; None if it has none.

    Args:
        kind: the block's kind.
        value: its value, as parsed.

    Raises:
        StrictError: it should hold words and what stands there is no text.
    """
    if kind == "text":
        return _text(value, "text")
    if kind == "guardContent":
        inner, guarded = member_of(value, "a guardContent")
        return _text(_object(guarded).get("text"), "guarded text") if inner == "text" else None
    if kind == "citationsContent":
        pieces = _object(value).get("content")
        if not isinstance(pieces, list):
            raise StrictError("the content of a citationsContent is no list")
        return "".join(_text(_object(piece).get("text"), "cited text") for piece in pieces)
    return None


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise StrictError("a part of a content block is no object")
    return value


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise StrictError(f"a content block's {what} is no text")
    return value
