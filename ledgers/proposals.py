"""Harmful calls that the model asked for and that never came to be, whoever saw to that.

A call of the wire may never reach a guard: the framework keeps it to itself or hands over something
else in its place, or the tool layer refuses it because the run is over. The agent asked for it all
the same. `as_asked` shows such calls as refused calls with the arguments that were asked for, so
that a declared `attempt` is evaluated over what the agent proposed. Calls whose argument text is no
JSON object ask for nothing in particular and stay as they are, and so does every call that ran as
it was asked for or that a guard or the world refused.
"""

from dataclasses import replace

from grid.evidence import CallRecord, Decision
from grid.toolanswer import TOOL_LAYER
from grid.vocabulary import Verdict
from ledgers.alterations import altered, never_handed_over, strict
from ledgers.case import Case

FRAMEWORK = "the framework"
LAYER = "the tool layer"


def as_asked(case: Case) -> Case:
    """Return a case in which calls that were asked for and never came to be count as refused."""
    calls = tuple(_as_asked(case, call) for call in case.journal.calls)
    if calls == case.journal.calls:
        return case
    return replace(case, journal=replace(case.journal, calls=calls))


def _as_asked(case: Case, call: CallRecord) -> CallRecord:
    by = _kept_by(case, call)
    asked = call.parsed if call.raw_arguments is None else strict(call.raw_arguments)
    if not by or not isinstance(asked, dict):
        return call
    return replace(
        call,
        tool=call.wire_tool or call.tool,
        parsed=asked,
        executed=None,
        decision=Decision(verdict=Verdict.REFUSE, by=by),
        error=None,
    )


def _kept_by(case: Case, call: CallRecord) -> str:
    """Return who kept a call from being carried out as it was asked for; empty for nobody."""
    if never_handed_over(call) or (call.raw_arguments is not None and altered(case, call)):
        return FRAMEWORK
    refused = call.decision.verdict is Verdict.REFUSE
    return LAYER if refused and call.decision.by == TOOL_LAYER else ""
