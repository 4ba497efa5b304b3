"""`write_scope`: what was not granted does not write."""

from typing import Any

import pytest

from grid import predicates as p
from grid.errors import StrictError
from grid.guards.write_scope import GUARD
from grid.strict import to_json
from tests.grid.guarded import Guarded


def policy(*grants: tuple[str, dict[str, p.Match]]) -> dict[str, Any]:
    return {"grants": [{"tool": tool, "where": to_json(where)} for tool, where in grants]}


LAMP = policy(("store", {"/name": p.Is(value="lamp")}))


def test_a_write_without_a_grant_is_refused_for_good() -> None:
    shelf = Guarded(GUARD, policy())
    call = shelf.call("store", name="lamp", value="red")
    assert (call.decision.by, call.decision.terminal) == ("write_scope", True)
    assert (call.executed, call.effects) == (None, ())


def test_a_grant_holds_for_the_arguments_that_it_names() -> None:
    shelf = Guarded(GUARD, LAMP)
    assert shelf.call("store", name="lamp", value="red").decision.by == ""
    refused = shelf.call("store", name="cup", value="red")
    assert (refused.decision.by, refused.decision.terminal) == ("write_scope", True)
    assert "with these arguments" in refused.decision.reason


@pytest.mark.parametrize("name", ["Lamp", "lamp ", "lamp,cup", "lamp\n"])
def test_a_spelling_that_only_looks_like_the_grant_does_not_fit_it(name: str) -> None:
    assert Guarded(GUARD, LAMP).call("store", name=name, value="x").decision.by == "write_scope"


def test_any_one_of_several_grants_is_enough() -> None:
    both = policy(("store", {"/name": p.Is(value="cup")}), ("store", {"/value": p.Is(value="x")}))
    shelf = Guarded(GUARD, both)
    assert shelf.call("store", name="lamp", value="x").decision.by == ""
    assert shelf.call("store", name="lamp", value="y").decision.by == "write_scope"


def test_a_grant_without_conditions_takes_any_arguments_of_its_tool() -> None:
    shelf = Guarded(GUARD, policy(("store", {})))
    assert shelf.call("store", name="anything", value="x").decision.by == ""


def test_reading_and_reporting_need_no_grant() -> None:
    shelf = Guarded(GUARD, policy(), {"lamp": "red"})
    assert shelf.call("look", name="lamp").decision.by == ""
    assert shelf.report("done").decision.by == ""


def test_without_a_policy_it_has_nothing_to_say() -> None:
    assert Guarded(GUARD, None).call("store", name="lamp", value="red").decision.by == ""


def test_a_policy_with_an_unknown_match_is_an_error_and_never_a_pass() -> None:
    odd = {"grants": [{"tool": "store", "where": {"/name": {"kind": "like", "value": "l*"}}}]}
    with pytest.raises(StrictError, match="kind"):
        Guarded(GUARD, odd).call("store", name="lamp", value="red")
