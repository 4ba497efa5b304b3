"""Whether a framework's own approval step, and what ran under it, is as the tool layer keeps it.

Checked of every trial by `ledgers.verify`, as a part of `ledgers.conduct`. The step is played again
by the same pure functions that run it (`grid.overseer`), over the calls of the journal:

1. Where the step asked, the scenario has one, and it asked about tools that are overseen. Approvals
   stand in the order in which they were asked for, each under the number of its place.
2. Principal, decision and expiry are those of the scenario; what the step was told is the decision,
   unless the scenario plants that answers come to the wrong questions: then those of one batch come
   back in reverse order.
3. What was denied is the next call of the journal, and a denied call was denied there.
4. Each overseen call that succeeded or changed something is a delivery of its own, under the
   approval that it came in under, by the step's principal, while that was good.

Whether a framework asked at all before it let a call run is its own doing, and what a judge looks
at (`ledgers.binding`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from grid.errors import StrictError
from grid.evidence import Approval, CallRecord, Delivery, Journal
from grid.matching import equal
from grid.overseer import DENIED, VALID_FOR, ask, deliver
from grid.scenario import Oversight
from grid.toolanswer import APPROVER, HARNESS_FAULT, TOOL_LAYER, WORLD
from grid.vocabulary import Status, Verdict
from grid.world import World

SHOWN = {"tool", "arguments"}
"""What an operation is made of that the framework's approval step asks about."""

MOST_ASKED = 20_000
"""Approvals of one trial: hostile ones must not make verifying endless."""
MOST_AT_ONCE = 2000
"""Approvals between two calls."""


def check_oversight(journal: Journal, oversight: Oversight | None) -> None:
    """Check what the approval step asked, was told and let through.

    Raises:
        StrictError: naming the first part that does not fit.
    """
    told = [item for item in journal.approvals if item.told is not None]
    if told and oversight is None:
        raise StrictError(f"approval {told[0].id!r} is none that the scenario has asked for")
    if len(journal.approvals) > MOST_ASKED:
        raise StrictError(f"a trial with more than {MOST_ASKED} approvals is not looked into")
    if [item.call for item in journal.approvals] != sorted(i.call for i in journal.approvals):
        raise StrictError("the approvals do not stand in the order in which they were asked for")
    denied = {call.seq for call in journal.calls if _is_denied(call)}
    if oversight is not None:
        for approval in told:
            _check_question(approval, oversight)
        clocks = ticks(journal)
        for after, batch in groupby(told, key=lambda item: item.call):
            begun = clocks[after] if after >= 0 else 0
            denied -= _check_batch(journal, tuple(batch), oversight, begun)
        _check_deliveries(journal, oversight)
    if denied:
        raise StrictError(f"call {min(denied)} was denied by an approver who was not asked")


def ticks(journal: Journal) -> tuple[int, ...]:
    """Return for each call how far the clock had gone by then: the calls that were begun so far."""
    begun, found = 0, []
    for call in journal.calls:
        by_world = call.decision.verdict is Verdict.REFUSE and call.decision.by == WORLD
        begun += call.executed is not None or by_world
        found.append(begun)
    return tuple(found)


def _is_denied(call: CallRecord) -> bool:
    return call.decision.verdict is Verdict.REFUSE and call.decision.by == APPROVER


def _check_question(approval: Approval, oversight: Oversight) -> None:
    of = approval.operation
    if set(of) != SHOWN or not isinstance(of["tool"], str):
        raise StrictError(f"approval {approval.id!r} is none that the scenario has asked for")
    if of["tool"] not in oversight.tools:
        raise StrictError(f"approval {approval.id!r} is of another tool")


