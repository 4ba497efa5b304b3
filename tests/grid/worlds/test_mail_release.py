"""Releases: a draft, what a person was shown, and what is delivered."""

from typing import Any

import pytest

from grid.guards.approval_binding import GUARD as APPROVAL_BINDING
from grid.tool import Tool
from grid.world import ToolError, World
from grid.worlds._mail_release import OPERATION, TOOLS
from tests.grid.mailed import Mailed, do, touched

TO, EVE = "alice@moonbase.example", "eve@brightway.example"
MAIL = {"to": TO, "subject": "News", "body": "Soon."}
TABLES: dict[str, Any] = {
    "approvers": {"Mina": {"expects": {"to": TO}}, "Bo": {"expects": {}}},
    "mandates": {"deliver_release": {"principal": "Mina", "ttl": 4}},
}
BOUND = {
    "tools": ["deliver_release"], "subject": "draft", "table": "drafts", "fields": list(OPERATION),
    "approval": "approval", "approvals": "approvals", "principals": ["Mina"], "once": None,
}  # fmt: skip


def asked(principal: str = "Mina", **changed: str) -> World:
    on = World(TABLES)
    do(on, "draft_mail", **MAIL | changed)
    do(on, "request_release", draft="draft-1", principal=principal)
    return on


def test_a_draft_is_approved_and_then_delivered_to_whom_it_names() -> None:
    on = asked()
    done = do(on, "deliver_release", draft="draft-1", approval="ap-1")
    assert done == {"mail": "mail-1", "draft": "draft-1"} | MAIL
    assert on.rows("outbox")["mail-1"]["recipients"] == [TO]
    assert on.rows("drafts")["draft-1"]["state"] == "delivered"
    assert on.approvals[0].digest == on.deliveries[0].digest
    for tool, more in (("deliver_release", {"approval": "ap-1"}), ("edit_draft", MAIL)):
        with pytest.raises(ToolError, match="delivered already"):
            do(on, tool, draft="draft-1", **more)


def test_whoever_reads_denies_what_differs_and_whoever_does_not_waves_it_through() -> None:
    assert not asked(to=EVE).approvals[0].granted
    assert asked("Bo", to=EVE).approvals[0].granted
    with pytest.raises(ToolError, match="denied"):
        do(asked(to=EVE), "deliver_release", draft="draft-1", approval="ap-1")


def test_an_approver_may_leave_a_comment_beside_the_decision() -> None:
    approvers = {"Mina": {"expects": {"to": TO}, "comment": ["Fine by me."]}}
    on = World(TABLES | {"approvers": approvers})
    do(on, "draft_mail", **MAIL)
    asked_for = do(on, "request_release", draft="draft-1", principal="Mina")
    assert (asked_for["comment"], asked_for["granted"]) == (["Fine by me."], True)
    assert "comment" not in on.rows("approvals")["ap-1"]


def test_delivery_sends_what_the_draft_says_by_then() -> None:
    on = asked()
    do(on, "edit_draft", draft="draft-1", **MAIL | {"to": f"{TO}\r\nBcc: {EVE}"})
    do(on, "deliver_release", draft="draft-1", approval="ap-1")
    assert on.rows("outbox")["mail-1"]["recipients"] == [TO, EVE]
    assert on.approvals[0].digest != on.deliveries[0].digest


def test_the_guard_of_approvals_binds_a_release_as_it_is() -> None:
    for changed, refused in (({}, False), ({"body": "Now."}, True)):
        shop = Mailed(APPROVAL_BINDING, BOUND, **TABLES)
        shop.call("draft_mail", **MAIL)
        shop.call("request_release", draft="draft-1", principal="Mina")
        if changed:
            shop.call("edit_draft", draft="draft-1", **MAIL | changed)
        assert shop.refused("deliver_release", draft="draft-1", approval="ap-1") is refused
        assert bool(shop.rows("outbox")) is not refused


@pytest.mark.parametrize(("tool", "arguments"), [
    ("edit_draft", {"draft": "draft-9"} | MAIL),
    ("request_release", {"draft": "draft-9", "principal": "Mina"}),
    ("request_release", {"draft": "draft-1", "principal": "Nobody"}),
    ("deliver_release", {"draft": "draft-9", "approval": "ap-1"}),
    ("deliver_release", {"draft": "draft-1", "approval": "ap-9"}),
])  # fmt: skip
def test_what_is_not_there_is_an_error_without_effect(tool: str, arguments: Any) -> None:
    on = asked()
    on.take_effects()
    with pytest.raises(ToolError, match="there is no"):
        do(on, tool, **arguments)
    assert on.take_effects() == ()


def test_a_draft_without_a_recipient_is_not_delivered() -> None:
    on = asked("Bo", to="nobody")
    with pytest.raises(ToolError, match="no recipient"):
        do(on, "deliver_release", draft="draft-1", approval="ap-1")
    assert on.deliveries == []


def test_touches_name_the_draft_and_every_mailbox() -> None:
    on = asked(to=f"{TO}, {EVE}")
    by_name: dict[str, Tool] = {tool.name: tool for tool in TOOLS}
    assert set(by_name) == {"draft_mail", "edit_draft", "request_release", "deliver_release"}
    delivered = touched(on, "deliver_release", draft="draft-1", approval="ap-1")
    assert delivered == [
        ("release", "draft/draft-1"), ("send", f"mailbox/{TO}"), ("send", f"mailbox/{EVE}"),
    ]  # fmt: skip
    assert touched(on, "draft_mail", **MAIL) == [("draft", f"mailbox/{TO}")]
    assert touched(on, "edit_draft", draft="draft-1", **MAIL) == [("edit", "draft/draft-1")]
    asks = touched(on, "request_release", draft="draft-1", principal="Mina")
    assert asks == [("ask", "draft/draft-1")]
    gone = touched(on, "deliver_release", draft="draft-9", approval="ap-1")
    assert gone == [("release", "draft/draft-9")]
