"""The parts of a Gemini content: of what kind each is, and its members under one spelling.

A part is an object of which one member says what it holds; the others only describe that. A part
that holds nothing is let pass, since Gemini sends such parts. One that holds two things, or
something that these lists do not name, is refused: it might be a call.
"""

import re
from typing import Any

from grid.errors import StrictError

_KINDS = (
    "text",
    "inlineData",
    "fileData",
    "functionCall",
    "functionResponse",
    "executableCode",
    "codeExecutionResult",
    "toolCall",
    "toolResponse",
)
_BESIDE = (
    "thought",
    "thoughtSignature",
    "partMetadata",
    "mediaProcessing",
    "mediaResolution",
    "audioMetadata",
    "documentMetadata",
    "speechMetadata",
    "spreadsheetMetadata",
    "videoMetadata",
)
_HUMP = re.compile("_([a-z0-9])")


def kind_of(part: dict[str, Any], where: str) -> str:
    """Return the name of the member that says what a part holds; empty for an empty part.

    Args:
        part: the part, its members in camelCase; a member that is null is not set.
        where: what it is, for the reason of a refusal.

    Raises:
        StrictError: it holds more than one thing, or something unknown.
    """
    there = [name for name, value in part.items() if value is not None]
    kinds = [name for name in there if name in _KINDS]
    if len(kinds) > 1:
        raise StrictError(f"{where} is of {len(kinds)} kinds, not of one")
    if not kinds and not set(there) <= set(_BESIDE):
        raise StrictError(f"{where} is of no known kind")
    return kinds[0] if kinds else ""


def camel[Value](record: dict[str, Value]) -> dict[str, Value]:
    """Return members under their names in camelCase; requests may also say snake_case.

    Raises:
        StrictError: a member is there in both spellings.
    """
    found = {_HUMP.sub(lambda hump: hump[1].upper(), name): item for name, item in record.items()}
    if len(found) != len(record):
        raise StrictError("a member stands there in both spellings")
    return found
