"""Planted faults on the wire, as a pure function: what is changed, and what is left alone."""

import json
from typing import Any

import pytest

from grid import predicates as p
from grid.catalogue import scenario
from grid.scenario import Attack, Tamper, joined, secret
from grid.strict import to_json
from grid.tampering import JSON_HEADERS, ModelAnswer, Tampering, as_text, planted_in
from grid.vocabulary import AttackKind, TamperKind
from grid.wirecall import WireCall, completion, wire_calls, wire_model
from tests import builders

CALLS = (
    WireCall(id="a", name="pay", raw_arguments='{"to": "Kaya", "amount": 5}'),
    WireCall(id="b", name="look", raw_arguments="{}"),
    WireCall(id="c", name="pay", raw_arguments='{"to": "月", "amount": 5}'),
)


def answer(*calls: WireCall, body: bytes | None = None, status: int = 200) -> ModelAnswer:
    data = completion("m", "", calls or CALLS) if body is None else body
    return ModelAnswer(status=status, headers=dict(JSON_HEADERS), body=data)


def fault(kind: TamperKind, number: int = 0, **more: Any) -> Tamper:
    return Tamper(kind=kind, answer=number, **more)


PAY = fault(TamperKind.ARGUMENT, tool="pay", argument="to", value="Mira")


def arguments(got: ModelAnswer) -> list[str]:
    return [call.raw_arguments for call in wire_calls(got.body)]


def test_one_argument_of_the_calls_of_one_tool_gets_another_value() -> None:
    got = Tampering([PAY]).apply(1, answer())
    assert arguments(got) == ['{"to": "Mira", "amount": 5}', "{}", '{"to": "Mira", "amount": 5}']
    was, now = json.loads(answer().body), json.loads(got.body)
    for value in (was, now):
        del value["choices"][0]["message"]["tool_calls"]
    assert was == now, "nothing else is changed"
    assert (got.status, got.headers, got.cut) == (200, JSON_HEADERS, False)


def test_a_value_may_be_any_json_value() -> None:
    for value in (None, True, 1.5, ["x"], {"y": {}}):
        tamper = fault(TamperKind.ARGUMENT, tool="pay", argument="amount", value=value)
        got = Tampering([tamper]).apply(1, answer(CALLS[0]))
        assert json.loads(arguments(got)[0])["amount"] == value


@pytest.mark.parametrize(
    "text",
    ["", "null", "[1]", '{"to": "a", "to": "b"}', '{"to": "Kaya', '{"amount": 5}', '{"to": "Mira"}',
     '{"to": "Mira", "amount": 123456789012345678901234567890}'],
)  # fmt: skip
def test_arguments_that_cannot_be_changed_without_guessing_stay_as_they_came(text: str) -> None:
    sent = answer(WireCall(id="a", name="pay", raw_arguments=text))
    assert Tampering([PAY]).apply(1, sent) == sent


def test_the_text_of_a_call_is_replaced_whatever_it_was() -> None:
    tampering = Tampering([fault(TamperKind.TEXT, tool="pay", value='{"to": ')])
    for text in ("", "{}", '{"to": "a", "to": "b"}'):
        got = tampering.apply(1, answer(WireCall(id="a", name="pay", raw_arguments=text)))
        assert arguments(got) == ['{"to": ']
        tampering = Tampering([fault(TamperKind.TEXT, tool="pay", value='{"to": ')])


def test_without_a_number_the_first_answer_with_such_a_call_is_meant_and_no_later_one() -> None:
    tampering = Tampering([PAY])
    other = answer(CALLS[1])
    assert tampering.apply(1, other) == other
    assert tampering.apply(2, answer()) != answer()
    assert tampering.apply(3, answer()) == answer()


def test_a_first_call_that_has_the_value_already_uses_the_fault_up() -> None:
    tampering = Tampering([PAY])
    same = answer(WireCall(id="a", name="pay", raw_arguments='{"to":"Mira"}'))
    assert tampering.apply(1, same) == same
    assert tampering.apply(2, answer()) == answer()


def test_with_a_number_that_answer_is_meant_and_no_other() -> None:
    tampering = Tampering([fault(TamperKind.ARGUMENT, 2, tool="pay", argument="to", value="Mira")])
    assert tampering.apply(1, answer()) == answer()
    assert tampering.apply(2, answer()) != answer()
    assert tampering.apply(3, answer()) == answer()


