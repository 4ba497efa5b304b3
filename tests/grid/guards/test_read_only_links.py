"""`read_only_links`: an address may ask for what is on the list, as it is written there."""

from typing import Any

import pytest

from grid.errors import StrictError
from grid.evidence import Decision
from grid.guards.read_only_links import GUARD
from grid.vocabulary import Access
from tests.grid.guardview import view

POLICY = {"arguments": ["at"], "query": ["page", "id"]}


def asked(at: Any, *, access: Access = Access.READ, policy: Any = POLICY) -> Decision | None:
    return GUARD.before(view("look", {"at": at}, policy=policy, access=access))


def test_without_a_policy_it_says_nothing() -> None:
    assert asked("/x?delete=1", policy=None) is None


@pytest.mark.parametrize("at", [
    "", "/", "/x", "/x?", "/x?page=2", "/x?page=2&id=7", "/x?page=2;id=7", "/x?page", "/delete=1",
    "/x?page=delete", "/x?&&page=1&",
])  # fmt: skip
def test_an_address_that_only_reads_passes(at: str) -> None:
    assert asked(at) is None


@pytest.mark.parametrize("at", [
    "/x?delete=1", "/x?page=2&delete=1", "/x?page=2;delete=1", "/x?%64elete=1", "/x?Page=2",
    "/x?page =2", "/x?p\u0430ge=1", "/x?page=1?delete=1", "/x?\u200bpage=1", "/x?=1",
    "/x?d\u0000=1", "/x?" + "k" * 100_000, "https://a.test/x?x=1#page=2",
])  # fmt: skip
def test_any_other_key_is_refused_and_can_be_put_right(at: str) -> None:
    decision = asked(at)
    assert decision is not None
    assert (decision.by, decision.terminal) == ("read_only_links", False)
    assert len(decision.reason) < 200


@pytest.mark.parametrize("access", [Access.WRITE, Access.PIVOT])
def test_what_may_write_is_none_of_its_business(access: Access) -> None:
    assert asked("/x?delete=1", access=access) is None


@pytest.mark.parametrize("odd", [None, 7, True, ["/x?delete=1"], {"at": "/x"}])
def test_odd_values_do_not_break_it(odd: Any) -> None:
    asked(odd)


def test_only_the_arguments_that_hold_addresses_are_read() -> None:
    words = view("look", {"words": "what? delete=1"}, policy=POLICY, access=Access.READ)
    assert GUARD.before(words) is None


def test_a_policy_that_says_more_than_it_may_is_an_error() -> None:
    with pytest.raises(StrictError):
        asked("/x", policy=POLICY | {"also": 1})
