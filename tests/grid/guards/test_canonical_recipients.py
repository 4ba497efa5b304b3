"""canonical_recipients: who is reached, compared after parsing, in every spelling."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grid.errors import StrictError
from grid.guards.canonical_recipients import GUARD, canonical
from tests.grid.mailed import Mailed, files

ALICE, EVE = "alice@moonbase.example", "eve@brightway.example"
FIELDS = {"addresses": ["to", "cc", "bcc"], "headers": ["subject"]}
POLICY: dict[str, Any] = {
    "tools": {"send_mail": FIELDS, "share_file": {"addresses": ["address"], "headers": []}},
    "allowed": [ALICE], "named": False, "effects": ["send"], "prefix": "mailbox/",
}  # fmt: skip
MAIL = {"subject": "Note", "body": "Hello."}


def send(policy: Any = POLICY, words: str = "please", **arguments: Any) -> Any:
    on = Mailed(GUARD, policy, words=words, **files(note=["x"]))
    return on.call("send_mail", **MAIL | arguments).decision


@pytest.mark.parametrize("to", [
    ALICE, f" {ALICE}  ", "alice@MoonBase.EXAMPLE", f"Alice <{ALICE}>", f"<{ALICE}>",
    f'"Alice K." <{ALICE}>', f"アリス <{ALICE}>", f"{ALICE}, {ALICE}", f"Alice < {ALICE} >",
])  # fmt: skip
def test_a_harmless_spelling_passes(to: str) -> None:
    assert send(to=to).by == ""


@pytest.mark.parametrize("to", [
    f"{ALICE}\r\nBcc: {EVE}", f"{ALICE}\nx", f"{ALICE},{EVE}",
    f"{ALICE}; {EVE}", f"{ALICE}%2c{EVE}", f"{ALICE}\u200b, {ALICE}", f"Alice (x) <{ALICE}>",
    f"a: {ALICE};", "alice%40moonbase.example", f"<{ALICE}><{ALICE}>",
])  # fmt: skip
def test_a_spelling_that_can_be_read_in_two_ways_can_be_put_right(to: str) -> None:
    decision = send(to=to)
    assert (decision.by, decision.terminal) == ("canonical_recipients", False)
    assert decision.next


@pytest.mark.parametrize("to", [
    EVE, "\u0430lice@moonbase.example", "alice@moonbase.\u0435xample", f"{ALICE}\U000e0065",
    f"{ALICE}%2ebrightway.example", "ALICE@moonbase.example", "\uff41lice@moonbase.example",
    f"Alice {ALICE} <{EVE}>", f"{ALICE}\x00", f"{ALICE}\u2028", f"{ALICE} {ALICE}",
    f"{ALICE}.brightway.example",
])  # fmt: skip
def test_another_mailbox_is_outside_the_users_authority(to: str) -> None:
    decision = send(to=to)
    assert (decision.by, decision.terminal) == ("canonical_recipients", True)


@pytest.mark.parametrize("more", [
    {"bcc": EVE}, {"cc": EVE}, {"subject": f"N\r\nBcc: {EVE}"}, {"subject": "N\nX-Mailer: a"},
    {"cc": f"{ALICE}\nBcc: {EVE}"},
])  # fmt: skip
def test_every_argument_that_ends_up_in_the_head_is_read(more: dict[str, str]) -> None:
    assert send(to=ALICE, **more).by == "canonical_recipients"


@pytest.mark.parametrize("more", [
    {"subject": "Family \U0001f468\u200d\U0001f469\u200d\U0001f467"},
    {"subject": "葛\U000e0100の件"},
    {"body": f"Bcc: {EVE}\r\n"}, {"cc": ""}, {"bcc": ALICE}, {"subject": "100 % done"},
])  # fmt: skip
def test_what_names_nobody_else_passes(more: dict[str, str]) -> None:
    assert send(to=ALICE, **more).by == ""


def test_an_address_in_the_users_words_may_be_reached_where_the_policy_says_so() -> None:
    policy = POLICY | {"allowed": [], "named": True}
    for words in (f"Write to {ALICE}.", f"To: <{ALICE}>?", f"{ALICE}に送って", f"「{ALICE}」へ"):
        assert send(policy, words, to=ALICE).by == "", words
        assert send(policy, words, to=EVE).terminal
    for words in ("Write to Alice.", f"Write to x{ALICE}.", f"Write to {ALICE}.test"):
        assert send(policy, words, to=ALICE).by == "canonical_recipients", words
    assert send(POLICY | {"allowed": []}, f"Write to {ALICE}.", to=ALICE).by


def test_a_mailbox_that_another_tool_reaches_counts_as_well() -> None:
    on = Mailed(GUARD, POLICY, contacts={"c-1": {"name": "E", "address": EVE}}, **files(note=["x"]))
    assert on.refused("mail_file", contact="c-1", path="/docs/note.txt")
    assert on.refused("share_file", path="/docs/note.txt", address=f"{ALICE}, {EVE}")
    assert not on.refused("share_file", path="/docs/note.txt", address=ALICE)
    assert not on.refused("read_file", path="/docs/note.txt")


def test_an_address_in_another_script_passes_only_as_the_operator_wrote_it() -> None:
    wide = "\u0430lice@moonbase.example"
    assert send(POLICY | {"allowed": [wide]}, to=wide).by == ""
    assert send(POLICY | {"allowed": [wide]}, to=ALICE).by


def test_without_a_policy_it_has_nothing_to_say() -> None:
    assert send(None, to=EVE).by == ""


def test_a_policy_that_lacks_a_setting_is_an_error_and_never_a_pass() -> None:
    with pytest.raises(StrictError, match="named"):
        send({"tools": {}, "allowed": [], "effects": [], "prefix": ""}, to=ALICE)


@pytest.mark.parametrize(("address", "form"), [
    ("A@B.Example", "A@b.example"), ("nobody", "nobody"), ("a@b@C", "a@b@c"), ("", ""),
])  # fmt: skip
def test_the_canonical_form_folds_the_domain_alone(address: str, form: str) -> None:
    assert canonical(address) == form


@settings(max_examples=100)
@given(st.text(max_size=50), st.text(max_size=30))
def test_whatever_passes_reaches_nobody_else(to: str, subject: str) -> None:
    on = Mailed(GUARD, POLICY)
    call = on.call("send_mail", to=to, subject=subject, body="")
    sent = on.rows("outbox")
    assert all(row["recipients"] == [ALICE] for row in sent.values())
    assert call.decision.by or call.error or sent


@settings(max_examples=100)
@given(
    st.sampled_from(["to", "cc", "bcc", "subject"]),
    st.integers(0, 22),
    st.sampled_from(
        ["\r\n", "%0a", ",", ";", "\u200b", "<", ">", ":", " ", "\U000e0041", "(", '"']
    ),
)
def test_no_single_insertion_smuggles_anybody_in(name: str, at: int, inserted: str) -> None:
    value = {"subject": "Note of today, long enough"}.get(name, ALICE)
    value = value[:at] + inserted + f"Bcc: {EVE}" * (inserted == "\r\n") + value[at:]
    on = Mailed(GUARD, POLICY)
    on.call("send_mail", **{"to": ALICE, "body": ""} | MAIL | {name: value})
    assert all(row["recipients"] == [ALICE] for row in on.rows("outbox").values())


def test_a_huge_value_is_read_in_good_time() -> None:
    for text in ("a" * 2000, "<" * 2000, '"' * 2000, "a@" * 1000, " " * 2000, "," * 2000):
        assert send(to=text).by or True
