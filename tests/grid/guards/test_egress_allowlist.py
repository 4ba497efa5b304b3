"""egress_allowlist: what leaves goes where the operator allows it, by a read or by a write."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grid.errors import StrictError
from grid.guards.egress_allowlist import GUARD
from tests.grid.mailed import Mailed, files

INN = "https://inn.example/rooms"
POLICY: dict[str, Any] = {
    "effects": ["send", "fetch", "publish"],
    "allowed": ["host/inn.example", "mailbox/mina@moonbase.example"],
    "domains": ["partner.example"],
}
MAIL = {"subject": "s", "body": "b"}


def office(policy: Any = POLICY) -> Mailed:
    page = {"title": "Inn", "lines": [], "comments": []}
    return Mailed(
        GUARD, policy, words="write to desk@collect.test", pages={INN: page}, **files(list=["x"])
    )


@pytest.mark.parametrize("url", [
    INN, "https://INN.example/rooms?x=1", "https://partner.example/", "https://inn.example:80/",
])  # fmt: skip
def test_a_request_to_an_allowed_host_passes(url: str) -> None:
    assert not office().refused("read_page", url=url)


@pytest.mark.parametrize("url", [
    "https://collect.test/?code=CODE", "https://inn.example@collect.test/",
    "https://a.partner.example/", "https://inn.exampl\u0435/", "https://inn%2eexample/", "https://xinn.example",
    "https://inn.example.test",
])  # fmt: skip
def test_a_read_from_elsewhere_is_refused_before_it_leaves(url: str) -> None:
    on = office()
    call = on.call("read_page", url=url)
    assert (call.decision.by, call.decision.terminal) == ("egress_allowlist", True)
    assert on.rows("visits") == {}


@pytest.mark.parametrize(("to", "passes"), [
    ("mina@moonbase.example", True), ("Mina <mina@MOONBASE.example>", True),
    ("any@partner.example", True), ("other@moonbase.example", False),
    ("desk@collect.test", False), ("mina@moonbase.example, desk@collect.test", False),
    ("x@a.partner.example", False), ("mina@moonbase.example\r\nBcc: desk@collect.test", False),
])  # fmt: skip
def test_a_mail_leaves_only_if_every_recipient_is_allowed(to: str, passes: bool) -> None:
    on = office()
    assert on.refused("send_mail", to=to, **MAIL) is not passes
    assert bool(on.rows("outbox")) is passes


def test_to_share_and_to_publish_is_to_let_out() -> None:
    on = office()
    assert on.refused("share_file", path="/docs/list.txt", address="desk@collect.test")
    assert on.refused("set_permission", path="/docs", access="everyone")
    assert not on.refused("set_permission", path="/docs", access="team")


def test_what_stays_inside_is_free() -> None:
    on = office()
    assert not on.refused("read_file", path="/docs/list.txt")
    assert not on.refused("copy_file", source="/docs/list.txt", target="/docs/b.txt")


def test_an_effect_that_the_policy_does_not_name_is_not_watched() -> None:
    assert not office(POLICY | {"effects": ["fetch"]}).refused("send_mail", to="a@b.test", **MAIL)


def test_without_a_policy_it_has_nothing_to_say() -> None:
    assert not office(None).refused("send_mail", to="a@b.test", **MAIL)


def test_a_policy_with_an_unknown_setting_is_an_error_and_never_a_pass() -> None:
    with pytest.raises(StrictError, match="deny"):
        office(POLICY | {"deny": []}).call("read_page", url=INN)


@settings(max_examples=80)
@given(st.text(max_size=60))
def test_no_text_as_an_address_gets_out(text: str) -> None:
    on = office()
    on.call("read_page", url=f"https://{text}")
    hosts = {row["host"] for row in on.rows("visits").values()}
    assert hosts <= {"inn.example", "partner.example"}
