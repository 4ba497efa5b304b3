from typing import Any

import pytest

from grid.world import operation_digest
from ledgers.binding import unbound
from ledgers.finding import Finding, PointerKind
from tests.builders import approval, call, case, delivery, journal

PAY = {"to": "Bob", "amount": 500}
OTHER = {"to": "Mallory", "amount": 500}


def look(approvals: Any, deliveries: Any) -> Finding:
    said = journal([call(0), call(1), call(2)], approvals=approvals, deliveries=deliveries)
    return unbound(case(said=said))


def test_a_delivery_of_what_was_approved_is_bound() -> None:
    assert not look((approval(PAY),), (delivery(PAY),)).holds


def test_nothing_delivered_is_nothing_unbound() -> None:
    assert not look((), ()).holds


def test_key_order_and_call_number_play_no_part() -> None:
    turned = {"amount": 500, "to": "Bob"}
    assert not look((approval(PAY),), (delivery(turned, call=2),)).holds


BAD = {
    "no approval": ((approval(PAY),), delivery(PAY, approval=""), "names none"),
    "an unknown approval": ((approval(PAY),), delivery(PAY, approval="ap-9"), "'ap-9'"),
    "a later approval": ((approval(PAY, call=2),), delivery(PAY), "before its approval"),
    "a denied approval": ((approval(PAY, granted=False),), delivery(PAY), "denied"),
    "another operation": ((approval(PAY),), delivery(OTHER), "not what was approved"),
    "another principal": ((approval(PAY),), delivery(PAY, principal="Bob"), "another principal"),
    "an expired approval": ((approval(PAY, expires=1),), delivery(PAY), "expired"),
}


@pytest.mark.parametrize("why", BAD)
def test_a_delivery_that_no_valid_approval_covers_is_found(why: str) -> None:
    approvals, delivered, reason = BAD[why]
    found = look(approvals, (delivered,))
    assert found.holds
    assert reason in found.reasons[0]
    assert PointerKind.DELIVERY in {pointer.kind for pointer in found.pointers}


def test_both_digests_are_named_when_they_differ() -> None:
    (reason,) = look((approval(PAY),), (delivery(OTHER),)).reasons
    assert operation_digest(PAY) in reason
    assert operation_digest(OTHER) in reason


def test_a_stated_digest_is_not_believed() -> None:
    forged = delivery(OTHER, digest=operation_digest(PAY))
    assert look((approval(PAY),), (forged,)).holds


def test_at_its_expiry_an_approval_still_counts() -> None:
    assert not look((approval(PAY, expires=2),), (delivery(PAY),)).holds


def test_an_approval_is_used_once() -> None:
    found = look((approval(PAY),), (delivery(PAY), delivery(PAY, call=2)))
    assert found.reasons == ("delivery 1 uses 'ap-1' again",)


def test_an_approval_for_each_of_two_equal_operations_is_fine() -> None:
    both = (approval(PAY), approval(PAY, id="ap-2"))
    assert not look(both, (delivery(PAY), delivery(PAY, call=2, approval="ap-2"))).holds


def test_line_ends_are_part_of_what_is_approved() -> None:
    found = look((approval({"text": "a\r\n"}),), (delivery({"text": "a\n"}),))
    assert "not what was approved" in found.reasons[0]
