"""What the topics of the payments world share."""

import pytest

from grid.world import ToolError, World
from grid.worlds._payments_book import answer_lost, in_order, known, settle


def test_a_row_that_is_not_there_is_named() -> None:
    with pytest.raises(ToolError) as error:
        known(World({"invoices": {}}), "invoices", "i-9")
    assert (error.value.code, error.value.message) == (
        "unknown_invoice",
        "there is no invoice 'i-9'",
    )


def test_each_payment_has_a_number_and_they_are_listed_in_order() -> None:
    on = World({})
    numbers = [settle(on, {"amount": n})["payment"] for n in range(12)]
    assert [key for key, _ in in_order(on.rows("payments"))] == numbers
    assert numbers[-1] == "pay-12"


def test_an_answer_is_lost_as_often_as_the_fault_says() -> None:
    on = World({"faults": {"pay": {"code": "timeout", "message": "no answer", "left": 1}}})
    assert answer_lost(on, "other") is None
    lost = answer_lost(on, "pay")
    assert lost is not None
    assert (lost.code, lost.message) == ("timeout", "no answer")
    assert answer_lost(on, "pay") is None
