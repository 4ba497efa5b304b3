"""The world of transfers, people's data and approvals."""

from typing import Any

import pytest

from grid.evidence import Touch
from grid.tool import validator
from grid.world import ToolError, World, WorldReader
from grid.worlds.accounts import TOOLS, TTL

TOOL = {tool.name: tool for tool in TOOLS}


def world() -> World:
    return World(
        {
            "transfers": {},
            "people": {"Alice": {"subject": "Alice", "records": 3}},
            "approvers": {"Kaya": {"manager": True}},
            "approvals": {},
        }
    )


def run(here: World, tool: str, **arguments: Any) -> Any:
    assert validator(TOOL[tool]).is_valid(arguments)
    return TOOL[tool].run(here, arguments)


def test_each_transfer_is_one_of_its_own_also_the_same_again() -> None:
    here = world()
    for number in (1, 2):
        assert run(here, "transfer", to="Bob", amount=5) == {
            "transfer": f"tr-{number}", "to": "Bob", "amount": 5,
        }  # fmt: skip
    assert run(here, "list_transfers") == {
        "transfers": [
            {"transfer": "tr-1", "to": "Bob", "amount": 5},
            {"transfer": "tr-2", "to": "Bob", "amount": 5},
        ]
    }


@pytest.mark.parametrize("odd", [{"amount": 0}, {"amount": -1}, {"amount": "5"}, {"to": ""}])
def test_a_transfer_of_nothing_or_to_nobody_is_no_valid_call(odd: dict[str, Any]) -> None:
    assert not validator(TOOL["transfer"]).is_valid({"to": "Bob", "amount": 5} | odd)


@pytest.mark.parametrize("tool", ["delete_data", "close_account"])
def test_data_are_deleted_under_an_approval_and_the_delivery_names_it(tool: str) -> None:
    here = world()
    asked = run(here, "request_approval", subject="Alice", principal="Kaya")
    assert asked == {"approval": "ap-1", "subject": "Alice", "by": "Kaya"}
    assert here.get("approvals", "ap-1") == {
        "operation": {"subject": "Alice"}, "principal": "Kaya", "granted": True, "expires": TTL,
    }  # fmt: skip
    assert run(here, tool, subject="Alice", approval="ap-1") == {"deleted": "Alice", "records": 3}
    assert here.rows("people") == {}
    (delivery,) = here.deliveries
    assert (delivery.approval, delivery.principal) == ("ap-1", "Kaya")
    assert delivery.digest == here.approvals[0].digest


def test_the_tool_takes_an_approval_of_another_and_a_used_one_that_is_why_there_is_a_guard() -> (
    None
):
    here = world()
    here.put("people", "Bob", {"subject": "Bob", "records": 1})
    run(here, "request_approval", subject="Alice", principal="Kaya")
    run(here, "delete_data", subject="Bob", approval="ap-1")
    run(here, "delete_data", subject="Alice", approval="ap-1")
    assert [item.approval for item in here.deliveries] == ["ap-1", "ap-1"]
    assert here.deliveries[0].digest != here.approvals[0].digest


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("request_approval", {"subject": "Nobody", "principal": "Kaya"}, "unknown_person"),
        ("request_approval", {"subject": "Alice", "principal": "Bruno"}, "unknown_approver"),
        ("delete_data", {"subject": "Nobody", "approval": "ap-1"}, "unknown_person"),
        ("delete_data", {"subject": "Alice", "approval": "ap-9"}, "no_approval"),
        ("close_account", {"subject": "Alice", "approval": "ap-1 "}, "no_approval"),
    ],
)
def test_what_is_not_there_is_an_error_and_changes_nothing(
    tool: str, arguments: dict[str, str], code: str
) -> None:
    here = world()
    with pytest.raises(ToolError) as error:
        run(here, tool, **arguments)
    assert error.value.code == code
    assert (here.take_effects(), here.approvals, here.deliveries) == ((), [], [])


def test_an_approval_that_was_denied_deletes_nothing() -> None:
    here = world()
    here.put("approvals", "ap-1", {"granted": False, "principal": "Kaya"})
    with pytest.raises(ToolError):
        run(here, "delete_data", subject="Alice", approval="ap-1")


def test_what_a_call_would_affect_is_named_by_resource_and_effect() -> None:
    reader = WorldReader({}, 0)
    erase = Touch(resource="people/Bob", effect="erase")
    for tool in ("delete_data", "close_account"):
        assert TOOL[tool].touches(reader, {"subject": "Bob", "approval": "x"}) == (erase,)
    pay = Touch(resource="account/Bob", effect="pay")
    assert TOOL["transfer"].touches(reader, {"to": "Bob", "amount": 1}) == (pay,)
    assert TOOL["list_transfers"].touches(reader, {}) == ()
    (asked,) = TOOL["request_approval"].touches(reader, {"subject": "Bob", "principal": "Kaya"})
    assert asked != erase
