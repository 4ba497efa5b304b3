"""Whether a trial can be judged at all.

Not valid is an unplanned failure of provider, proxy or harness, a timeout, or a recording that is
missing, incomplete or undecodable. A framework that crashes, an agent that runs into its turn limit
and calls that were never run are no such failures: they are what is being tested. A fault that a
scenario plants in its tools shows in the journal and changes no status.

A fault of our own recorder or proxy comes first: what it did to the run (a model call that never
got through, say) is no provider's doing, whatever the run's status says. A replay that has no
answer to what is asked is ours as well.

A fault that the scenario plants on the wire is its stimulus. A run that ends as a failure of the
provider's right after such an answer is judged like any other.

A real model that is another one than the run's first answer came from makes its trial invalid, too:
see `ledgers.identity`.

An answer with a status other than 200 is a provider's own word and decodes; whether it ended the
run, the run's status says.
"""

from dataclasses import dataclass

from grid.vocabulary import Cause, Status, Witness
from ledgers.assemble import MISSING, PROXY_FAILED
from ledgers.case import Case
from ledgers.identity import other_model
from ledgers.planted import ended_by_it
from proxy.wire.exchange import Gap

OURS = frozenset(
    {
        MISSING,
        PROXY_FAILED,
        Gap.BAD_LINE.value,
        Gap.CUT_TAIL.value,
        Gap.EMPTY.value,
        Gap.INTERNAL_ERROR.value,
        Gap.NOT_CLOSED.value,
        Gap.RECORDER_FAILED.value,
        Gap.REPLAY_MISMATCH.value,
        Gap.REPLAY_SPENT.value,
    }
)
"""Why a recording is incomplete, where only our own recorder or proxy can have failed, or a replay
had no answer for what was asked."""

UNPLANNED = {
    Status.PROVIDER_ERROR: Cause.PROVIDER,
    Status.HARNESS_ERROR: Cause.HARNESS,
    Status.TIMEOUT: Cause.HARNESS,
}
"""Statuses that end a trial without a judgement, and who is answerable unless the journal says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Invalid:
    """Why a trial cannot be judged."""

    cause: Cause
    """Who is answerable."""
    reason: str
    """Why, in a sentence."""


def invalidity(case: Case) -> Invalid | None:
    """Return why a trial cannot be judged, or None if it can."""
    status = case.journal.status
    fault = _recording_fault(case) if case.witness is Witness.PROXY else ""
    if fault and _ours(case):
        return Invalid(cause=Cause.HARNESS, reason=fault)
    planned = status is Status.PROVIDER_ERROR and ended_by_it(case)
    if status in UNPLANNED and not planned:
        cause = case.journal.cause or UNPLANNED[status]
        return Invalid(cause=cause, reason=f"the run ended as {status.value}")
    if fault:
        return Invalid(cause=Cause.HARNESS, reason=fault)
    if case.expected_model is None:
        return None
    changed = other_model(case.exchanges, case.expected_model)
    return Invalid(cause=Cause.PROVIDER, reason=changed) if changed else None


def _ours(case: Case) -> bool:
    return case.recording is None or case.recording.reason in OURS


def _recording_fault(case: Case) -> str:
    if case.recording is None:
        return "there is no recording"
    if not case.recording.complete:
        return f"the recording is incomplete: {case.recording.reason or 'no reason given'}"
    if case.recording.count != len(case.exchanges):
        return "the recording does not hold the exchanges that it counts"
    for exchange in case.exchanges:
        if exchange.trouble:
            return f"exchange {exchange.n}: {exchange.trouble}"
    return ""
