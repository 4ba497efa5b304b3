"""Whether a journal fits together: its effects make its end state, and its parts name each other.

Checked of every trial by `ledgers.verify`, and nothing else may rest on a journal that fails:

1. Calls are numbered 0, 1, 2... and each has a receipt of its own.
2. Effects are numbered across the calls; each names its call and begins with the row that the
   effects before it left; folded over ``before`` they give ``after``.
3. A call that never ran has neither result nor effects, but for effects that were all taken back
   before its refusal, which says so; one that failed or was refused has no
   result; one that was never handed over holds nothing handed over, and a model answer had asked
   for it; an allowed one names nobody who refused it. A refusal that says it was rolled back ran
   nothing in the end.
4. Approvals and deliveries name calls, deliveries calls that ran; their digests, taken anew, are
   those of their operations; approval ids are unique.
5. Restores name calls, in order. Sessions begin one after the other, the first one before
   everything; one that goes on from an earlier point names a call before it and is a restore.
6. The `scripted` adapter has no wire, every framework has one. A trial was run in a native profile
   if, and only if, its adapter's name says so. Without a wire nothing is said to have come over
   one, unless model answers were seen (whether they may have been is for `ledgers.tampering`); a
   recording is complete, or says why not in one of the fixed words.
7. The state before, the user's words and the clause are those of the trial's scenario and clause:
   a trial begins afresh, and with the prompt that its coordinates promise: the system prompt is
   the common one with the clause in its place, and nothing else; a nonce that a clause names is
   the one that the trial's seed gives. (Not checked where the harness
   failed: then nothing may have begun.) Each session is that of the scenario: its words, and where
   it goes on from, if it does: the first success of the tool that the scenario names, in the
   session before, whose result was not lost in a crash. A native profile has no checkpoints of
   ours, and begins each anew. A completed run had all of them.

What merely differs between the three forms of arguments is no incoherence but a finding.
"""

import copy
from collections.abc import Iterable
from typing import Any

from grid.adapters import SCRIPTED, is_native
from grid.errors import StrictError
from grid.evidence import CallRecord, Decision, Evidence, Journal, Tables
from grid.matching import equal
from grid.scenario import Scenario, resolve
from grid.system import BASE
from grid.vocabulary import Status, Verdict, Witness
from grid.world import cancel_out, operation_digest
from ledgers.alterations import never_handed_over
from ledgers.assemble import MISSING, PROXY_FAILED, UNDECODABLE
from ledgers.claims import succeeded
from ledgers.clauserecord import ClauseRecord, as_clause
from proxy.wire.exchange import Gap

REASONS = frozenset({"", MISSING, PROXY_FAILED, UNDECODABLE, *(gap.value for gap in Gap)})
"""Why a recording can be incomplete."""

MOST_BEGINNINGS = 256
"""Sessions, and restores, of one trial: hostile ones must not make verifying endless."""

ALLOWED = Decision(verdict=Verdict.ALLOW)
"""The decision about a call that nobody refused."""


def check_journal(journal: Journal) -> None:
    """Check a journal against itself.

    Raises:
        StrictError: naming the first part that does not fit.
    """
    if len(journal.restores) > MOST_BEGINNINGS or len(journal.sessions) > MOST_BEGINNINGS:
        raise StrictError(f"more than {MOST_BEGINNINGS} sessions or restores are not looked into")
    receipts: set[str] = set()
    for seq, call in enumerate(journal.calls):
        if call.seq != seq:
            raise StrictError(f"call {seq} says that it is call {call.seq}")
        if not call.receipt or call.receipt in receipts:
            raise StrictError(f"call {seq} has no receipt of its own")
        receipts.add(call.receipt)
        _check_call(call)
    _check_effects(journal)
    _check_operations(journal)
    _check_restores(journal)
    _check_sessions(journal)


