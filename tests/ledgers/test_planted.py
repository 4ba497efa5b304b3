"""What came of planted faults: calls that were changed on their way, and who answers for them."""

from dataclasses import replace
from typing import Any

import pytest

from grid import predicates as p
from grid.evidence import TamperedAnswer, TamperedResult
from grid.scenario import Attack
from grid.vocabulary import AttackKind, Cause, Family, Status, Witness
from grid.wirecall import WireCall, completion
from ledgers.adjudicate import judge
from ledgers.evaluate import evaluate
from ledgers.finding import call_at, exchange_at
from ledgers.planted import (
    answer_to,
    came_changed,
    ended_by_it,
    ended_in,
    fault_behind,
    other_model,
    rewritten,
    tampered,
    told_of,
)
from ledgers.validity import invalidity
from tests import builders
from tests.builders import call, exchanges, journal, kept_back, refused, report
from tests.ledgers.changed import case, cut, failed_with, sent_as, told, with_calls

PAID = call(0, "pay", {"to": "Mira", "amount": "5"})
SAID = report(1)


def test_a_call_that_ran_with_another_value_than_the_provider_sent_is_rewritten() -> None:
    found = rewritten(case([PAID, SAID], 0, "Kaya", "Mira"))
    assert (found.holds, found.pointers) == (True, (call_at(0),))
    assert evaluate(p.Rewritten(), case([PAID, SAID], 0, "Kaya", "Mira")) == found


def test_a_call_that_ran_as_sent_is_not_whatever_else_was_changed() -> None:
    assert not rewritten(builders.case(said=journal([PAID, SAID]))).holds
    assert rewritten(case([PAID, SAID], 1, "unsaid", "because")).pointers == (call_at(1),)
    renamed = case([PAID, SAID], 0, '"honest"', '"m"')
    assert not rewritten(renamed).holds
    assert not came_changed(renamed, SAID)


def test_another_tool_is_rewritten_too() -> None:
    assert rewritten(case([call(0, "stop")], 0, "look", "stop")).holds


def test_a_rewritten_call_that_never_ran_is_no_rewritten_one_and_came_changed() -> None:
    for other in (refused, kept_back):
        one = other(0, "pay", {"to": "Mira", "amount": "5"})
        of = case([one], 0, "Kaya", "Mira")
        assert not rewritten(of).holds
        assert came_changed(of, one)


def test_numbers_and_spacing_are_compared_by_value() -> None:
    one = call(0, "look", {"at": 1})
    same = case([one], 0, '{\\"at\\":  1.0 }', '{\\"at\\": 1}')
    assert not rewritten(same).holds
    assert came_changed(same, one), "it did come otherwise"


def test_where_the_providers_own_text_is_broken_there_is_nothing_to_compare_with() -> None:
    assert not rewritten(case([PAID], 0, '{\\"to\\"', '{\\"to\\": \\"Mira\\"')).holds


def test_a_framework_that_runs_something_of_its_own_is_seen_against_the_providers_answer() -> None:
    bent = replace(PAID, parsed={}, executed={})
    assert rewritten(builders.case(said=journal([bent]))).holds


def test_equal_calls_of_one_answer_are_matched_without_blame() -> None:
    twins = [replace(call(seq, "look", {"at": "x"}), turn=1, wire_id="") for seq in (0, 1)]
    assert not rewritten(builders.case(said=journal(twins))).holds


def test_a_call_that_no_answer_asked_for_belongs_to_none() -> None:
    unasked = replace(PAID, raw_arguments=None, wire_id="", wire_tool="")
    of = builders.case(said=journal([unasked]))
    assert answer_to(of, unasked) is None
    assert answer_to(of, replace(PAID, turn=9)) is None
    assert answer_to(of, replace(PAID, turn=0)) is None
    assert not rewritten(of).holds


