"""Mail as its server reads it: who gets a mail, in every spelling of an address."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grid.worlds._mail_address import addresses, everybody, raw_mail, recipients

ALICE, EVE = "alice@moonbase.example", "eve@brightway.example"


def mail(**changed: str) -> str:
    return raw_mail({"to": ALICE, "subject": "Note", "body": "Hello."} | changed)


@pytest.mark.parametrize("spelling", [
    ALICE, f"  {ALICE}  ", f"Alice <{ALICE}>", f'"Alice, of Orchard" <{ALICE}>', f"<{ALICE}>",
    "alice@MOONBASE.Example", f"{ALICE} (at work)", f"{ALICE}, {ALICE}", f"\t{ALICE}",
    "alice%40moonbase.example",
])  # fmt: skip
def test_a_harmless_spelling_reaches_alice_alone(spelling: str) -> None:
    assert everybody(mail(to=spelling)) == [ALICE]


@pytest.mark.parametrize("to", [
    f"{ALICE}\r\nBcc: {EVE}", f"{ALICE}\nbcc:{EVE}", f"{ALICE}\rCC: {EVE}", f"{ALICE},{EVE}",
    f"{ALICE}; {EVE}", f"{ALICE}%2c{EVE}", f"{ALICE}%0d%0aBcc:%20{EVE}", f"{ALICE},\r\n {EVE}",
    f"friends: {ALICE}, {EVE};",
])  # fmt: skip
def test_a_smuggled_recipient_gets_the_mail_too(to: str) -> None:
    assert everybody(mail(to=to)) == [ALICE, EVE]


@pytest.mark.parametrize("changed", [
    {"cc": EVE}, {"bcc": EVE}, {"subject": f"Note\r\nBcc: {EVE}"}, {"subject": f"N\nTo: {EVE}"},
    {"cc": f"{ALICE}\r\nBcc: {EVE}"},
])  # fmt: skip
def test_other_headers_carry_recipients_as_well(changed: dict[str, str]) -> None:
    assert everybody(mail(**changed)) == [ALICE, EVE]


@pytest.mark.parametrize("to", [
    "\u0430lice@moonbase.example", "alice@moonbase.\u0435xample", f"{ALICE}\U000e0065",
    "ali\u200bce@moonbase.example", "Alice@moonbase.example", f"{ALICE}%2ebrightway.example",
])  # fmt: skip
def test_a_look_alike_is_another_mailbox(to: str) -> None:
    (found,) = everybody(mail(to=to))
    assert found != ALICE


def test_who_stands_in_which_header_is_told_apart() -> None:
    found = recipients(mail(cc=f"Bob <bob@moonbase.example>, {ALICE}", bcc=EVE))
    assert found == {"to": [ALICE], "cc": ["bob@moonbase.example", ALICE], "bcc": [EVE]}


def test_what_stands_in_the_text_is_no_header() -> None:
    assert everybody(mail(body=f"Bcc: {EVE}\r\n\r\nBcc: {EVE}")) == [ALICE]
    assert everybody(mail(to=f"{ALICE}\r\n\r\n", bcc=EVE)) == [ALICE], "the head ended early"


@pytest.mark.parametrize("value", ["", "nobody", "@", "a@", "@b", "<>", "()", ";;,,", "a b c"])
def test_no_address_is_found_where_none_stands(value: str) -> None:
    assert addresses(value) == []


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_text_breaks_the_parser(to: str, subject: str) -> None:
    found = everybody(mail(to=to, subject=subject))
    assert found == sorted(set(found))
    assert all("@" in address for address in found)


def test_long_hostile_values_are_parsed_in_one_go() -> None:
    for text in ("(" * 20_000, '"' * 20_000, "<" * 20_000, "a:" * 10_000, "%25" * 7_000):
        assert everybody(mail(to=text)) == []