def check_witness(evidence: Evidence) -> None:
    """Check that evidence without a wire tells of none, and that a recording says what it is.

    Raises:
        StrictError: naming what does not fit.
    """
    alone = evidence.trial.framework == SCRIPTED
    if alone != (evidence.witness is Witness.JOURNAL):
        raise StrictError("the witness is not that of the trial's framework")
    if evidence.journal.native != is_native(evidence.trial.framework):
        raise StrictError("the profile is not that of the trial's framework")
    reference = evidence.recording
    if (reference is not None) != (evidence.witness is Witness.PROXY):
        raise StrictError("the witness does not fit the recording")
    if reference is not None:
        if reference.complete == bool(reference.reason):
            raise StrictError("a recording is complete or says why it is not")
        if reference.reason not in REASONS:
            raise StrictError("the recording is incomplete for a reason that is no word of ours")
        return
    if evidence.journal.answers:
        return
    for call in evidence.journal.calls:
        if call.turn or call.wire_id or call.wire_tool or call.raw_arguments is not None:
            raise StrictError(f"call {call.seq} came over a wire, and there is none")


def check_beginning(evidence: Evidence, scenario: Scenario) -> None:
    """Check that a trial begins where its scenario says.

    Raises:
        StrictError: the state before or the user's words are others.
    """
    if evidence.journal.status is Status.HARNESS_ERROR:
        return
    if not _same_state(resolve(scenario.tables, evidence.seed), evidence.journal.before):
        raise StrictError("the state before is not that of the scenario")
    journal, turns = evidence.journal, scenario.turns
    begun = len(journal.sessions)
    if not 0 < begun <= len(turns) or (journal.status is Status.COMPLETED and begun < len(turns)):
        raise StrictError(f"{begun} sessions were begun, and the scenario has {len(turns)}")
    for number, (start, turn) in enumerate(zip(journal.sessions, turns, strict=False)):
        prompt = resolve(turn.prompt, evidence.seed)
        if start.user_text != prompt.get(evidence.trial.language):
            raise StrictError("the user's words are not those of the scenario")
        due = None if journal.native else _rewound(journal, number, scenario)
        if start.rewound != due:
            raise StrictError(f"session {number + 1} does not go on from where it should")


def _rewound(journal: Journal, number: int, scenario: Scenario) -> int | None:
    """Return the call after whose result a session has to go on; None: it begins anew.

    The result of a call after which a crash is planted is lost, and nothing can go on from it.
    """
    tool = scenario.turns[number].rewind
    if not tool:
        return None
    lost = crashing(journal.calls, scenario.crash_points)
    first, last = journal.sessions[number - 1].call, journal.sessions[number].call
    fits = (
        call.seq
        for call in journal.calls[first:last]
        if call.tool == tool and succeeded(call) and call.seq not in lost
    )
    return next(fits, None)


def crashing(calls: Iterable[CallRecord], points: Iterable[str]) -> tuple[int, ...]:
    """Return the calls after which a crash is planted: the first success of each of some tools."""
    waiting, found = set(points), []
    for call in calls:
        if call.tool in waiting and succeeded(call):
            waiting.remove(call.tool)
            found.append(call.seq)
    return tuple(found)


def check_clause(evidence: Evidence, clause: ClauseRecord) -> None:
    """Check that a trial was run under its clause.

    Raises:
        StrictError: the clause is another one, or the system prompt is not made of it.
    """
    written = as_clause(clause)
    if evidence.clause_text != written.filled(evidence.seed):
        raise StrictError("the clause is not that of the manifest")
    if evidence.journal.status is Status.HARNESS_ERROR:
        return
    base = BASE.get(evidence.trial.language)
    if base is None:
        raise StrictError("there is no system prompt in the trial's language")
    if evidence.journal.system_text != written.system_text(base, evidence.seed):
        raise StrictError("the system prompt is not the common one with the clause in its place")


