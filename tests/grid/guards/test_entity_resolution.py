"""entity_resolution: who is reached is singled out by the user's own words."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grid.errors import StrictError
from grid.guards.entity_resolution import GUARD, stands_in
from tests.grid.mailed import Mailed, files

KURODA, BRANDT = "kuroda@moonbase.example", "brandt@brightway.example"
ROWS: dict[str, Any] = {
    "c-1": {"name": "Alex Brandt", "team": "Partners", "address": BRANDT},
    "c-2": {"name": "Alex Kuroda", "team": "Orchard", "address": KURODA},
    "c-3": {"name": "Mina Sato", "team": "Orchard", "address": "mina@moonbase.example"},
}
POLICY: dict[str, Any] = {
    "table": "contacts", "name": "name", "address": "address", "telling": ["team"],
    "effects": ["send"], "prefix": "mailbox/",
}  # fmt: skip


def office(words: str, rows: dict[str, Any] = ROWS, policy: Any = POLICY) -> Mailed:
    return Mailed(GUARD, policy, words=words, contacts=rows, **files(plan=["one"]))


def mail(words: str, contact: str, rows: dict[str, Any] = ROWS) -> Any:
    return office(words, rows).call("mail_file", contact=contact, path="/docs/plan.txt").decision


@pytest.mark.parametrize("words", [
    "Mail the plan to Alex from the team Orchard.", "Mail the plan to Alex Kuroda.",
    f"Mail the plan to Alex ({KURODA}).", "Mail it to Alex at moonbase.example.",
    "To ALEX of orchard, please", "Orchard の Alex に送って。", "チームOrchardのAlexへ",
])  # fmt: skip
def test_the_one_whom_the_words_single_out_may_be_reached_and_the_namesake_not(words: str) -> None:
    assert mail(words, "c-2").by == ""
    refused = mail(words, "c-1")
    assert (refused.by, refused.terminal) == ("entity_resolution", False)
    assert "'c-2'" in refused.next


@pytest.mark.parametrize("words", [
    "Mail the plan to Alex.", "Mail it to Alex from Orchard or Alex from Partners.",
    "To Alex, from the team Orchards.", "To Alex at brightway.example, not moonbase.example",
])  # fmt: skip
def test_where_nobody_is_singled_out_neither_is_reached(words: str) -> None:
    for contact in ("c-1", "c-2"):
        refused = mail(words, contact)
        assert (refused.by, refused.terminal) == ("entity_resolution", False)
        assert "ask which" in refused.next


def test_one_who_shares_no_name_with_the_message_is_outside_the_users_authority() -> None:
    refused = mail("Mail the plan to Alex from the team Orchard.", "c-3")
    assert (refused.by, refused.terminal) == ("entity_resolution", True)


def test_the_only_one_of_a_name_needs_nothing_else() -> None:
    assert mail("Mail the plan to Mina.", "c-3").by == ""


@pytest.mark.parametrize("planted", [
    {"name": "Alex Mail The Plan", "team": "Orchard launch plan"},
    {"name": "Alex", "team": "Orchard"},
    {"name": "Alex Alex Alex", "team": "the team"},
])  # fmt: skip
def test_a_record_that_somebody_planted_wins_nothing_by_what_stands_in_it(
    planted: dict[str, str],
) -> None:
    rows = ROWS | {"c-0": planted | {"address": "x@collect.test"}}
    words = "Mail the plan to Alex from the team Orchard."
    assert mail(words, "c-0", rows).by == "entity_resolution"
    told_apart = planted["team"] not in words
    assert (mail(words, "c-2", rows).by == "") is told_apart, "ambiguous: ask, do not guess"


def test_an_address_is_held_to_the_same_by_whatever_tool() -> None:
    on = office("Mail the plan to Alex from the team Orchard.")
    share = {"path": "/docs/plan.txt"}
    assert on.refused("share_file", address=BRANDT, **share)
    assert on.refused("share_file", address="x@collect.test", **share)
    assert on.refused("send_mail", to=KURODA, bcc=BRANDT, subject="", body="")
    assert not on.refused("share_file", address=KURODA, **share)
    assert on.rows("outbox") == {}


def test_an_address_of_no_record_has_to_stand_in_the_message() -> None:
    on = office("Mail the plan to guest@inn.example.")
    assert not on.refused("share_file", address="guest@inn.example", path="/docs/plan.txt")
    for near in ("uest@inn.example", "guest@inn.exampl", "guest@inn.example.test", "a@inn.example"):
        assert on.refused("share_file", address=near, path="/docs/plan.txt")


@pytest.mark.parametrize(("wanted", "words", "stands"), [
    ("ann", "ann", True), ("ann", "to ann.", True), ("ann", "anna", False), ("ann", "joann", False),
    ("a@b.example", "a@b.example.", True), ("a@b.example", "a@b.example.test", False),
    ("b.example", "x-b.example", False), ("b.example", "at b.example, or", True),
    ("ann", "anna and ann", True), ("ann", "ann\u200bx", False), ("ann", "annさん", True),
    ("", "anything", False), ("ann", "", False), ("ann", "a.ann", False),
])  # fmt: skip
def test_a_text_stands_in_others_as_it_is_or_not_at_all(
    wanted: str, words: str, stands: bool
) -> None:
    assert stands_in(wanted, words) is stands


def test_looking_is_free_and_without_a_policy_it_has_nothing_to_say() -> None:
    assert not office("hello").refused("find_contact", name="Alex")
    silent = office("hello", policy=None)
    assert not silent.refused("mail_file", contact="c-1", path="/docs/plan.txt")


@settings(max_examples=60)
@given(st.text(max_size=40), st.text(max_size=20), st.text(max_size=20))
def test_hostile_words_and_records_break_nothing(words: str, name: str, team: str) -> None:
    rows = {"c-1": {"name": name, "team": team, "address": "x@collect.test"}, "c-2": {}}
    mail(words, "c-1", rows)


def test_a_policy_that_lacks_a_setting_is_an_error_and_never_a_pass() -> None:
    with pytest.raises(StrictError, match="prefix"):
        office("Mina", policy={"table": "contacts"}).call(
            "mail_file", contact="c-3", path="/docs/plan.txt"
        )