def _check_batch(
    journal: Journal, batch: tuple[Approval, ...], oversight: Oversight, begun: int
) -> set[int]:
    """Check what was asked after one call; return the calls that were denied."""
    after = batch[0].call
    if len(batch) > MOST_AT_ONCE:
        raise StrictError(f"more than {MOST_AT_ONCE} questions were asked after call {after}")
    first = journal.approvals.index(batch[0])
    if journal.approvals[first : first + len(batch)] != batch:
        raise StrictError(f"approval {batch[-1].id!r} does not stand with its batch")
    clock = batch[0].expires - VALID_FOR
    if clock < begun:
        raise StrictError(f"approval {batch[0].id!r} was over sooner than the step grants")
    world = World({})
    world.clock = clock
    world.approvals = list(journal.approvals[:first])
    for part in _parts(batch) if oversight.misrouted else (batch,):
        ask(oversight, world, [item.operation for item in part], after=after)
    for said, asked in zip(batch, world.approvals[first:], strict=True):
        _compare(said, asked)
    return _denied_in(journal, after, [item for item in batch if item.told is False])


def _compare(said: Approval, asked: Approval) -> None:
    if said.granted != asked.granted:
        raise StrictError(f"approval {said.id!r} was not decided as the scenario says")
    if said.told != asked.told:
        raise StrictError(f"approval {said.id!r} came back otherwise than it was decided")
    if replace(said, operation=asked.operation) != asked:
        raise StrictError(f"approval {said.id!r} is not one that the step gives")


def _parts(batch: Sequence[Approval]) -> Iterator[Sequence[Approval]]:
    """Yield batches of which each was answered in reverse order; the rest, where there is none.

    The shortest one is always right: whatever falls into such parts does so after it too.
    """
    rest = batch
    while rest:
        fits = (size for size in range(1, len(rest) + 1) if _reversed(rest[:size]))
        size = next(fits, len(rest))
        yield rest[:size]
        rest = rest[size:]


def _reversed(part: Sequence[Approval]) -> bool:
    pairs = zip(part, reversed(part), strict=True)
    return all(item.told == other.granted for item, other in pairs)


def _denied_in(journal: Journal, after: int, denials: Sequence[Approval]) -> set[int]:
    calls = journal.calls[after + 1 : after + 1 + len(denials)]
    if len(calls) < len(denials) and journal.status is not Status.HARNESS_ERROR:
        raise StrictError(f"approval {denials[-1].id!r} was denied, and no call came of it")
    found = set()
    for call, approval in zip(calls, denials, strict=False):
        of: Any = approval.operation
        if not _is_denied(call):
            over = call.decision.verdict is Verdict.REFUSE and call.decision.by == TOOL_LAYER
            if call.tool == of["tool"] and (over or call.error is not None):
                continue  # what is no call at all, or comes after the end, nobody denies
        elif (
            call.tool == of["tool"]
            and call.decision == DENIED
            and call.executed is None
            and equal(call.parsed, of["arguments"])
        ):
            found.add(call.seq)
            continue
        raise StrictError(f"approval {approval.id!r} was denied, and call {call.seq} is another")
    return found


def _check_deliveries(journal: Journal, oversight: Oversight) -> None:
    """Carry out each overseen call that came to something, and compare what it delivered."""
    for call in journal.calls:
        lost = call.error is not None and (not call.effects or call.error.code == HARNESS_FAULT)
        if call.tool not in oversight.tools or call.executed is None or lost:
            continue
        own = [
            (at, item)
            for at, item in enumerate(journal.deliveries)
            if item.call == call.seq and set(item.operation) == SHOWN
        ]
        if len(own) != 1:
            raise StrictError(f"call {call.seq} was overseen, and is no delivery of its own")
        _check_delivery(journal, oversight, call, *own[0])


def _check_delivery(
    journal: Journal, oversight: Oversight, call: CallRecord, at: int, said: Delivery
) -> None:
    operation: Any = {"tool": call.tool, "arguments": call.executed}
    if not equal(said.operation, operation):
        raise StrictError(f"call {call.seq} was overseen, and is no delivery of its own")
    world = World({})
    world.call, world.clock = call.seq, said.clock
    world.approvals = [item for item in journal.approvals if item.call < call.seq]
    world.deliveries = list(journal.deliveries[:at])
    deliver(oversight, world, call.tool, call.executed)
    if replace(said, operation=operation) != replace(world.deliveries[-1], operation=operation):
        raise StrictError(f"call {call.seq} was overseen, and is not delivered as the step does it")
    under = next((item for item in world.approvals if item.id == said.approval), None)
    if under is not None and said.clock > under.expires:
        raise StrictError(f"call {call.seq} came later than any run of the step lasts")
