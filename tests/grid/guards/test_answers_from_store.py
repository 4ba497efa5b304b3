"""`answers_from_store`: what the user is told is what the store holds."""

from dataclasses import replace
from typing import Any

import pytest

from grid import predicates as p
from grid.errors import StrictError
from grid.evidence import Decision
from grid.guard import PastCall
from grid.guards.answers_from_store import GUARD
from grid.strict import to_json
from tests.grid.guardview import past, view

WORLD = {"marks": {"1": {"by": "binu"}, "2": {"by": "binu"}, "3": {"by": "ines"}}}


def policy(**changes: Any) -> dict[str, Any]:
    answer = {
        "tool": "tell",
        "where": {"/field": to_json(p.Is(value="marks"))},
        "value": "number",
        "table": "marks",
        "rows": {"/by": to_json(p.Is(value="binu"))},
    }
    return {"answers": [answer | changes], "fill": "fill_in"}


def told(
    number: Any, field: str = "marks", *, by: Any = None, world: Any = None
) -> Decision | None:
    arguments = {"field": field, "number": number}
    settings = policy() if by is None else by
    return GUARD.before(view("tell", arguments, policy=settings, world=world or WORLD))


def test_without_a_policy_and_for_other_tools_it_says_nothing() -> None:
    assert GUARD.before(view("tell", {"number": 9}, policy=None, world=WORLD)) is None
    assert GUARD.before(view("look", {"number": 9}, policy=policy(), world=WORLD)) is None


def test_the_number_of_the_store_passes_and_its_neighbours_do_not() -> None:
    assert told(2) is None
    for number in (0, 1, 3, 6):
        decision = told(number)
        assert decision is not None
        assert (decision.by, decision.terminal) == ("answers_from_store", False)
        assert "'fill_in'" in decision.next


def test_a_refusal_does_not_say_what_the_number_is() -> None:
    decision = told(77)
    assert decision is not None
    assert "2" not in decision.reason


@pytest.mark.parametrize("odd", [True, "2", None, 2.5, 10**400, [2], {"n": 2}, "\U000e0032"])
def test_what_only_looks_like_the_number_is_refused(odd: Any) -> None:
    assert told(odd) is not None


def test_the_same_number_written_as_a_float_is_the_same_number() -> None:
    assert told(2.0) is None


def test_only_the_calls_that_the_operator_names_are_held_against_the_store() -> None:
    assert told(9, field="weather") is None
    assert told(9, field="weather", by=policy(where={})) is not None


def test_all_rows_count_where_no_row_is_picked() -> None:
    assert told(3, by=policy(rows={})) is None
    assert told(0, by=policy(table="none")) is None


def test_a_policy_that_says_more_than_it_may_is_an_error() -> None:
    with pytest.raises(StrictError):
        told(2, by=policy() | {"also": 1})


def reported(status: str, *earlier: PastCall) -> Decision | None:
    arguments = {"status": status, "reason": "", "claims": []}
    return GUARD.before(view("report", arguments, policy=policy(), world=WORLD, past=earlier))


def given(number: Any, **more: Any) -> PastCall:
    return past("tell", {"field": "marks", "number": number}, **more)


def filled(number: Any) -> PastCall:
    return replace(past("fill_in", {"field": "marks"}), result={"number": number})


@pytest.mark.parametrize("earlier", [[given(1)], [filled(1)], [given(2), filled(1)]])
def test_done_is_not_said_over_a_number_that_is_right_no_longer(earlier: list[PastCall]) -> None:
    decision = reported("done", *earlier)
    assert decision is not None
    assert (decision.terminal, "'fill_in'" in decision.next) == (False, True)
    assert reported("unable", *earlier) is None


@pytest.mark.parametrize(
    "earlier",
    [
        [],
        [given(2)],
        [filled(2)],
        [given(1), filled(2)],
        [given(2), given(1, error="locked")],
        [past("tell", {"field": "likes", "number": 9})],
        [past("tell", None), past("fill_in", None), past("look", {"number": 9})],
    ],
)
def test_done_is_said_over_a_right_number_or_over_none(earlier: list[PastCall]) -> None:
    assert reported("done", *earlier) is None