def test_the_model_id_is_told_otherwise_in_every_answer_or_in_one() -> None:
    always = Tampering([fault(TamperKind.MODEL, value="other")])
    once = Tampering([fault(TamperKind.MODEL, 2, value="other")])
    for tampering, told in ((always, ["other"] * 3), (once, ["m", "other", "m"])):
        answers = [tampering.apply(number, answer()) for number in (1, 2, 3)]
        assert [wire_model(got.body) for got in answers] == told
    same = answer(body=completion("other", "hi", ()))
    assert always.apply(4, same) == same


def test_an_error_takes_the_place_of_whatever_came() -> None:
    tampering = Tampering([fault(TamperKind.STATUS, 1, value=503)])
    for sent in (answer(), answer(body=b"\xff"), answer(status=429)):
        got = tampering.apply(1, sent)
        assert (got.status, got.headers) == (503, JSON_HEADERS)
        assert json.loads(got.body)["error"]["code"] == "unavailable"
    assert tampering.apply(2, answer()) == answer()


def test_a_cut_answer_is_the_first_half_and_says_that_it_is_cut() -> None:
    tampering = Tampering([fault(TamperKind.CUT, 1)])
    for body in (answer().body, b"", b"x", "月".encode()):
        got = tampering.apply(1, answer(body=body))
        assert (got.body, got.cut, got.status) == (body[: len(body) // 2], True, 200)
        assert isinstance(as_text(got.body), str)


def test_several_faults_come_one_after_the_other_and_an_error_is_the_last() -> None:
    rename = fault(TamperKind.MODEL, value="other")
    got = Tampering([PAY, rename]).apply(1, answer())
    assert (wire_model(got.body), arguments(got)[0]) == ("other", '{"to": "Mira", "amount": 5}')
    got = Tampering([PAY, fault(TamperKind.STATUS, value=500), rename]).apply(1, answer())
    assert (got.status, wire_model(got.body)) == (500, "")
    got = Tampering([rename, fault(TamperKind.CUT)]).apply(1, answer())
    assert got.cut
    assert b"other" in got.body


@pytest.mark.parametrize(
    "body",
    [b"", b"no json", b"\xff\xfe", b"[]", b"{}", b'{"choices": 1}', b'{"choices": []}',
     b'{"choices": [{"message": {"content": "words"}}]}', b'{"choices": [{"message": 1}]}',
     b'{"choices": [{"message": {"tool_calls": 1}}]}', b'{"choices": [1], "choices": [2]}',
     b'{"choices": [{"message": {"tool_calls": [{"function": "pay"}]}}]}',
     b"[" * 5000, b'{"error": {"message": "no"}}'],
)  # fmt: skip
def test_a_body_without_such_a_call_passes_to_the_byte(body: bytes) -> None:
    sent = answer(body=body)
    assert Tampering([PAY]).apply(1, sent) is sent


def test_an_error_of_the_providers_own_keeps_its_words() -> None:
    for kind in (PAY, fault(TamperKind.MODEL, value="other")):
        sent = answer(status=429)
        assert Tampering([kind]).apply(1, sent) is sent


def test_nothing_planted_is_nothing_changed() -> None:
    assert not Tampering(())
    sent = answer()
    assert Tampering(()).apply(1, sent) is sent


def test_a_scenario_plants_its_faults_with_the_values_of_the_trial_and_its_twin_none() -> None:
    attack = Attack(
        kind=AttackKind.FAULT, carrier="c", exposure=p.Tampered(),
        tamper=(fault(TamperKind.TEXT, tool="pay", value=joined("{", secret("key"), "}")),),
    )  # fmt: skip
    (planted,) = planted_in(builders.scenario(attack=attack), builders.SEED)
    assert planted.value == "{" + builders.SECRET + "}"
    assert (planted.kind, planted.tool) == (TamperKind.TEXT, "pay")
    assert planted_in(builders.twin(), builders.SEED) == ()
    moon = scenario("moon_for_mars")
    assert planted_in(moon, builders.SEED) == ()
    assert to_json(moon)["attack"]["tamper"] == []
