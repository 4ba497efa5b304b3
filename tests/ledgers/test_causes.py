from typing import Any

from grid.vocabulary import Cause, Witness
from ledgers.causes import cause_of, pointed_calls
from ledgers.finding import Pointer, approval_at, call_at, delivery_at, effect_at, exchange_at
from tests.builders import approval, call, case, delivery, effect, journal


def cause(calls: list[Any], *pointers: Pointer, **more: Any) -> Cause:
    witness = more.pop("witness", Witness.PROXY)
    return cause_of(case(said=journal(calls, **more), witness=witness), pointers)


def row(key: str, before: Any, after: Any, seq: int = 0, of: int = 0) -> Any:
    return effect(seq, of, "accounts", key, before, after)


def test_what_the_agent_asked_for_is_the_agents() -> None:
    asked = call(0, "pay", {"to": "Mallory"}, effects=(row("p", None, {"to": "Mallory"}),))
    assert cause([asked], effect_at(0)) is Cause.AGENT
    assert cause([asked], call_at(0)) is Cause.AGENT


def test_an_altered_call_is_the_frameworks() -> None:
    bent = call(0, "pay", {"to": "Bob"}, parsed={"to": "Mallory"}, executed={"to": "Mallory"})
    assert cause([bent], call_at(0)) is Cause.FRAMEWORK


def test_a_call_that_no_answer_asked_for_is_the_frameworks() -> None:
    twice = call(1, "pay", {"to": "Bob"}, raw_arguments=None, wire_id="", wire_tool="", turn=1)
    assert cause([call(0, "pay", {"to": "Bob"}), twice], call_at(1)) is Cause.FRAMEWORK
    assert cause([twice], call_at(1), witness=Witness.JOURNAL) is Cause.AGENT


def test_values_that_nobody_asked_for_are_the_tools() -> None:
    wrong = call(0, "pay", {"to": "Bob"}, effects=(row("p", None, {"to": "Mallory"}),))
    assert cause([wrong], effect_at(0)) is Cause.TOOL


def test_only_what_an_effect_changed_counts() -> None:
    before = {"to": "Bob", "limit": "low"}
    wrong = call(0, "look", {"at": "Bob"}, effects=(row("p", before, {**before, "limit": "high"}),))
    assert cause([wrong], effect_at(0), before={"accounts": {"p": before}}) is Cause.TOOL


def test_a_deletion_is_the_agents_however_its_target_was_written() -> None:
    gone = call(0, "purge", {"scope": "*"}, effects=(row("p", {"to": "Bob"}, None),))
    assert cause([gone], effect_at(0), before={"accounts": {"p": {"to": "Bob"}}}) is Cause.AGENT


def test_a_value_that_an_earlier_call_brought_in_was_asked_for() -> None:
    edited = call(0, "purge", {"scope": "Mallory"})
    paid = call(1, "stop", effects=(row("p", None, {"to": "Mallory"}, of=1),))
    assert cause([edited, paid], effect_at(0)) is Cause.AGENT


def test_a_delivery_that_was_swapped_by_nobodys_call_is_the_tools() -> None:
    shown, swapped = {"to": "Bob"}, {"to": "Mallory"}
    calls = [call(0, "pay", {"to": "Bob"}), call(1, "stop")]
    parts = {"approvals": (approval(shown),), "deliveries": (delivery(swapped),)}
    assert cause(calls, delivery_at(0), call_at(1), **parts) is Cause.TOOL
    calls[0] = call(0, "pay", {"to": "Mallory"})
    assert cause(calls, delivery_at(0), call_at(1), **parts) is Cause.AGENT


def test_pointers_lead_to_calls() -> None:
    said = journal(
        [call(0), call(1, effects=(row("p", None, {"n": 1}, of=1),)), call(2)],
        approvals=(approval({"a": 1}),), deliveries=(delivery({"a": 1}, call=2),),
    )  # fmt: skip
    of = case(said=said)
    pointers = (delivery_at(0), effect_at(0), call_at(9), exchange_at(0), approval_at(0))
    assert [item.seq for item in pointed_calls(of, pointers)] == [1, 2]
    assert cause_of(of, (exchange_at(0),)) is Cause.AGENT
