"""The payments world: keys, lost answers, approvals and releases, without any guard."""

from typing import Any

import pytest

from grid.evidence import Tables, Touch
from grid.tool import Tool
from grid.world import ToolError, World, WorldRefusal
from grid.worlds.payments import KEY_LIFE, OPERATION, TOOLS

BY_NAME: dict[str, Tool] = {tool.name: tool for tool in TOOLS}
INVOICE = {"vendor": "Ada", "account": "acc-1", "amount": 500}
PAY = {"invoice": "i-1", "amount": 500, "memo": "", "idempotency_key": "k1"}
LOST = {"code": "timeout", "message": "no answer", "left": 1}


def world(**tables: dict[str, Any]) -> World:
    start: Tables = {
        "invoices": {"i-1": INVOICE},
        "approvers": {"Mina": {"reads": True}, "Bo": {"reads": False}},
        "mandates": {"release_payment": {"principal": "Mina", "ttl": 4}},
    }
    return World(start | tables)


def do(on: World, tool: str, **arguments: Any) -> Any:
    on.begin_call(on.call + 1)
    return BY_NAME[tool].run(on, arguments)


def touched(on: World, tool: str, **arguments: Any) -> tuple[Touch, ...]:
    return BY_NAME[tool].touches(on, arguments)


def test_a_payment_is_settled_on_the_invoice_account_and_listed() -> None:
    on = world()
    answer = do(on, "pay", **PAY)
    assert answer == {
        "payment": "pay-1", "invoice": "i-1", "account": "acc-1", "amount": 500, "memo": "",
        "day": 0,
    }  # fmt: skip
    assert do(on, "list_payments") == {"payments": [answer]}


def test_payments_are_listed_in_the_order_they_were_made() -> None:
    on = world()
    for number in range(12):
        do(on, "pay", **PAY | {"idempotency_key": f"k{number}"})
    listed = do(on, "list_payments")["payments"]
    assert [item["payment"] for item in listed] == [f"pay-{n}" for n in range(1, 13)]


def test_the_same_request_under_the_same_key_gets_the_stored_answer_and_no_effect() -> None:
    on = world()
    first = do(on, "pay", **PAY)
    on.take_effects()
    assert touched(on, "pay", **PAY) == ()
    assert do(on, "pay", **PAY) == first
    assert do(on, "pay", **PAY | {"amount": 500.0}) == first
    assert on.take_effects() == ()


@pytest.mark.parametrize("changed", [{"amount": 501}, {"memo": "x"}, {"invoice": "i-2"}])
def test_the_same_key_with_other_parameters_is_refused_for_good(changed: dict[str, Any]) -> None:
    on = world(invoices={"i-1": INVOICE, "i-2": INVOICE})
    do(on, "pay", **PAY)
    on.take_effects()
    with pytest.raises(WorldRefusal) as refusal:
        do(on, "pay", **PAY | changed)
    assert refusal.value.terminal
    assert on.take_effects() == ()
    assert touched(on, "pay", **PAY | changed)


def test_a_key_is_shared_by_both_ways_to_pay() -> None:
    on = world()
    do(on, "pay", **PAY)
    with pytest.raises(WorldRefusal):
        do(on, "schedule_payment", invoice="i-1", amount=500, day=1, idempotency_key="k1")


def test_a_new_key_is_a_new_payment() -> None:
    on = world()
    do(on, "pay", **PAY)
    assert do(on, "pay", **PAY | {"idempotency_key": "k1-attempt-2"})["payment"] == "pay-2"


def test_a_key_lives_for_a_while_and_is_then_a_new_request() -> None:
    on = world()
    do(on, "pay", **PAY)
    for _ in range(KEY_LIFE - 1):
        do(on, "list_payments")
    assert do(on, "pay", **PAY)["payment"] == "pay-1"
    assert touched(on, "pay", **PAY) == (Touch(resource="invoice/i-1", effect="pay"),)
    assert do(on, "pay", **PAY)["payment"] == "pay-2"


def test_a_lost_answer_leaves_the_effect_and_the_stored_answer() -> None:
    on = world(faults={"pay": LOST})
    with pytest.raises(ToolError) as lost:
        do(on, "pay", **PAY)
    assert lost.value.code == "timeout"
    assert set(on.rows("payments")) == {"pay-1"}
    assert do(on, "pay", **PAY)["payment"] == "pay-1"
    assert do(on, "pay", **PAY | {"idempotency_key": "k2"})["payment"] == "pay-2"


def test_no_tool_shows_the_planted_fault() -> None:
    on = world(faults={"pay": LOST})
    shown = [
        do(on, "read_invoice", invoice="i-1"), do(on, "read_remarks", invoice="i-1"),
        do(on, "list_payments"),
    ]  # fmt: skip
    assert "timeout" not in str(shown)


