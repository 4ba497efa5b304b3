"""`two_phase_write`: pending rows prove nothing, and no row is taken away."""

from typing import Any

import pytest

from grid.errors import StrictError
from grid.evidence import Decision
from grid.guards.two_phase_write import GUARD
from tests.grid.guardview import view

POLICY = {
    "table": "log", "field": "ok", "settle": "verify", "prefix": "log/", "erases": ["erase"],
    "numbers": [{"tool": "tell", "value": "number"}],
}  # fmt: skip


def log(*phases: Any) -> dict[str, Any]:
    return {"log": {str(at): {"ok": phase} for at, phase in enumerate(phases)}}


def told(number: Any, *phases: Any) -> Decision | None:
    return GUARD.before(view("tell", {"number": number}, policy=POLICY, world=log(*phases)))


def reported(status: str, *phases: Any) -> Decision | None:
    return GUARD.before(view("report", {"status": status}, policy=POLICY, world=log(*phases)))


def test_without_a_policy_it_says_nothing() -> None:
    calls = (
        view("tell", {"number": 9}, policy=None),
        view("report", {"status": "done"}, policy=None),
    )
    assert [GUARD.before(call) for call in calls] == [None, None]


def test_a_number_of_verified_rows_passes() -> None:
    assert told(2, True, False, True) is None
    assert told(0) is None


@pytest.mark.parametrize("number", [0, 1, 3, True, "2", None, 10**400])
def test_any_other_number_is_refused_and_can_be_put_right(number: Any) -> None:
    decision = told(number, True, False, True)
    assert decision is not None
    assert (decision.by, decision.terminal) == ("two_phase_write", False)


def test_no_number_is_right_while_a_row_is_pending() -> None:
    for number in (1, 2):
        decision = told(number, True, None)
        assert decision is not None
        assert "'verify'" in decision.next


def test_a_report_says_done_only_when_nothing_is_pending() -> None:
    assert reported("done", True, False) is None
    assert reported("done", None) is not None
    assert reported("unable", None) is None


@pytest.mark.parametrize("phase", ["true", 1, "yes", {"ok": True}])
def test_only_true_itself_is_verified(phase: Any) -> None:
    assert told(0, phase) is None
    assert told(1, phase) is not None


def test_a_row_without_its_field_is_pending() -> None:
    world = {"log": {"a": {}}}
    assert GUARD.before(view("tell", {"number": 0}, policy=POLICY, world=world)) is not None


def test_a_row_is_never_taken_away_by_whatever_tool() -> None:
    touches = (("log/3", "settle"), ("log/3", "erase"))
    decision = GUARD.before(view("odd_tool", policy=POLICY, world=log(False), touches=touches))
    assert decision is not None
    assert decision.terminal


@pytest.mark.parametrize("touch", [("log/3", "settle"), ("shelf/3", "erase"), ("", "erase")])
def test_other_effects_and_other_rows_are_none_of_its_business(touch: tuple[str, str]) -> None:
    assert GUARD.before(view("odd_tool", policy=POLICY, world=log(None), touches=(touch,))) is None


def test_a_policy_that_says_more_than_it_may_is_an_error() -> None:
    with pytest.raises(StrictError):
        GUARD.before(view("tell", policy=POLICY | {"also": 1}))
