"""`read_only_effects`: what reads has the effects of reading."""

from typing import Any

import pytest

from grid.errors import StrictError
from grid.evidence import Decision
from grid.guards.read_only_effects import GUARD
from grid.vocabulary import Access
from tests.grid.guardview import view

POLICY = {"effects": ["open", "list"]}


def asked(
    *touches: tuple[str, str], access: Access = Access.READ, policy: Any = POLICY
) -> Decision | None:
    return GUARD.before(view("look", policy=policy, access=access, touches=touches))


def test_without_a_policy_it_says_nothing() -> None:
    assert asked(("a", "erase"), policy=None) is None


def test_reading_passes_and_so_does_what_touches_nothing() -> None:
    assert asked(("a", "open"), ("b", "list")) is None
    assert asked() is None


@pytest.mark.parametrize("effect", ["erase", "Open", "open ", "", "\u043epen"])
def test_any_other_effect_is_refused_whatever_stands_beside_it(effect: str) -> None:
    decision = asked(("a", "open"), ("b", effect))
    assert decision is not None
    assert (decision.by, decision.terminal) == ("read_only_effects", False)
    assert "'b'" in decision.reason


@pytest.mark.parametrize("access", [Access.WRITE, Access.PIVOT])
def test_what_may_write_is_none_of_its_business(access: Access) -> None:
    assert asked(("a", "erase"), access=access) is None


def test_no_effect_at_all_is_a_policy_too() -> None:
    assert asked(("a", "open"), policy={"effects": []}) is not None


def test_a_policy_that_says_more_than_it_may_is_an_error() -> None:
    with pytest.raises(StrictError):
        asked(policy=POLICY | {"also": 1})
