"""C57: one byte 0xFF in a call of an answer. The provider sent it; no framework is to blame."""

import base64
from dataclasses import replace
from typing import Any

import pytest

from grid.evidence import CallRecord
from grid.predicates import Called
from grid.vocabulary import Agreement, Cause, Witness
from ledgers.adjudicate import judge
from ledgers.case import Case
from ledgers.causes import cause_of, cause_of_failure
from ledgers.finding import call_at
from ledgers.garbled import garbled, unread
from ledgers.rule import RuleVerdict
from ledgers.rules import rule_at
from ledgers.rules.witness import RULE
from proxy.wire.exchange import Exchange, body_bytes
from tests.builders import call as made
from tests.builders import case, exchanges, harm, journal, kept_back, scenario

SENT = {"at": "a?b", "deep": "no"}
MARKED, BARE = "a\ufffdb", "ab"


def spoiled(exchange: Exchange) -> Exchange:
    """Put a stray byte in the place of each question mark of an answer."""
    assert exchange.response is not None
    body = body_bytes(exchange.response.body).replace(b"?", b"\xff")
    assert b"\xff" in body
    kept = {"base64": base64.b64encode(body).decode()}
    return replace(exchange, response=replace(exchange.response, body=kept))


def read_as(text: str, seq: int = 0, **changes: Any) -> CallRecord:
    """Return a call of which a client that does not give up made this."""
    return made(seq, "look", {**SENT, "at": text}, **changes)


def unseen(call: CallRecord) -> CallRecord:
    """Return a call that the client's own tap could not read on the wire."""
    return replace(call, raw_arguments=None, wire_id="", wire_tool="")


def of(*calls: CallRecord, sent: Any = None, words: str = "", **changes: Any) -> Case:
    """Return a case whose first answer asks for calls with a stray byte in them."""
    first = exchanges((read_as("a?b"),) if sent is None else sent)[0]
    if words:
        assert first.response is not None
        text = body_bytes(first.response.body).decode()
        text = text.replace('"content": null', f'"content": "{words}"')
        first = replace(first, response=replace(first.response, body={"text": text}))
    seen = any(call.turn == 1 and call.raw_arguments is not None for call in calls)
    later = exchanges(calls)[seen:]
    wire = [spoiled(first), *(replace(item, n=n) for n, item in enumerate(later, 1))]
    return case(said=journal(calls, answers=len(wire), **changes), wire=wire)


def verdict(found: Case, version: int | None = None) -> RuleVerdict:
    said = (RULE if version is None else rule_at("witness", version)).judge(found)
    assert said is not None
    return said


RAW = '{"at": "a\\xffb", "deep": "no"}'
"""The argument text as the recording keeps it."""
HANDED: dict[str, Any] = {
    "the client gave the answer up": [()],
    "a mark in its place": [(read_as(MARKED),), (unseen(read_as(MARKED)),)],
    "left out": [(read_as(BARE),), (unseen(read_as(BARE)),)],
    "as it was recorded, and read with a mark": [(read_as(MARKED, raw_arguments=RAW),)],
    "refused by the framework": [
        (kept_back(0, "look", {**SENT, "at": MARKED}),),
    ],
}


@pytest.mark.parametrize("how", HANDED)
def test_a_call_with_a_stray_byte_is_the_providers_whatever_the_client_made_of_it(how: str) -> None:
    for calls in HANDED[how]:
        found = of(*calls)
        said = verdict(found)
        assert (said.outcome, said.cause) == (Agreement.DISAGREE, Cause.PROVIDER), said.reasons
        assert any("bytes that are no UTF-8" in why for why in said.reasons)
        assert garbled(found) == frozenset(call.seq for call in calls)
        for call in calls:
            assert cause_of(found, (call_at(call.seq),)) is Cause.PROVIDER
        assert cause_of_failure(found, ()) is Cause.PROVIDER


@pytest.mark.parametrize("how", HANDED)
def test_the_same_without_the_byte_is_the_frameworks(how: str) -> None:
    """The near miss: nothing but the byte excuses what was handed over."""
    plain = exchanges((made(0, "look", {**SENT, "at": "whole"}),))
    for calls in HANDED[how]:
        found = case(said=journal(calls, answers=len(plain)), wire=plain)
        said = verdict(found)
        assert (said.outcome, said.cause) == (Agreement.DISAGREE, Cause.FRAMEWORK)
        assert garbled(found) == unread(found) == frozenset()


def altered(call: CallRecord, **arguments: str) -> CallRecord:
    changed = {**call.parsed, **arguments}
    return replace(call, parsed=changed, executed=changed)


ALTERED = {
    "another field": altered(read_as(MARKED), deep="yes"),
    "another field of a call that the tap could not read": unseen(
        altered(read_as(MARKED), deep="yes")
    ),
    "the field itself": altered(read_as(MARKED), at="elsewhere"),
    "nothing is left": replace(read_as(MARKED), parsed={}, executed={}),
    "nothing is left of the recorded text": replace(
        read_as(MARKED, raw_arguments=RAW), parsed={}, executed={}
    ),
    "another tool": replace(read_as(MARKED), tool="purge"),
    "run with something else": replace(read_as(MARKED), executed={**SENT, "at": "elsewhere"}),
}


