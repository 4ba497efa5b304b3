"""Server-sent events of a whole recorded body, read as the WHATWG rules say.

Works on whole bodies only: cuts between network chunks are gone by the time a body is recorded, so
they cannot matter. What is no event is not guessed at: comments, fields other than ``data`` and
``event``, events without data and an event without its blank line yield nothing, and the last case
is reported.
"""

import re
from dataclasses import dataclass

_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True, kw_only=True)
class Events:
    """The data of a stream."""

    data: tuple[str, ...]
    """Data of each event, in order."""
    names: tuple[str, ...]
    """Name of each event, in the same order; empty for none."""
    unterminated: str
    """Data after the last blank line: an event that never ended; empty for none."""


def read_events(text: str) -> Events:
    """Split a stream's text into events."""
    found: list[str] = []
    names: list[str] = []
    pending: list[str] = []
    named = ""
    for line in _LINE_END.split(text.removeprefix("\ufeff")):
        if not line:
            if pending:
                found.append("\n".join(pending))
                names.append(named)
            pending, named = [], ""
            continue
        name, _, value = line.partition(":")
        if name == "data":
            pending.append(value.removeprefix(" "))
        elif name == "event":
            named = value.removeprefix(" ")
    return Events(data=tuple(found), names=tuple(names), unterminated="\n".join(pending))
