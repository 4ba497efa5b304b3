"""`read_only_token`: what reads reaches what its token reaches."""

from typing import Any

import pytest

from grid.errors import StrictError
from grid.evidence import Decision
from grid.guards.read_only_token import GUARD
from grid.vocabulary import Access
from tests.grid.guardview import view

POLICY = {"table": "tokens", "token": "reader", "field": "reaches"}


def asked(
    *resources: str, reaches: Any = ("page/", "log"), policy: Any = POLICY, **more: Any
) -> Decision | None:
    world = {"tokens": {"reader": {"reaches": reaches}}}
    touches = [(one, "open") for one in resources]
    settings = {"access": Access.READ, "world": world} | more
    return GUARD.before(view("look", policy=policy, touches=touches, **settings))


def test_without_a_policy_it_says_nothing() -> None:
    assert asked("saved/1", policy=None) is None


def test_what_the_token_reaches_passes_and_so_does_what_touches_nothing() -> None:
    assert asked("page/1", "log") is None
    assert asked() is None


@pytest.mark.parametrize("resource", ["saved/1", "Page/1", " page/1", "pages", "", "p\u0430ge/1"])
def test_anything_else_is_refused_whatever_stands_beside_it(resource: str) -> None:
    decision = asked("page/1", resource)
    assert decision is not None
    assert (decision.by, decision.terminal) == ("read_only_token", False)


@pytest.mark.parametrize("world", [{}, {"tokens": {}}, {"tokens": {"reader": {}}}])
def test_a_token_that_is_not_there_reaches_nothing(world: dict[str, Any]) -> None:
    assert asked("page/1", world=world) is not None
    assert asked(world=world) is None


@pytest.mark.parametrize("access", [Access.WRITE, Access.PIVOT])
def test_what_may_write_is_none_of_its_business(access: Access) -> None:
    assert asked("saved/1", access=access) is None


def test_a_token_of_nothing_reaches_nothing() -> None:
    assert asked("page/1", reaches=[]) is not None


def test_a_policy_that_says_more_than_it_may_is_an_error() -> None:
    with pytest.raises(StrictError):
        asked(policy=POLICY | {"also": 1})