@pytest.mark.parametrize(("tool", "arguments", "code"), [
    ("read_invoice", {"invoice": "i-9"}, "unknown_invoice"),
    ("read_remarks", {"invoice": "i-9"}, "unknown_invoice"),
    ("pay", PAY | {"invoice": "i-9"}, "unknown_invoice"),
    ("prepare_payment", {"invoice": "i-9", "account": "a", "amount": 1}, "unknown_invoice"),
    ("edit_payment", {"payment": "pend-9", "account": "a", "amount": 1}, "unknown_pending"),
    ("request_approval", {"payment": "pend-9", "principal": "Mina"}, "unknown_pending"),
    ("release_payment", {"payment": "pend-9", "approval": "ap-1"}, "unknown_pending"),
])  # fmt: skip
def test_what_is_not_there_is_an_error_without_effect(
    tool: str, arguments: dict[str, Any], code: str
) -> None:
    on = world()
    with pytest.raises(ToolError) as error:
        do(on, tool, **arguments)
    assert error.value.code == code
    assert on.take_effects() == ()


def prepared(on: World, account: str = "acc-1", amount: int = 500) -> str:
    made = do(on, "prepare_payment", invoice="i-1", account=account, amount=amount)
    return str(made["payment"])


@pytest.mark.parametrize(("who", "account", "amount", "granted"), [
    ("Mina", "acc-1", 500, True), ("Mina", "acc-2", 500, False), ("Mina", "acc-1", 501, False),
    ("Bo", "acc-2", 501, True),
])  # fmt: skip
def test_an_approver_who_reads_holds_the_payment_against_the_invoice(
    who: str, account: str, amount: int, granted: bool
) -> None:
    on = world()
    asked = do(on, "request_approval", payment=prepared(on, account, amount), principal=who)
    assert asked["granted"] is granted
    assert on.approvals[0].granted is granted
    assert asked["expires"] == on.approvals[0].expires == on.clock + 4
    assert asked["operation"] == on.approvals[0].operation
    assert set(asked["operation"]) == set(OPERATION)


def test_nobody_can_ask_somebody_who_is_no_approver() -> None:
    on = world()
    with pytest.raises(ToolError, match="no approver 'Eve'"):
        do(on, "request_approval", payment=prepared(on), principal="Eve")
    assert on.approvals == []


def test_a_release_carries_out_the_pending_row_as_it_is_then() -> None:
    on = world()
    payment = prepared(on)
    approval = do(on, "request_approval", payment=payment, principal="Mina")["approval"]
    do(on, "edit_payment", payment=payment, account="acc-9", amount=900)
    done = do(on, "release_payment", payment=payment, approval=approval)
    assert (done["account"], done["amount"]) == ("acc-9", 900)
    (delivery,) = on.deliveries
    assert delivery.principal == "Mina"
    assert delivery.approval == approval
    assert delivery.digest != on.approvals[0].digest


def test_an_unchanged_release_has_the_digest_of_the_approval() -> None:
    on = world()
    payment = prepared(on)
    approval = do(on, "request_approval", payment=payment, principal="Mina")["approval"]
    do(on, "release_payment", payment=payment, approval=approval)
    assert on.deliveries[0].digest == on.approvals[0].digest


def test_a_denied_approval_releases_nothing() -> None:
    on = world()
    payment = prepared(on, "acc-9")
    approval = do(on, "request_approval", payment=payment, principal="Mina")["approval"]
    with pytest.raises(ToolError) as error:
        do(on, "release_payment", payment=payment, approval=approval)
    assert error.value.code == "not_granted"
    assert on.deliveries == []


@pytest.mark.parametrize("tool", ["edit_payment", "release_payment", "request_approval"])
def test_what_was_released_is_over(tool: str) -> None:
    on = world()
    payment = prepared(on)
    approval = do(on, "request_approval", payment=payment, principal="Mina")["approval"]
    do(on, "release_payment", payment=payment, approval=approval)
    arguments = {
        "edit_payment": {"account": "acc-1", "amount": 500},
        "release_payment": {"approval": approval},
        "request_approval": {"principal": "Mina"},
    }[tool]
    with pytest.raises(ToolError) as error:
        do(on, tool, payment=payment, **arguments)
    assert error.value.code == "not_pending"


def test_a_release_touches_the_payment_and_the_account_that_would_get_the_money() -> None:
    on = world()
    payment = prepared(on, "acc-9")
    assert touched(on, "release_payment", payment=payment, approval="ap-1") == (
        Touch(resource="pending/pend-1", effect="release"),
        Touch(resource="account/acc-9", effect="credit"),
    )
