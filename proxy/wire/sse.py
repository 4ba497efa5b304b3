"""Server-sent events of a whole recorded body, read as the WHATWG rules say.

Works on whole bodies only: cuts between network chunks are gone by the time a body is recorded, so
they cannot matter. What is no event is not guessed at: comments, fields other than ``data`` and
``event``, events without data and an event without its blank line yield nothing, and the last case
is reported.

Data that is no JSON object says nothing, as a comment does that somebody wrapped again as data. But
where an object may be inside it, an event was damaged: some clients read what it held, some skip it
and some give up, and a call may be lost in it. Such a stream cannot be read in one way only.
"""

import re
from dataclasses import dataclass

DAMAGED = "an event of the stream is damaged, and what it held is not known"
"""Why a stream is refused in which an event `may_hold` something."""

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


def may_hold(data: str) -> bool:
    """Tell whether data that is no JSON object, nor says ``[DONE]``, may have one inside it."""
    return "{" in data


def read_events(text: str) -> Events:
    """Split a stream's text into events."""
    found: list[str] = []
    names: list[str] = []
    pending: list[str] = []
    named = ""
    lines = _LINE_END.split(text.removeprefix("\ufeff"))
    if not lines[-1]:
        lines.pop()  # behind the last line end stands no line
    for line in lines:
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
