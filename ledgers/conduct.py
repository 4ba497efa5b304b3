"""Whether a journal is one that the tool layer could have written.

Checked of every trial by `ledgers.verify`, beside `ledgers.coherence`; without running a tool:

1. Receipts are those of seed and position. What was delivered is what decision, error and result
   give, with what the clause puts around it; a call that was never handed over was told nothing.
2. A call that ran, or that a guard or the world refused, is of an offered tool and fits its schema;
   one that failed before it ran, failed for a reason that holds.
3. A refusal is by a guard of the manifest, with guards on; by the world; by the approver whom the
   scenario names (see `ledgers.oversight`); or by the tool layer, and then the run was over. After
   its end nothing else happens to a call. What is not terminal the agent can put right.
4. Turns do not fall, and there are no more than answers. They are counted anew in each session.
5. Approvals and deliveries come from tools that may write, and no delivery comes before its call
   by the clock. Where the framework's approval step asked, see `ledgers.oversight`.
6. The status fits: `stopped` where, and only where, a terminal refusal ends the run (`on`); the
   turn limit was reached; only an unfinished run breaks off as `harness_error`. The cause is one
   that this status can have.
7. In an exact profile the agent was restored where the scenario plants a crash, right after the
   first success of each such tool and what else of that answer was under way, and nowhere else.

A schema with other keywords than tools of ours use is not looked into: a pattern can be made to
take for ever, and a reference to go anywhere. Such a tool is no released one.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from jsonschema import Draft202012Validator

from grid.canonical import canonical
from grid.errors import StrictError
from grid.evidence import CallRecord, Evidence, Journal
from grid.guardsetting import read_setting
from grid.report import REPORT
from grid.resultframe import Results, framed
from grid.scenario import Scenario
from grid.toolanswer import (
    APPROVER,
    HARNESS_FAULT,
    INVALID_ARGUMENTS,
    MALFORMED_ARGUMENTS,
    TOOL_LAYER,
    UNKNOWN_TOOL,
    WORLD,
    answer_text,
    receipt_for,
)
from grid.toollayer import CALL_LIMIT, TRIAL_LIMIT
from grid.vocabulary import Access, Cause, Status, Verdict, Witness
from ledgers.alterations import never_handed_over
from ledgers.case import ToolFacts
from ledgers.coherence import crashing
from ledgers.oversight import check_oversight, ticks
from ledgers.refusals import closes, refused_by
from ledgers.restores import crashes

CAUSES: dict[Status, tuple[Cause | None, ...]] = {
    Status.COMPLETED: (None,),
    Status.STOPPED: (None,),
    Status.TURN_LIMIT: (Cause.AGENT,),
    Status.INVALID_TOOL_CALLS: (Cause.AGENT,),
    Status.FRAMEWORK_ERROR: (Cause.FRAMEWORK,),
    Status.PROVIDER_ERROR: (Cause.PROVIDER,),
    Status.HARNESS_ERROR: (Cause.HARNESS,),
    Status.TIMEOUT: (Cause.PROVIDER, Cause.HARNESS),
}
"""Who can be answerable for each end of a run."""

BROKEN_OFF = (Status.HARNESS_ERROR, Status.TIMEOUT)
"""Statuses that can come over a run at any point, after a terminal refusal too."""

PLAIN = frozenset(
    {
        "additionalProperties",
        "description",
        "enum",
        "items",
        "maxItems",
        "maxLength",
        "maximum",
        "minItems",
        "minLength",
        "minimum",
        "properties",
        "required",
        "type",
    }
)
"""Keywords of a schema that cost no more than the arguments are long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a trial was run under."""

    scenario: Scenario
    """Its scenario."""
    tools: tuple[ToolFacts, ...]
    """The tools of its world, `report` among them."""
    guards: frozenset[str]
    """Ids of the guards that could refuse."""
    results: Results = Results.PLAIN
    """What the clause does to tool results."""


def check_conduct(evidence: Evidence, terms: Terms) -> None:
    """Check what a tool layer would have kept to.

    Raises:
        StrictError: naming the first part that does not fit.
    """
    journal = evidence.journal
    for call in journal.calls:
        _check_answer(evidence, call, terms.results)
    _check_arguments(journal, terms)
    _check_refusals(evidence, terms)
    _check_turns(evidence)
    _check_operations(journal, terms)
    _check_restores(journal, terms)
    _check_end(evidence, terms)


def _check_answer(evidence: Evidence, call: CallRecord, results: Results) -> None:
    if call.receipt != receipt_for(evidence.seed, call.seq):
        raise StrictError(f"the receipt of call {call.seq} is not that of its seed and position")
    told = ""
    if not never_handed_over(call):
        told = framed(
            answer_text(
                receipt=call.receipt, decision=call.decision, error=call.error, result=call.result
            ),
            results,
            seed=evidence.seed,
            language=evidence.trial.language,
            words=_words_before(evidence.journal, call),
        )
    if call.delivered != told:
        raise StrictError(f"call {call.seq} delivered something else than its record says")


def _check_arguments(journal: Journal, terms: Terms) -> None:
    offered = {*terms.scenario.tools, REPORT.name}
    validators = {
        tool.name: _validator(tool.parameters) for tool in terms.tools if tool.name in offered
    }
    for call in journal.calls:
        if not never_handed_over(call):
            _check_taken(call, _wrong(call, validators))


def _check_taken(call: CallRecord, wrong: tuple[str, ...]) -> None:
    code = call.error.code if call.error is not None else ""
    if call.executed is not None or refused_by(call):
        if wrong:
            raise StrictError(f"call {call.seq} was taken, and is {wrong[0]!r}")
        if refused_by(call) and code:
            raise StrictError(f"call {call.seq} was refused, and failed all the same")
    elif code != HARNESS_FAULT:
        over = call.decision.verdict is Verdict.REFUSE
        if code not in (wrong or ("",)) or not (code or over):
            raise StrictError(f"call {call.seq} never ran, and its record does not say why")


def _wrong(call: CallRecord, validators: dict[str, Draft202012Validator | None]) -> tuple[str, ...]:
    """Return the error codes that a call's tool and arguments can ask for; empty if it is fine."""
    arguments = call.parsed if call.executed is None else call.executed
    unknown = (UNKNOWN_TOOL,) if call.tool not in validators else ()
    if arguments is None:  # nothing that can be kept, or a JSON null
        return (MALFORMED_ARGUMENTS, *unknown)
    if unknown:
        return unknown
    if not isinstance(arguments, dict):
        return (MALFORMED_ARGUMENTS,)
    schema = validators[call.tool]
    return () if schema is None or schema.is_valid(arguments) else (INVALID_ARGUMENTS,)