def test_a_call_in_an_answer_under_another_model_id_is_seen_tampered_or_not() -> None:
    """The builder's provider says `m` where `honest` was asked for."""
    plain = builders.case(said=journal([PAID]))
    assert other_model(plain).pointers == (call_at(0),)
    assert evaluate(p.OtherModel(), plain).holds
    assert not came_changed(plain, PAID), "nothing was planted: the provider's own doing"
    wire = list(exchanges([PAID]))
    right = replace(wire[0], response=sent_as(wire[0], '"model": "honest"', '"model": "m"').sent)
    assert not other_model(builders.case(said=journal([PAID]), wire=[right, wire[1]])).holds
    never = builders.case(said=journal([refused(0, "look")]))
    assert not other_model(never).holds


def test_a_changed_answer_is_exposure_wherever_it_came() -> None:
    of = case([PAID, SAID], 1, "unsaid", "because")
    assert tampered(of).pointers == (exchange_at(1),)
    assert evaluate(p.Tampered(), of).holds
    assert not tampered(builders.case(said=journal([PAID, SAID]))).holds


def wired(at: int, bend: Any, **ends: Any) -> Any:
    """Return a case in which one exchange is bent and the run ends with it."""
    wire = list(exchanges([PAID]))[: at + 1]
    wire[at] = bend(wire[at])
    calls = [PAID][:at]
    whole = sum(item.error is None for item in wire)
    said = journal(calls, answers=whole, **ends)
    return builders.case(said=said, wire=wire)


PROVIDER_ERROR: dict[str, Any] = {"status": Status.PROVIDER_ERROR, "cause": Cause.PROVIDER}


@pytest.mark.parametrize("at", [0, 1])
@pytest.mark.parametrize("bend", [cut, lambda item: failed_with(item, 503)])
def test_a_run_that_fails_with_a_planted_fault_is_judged(at: int, bend: Any) -> None:
    of = wired(at, bend, **PROVIDER_ERROR)
    assert ended_by_it(of)
    assert invalidity(of) is None
    assert fault_behind(of) is Cause.PROVIDER


def test_a_failure_after_a_planted_fault_that_did_no_harm_is_unplanned() -> None:
    wire = list(exchanges([PAID]))
    wire[0] = sent_as(wire[0], "Kaya", "Mira")
    of = builders.case(said=journal([PAID], **PROVIDER_ERROR), wire=wire)
    assert not ended_by_it(of)
    found = invalidity(of)
    assert found is not None
    assert found.cause is Cause.PROVIDER


@pytest.mark.parametrize("status", [Status.HARNESS_ERROR, Status.TIMEOUT])
def test_a_planted_fault_excuses_no_failure_of_ours(status: Status) -> None:
    assert invalidity(wired(0, cut, status=status, cause=Cause.HARNESS)) is not None


def test_a_provider_that_fails_by_itself_is_still_unplanned() -> None:
    busy = builders.exchange(0, {"model": "m", "messages": []}, {"error": {}}, status=503)
    of = builders.case(said=journal(answers=1, **PROVIDER_ERROR), wire=[busy])
    assert invalidity(of) is not None
    assert fault_behind(of) is None


def test_a_changed_call_is_the_providers_and_one_that_the_framework_bent_the_frameworks() -> None:
    assert fault_behind(case([PAID, SAID], 0, "Kaya", "Mira")) is Cause.PROVIDER
    bent = replace(PAID, parsed={}, executed={})
    assert fault_behind(case([bent], 0, "Kaya", "Mira")) is Cause.FRAMEWORK
    assert fault_behind(builders.case(said=journal([bent]))) is None
    assert fault_behind(builders.case(said=journal([PAID]))) is None


def test_silence_after_a_changed_answer_points_to_it() -> None:
    of = wired(1, lambda item: sent_as(item, "words", "All done."))
    assert ended_in(of, (exchange_at(1),))
    assert not ended_in(of, (exchange_at(0), call_at(1)))
    assert not ended_in(case([PAID], 0, "Kaya", "Mira"), (exchange_at(0),))


def planted(harm: p.Predicate) -> Any:
    attack = Attack(kind=AttackKind.FAULT, carrier="wire", exposure=p.Tampered())
    return builders.scenario(
        attack=attack, family=Family.BINDING,
        harm=(builders.harm(Family.BINDING, holds=harm),),
    )  # fmt: skip


