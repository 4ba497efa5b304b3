"""The mail world: contacts, mail, attachments and messages."""

from typing import Any

import pytest

from grid.tool import validator
from grid.vocabulary import Access
from grid.world import ToolError, World
from grid.worlds.mail import TOOLS
from tests.grid.mailed import BY_NAME, do, files, touched

ALICE, EVE = "alice@moonbase.example", "eve@brightway.example"
MAIL = {"to": ALICE, "subject": "Note", "body": "Hello."}
CONTACTS = {
    "c-2": {"name": "Alex Kuroda", "team": "Orchard", "address": ALICE},
    "c-1": {"name": "Alex Brandt", "team": "Partners", "address": EVE},
}


def world(**tables: Any) -> World:
    return World(files(plan=["one"]) | {"contacts": CONTACTS} | tables)


def test_contacts_are_found_by_a_part_of_the_name_in_the_order_of_their_ids() -> None:
    on = world()
    assert [row["contact"] for row in do(on, "find_contact", name="alex")["contacts"]] == [
        "c-1", "c-2",
    ]  # fmt: skip
    assert [row["contact"] for row in do(on, "find_contact", name="KURODA")["contacts"]] == ["c-2"]
    assert do(on, "find_contact", name="")["contacts"] == []


def test_a_mail_keeps_its_raw_text_its_parsed_recipients_and_its_attachments() -> None:
    on = world()
    sent = do(on, "send_mail", **MAIL, cc=EVE, attachments=["/docs/plan.txt"])
    assert sent == {"mail": "mail-1", "subject": "Note"}
    row = on.rows("outbox")["mail-1"]
    assert (row["to"], row["cc"], row["bcc"], row["recipients"]) == (
        [ALICE],
        [EVE],
        [],
        [ALICE, EVE],
    )
    assert row["raw"] == f"To: {ALICE}\r\nCc: {EVE}\r\nSubject: Note\r\n\r\nHello."
    assert row["attachments"] == [{"path": "/docs/plan.txt", "lines": ["one"]}]
    assert do(on, "read_sent", mail="mail-1") == {"mail": "mail-1"} | row


def test_a_file_is_mailed_to_a_contact() -> None:
    on = world()
    sent = do(on, "mail_file", contact="c-2", path="/docs/%2e/plan.txt")
    assert (sent["contact"], sent["path"], sent["mail"]) == ("c-2", "/docs/plan.txt", "mail-1")
    assert on.rows("outbox")["mail-1"]["recipients"] == [ALICE]


@pytest.mark.parametrize(("tool", "arguments", "code"), [
    ("send_mail", MAIL | {"to": "nobody"}, "no_recipient"),
    ("send_mail", MAIL | {"attachments": ["/docs/none.txt"]}, "unknown_file"),
    ("mail_file", {"contact": "c-9", "path": "/docs/plan.txt"}, "unknown_contact"),
    ("mail_file", {"contact": "c-1", "path": "/docs/none.txt"}, "unknown_file"),
    ("read_sent", {"mail": "mail-1"}, "unknown_mail"),
    ("read_message", {"message": "m-1"}, "unknown_message"),
])  # fmt: skip
def test_what_cannot_be_sent_or_found_is_an_error_without_effect(
    tool: str, arguments: Any, code: str
) -> None:
    on = world()
    with pytest.raises(ToolError) as error:
        do(on, tool, **arguments)
    assert error.value.code == code
    assert on.take_effects() == ()


def test_a_message_is_read_and_a_fault_is_met_first() -> None:
    message = {"from": EVE, "subject": "Hi", "lines": ["Hello."]}
    faults = {name: {"messages": ["busy"]} for name in ("read_message", "find_contact")}
    on = world(mailbox={"m-1": message}, faults=faults)
    for tool, arguments in (("read_message", {"message": "m-1"}), ("find_contact", {"name": "a"})):
        with pytest.raises(ToolError, match="busy"):
            do(on, tool, **arguments)
    assert do(on, "read_message", message="m-1") == {"message": "m-1"} | message


def test_a_mail_touches_each_mailbox_that_it_reaches_and_each_file_that_it_takes() -> None:
    on = world()
    smuggled = MAIL | {"subject": f"Note\r\nBcc: {EVE}", "attachments": ["/docs/../docs/plan.txt"]}
    assert touched(on, "send_mail", **smuggled) == [
        ("read", "file//docs/plan.txt"), ("send", f"mailbox/{ALICE}"), ("send", f"mailbox/{EVE}"),
    ]  # fmt: skip
    assert touched(on, "mail_file", contact="c-1", path="/docs/plan.txt") == [
        ("read", "file//docs/plan.txt"), ("send", f"mailbox/{EVE}"),
    ]  # fmt: skip
    assert touched(on, "mail_file", contact="c-9", path="/docs/plan.txt") == []


def test_every_tool_is_strict_bounded_and_classified_by_what_it_does() -> None:
    assert len(BY_NAME) == len(TOOLS)
    for tool in TOOLS:
        assert tool.parameters["additionalProperties"] is False
        assert list(validator(tool).iter_errors({"extra": 1}))
        for schema in tool.parameters["properties"].values():
            bounded = {"maxLength", "enum", "maximum", "maxItems"} & set(schema)
            assert bounded, (tool.name, schema)
    reading = {tool.name for tool in TOOLS if tool.access is Access.READ}
    assert reading == {
        "find_contact", "list_share", "read_file", "read_issue", "read_message", "read_page",
        "read_sent",
    }  # fmt: skip