def _validator(schema: dict[str, Any]) -> Draft202012Validator | None:
    return Draft202012Validator(schema) if _is_plain(schema) else None


def _is_plain(schema: Any) -> bool:
    if isinstance(schema, bool):
        return True
    if not isinstance(schema, dict) or not schema.keys() <= PLAIN:
        return False
    inner: list[Any] = list(schema.get("properties", {}).values())
    inner += [schema[key] for key in ("items", "additionalProperties") if key in schema]
    return all(_is_plain(part) for part in inner)


def _check_refusals(evidence: Evidence, terms: Terms) -> None:
    setting = read_setting(evidence.trial.guards)
    over, spent = False, 0
    for call in evidence.journal.calls:
        if never_handed_over(call):
            continue
        spent += 0 if call.parsed is None else len(canonical(call.parsed))
        beyond = (
            _turn_of_session(evidence.journal, call) > terms.scenario.turn_limit
            or call.seq >= CALL_LIMIT
            or spent > TRIAL_LIMIT
        )
        by = call.decision.by if call.decision.verdict is Verdict.REFUSE else ""
        if (by == TOOL_LAYER) != (over or beyond):
            raise StrictError(f"the run was over before call {call.seq}, or was not")
        guard = by not in ("", TOOL_LAYER, WORLD, APPROVER)
        if guard and not (by in terms.guards and setting.asks(by)):
            raise StrictError(f"call {call.seq} was refused by a guard that was not there")
        _check_decision(call)
        faulty = call.error is not None and call.error.code == HARNESS_FAULT
        over = over or faulty or (closes(call) and setting.stops)
        spent += len(call.delivered)


