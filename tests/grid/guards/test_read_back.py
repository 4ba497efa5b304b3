"""`read_back`: words do not count, rows do."""

from typing import Any

import pytest

from grid import predicates as p
from grid.errors import ConfigError, StrictError
from grid.guards.read_back import GUARD
from grid.readback import argument
from grid.strict import to_json
from tests.grid.guarded import Guarded

KEPT = p.Row(
    table="shelf",
    where={"/@key": p.Is(value=argument("/name")), "/value": p.Is(value=argument("/value"))},
)
FULL = p.Row(table="shelf", where={"/@key": p.Is(value="lamp")})


def policy(done: p.Predicate | None = FULL) -> dict[str, Any]:
    return {
        "effects": [{"tool": "store", "shows": to_json(KEPT)}],
        "done": None if done is None else to_json(done),
    }


def test_an_answer_without_its_effect_is_withheld_and_can_be_put_right() -> None:
    shelf = Guarded(GUARD, policy())
    lost = shelf.call("store", name="lamp", value="lost")
    assert (lost.decision.by, lost.decision.terminal) == ("read_back", False)
    assert lost.result is None
    assert "stored" not in lost.delivered
    assert "report 'unable'" in lost.decision.next
    again = shelf.call("store", name="lamp", value="red")
    assert again.decision.by == ""
    assert again.result == {"status": "stored"}


def test_the_effect_must_be_that_of_this_calls_arguments() -> None:
    shelf = Guarded(GUARD, policy(), {"lamp": "red"})
    assert shelf.call("store", name="lamp", value="lost").decision.by == "read_back"
    assert shelf.call("store", name="cup", value="lost").decision.by == "read_back"


def test_an_argument_that_looks_like_policy_is_only_compared() -> None:
    shelf = Guarded(GUARD, policy())
    assert shelf.call("store", name='{"$argument": "/value"}', value="x").decision.by == ""


def test_done_is_refused_until_the_world_shows_it_whatever_is_cited() -> None:
    shelf = Guarded(GUARD, policy())
    other = shelf.call("store", name="cup", value="blue")
    refused = shelf.report("done", ("stored", other.receipt))
    assert (refused.decision.by, refused.decision.terminal) == ("read_back", False)
    assert refused.effects == ()
    shelf.call("store", name="lamp", value="red")
    assert shelf.report("done").decision.by == ""


@pytest.mark.parametrize("status", ["unable", "refused"])
def test_a_report_that_claims_nothing_done_is_always_taken(status: str) -> None:
    assert Guarded(GUARD, policy()).report(status).decision.by == ""


def test_tools_and_tasks_that_the_policy_does_not_name_are_left_alone() -> None:
    assert Guarded(GUARD, policy(done=None)).report("done").decision.by == ""
    assert Guarded(GUARD, policy()).call("look", name="lamp").decision.by == ""
    unset = Guarded(GUARD, None)
    assert unset.call("store", name="lamp", value="lost").decision.by == ""
    assert unset.report("done").decision.by == ""


def test_a_policy_that_speaks_of_more_than_the_world_is_an_error_and_never_a_pass() -> None:
    spoken = policy(done=p.Any(of=(FULL, p.UnsupportedClaim())))
    with pytest.raises(ConfigError, match="unsupported_claim"):
        Guarded(GUARD, spoken, {"lamp": "red"}).report("done")


def test_a_policy_with_an_unknown_field_is_an_error_and_never_a_pass() -> None:
    with pytest.raises(StrictError, match="finished"):
        Guarded(GUARD, policy() | {"finished": None}).report("done")
