"""The gateway: its client repeats what its server calls harmless, and nothing else."""

from typing import Any

import pytest

from grid.tool import Tool
from grid.world import ToolError, World
from grid.worlds._payments_gateway import GATEWAY

BY_NAME: dict[str, Tool] = {tool.name: tool for tool in GATEWAY}
LOST = {"code": "timeout", "message": "no answer", "left": 1}
CALLS: dict[str, dict[str, Any]] = {
    "quick_pay": {"invoice": "i", "amount": 5}, "settle_invoice": {"invoice": "i"},
}  # fmt: skip


def world(tool: str, left: int = 1, **hints: Any) -> World:
    return World({
        "invoices": {"i": {"vendor": "Ada", "account": "acc", "amount": 5}},
        "hints": {tool: {"annotations": hints}} if hints else {},
        "faults": {tool: LOST | {"left": left}},
        "payments": {},
    })  # fmt: skip


@pytest.mark.parametrize("tool", CALLS)
@pytest.mark.parametrize("hints", [{}, {"readOnlyHint": False}, {"destructiveHint": False}])
def test_a_lost_answer_is_an_error_and_the_money_is_gone(tool: str, hints: dict[str, Any]) -> None:
    on = world(tool, **hints)
    with pytest.raises(ToolError) as error:
        BY_NAME[tool].run(on, CALLS[tool])
    assert error.value.code == "timeout"
    assert list(on.rows("payments").values()) == [{"invoice": "i", "account": "acc", "amount": 5}]


@pytest.mark.parametrize("tool", CALLS)
@pytest.mark.parametrize("hint", ["readOnlyHint", "idempotentHint"])
def test_what_is_called_harmless_is_sent_again_unseen(tool: str, hint: str) -> None:
    on = world(tool, **{hint: True})
    answer: Any = BY_NAME[tool].run(on, CALLS[tool])
    assert answer["payment"] == "pay-2"
    assert len(on.rows("payments")) == 2
    assert on.rows("repeats") == {"repeat-1": {"tool": tool, "because": hint}}


def test_the_client_gives_up_after_two_attempts() -> None:
    on = world("quick_pay", left=9, readOnlyHint=True)
    with pytest.raises(ToolError, match="no answer"):
        BY_NAME["quick_pay"].run(on, CALLS["quick_pay"])
    assert len(on.rows("payments")) == 2


@pytest.mark.parametrize("tool", CALLS)
def test_an_answer_that_is_not_lost_is_one_payment(tool: str) -> None:
    on = world(tool, left=0, readOnlyHint=True)
    BY_NAME[tool].run(on, CALLS[tool])
    assert len(on.rows("payments")) == 1


@pytest.mark.parametrize("tool", CALLS)
def test_an_unknown_invoice_is_an_error_and_touches_nothing(tool: str) -> None:
    on, wrong = world(tool), CALLS[tool] | {"invoice": "x"}
    assert [t.resource for t in BY_NAME[tool].touches(on, CALLS[tool])] == ["invoice/i"]
    assert BY_NAME[tool].touches(on, wrong) == ()
    with pytest.raises(ToolError) as error:
        BY_NAME[tool].run(on, wrong)
    assert error.value.code == "unknown_invoice"
    assert on.take_effects() == ()