def _check_decision(call: CallRecord) -> None:
    """Check that a refusal says of itself what such refusals say."""
    said = call.decision
    if said.verdict is not Verdict.REFUSE:
        return
    if said.by in (TOOL_LAYER, WORLD, APPROVER) and call.executed is not None:
        raise StrictError(f"call {call.seq} was refused by {said.by}, and ran all the same")
    if said.by == TOOL_LAYER:
        fits = said.terminal and not said.actionable and not said.rolled_back
    else:
        fits = said.actionable != said.terminal
    if not fits:
        raise StrictError(f"the refusal of call {call.seq} says what no such refusal says")


def _turn_of_session(journal: Journal, call: CallRecord) -> int:
    """Return the number of a call's model answer in its own session."""
    before = [start.turn for start in journal.sessions if start.call <= call.seq]
    return call.turn - max(before, default=0)


def _words_before(journal: Journal, call: CallRecord) -> str:
    """Return the user's words in the session of a call."""
    said = [start.user_text for start in journal.sessions if start.call <= call.seq]
    return said[-1] if said else ""


def _check_turns(evidence: Evidence) -> None:
    turn = 0
    for call in evidence.journal.calls:
        if call.turn < turn:
            raise StrictError(f"call {call.seq} belongs to an earlier answer than the one before")
        turn = call.turn
    if turn > evidence.journal.answers:
        raise StrictError("calls belong to more answers than were seen")


def _check_operations(journal: Journal, terms: Terms) -> None:
    reading = {tool.name for tool in terms.tools if tool.access is Access.READ}
    numbers: Iterable[tuple[str, int]] = (
        *(("an approval", item.call) for item in journal.approvals if item.told is None),
        *(("a delivery", item.call) for item in journal.deliveries),
    )
    for what, number in numbers:
        call = journal.calls[number]
        if call.executed is None or call.tool in reading:
            raise StrictError(f"{what} names call {number}, which could not make one")
    begun = ticks(journal)
    if any(item.clock < begun[item.call] for item in journal.deliveries):
        raise StrictError("a delivery came before its call was begun")
    check_oversight(journal, terms.scenario.approvals)


def _check_restores(journal: Journal, terms: Terms) -> None:
    if journal.native:
        return  # a framework with its own defaults begins anew when it likes
    points = terms.scenario.crash_points
    planted = crashing(journal.calls, points)
    found = crashes(journal)
    fits = all(
        crash < restore and _of_one_answer(journal.calls[crash:restore])
        for crash, restore in zip(planted, found, strict=False)
    )
    few = journal.status is Status.COMPLETED and len(found) < len(planted)
    if not fits or few or len(found) > len(planted):
        raise StrictError(
            f"the agent was restored before calls {[*found][:9]}, "
            f"and crashes are planted after calls {[*planted][:9]}"
        )


def _of_one_answer(calls: tuple[CallRecord, ...]) -> bool:
    """Tell whether nothing but calls beside it came between a crash and the restore."""
    stories = [(call.turn, call.wire_id, call.wire_tool, call.raw_arguments) for call in calls]
    if len(calls) == 1:
        return True
    same = calls[0].turn > 0 and len({call.turn for call in calls}) == 1
    return same and stories[0] not in stories[1:]


def _check_end(evidence: Evidence, terms: Terms) -> None:
    journal, status = evidence.journal, evidence.journal.status
    if journal.cause not in CAUSES[status]:
        raise StrictError(f"the run ended as {status.value}, and the cause does not fit")
    stops = read_setting(evidence.trial.guards).stops
    ends = stops and any(closes(call) for call in journal.calls)
    if ends != (status is Status.STOPPED) and not (ends and status in BROKEN_OFF):
        raise StrictError("the run was stopped by a terminal refusal, or was not")
    wired = evidence.witness is Witness.PROXY
    last = journal.sessions[-1] if journal.sessions else None
    begun = 0 if last is None else last.answers if wired else last.call
    reached = (journal.answers if wired else len(journal.calls)) - begun
    if status is Status.TURN_LIMIT and reached < terms.scenario.turn_limit:
        raise StrictError("the run ended at its turn limit, and did not come that far")
    if status is Status.HARNESS_ERROR and wired and not _broke_off(journal):
        raise StrictError("the run ended in a fault of the harness, and shows none")


def _broke_off(journal: Journal) -> bool:
    """Tell whether a fault of the harness can have ended a run: it came before the agent's end."""
    if not journal.calls:
        return True
    faulty = any(
        call.error is not None and call.error.code == HARNESS_FAULT for call in journal.calls
    )
    return faulty or journal.calls[-1].turn >= journal.answers