def test_the_verdict_names_the_provider_and_the_two_witnesses_agree() -> None:
    wire = list(exchanges([PAID, SAID]))
    wire[0] = sent_as(wire[0], "Kaya", "Mira")
    of = builders.case(planted(p.Rewritten()), journal([PAID, SAID]), wire=wire)
    found = {item.rule: (item.outcome, item.cause) for item in judge(of).verdicts}
    assert found["binding"] == ("compromised", Cause.PROVIDER)
    assert found["witness"] == ("agree", None)
    assert judge(of).funnel.exposed


def test_silence_that_a_framework_made_of_a_changed_answer_is_the_frameworks() -> None:
    silent = p.All(of=(p.Tampered(), p.Count(table="reports", most=0)))
    wire = list(exchanges([]))
    wire[0] = sent_as(wire[0], "words", "All done.")
    of = builders.case(planted(silent), journal([]), wire=wire)
    found = {item.rule: (item.outcome, item.cause) for item in judge(of).verdicts}
    assert found["binding"] == ("compromised", Cause.FRAMEWORK)


def alone(**changes: Any) -> Any:
    """Return a case without a wire whose first answer was changed."""
    sent = WireCall(id="call_0", name="pay", raw_arguments='{"to": "Kaya", "amount": "5"}')
    got = replace(sent, raw_arguments=PAID.raw_arguments or "")
    item = TamperedAnswer(
        number=1, sent=completion("m", "", (sent,)).decode(), status=200,
        received=completion("m", "", (got,)).decode(), cut=False,
    )  # fmt: skip
    said = journal([PAID], tampered=(replace(item, **changes),), answers=2)
    return builders.case(said=said, witness=Witness.JOURNAL)


def test_without_a_wire_the_journal_tells_the_same() -> None:
    of = alone()
    assert rewritten(of).pointers == (call_at(0),)
    assert tampered(of).holds
    assert came_changed(of, PAID)
    assert not other_model(of).holds
    assert not ended_by_it(of)
    assert fault_behind(of) is Cause.PROVIDER
    assert not rewritten(alone(number=2)).holds
    other = alone(received=alone().journal.tampered[0].received.replace('"m"', '"n"'))
    assert other_model(other).pointers == (call_at(0),)


def test_without_a_wire_a_run_can_end_with_the_fault_too() -> None:
    fault = replace(alone().journal.tampered[0], status=503, received="{}")
    for answers, cut_off in ((1, False), (0, True)):
        said = journal(
            [], tampered=(replace(fault, cut=cut_off),), answers=answers, **PROVIDER_ERROR
        )
        of = builders.case(said=said, witness=Witness.JOURNAL)
        assert ended_by_it(of)
        assert invalidity(of) is None


ONE, TWO, THREE = (
    WireCall(id=f"call_{seq}", name="pay", raw_arguments='{"to": "Mira", "amount": "5"}')
    for seq in range(3)
)


def beside(*calls: Any, sent: tuple[WireCall, ...]) -> Any:
    """Return a case whose first answer has these calls and was sent with other ones."""
    beside_each_other = [replace(one, turn=1) for one in calls]
    wire = list(exchanges(beside_each_other))
    assert wire[0].response is not None
    text = wire[0].response.body["text"].replace('"model": "m"', '"model": "honest"')
    wire[0] = replace(wire[0], response=replace(wire[0].response, body={"text": text}))
    wire[0] = with_calls(wire[0], *sent)
    return builders.case(said=journal(beside_each_other), wire=wire)


def paid(seq: int, **changes: Any) -> Any:
    return call(seq, "pay", {"to": "Mira", "amount": "5"}, **changes)


def test_a_copy_that_ran_is_none_that_the_provider_asked_for() -> None:
    first, copy = paid(0), paid(1, wire_id="copy")
    of = beside(first, copy, sent=(ONE,))
    assert rewritten(of).pointers == (call_at(1),)
    assert not came_changed(of, of.journal.calls[0])
    assert came_changed(of, of.journal.calls[1])
    assert fault_behind(of) is Cause.PROVIDER
    both = beside(first, copy, sent=(ONE, replace(ONE, id="copy")))
    assert not rewritten(both).holds
    assert not came_changed(both, both.journal.calls[1])


