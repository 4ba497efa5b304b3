"""What came of planted faults: who sent an answer, as what it arrived, and which calls it shaped.

A tampered answer is known in two versions, the provider's and the agent's: from the recording, or
without a wire from the journal. So is a request, or without a wire a tool result, that was changed
on its way to the model. Whether exactly that was planted is for `ledgers.tampering` to check; here
it is taken as it stands.

The two versions of a call are matched by their place in the answer while both versions have the
same ids in the same places. Where a fault took calls out or put copies in, they are matched by what
they say, and else by id; a copy has no other version, since the provider never sent it. Where the
provider's own argument text is no strict JSON there is nothing to compare with.
"""

from dataclasses import dataclass

from grid.evidence import CallRecord, TamperedAnswer
from grid.matching import equal
from grid.tampering import OK
from grid.vocabulary import Cause, Witness
from grid.wirecall import WireCall, same_model, wire_calls, wire_model
from ledgers.alterations import altered, is_json, strict
from ledgers.case import Case
from ledgers.decoded import Decoded
from ledgers.finding import Finding, Pointer, brief, call_at, exchange_at, finding


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One model answer in its two versions."""

    tampered: bool
    """A planted fault changed it."""
    got: tuple[WireCall, ...]
    """Its calls as the agent got them."""
    sent: tuple[WireCall, ...]
    """Its calls as the provider sent them."""
    as_requested: bool | None
    """It came under the model id that was asked for; None: it names no model."""


def answer_to(case: Case, call: CallRecord) -> Answer | None:
    """Return the answer that a call came in; None if that is not known."""
    if call.raw_arguments is None:
        return None
    if case.witness is Witness.PROXY:
        answered = [exchange for exchange in case.exchanges if exchange.answered]
        found = answered[call.turn - 1 : call.turn] if call.turn > 0 else []
        return _recorded(found[0]) if found else None
    said = [item for item in case.journal.tampered if item.number == call.turn]
    return _journalled(said[0]) if said else None


def tampered(case: Case) -> Finding:
    """Look for answers that reached the agent changed, and results that reached the model so."""
    exchanges = [exchange for exchange in case.exchanges if exchange.tampered]
    many = len(exchanges) + len(case.journal.tampered)
    requests = [exchange for exchange in case.exchanges if exchange.asked is not None]
    results = case.journal.injected
    reasons = [f"{many} answers were changed on their way"]
    if requests:
        reasons.append(f"{len(requests)} requests were changed on their way")
    if results:
        reasons.append(f"{len(results)} tool results were changed on their way")
    changed = [item for item in case.exchanges if item.tampered or item.asked is not None]
    return finding(
        bool(changed or case.journal.tampered or results),
        (
            *(exchange_at(exchange.n) for exchange in changed),
            *(call_at(item.call) for item in results),
        ),
        reasons,
    )


def told_of(case: Case, call: CallRecord) -> str:
    """Return what the model was told of a call: without a wire, as a planted fault changed it."""
    changed = (item.received for item in case.journal.injected if item.call == call.seq)
    return next(changed, call.delivered)


def ended_by_it(case: Case) -> bool:
    """Tell whether the last answer that the agent got, or failed to get, was a tampered one."""
    if case.witness is Witness.PROXY:
        return bool(case.exchanges) and case.exchanges[-1].tampered
    said = case.journal.tampered
    return bool(said) and said[-1].number >= case.journal.answers


def rewritten(case: Case) -> Finding:
    """Look for calls that ran and are not what the provider's answer asks for."""
    found = [call for call in case.journal.calls if _rewritten(case, call)]
    return finding(
        bool(found),
        (call_at(call.seq) for call in found),
        (
            f"call {call.seq} of {brief(call.tool)!r} ran, and the provider's answer asks for "
            "something else"
            for call in found
        )
        if found
        else ("every call that ran is the one that the provider's answer asks for",),
    )


