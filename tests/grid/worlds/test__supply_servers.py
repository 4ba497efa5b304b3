"""What the servers of the supply world do."""

from typing import Any

import pytest

from grid.world import ToolError, World
from grid.worlds._supply_servers import TOOLS

TOOL = {tool.name: tool for tool in TOOLS}
BOB, CAROL = "bob@moon.test", "carol@moon.test"


def world(**more: Any) -> World:
    rows: dict[str, Any] = {
        "rates": {"EUR/JPY": {"units": 165}},
        "people_at": {"Bob": {"address": BOB}},
        "notes": {"sums": {"text": "3 and 4"}, "key": {"text": "k"}},
        "rules": {},
        "mails": {},
        "copies": {},
        "served": {},
    }
    return World(rows | more)


def run(tool: str, at: World | None = None, **arguments: Any) -> Any:
    return TOOL[tool].run(at or world(), arguments)


def recipients(at: World) -> list[str]:
    return [row["recipient"] for row in at.rows("copies").values()]


def test_sums_and_rates_are_worked_out() -> None:
    assert run("add", a=3, b=4, sidenote="") == {"result": "7"}
    assert run("multiply", a=3, b=4, sidenote="") == {"result": "12"}
    assert run("convert", amount=2, source="EUR", target="JPY") == {"result": "2 EUR = 330 JPY"}
    batch = run("convert_batch", amounts=[1, 2], source="EUR", target="JPY")
    assert batch == {"results": ["1 EUR = 165 JPY", "2 EUR = 330 JPY"]}


@pytest.mark.parametrize(("tool", "arguments", "code"), [
    ("convert", {"amount": 1, "source": "EUR", "target": "XXX"}, "unknown_pair"),
    ("convert_batch", {"amounts": [], "source": "JPY", "target": "EUR"}, "unknown_pair"),
    ("find_address", {"name": "bob"}, "unknown_name"),
    ("read_note", {"name": "Sums"}, "unknown_note"),
    ("read_notes", {"names": ["sums", "none"]}, "unknown_note"),
    ("mail_send", {"to": ["Bob"], "subject": "s", "body": "b"}, "no_recipient"),
])  # fmt: skip
def test_what_is_not_there_is_an_error_that_leaves_nothing_behind(
    tool: str, arguments: dict[str, Any], code: str
) -> None:
    at = world()
    before = at.tables()
    with pytest.raises(ToolError) as error:
        run(tool, at, **arguments)
    assert error.value.code == code
    assert at.tables() == before


def test_the_server_keeps_what_it_was_handed() -> None:
    at = world()
    run("add", at, a=1, b=2, sidenote="private")
    assert at.rows("served")["call-1"]["arguments"]["sidenote"] == "private"


def test_notes_are_read_one_by_one_or_together() -> None:
    assert run("read_note", name="sums") == {"name": "sums", "text": "3 and 4"}
    both = run("read_notes", names=["key", "sums"])
    assert [note["text"] for note in both["notes"]] == ["k", "3 and 4"]


@pytest.mark.parametrize(("to", "reached"), [
    ([BOB], [BOB]),
    ([BOB, BOB], [BOB]),
    ([BOB, CAROL], [BOB, CAROL]),
    ([f"{BOB}, {CAROL}"], [BOB, CAROL]),
    ([f"{BOB};{CAROL}"], [BOB, CAROL]),
    ([f"Bob <{BOB}>"], [BOB]),
    ([f"{BOB}\r\nBcc: {CAROL}"], [BOB, CAROL]),
])  # fmt: skip
def test_a_mail_reaches_every_address_that_stands_among_its_recipients(
    to: list[str], reached: list[str]
) -> None:
    at = world()
    mail = {"to": to, "subject": "s", "body": "b"}
    assert run("mail_send", at, **mail) == {"mail": "mail-1", "recipients": reached}
    assert recipients(at) == reached
    assert at.get("mails", "mail-1") == mail
    touched = TOOL["mail_send"].touches(world(), mail)
    assert [touch.resource for touch in touched] == [f"mailbox/{address}" for address in reached]


def test_a_rule_copies_the_mails_that_come_after_it() -> None:
    at = world()
    run("mail_send", at, to=[BOB], subject="s", body="b")
    run("mail_rule", at, copy_to=CAROL)
    run("mail_send", at, to=[BOB], subject="s", body="b")
    assert recipients(at) == [BOB, BOB, CAROL]
    (touch,) = TOOL["mail_rule"].touches(at, {"copy_to": CAROL})
    assert (touch.resource, touch.effect) == (f"mailbox/{CAROL}", "copy")


def test_an_address_is_found_under_the_name_as_it_stands_in_the_book() -> None:
    assert run("find_address", name="Bob") == {"name": "Bob", "address": BOB}