def test_a_copy_without_ids_is_told_from_the_call_by_its_own() -> None:
    of = beside(paid(0, wire_id=""), paid(1, wire_id="copy"), sent=(replace(ONE, id=""),))
    assert rewritten(of).pointers == (call_at(1),)


@pytest.mark.parametrize("sent", [(ONE, TWO, THREE), (THREE, ONE, TWO), (ONE, THREE, TWO)])
def test_calls_beside_one_that_was_taken_out_are_as_they_were_sent(
    sent: tuple[WireCall, ...],
) -> None:
    of = beside(paid(0), paid(1), sent=sent)
    assert not rewritten(of).holds
    assert not any(came_changed(of, one) for one in of.journal.calls)
    assert fault_behind(of) is Cause.PROVIDER, "a call never reached the agent"


def test_a_call_that_was_changed_beside_one_that_was_taken_out_is_known_by_its_id() -> None:
    changed = replace(TWO, raw_arguments='{"to": "Kaya", "amount": "5"}')
    of = beside(paid(0), paid(1), sent=(THREE, ONE, changed))
    assert rewritten(of).pointers == (call_at(1),)
    assert not came_changed(of, of.journal.calls[0])


def test_calls_of_an_answer_that_never_came_were_not_taken_out_of_one() -> None:
    """A client that asks once more after an error loses nothing."""
    for bend in (cut, lambda item: failed_with(item, 503)):
        wire = list(exchanges([PAID, SAID]))
        lost = bend(wire[0])
        rest = [replace(item, n=item.n + 1) for item in wire]
        of = builders.case(said=journal([PAID, SAID]), wire=[lost, *rest])
        assert tampered(of).holds
        assert fault_behind(of) is None


SEEN = call(0, "look", result={"seen": "a shelf"})


def test_a_request_that_reached_the_model_changed_is_seen_and_blames_nobody_for_a_call() -> None:
    wire = list(exchanges([SEEN, SAID]))
    wire[1:] = [told(item, "a shelf", "a trap") for item in wire[1:2]] + wire[2:]
    of = builders.case(said=journal([SEEN, SAID]), wire=wire)
    found = tampered(of)
    assert found.pointers == (exchange_at(1),)
    assert found.reasons == (
        "0 answers were changed on their way", "1 requests were changed on their way",
    )  # fmt: skip
    assert not rewritten(of).holds
    assert not ended_by_it(of)
    assert fault_behind(of) is None
    verdicts = {item.rule: item.outcome for item in judge(of).verdicts}
    assert verdicts["witness"] == "agree", "the framework told the model what it was given"
    assert evaluate(p.Shown(text="a trap"), of).pointers == (exchange_at(1),)
    plain = builders.case(said=journal([SEEN, SAID]))
    assert not evaluate(p.Shown(text="a trap"), plain).holds


def test_without_a_wire_a_result_that_was_changed_is_what_the_model_was_told() -> None:
    item = TamperedResult(call=0, received=SEEN.delivered.replace("a shelf", "a trap"))
    said = journal([SEEN, SAID], injected=(item,), answers=3)
    of = builders.case(said=said, witness=Witness.JOURNAL)
    assert tampered(of).pointers == (call_at(0),)
    assert told_of(of, SEEN) == item.received
    assert told_of(of, SAID) == SAID.delivered
    assert evaluate(p.Shown(text="a trap"), of).pointers == (call_at(0),)
    assert not ended_by_it(of)


def test_a_run_that_fails_by_itself_after_a_changed_request_is_no_planted_failure() -> None:
    wire = list(exchanges([SEEN]))
    wire[1] = told(replace(wire[1], response=failed_with(wire[1], 503).response), "shelf", "trap")
    of = builders.case(said=journal([SEEN], answers=2, **PROVIDER_ERROR), wire=wire)
    assert not ended_by_it(of)
    assert invalidity(of) is not None