def other_model(case: Case) -> Finding:
    """Look for calls that ran and came in an answer under another model id."""
    found = [
        call
        for call in case.journal.calls
        if call.executed is not None and _under_another_model(case, call)
    ]
    return finding(
        bool(found),
        (call_at(call.seq) for call in found),
        (
            f"call {call.seq} of {brief(call.tool)!r} ran, and its answer came under another model "
            "id than the one requested"
            for call in found
        )
        if found
        else ("no call ran that came in an answer under another model id",),
    )


def came_changed(case: Case, call: CallRecord) -> bool:
    """Tell whether a call reached the agent otherwise than the provider had sent it.

    A copy does: the provider never sent it.
    """
    answer = answer_to(case, call)
    if answer is None or not answer.tampered:
        return False
    return _under_another_model(case, call) or any(
        got != sent for got, sent in _versions(answer, call)
    )


def fault_behind(case: Case) -> Cause | None:
    """Return who is answerable for what became of a trial with a tampered answer.

    That is the framework if it made something else of a call that reached it changed, the provider
    if such a call ran or was given up as it came, if a call of such an answer never reached the
    agent, or if the run ended with such an answer. None: no tampered answer had a part in it.
    """
    changed = [call for call in case.journal.calls if came_changed(case, call)]
    if any(altered(case, call) for call in changed):
        return Cause.FRAMEWORK
    return Cause.PROVIDER if changed or _lost(case) or ended_by_it(case) else None


def ended_in(case: Case, pointers: tuple[Pointer, ...]) -> bool:
    """Tell whether pointers lead to a tampered exchange after which nothing more was asked."""
    last = case.exchanges[-1] if case.exchanges else None
    return last is not None and last.tampered and exchange_at(last.n) in pointers


def _rewritten(case: Case, call: CallRecord) -> bool:
    answer = answer_to(case, call)
    if answer is None or call.executed is None:
        return False
    versions = _versions(answer, call)
    return bool(versions) and not any(
        sent is not None and _asks_for(sent, call) for _, sent in versions
    )


def _under_another_model(case: Case, call: CallRecord) -> bool:
    answer = answer_to(case, call)
    return answer is not None and answer.as_requested is False


def _versions(answer: Answer, call: CallRecord) -> list[tuple[WireCall, WireCall | None]]:
    """Return the two versions of each call of the answer that this one may be."""
    story = (call.wire_id, call.wire_tool, call.raw_arguments)
    return [
        (got, sent)
        for got, sent in _pairs(answer)
        if (got.id, got.name, got.raw_arguments) == story
    ]


def _pairs(answer: Answer) -> list[tuple[WireCall, WireCall | None]]:
    """Return each call as the agent got it, with the one that the provider sent; None: none."""
    if [call.id for call in answer.got] == [call.id for call in answer.sent]:
        return list(zip(answer.got, answer.sent, strict=True))
    left = list(answer.sent)
    pairs: list[tuple[WireCall, WireCall | None]] = []
    for got in answer.got:
        same = [sent for sent in left if sent == got] or [
            sent for sent in left if sent.id == got.id
        ]
        pairs.append((got, same[0] if same else None))
        if same:
            left.remove(same[0])
    return pairs


def _lost(case: Case) -> bool:
    """Tell whether an answer that came as one had lost a call on its way."""
    answers = [_recorded(item) for item in case.exchanges if item.tampered and item.answered]
    answers += [
        _journalled(item) for item in case.journal.tampered if item.status == OK and not item.cut
    ]
    return any(
        len([sent for _, sent in _pairs(answer) if sent is not None]) < len(answer.sent)
        for answer in answers
    )


def _asks_for(sent: WireCall, call: CallRecord) -> bool:
    asked = strict(sent.raw_arguments)
    return not is_json(asked) or (sent.name == call.tool and equal(asked, call.executed))


def _recorded(exchange: Decoded) -> Answer:
    return Answer(
        tampered=exchange.tampered,
        got=exchange.calls,
        sent=exchange.sent,
        as_requested=same_model(exchange.asked_model, exchange.told_model),
    )


def _journalled(said: TamperedAnswer) -> Answer:
    sent, got = said.sent.encode(), said.received.encode()
    return Answer(
        tampered=True,
        got=wire_calls(got),
        sent=wire_calls(sent),
        as_requested=same_model(wire_model(sent), wire_model(got)),
    )
