"""Whether what ran is what the model asked for.

The argument text on the wire is read as strict JSON and held against what the framework handed over
and what ran. Broken text may be refused or handed on as it stands; a framework that makes arguments
of it has altered them. An empty text stands for no arguments where the tool takes none. Integers
beyond 2^53 are no strict JSON, so a framework that rounds one has altered it.
"""

from typing import Any

from grid.canonical import load_json
from grid.errors import CanonicalError
from grid.evidence import CallRecord
from grid.matching import equal
from grid.toolanswer import NOT_HANDED_OVER
from grid.vocabulary import Status
from ledgers.case import Case
from ledgers.restores import cut_short

ENDED_EARLY = (Status.STOPPED, Status.TURN_LIMIT)
"""Statuses after which the rest of a model answer is rightly left alone."""

_BROKEN = object()


def never_handed_over(call: CallRecord) -> bool:
    """Tell whether the model asked for a call that the framework kept to itself."""
    return call.error is not None and call.error.code == NOT_HANDED_OVER


def kept_back(case: Case, call: CallRecord) -> bool:
    """Tell whether a framework kept to itself a call that it had to hand over.

    It need not hand over a broken call or one of an unknown tool, nor what was left of an answer
    when the run ended or crashed.
    """
    return (
        never_handed_over(call)
        and case.journal.status not in ENDED_EARLY
        and well_formed(case, call)
        and call.turn not in cut_short(case.journal)
    )


def altered(case: Case, call: CallRecord) -> str:
    """Return how a call differs from what the model asked for, or an empty string."""
    if call.executed is not None and not equal(call.executed, call.parsed):
        return "ran with other arguments than were handed over"
    if call.raw_arguments is None or never_handed_over(call):
        return ""
    if call.wire_tool != call.tool:
        return "was handed over under another tool's name"
    if _faithful(case, call):
        return ""
    return "was handed over with other arguments than the model sent"


def _faithful(case: Case, call: CallRecord) -> bool:
    raw = call.raw_arguments or ""
    asked = strict(raw)
    if asked is not _BROKEN:
        return equal(asked, call.parsed)
    if call.parsed is None or call.parsed == raw:
        return True
    return not raw.strip() and call.parsed == {} and _takes_nothing(case, call.tool)


def well_formed(case: Case, call: CallRecord) -> bool:
    """Tell whether a call names an offered tool and its text is a JSON object.

    No text at all is one for a tool that takes no arguments.
    """
    text = call.raw_arguments or ""
    if not text.strip() and _takes_nothing(case, call.wire_tool):
        return True
    return case.tool(call.wire_tool) is not None and isinstance(strict(text), dict)


def strict(text: str) -> Any:
    """Return an argument text as strict JSON, or a marker that equals no JSON value."""
    try:
        return load_json(text)
    except CanonicalError:
        return _BROKEN


def is_json(value: Any) -> bool:
    """Tell whether `strict` read a value, and not the marker for broken text."""
    return value is not _BROKEN


def _takes_nothing(case: Case, name: str) -> bool:
    tool = case.tool(name)
    return tool is not None and not tool.parameters.get("properties")
