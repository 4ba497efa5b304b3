"""Calls that a provider sent with bytes that are no UTF-8, and what clients make of such an answer.

One client gives the whole answer up, another puts a mark in the place of each stray byte or leaves
it out, and all of them may. So wire and journal then differ, and no framework is answerable for it:
what nobody can read in one way only came from the provider. A framework that hands over anything
else than one of these readings has altered the call all the same, and so has one that hands over
the call a second time.
"""

from collections.abc import Iterator

from grid.evidence import CallRecord
from grid.matching import equal
from grid.wirecall import WireCall
from ledgers.alterations import is_json, never_handed_over, strict
from ledgers.case import Case
from ledgers.decoded import Decoded


def garbled(case: Case) -> frozenset[int]:
    """Return the calls of the journal that are one of these, in one of its readings.

    Where the client could read no call of the answer, whatever was handed over of it is.
    """
    found: set[int] = set()
    lost = unread(case)
    for turn, exchange in _stray_answers(case):
        left = [call for call in case.journal.calls if call.turn == turn]
        for readings in _calls_of(exchange, whole=exchange.n in lost):
            match = next((call for call in left if _is_one_of(call, readings)), None)
            if match is not None:
                left.remove(match)
                found.add(match.seq)
    return frozenset(found)


def unread(case: Case) -> frozenset[int]:
    """Return the exchanges whose answer holds calls of which the agent's client could read none."""
    announced = {call.turn for call in case.journal.calls if call.raw_arguments is not None}
    return frozenset(
        exchange.n
        for turn, exchange in _stray_answers(case)
        if exchange.calls and turn not in announced
    )


def as_read(exchange: Decoded) -> Iterator[tuple[WireCall, ...]]:
    """Yield the calls of an answer in each way in which they can be read, as sent first."""
    yield exchange.calls
    yield from exchange.readings


def _stray_answers(case: Case) -> Iterator[tuple[int, Decoded]]:
    """Yield each answer with a stray byte, and the number of its turn."""
    answered = (exchange for exchange in case.exchanges if exchange.answered)
    yield from ((turn, item) for turn, item in enumerate(answered, 1) if item.stray)


def _calls_of(exchange: Decoded, *, whole: bool) -> Iterator[tuple[WireCall, ...]]:
    """Yield the readings of each call with a stray byte in it; of the whole answer if asked for."""
    fitting = [calls for calls in as_read(exchange) if len(calls) == len(exchange.calls)]
    for readings in zip(*fitting, strict=True):
        if whole or len(set(readings)) > 1:
            yield readings


def _is_one_of(call: CallRecord, readings: tuple[WireCall, ...]) -> bool:
    written = WireCall(id=call.wire_id, name=call.wire_tool, raw_arguments=call.raw_arguments or "")
    if call.raw_arguments is not None and written not in readings:
        return False
    return never_handed_over(call) or any(_handed_over(call, reading) for reading in readings)


def _handed_over(call: CallRecord, reading: WireCall) -> bool:
    if call.tool != reading.name:
        return False
    if call.executed is not None and not equal(call.executed, call.parsed):
        return False
    asked = strict(reading.raw_arguments)
    return (is_json(asked) and equal(asked, call.parsed)) or call.parsed in (
        None,
        reading.raw_arguments,
    )
