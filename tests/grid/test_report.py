"""`report`: what an agent states is bounded before any rule reads it."""

from typing import Any

import pytest

from grid.guards.receipt_backed_claims import GUARD
from grid.report import MOST_CLAIMS, REPORT
from grid.tool import validator
from tests.grid.guarded import Guarded


def stated(count: int = 1, **changed: str) -> dict[str, Any]:
    claim = {"statement": "It is so.", "value": "30", "receipt": "rc-1"}
    claims = [claim | {k: v for k, v in changed.items() if k in claim}] * count
    rest = {k: v for k, v in changed.items() if k not in claim}
    return {"status": "done", "reason": "Because.", "claims": claims} | rest


@pytest.mark.parametrize(
    ("arguments", "fits"),
    [
        (stated(MOST_CLAIMS), True),
        (stated(MOST_CLAIMS + 1), False),
        (stated(reason="x" * 4000), True),
        (stated(reason="x" * 4001), False),
        (stated(statement="x" * 4001), False),
        (stated(value="x" * 4000), True),
        (stated(value="x" * 4001), False),
        (stated(receipt="x" * 101), False),
        (stated(status="finished"), False),
    ],
)
def test_the_schema_bounds_every_text_and_the_number_of_claims(
    arguments: dict[str, Any], fits: bool
) -> None:
    assert validator(REPORT).is_valid(arguments) is fits


def test_a_report_with_too_many_claims_is_not_taken_and_can_be_put_right() -> None:
    here = Guarded(GUARD, None)
    over = here.report("done", *[("30", "rc-1")] * (MOST_CLAIMS + 1))
    assert over.error is not None
    assert over.error.code == "invalid_arguments"
    assert over.effects == ()
    assert here.report("done", *[("30", "rc-1")] * MOST_CLAIMS).effects
