"""Whether exactly what is planted on the wire was done to the requests and answers of a trial.

Checked of every trial by `ledgers.verify`: the faults that its scenario plants, and those that the
manifest says are planted in every trial, are applied anew, by the same pure function, to what the
agent asked and what the provider sent.

1. With a wire, to every request and every whole answer of the recording, in order. Each must come
   out as the other side is said to have got it: changed where something is planted, and nowhere
   else.
2. Without a wire and with nothing planted, no answer was seen at all. With something planted, every
   answer is announced: the changed ones stand in the journal in both versions; the others are
   written anew from the calls that the journal has for them, and nothing may come of the faults
   there. The calls of a changed answer are those that the agent got; one that is restored may make
   them again.
3. Without a wire, the tool results that were changed are those of the calls whose results went back
   to the persona: not of one that was lost in a crash, nor of the answer that ended the run.
"""

from collections.abc import Iterable

from grid.errors import StrictError
from grid.evidence import CallRecord, Evidence, Journal, TamperedAnswer, TamperedResult
from grid.scenario import Scenario, Tamper
from grid.tampering import JSON_HEADERS, OK, ModelAnswer, Tampering, as_text, planted_in
from grid.vocabulary import Status, Witness
from grid.wirecall import WireCall, completion, wire_calls
from ledgers.restores import crashes
from proxy.wire.exchange import ErrorKind, Exchange, Response, body_bytes, body_json


def check_tampering(
    evidence: Evidence,
    scenario: Scenario,
    exchanges: tuple[Exchange, ...],
    more: Iterable[Tamper] = (),
) -> None:
    """Check what is said to have been changed on the way.

    Args:
        evidence: the trial's evidence.
        scenario: its scenario.
        exchanges: its recording; empty without a wire.
        more: what the run plants in every trial.

    Raises:
        StrictError: something was changed that is not planted, or was not and should have been.
    """
    tampering = Tampering(planted_in(scenario, evidence.seed, more), evidence.seed)
    journal = evidence.journal
    if evidence.witness is Witness.PROXY:
        if journal.tampered or journal.injected:
            raise StrictError("what a fault changed on the wire is for the recording to say")
        for exchange in exchanges:
            _check_request(exchange, tampering)
            _check_exchange(exchange, tampering)
    elif tampering:
        _check_journal(journal, tampering)
        _check_results(journal, tampering)
    elif journal.tampered or journal.injected or journal.answers:
        raise StrictError("model answers were seen, and there is no wire")


def _check_request(exchange: Exchange, tampering: Tampering) -> None:
    asked = body_bytes(exchange.request.body)
    got = tampering.ask(asked)
    if exchange.got != (None if got == asked else body_json(got)):
        raise StrictError(f"request {exchange.n} was not changed as is planted")


def _check_exchange(exchange: Exchange, tampering: Tampering) -> None:
    sent = exchange.provided
    if sent is None or (exchange.error is not None and exchange.sent is None):
        return  # no whole answer came, so there was nothing to change
    answer = ModelAnswer(status=sent.status, headers=dict(sent.headers), body=body_bytes(sent.body))
    got = tampering.apply(exchange.n + 1, answer)
    response = Response(status=got.status, headers=got.headers, body=body_json(got.body))
    expected = (
        response,
        ErrorKind.DISCONNECT if got.cut else None,
        None if got == answer else sent,
    )
    if expected != (exchange.response, exchange.error, exchange.sent):
        raise StrictError(f"exchange {exchange.n} was not changed as is planted")


def _check_journal(journal: Journal, tampering: Tampering) -> None:
    said = {item.number: item for item in journal.tampered}
    if [*said] != sorted(said) or len(said) != len(journal.tampered):
        raise StrictError("the tampered answers do not stand in their order, each once")
    if any(call.raw_arguments is None for call in journal.calls):
        raise StrictError("a call came in no answer, and every answer was announced")
    last = journal.answers + any(item.cut for item in journal.tampered)
    if any(not 0 < number <= last for number in said):
        raise StrictError("an answer is said to be tampered that was never given")
    if any(item.number < last and (item.cut or item.status != OK) for item in journal.tampered):
        raise StrictError("the run went on after an answer that never came")
    if last > len(journal.calls) + len(journal.sessions) + len(said):
        raise StrictError("more answers were seen than calls and sessions can have come of")
    turns: dict[int, list[WireCall]] = {}
    for call in journal.calls:
        turns.setdefault(call.turn, []).append(_call(call))
    for number in range(1, last + 1):
        calls = turns.get(number, [])
        if number in said:
            _check_answer(said[number], calls, tampering, again=bool(journal.restores))
        elif _apply(number, completion("", "", calls), tampering) is not None:
            raise StrictError(f"answer {number} was not changed as is planted")


def _check_answer(
    said: TamperedAnswer, calls: list[WireCall], tampering: Tampering, *, again: bool
) -> None:
    got = _apply(said.number, said.sent.encode(), tampering)
    told = None if got is None else (got.status, as_text(got.body), got.cut)
    if told != (said.status, said.received, said.cut):
        raise StrictError(f"answer {said.number} was not changed as is planted")
    whole = said.status == OK and not said.cut
    heard = wire_calls(said.received.encode()) if whole else ()
    if set(calls) != set(heard) or (len(calls) != len(heard) and not again):
        raise StrictError(f"the calls of answer {said.number} are not those that the agent got")


def _check_results(journal: Journal, tampering: Tampering) -> None:
    lost = {restore - 1 for restore in crashes(journal)}
    changed = [
        TamperedResult(call=call.seq, received=told)
        for call in journal.calls
        if call.delivered
        and call.seq not in lost
        and (told := tampering.tell(call.tool, call.delivered)) != call.delivered
    ]
    last = journal.calls[-1].turn if journal.calls else 0
    before = [item for item in changed if journal.calls[item.call].turn < last]
    wanted = {Status.STOPPED: [before], Status.HARNESS_ERROR: [before, changed]}
    if list(journal.injected) not in wanted.get(journal.status, [changed]):
        raise StrictError("the tool results were not changed as is planted")


def _apply(number: int, body: bytes, tampering: Tampering) -> ModelAnswer | None:
    """Return what comes of an answer, or None if nothing is changed."""
    sent = ModelAnswer(status=OK, headers=dict(JSON_HEADERS), body=body)
    got = tampering.apply(number, sent)
    return None if got == sent else got


def _call(call: CallRecord) -> WireCall:
    return WireCall(id=call.wire_id, name=call.wire_tool, raw_arguments=call.raw_arguments or "")
