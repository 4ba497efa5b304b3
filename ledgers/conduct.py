"""Whether a journal is one that the tool layer could have written.

Checked of every trial by `ledgers.verify`, beside `ledgers.coherence`; without running a tool:

1. Receipts are those of seed and position. What was delivered is what decision, error and result
   give; a call that was never handed over was told nothing.
2. A call that ran, or that a guard or the world refused, is of an offered tool and fits its schema;
   one that failed before it ran, failed for a reason that holds.
3. A refusal is by a guard of the manifest, with guards on; by the world; by the approver whom the
   scenario names, and then the approval step was told no; or by the tool layer, and then the run
   was over. After its end nothing else happens to a call.
4. Turns do not fall, and there are no more than answers. They are counted anew in each session.
5. Approvals and deliveries come from tools that may write. Where the framework's approval step
   asked, the scenario has one: the principal and the decision are its own, and what the step was
   told is that, unless the scenario plants that answers come to the wrong questions. Each call of
   an overseen tool that succeeded or changed something is a delivery of its own.
6. The status fits: `stopped` where, and only where, a terminal refusal ends the run (`on`); the
   turn limit was reached; only an unfinished run breaks off as `harness_error`. The cause is one
   that this status can have.

7. In an exact profile the agent was restored where the scenario plants a crash, once for each tool
   that succeeded there, and nowhere else.

A schema with other keywords than tools of ours use is not looked into: a pattern can be made to
take for ever, and a reference to go anywhere. Such a tool is no released one.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from jsonschema import Draft202012Validator

from grid.canonical import canonical
from grid.errors import StrictError
from grid.evidence import Approval, CallRecord, Evidence, Journal
from grid.guardsetting import read_setting
from grid.matching import equal
from grid.overseer import DENIED, decides
from grid.report import REPORT
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
from grid.world import operation_digest
from ledgers.alterations import never_handed_over
from ledgers.case import ToolFacts
from ledgers.claims import succeeded
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


SHOWN = {"tool", "arguments"}
"""What an operation is made of that the framework's approval step asks about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a trial was run under."""

    scenario: Scenario
    """Its scenario."""
    tools: tuple[ToolFacts, ...]
    """The tools of its world, `report` among them."""
    guards: frozenset[str]
    """Ids of the guards that could refuse."""


def check_conduct(evidence: Evidence, terms: Terms) -> None:
    """Check what a tool layer would have kept to.

    Raises:
        StrictError: naming the first part that does not fit.
    """
    journal = evidence.journal
    for call in journal.calls:
        _check_answer(evidence.seed, call)
    _check_arguments(journal, terms)
    _check_refusals(evidence, terms)
    _check_turns(evidence)
    _check_operations(journal, terms)
    _check_restores(journal, terms)
    _check_end(evidence, terms)


def _check_answer(seed: str, call: CallRecord) -> None:
    if call.receipt != receipt_for(seed, call.seq):
        raise StrictError(f"the receipt of call {call.seq} is not that of its seed and position")
    told = (
        ""
        if never_handed_over(call)
        else answer_text(
            receipt=call.receipt, decision=call.decision, error=call.error, result=call.result
        )
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
        if by == APPROVER:
            _check_denial(evidence.journal, call)
        elif by not in ("", TOOL_LAYER, WORLD) and not (by in terms.guards and setting.asks(by)):
            raise StrictError(f"call {call.seq} was refused by a guard that was not there")
        faulty = call.error is not None and call.error.code == HARNESS_FAULT
        over = over or faulty or (closes(call) and setting.stops)
        spent += len(call.delivered)


def _turn_of_session(journal: Journal, call: CallRecord) -> int:
    """Return the number of a call's model answer in its own session."""
    before = [start.turn for start in journal.sessions if start.call <= call.seq]
    return call.turn - max(before, default=0)


def _check_denial(journal: Journal, call: CallRecord) -> None:
    operation = operation_digest({"tool": call.tool, "arguments": call.parsed})
    told = [item for item in journal.approvals if item.told is False and item.digest == operation]
    if call.decision != DENIED or not told or call.executed is not None:
        raise StrictError(f"call {call.seq} was denied by an approver who was not asked")


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
    _check_oversight(journal, terms)
    numbers: Iterable[tuple[str, int]] = (
        *(("an approval", item.call) for item in journal.approvals if item.told is None),
        *(("a delivery", item.call) for item in journal.deliveries),
    )
    for what, number in numbers:
        call = journal.calls[number]
        if call.executed is None or call.tool in reading:
            raise StrictError(f"{what} names call {number}, which could not make one")


def _check_oversight(journal: Journal, terms: Terms) -> None:
    """Check the approvals that the framework's own step asked for."""
    oversight = terms.scenario.approvals
    asked: dict[int, list[Approval]] = {}
    for approval in journal.approvals:
        if approval.told is None:
            continue
        of, shown = approval.operation, isinstance(approval.operation.get("tool"), str)
        if oversight is None or not shown or set(of) != SHOWN:
            raise StrictError(f"approval {approval.id!r} is none that the scenario has asked for")
        if of["tool"] not in oversight.tools or approval.principal != oversight.principal:
            raise StrictError(f"approval {approval.id!r} is of another tool or principal")
        if approval.granted != decides(oversight, of):
            raise StrictError(f"approval {approval.id!r} was not decided as the scenario says")
        if not oversight.misrouted and approval.told != approval.granted:
            raise StrictError(f"approval {approval.id!r} came back otherwise than it was decided")
        asked.setdefault(approval.call, []).append(approval)
    if oversight is not None:
        _check_overseen(journal, oversight.tools)
    for batch in asked.values():
        if sorted(bool(item.told) for item in batch) != sorted(item.granted for item in batch):
            raise StrictError("the answers of an approval step are not those that were given")


def _check_overseen(journal: Journal, tools: tuple[str, ...]) -> None:
    """Check that each overseen call that came to something is a delivery of its own."""
    delivered = [item for item in journal.deliveries if set(item.operation) == SHOWN]
    for call in journal.calls:
        lost = call.error is not None and (not call.effects or call.error.code == HARNESS_FAULT)
        if call.tool not in tools or call.executed is None or lost:
            continue
        operation: Any = {"tool": call.tool, "arguments": call.executed}
        own = [item for item in delivered if item.call == call.seq]
        if len(own) != 1 or not equal(own[0].operation, operation):
            raise StrictError(f"call {call.seq} was overseen, and is no delivery of its own")


def _check_restores(journal: Journal, terms: Terms) -> None:
    if journal.native:
        return  # a framework with its own defaults begins anew when it likes
    planted = {
        call.tool
        for call in journal.calls
        if call.tool in terms.scenario.crash_points and succeeded(call)
    }
    found = len(crashes(journal))
    if found > len(planted) or (journal.status is Status.COMPLETED and found < len(planted)):
        raise StrictError(f"the agent was restored {found} times, and {len(planted)} were planted")


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
