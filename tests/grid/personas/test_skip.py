"""`skip/<n>`: an honest agent without its n-th call."""

import pytest

from grid.personas.skip import PERSONA, without
from tests.grid.personas.staged import made, stage, step

A, B, C = step("a"), step("b", beside=True), step("c")
SECOND = step("d", session=2)


def tools(number: str, session: int = 1) -> list[list[str]]:
    on = stage(A, B, C, SECOND, parameter=number, session=session)
    return [[tool for tool, _ in calls] for calls in made(PERSONA, on)]


@pytest.mark.parametrize(
    ("number", "left"),
    [
        ("0", [["b"], ["c"]]),
        ("1", [["a"], ["c"]]),
        ("2", [["a", "b"]]),
        ("3", [["a", "b"], ["c"]]),
        ("99", [["a", "b"], ["c"]]),
    ],
)
def test_one_call_is_left_out_and_what_stood_beside_it_begins_an_answer(
    number: str, left: list[list[str]]
) -> None:
    assert tools(number) == left


def test_calls_are_counted_over_all_sessions_and_each_session_has_its_own() -> None:
    assert tools("3", session=2) == []
    assert tools("2", session=2) == [["d"]]


def test_the_steps_themselves_stay_as_they_are() -> None:
    assert without((A, B), 0)[0].beside is False
    assert B.beside is True
    assert without((A, B), 2) == (A, B)