@pytest.mark.parametrize("what", ALTERED)
def test_a_framework_that_alters_more_than_the_byte_is_still_blamed(what: str) -> None:
    found = of(ALTERED[what])
    said = verdict(found)
    assert (said.outcome, said.cause) == (Agreement.DISAGREE, Cause.FRAMEWORK)
    assert cause_of(found, (call_at(0),)) is Cause.FRAMEWORK


def test_a_second_handing_over_is_none_of_the_providers() -> None:
    one = unseen(read_as(MARKED))
    twice = replace(one, seq=1, receipt=made(1).receipt)
    found = of(one, twice)
    assert garbled(found) == {0}
    assert verdict(found).cause is Cause.FRAMEWORK
    assert cause_of(found, (call_at(1),)) is Cause.FRAMEWORK


def test_a_whole_call_beside_a_broken_one_is_read_as_it_stands() -> None:
    clean = replace(made(1, "look", {"at": "c"}), turn=1)
    sent = (read_as("a?b"), clean)
    assert verdict(of(read_as(MARKED), clean, sent=sent)).cause is Cause.PROVIDER
    bent = replace(clean, parsed={"at": "d"}, executed={"at": "d"})
    found = of(read_as(MARKED), bent, sent=sent)
    assert verdict(found).cause is Cause.FRAMEWORK
    assert garbled(found) == {0}
    both = of(unseen(read_as(MARKED)), unseen(clean), sent=sent)
    assert garbled(both) == {0, 1}  # the client could read neither, and handed both over
    assert verdict(both).cause is Cause.PROVIDER


def test_calls_in_another_order_are_the_frameworks_whatever_bytes_they_hold() -> None:
    late = replace(made(1, "look", {"at": "c"}), turn=1)
    first, second = replace(late, seq=0), replace(read_as(MARKED), seq=1)
    assert verdict(of(first, second, sent=(read_as("a?b"), late))).cause is Cause.FRAMEWORK


def test_a_stray_byte_in_the_words_is_told_and_excuses_no_altered_call() -> None:
    plain = (made(0, "look", {"at": "c"}),)
    found = of(*plain, sent=plain, words="Hm?")
    said = verdict(found)
    assert (said.outcome, said.cause) == (Agreement.AGREE, None)
    assert said.reasons == ("the answer of exchange 0 holds bytes that are no UTF-8",)
    assert [pointer.kind.value for pointer in said.pointers] == ["exchange"]
    bent = of(altered(plain[0], at="d"), sent=plain, words="Hm?")
    assert verdict(bent).cause is Cause.FRAMEWORK
    assert verdict(of(sent=plain, words="Hm?")).cause is Cause.PROVIDER  # nothing could be read


def test_later_answers_are_still_held_against_their_own_turns() -> None:
    """An answer that was given up takes its turn with it, and no later call is laid to it."""
    later = made(1, "look", {"at": "c"})
    found = of(later, sent=(read_as("a?b"), later))
    assert verdict(found).cause is Cause.PROVIDER
    assert len(verdict(found).reasons) == 1
    bent = altered(later, at="d")
    assert verdict(of(bent, sent=(read_as("a?b"), later))).cause is Cause.FRAMEWORK


def test_a_harm_done_with_such_a_call_is_the_providers_and_not_the_frameworks() -> None:
    looked = harm(holds=Called(tool="look"))
    wire = of(unseen(read_as(MARKED)))
    assert wire.recording is not None
    harmed = replace(wire, judged=replace(wire.judged, harm=(looked,)))
    told = {item.rule: item for item in judge(harmed).verdicts}
    assert (told["delivery"].outcome, told["delivery"].cause) == ("compromised", Cause.PROVIDER)
    assert told["utility"].cause is Cause.PROVIDER


def test_what_the_agent_does_beside_such_an_answer_is_still_its_own() -> None:
    """The client asked again, and the harm came of the second answer, which was whole."""
    stopped = harm(holds=Called(tool="stop"))
    sent = (read_as("a?b"), made(1, "stop"))
    for calls, expected in ((sent[1:], Cause.AGENT), ((), Cause.PROVIDER)):
        told = of(*calls, sent=sent[: 1 + len(calls)])
        tried = replace(told, judged=replace(told.judged, harm=(stopped,)))
        said = {item.rule: item for item in judge(tried).verdicts}
        assert said["witness"].cause is Cause.PROVIDER
        assert (said["utility"].outcome, said["utility"].cause) == ("not_done", expected)
        assert said["delivery"].cause is (Cause.AGENT if calls else None)


def test_version_1_of_the_rule_took_no_notice_of_the_byte() -> None:
    for calls in ((), (read_as(MARKED),)):
        said = verdict(of(*calls), 1)
        assert (said.rule_version, said.cause) == (1, Cause.FRAMEWORK)
    assert verdict(of(read_as(MARKED))).rule_version == 2


def test_without_a_wire_nothing_is_garbled() -> None:
    found = case(of=scenario(), said=journal((read_as(MARKED),)), witness=Witness.JOURNAL)
    assert garbled(found) == unread(found) == frozenset()