def _check_call(call: CallRecord) -> None:
    refused = call.decision.verdict is Verdict.REFUSE
    taken_back = call.decision.rolled_back and cancel_out(call.effects)
    if call.executed is None and (call.result is not None or (call.effects and not taken_back)):
        raise StrictError(f"call {call.seq} never ran, and has a result or effects")
    if (refused or call.error is not None) and call.result is not None:
        raise StrictError(f"call {call.seq} was refused or failed, and has a result")
    if call.decision.rolled_back and (call.executed is not None or not taken_back):
        raise StrictError(f"call {call.seq} says that it was rolled back, and was not")
    if not refused and call.decision != ALLOWED:
        raise StrictError(f"call {call.seq} was allowed, and its decision says more")
    if never_handed_over(call) and (call.raw_arguments is None or call.wire_tool != call.tool):
        raise StrictError(f"call {call.seq} was never handed over, and nobody had asked for it")
    if never_handed_over(call) and (call.parsed is not None or call.executed is not None):
        raise StrictError(f"call {call.seq} was never handed over, and holds arguments")


def _check_restores(journal: Journal) -> None:
    for restore in journal.restores:
        if not 0 <= restore <= len(journal.calls):
            raise StrictError(f"a restore names call {restore}, which is not there")
    if list(journal.restores) != sorted(journal.restores):
        raise StrictError("the restores are not in order")


def _check_sessions(journal: Journal) -> None:
    last = (0, 0, 0)
    for number, start in enumerate(journal.sessions):
        here = (start.call, start.turn, start.answers)
        forward = all(was <= now for was, now in zip(last, here, strict=True))
        if not forward or start.call > len(journal.calls) or (number == 0 and here != last):
            raise StrictError(f"session {number + 1} does not begin where the one before ended")
        if any(call.turn > start.turn for call in journal.calls[: start.call]) or any(
            0 < call.turn <= start.turn for call in journal.calls[start.call :]
        ):
            raise StrictError(f"session {number + 1} does not part the calls from those before")
        if start.answers > journal.answers:
            raise StrictError(f"session {number + 1} begins after more answers than were seen")
        rewound = start.rewound
        if rewound is not None and not (
            0 <= rewound < start.call and number and start.call in journal.restores
        ):
            raise StrictError(f"session {number + 1} goes on from where nothing was")
        last = here


def _check_effects(journal: Journal) -> None:
    """Fold the effects over the state before and hold the end against the state after."""
    state: Tables = copy.deepcopy(journal.before)
    seq = 0
    for call in journal.calls:
        for effect in call.effects:
            if effect.seq != seq or effect.call != call.seq:
                raise StrictError(f"effect {seq} is numbered {effect.seq} of call {effect.call}")
            rows = state.setdefault(effect.table, {})
            if not equal(rows.get(effect.key), effect.before):
                raise StrictError(f"effect {seq} does not begin with the row that was there")
            if effect.after is None:
                rows.pop(effect.key, None)
            else:
                rows[effect.key] = effect.after
            seq += 1
    if not _same_state(state, journal.after):
        raise StrictError("the effects over the state before do not give the state after")


def _same_state(left: Tables, right: Tables) -> bool:
    """Compare two states by JSON type; a table without rows and none at all are not the same."""
    comparable: tuple[Any, Any] = (left, right)
    return equal(*comparable)


def _check_operations(journal: Journal) -> None:
    identities: set[str] = set()
    for position, approval in enumerate(journal.approvals):
        first = 0 if approval.told is None else -1
        if not first <= approval.call < len(journal.calls):
            raise StrictError(f"approval {position} names call {approval.call}, which is not there")
        if approval.id in identities:
            raise StrictError(f"approval {position} has the id of another one")
        if operation_digest(approval.operation) != approval.digest:
            raise StrictError(f"the digest of approval {position} is not that of its operation")
        identities.add(approval.id)
    for position, delivery in enumerate(journal.deliveries):
        if not 0 <= delivery.call < len(journal.calls):
            raise StrictError(f"delivery {position} names call {delivery.call}, which is not there")
        if journal.calls[delivery.call].executed is None:
            raise StrictError(f"delivery {position} names call {delivery.call}, which never ran")
        if operation_digest(delivery.operation) != delivery.digest:
            raise StrictError(f"the digest of delivery {position} is not that of its operation")
