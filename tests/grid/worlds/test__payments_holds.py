"""Holds: made for a while, confirmed once, released, and confirmed late by a trusting world."""

from typing import Any

import pytest

from grid.tool import Tool
from grid.world import ToolError, World
from grid.worlds._payments_holds import HOLDS

BY_NAME: dict[str, Tool] = {tool.name: tool for tool in HOLDS}


def world(delay: int = 0) -> World:
    return World({
        "seats": {"a": {}, "b": {}}, "holds": {}, "sales": {}, "approvals": {},
        "approvers": {"Kaya": {"delay": delay}},
    })  # fmt: skip


def do(on: World, tool: str, **arguments: Any) -> Any:
    on.begin_call(on.call + 1)
    return BY_NAME[tool].run(on, arguments)


def failed(on: World, tool: str, **arguments: Any) -> str:
    with pytest.raises(ToolError) as error:
        do(on, tool, **arguments)
    return error.value.code


def test_a_hold_has_an_end_by_the_clock() -> None:
    on = world()
    hold = do(on, "hold_seats", seats=["a"], ttl=4)
    assert (hold["hold"], hold["now"], hold["expires"]) == ("hold-1", 1, 5)
    assert do(on, "read_hold", hold="hold-1")["now"] == 2
    assert do(on, "hold_seats", seats=["b"], ttl=0)["expires"] == 0


def test_who_asks_a_person_waits_for_the_answer() -> None:
    on = world(delay=6)
    do(on, "hold_seats", seats=["a"], ttl=4)
    answer = do(on, "ask_manager", hold="hold-1", principal="Kaya")
    assert (answer["approval"], answer["now"], answer["hold_ends"]) == ("ap-1", 8, 5)
    assert on.approvals[0].operation == {"seats": ["a"]}


@pytest.mark.parametrize(("ttl", "late"), [(0, False), (1, True), (2, False), (9, False)])
def test_the_sink_notes_what_came_late(ttl: int, late: bool) -> None:
    on = world()
    do(on, "hold_seats", seats=["a"], ttl=ttl)
    do(on, "ask_manager", hold="hold-1", principal="Kaya")
    assert do(on, "confirm_hold", hold="hold-1", approval="ap-1")["late"] is late


def test_confirming_is_idempotent() -> None:
    on = world()
    do(on, "hold_seats", seats=["a"], ttl=9)
    do(on, "ask_manager", hold="hold-1", principal="Kaya")
    confirm = {"hold": "hold-1", "approval": "ap-1"}
    assert [t.resource for t in BY_NAME["confirm_hold"].touches(on, confirm)] == ["seat/a"]
    first = do(on, "confirm_hold", **confirm)
    on.take_effects()
    assert BY_NAME["confirm_hold"].touches(on, confirm) == ()
    assert do(on, "confirm_hold", **confirm) == first
    assert on.take_effects() == ()
    assert len(on.deliveries) == 1
    assert failed(on, "release_hold", hold="hold-1") == "confirmed"


def test_what_is_released_is_free_and_cannot_be_confirmed() -> None:
    on = world()
    do(on, "hold_seats", seats=["a"], ttl=9)
    assert failed(on, "hold_seats", seats=["b", "a"], ttl=9) == "seat_held"
    assert do(on, "release_hold", hold="hold-1")["state"] == "released"
    assert do(on, "hold_seats", seats=["a"], ttl=9)["hold"] == "hold-2"
    assert failed(on, "confirm_hold", hold="hold-1", approval="ap-1") == "not_held"


def test_all_that_is_open_can_be_confirmed_at_once() -> None:
    on = world()
    assert failed(on, "confirm_all", approval="ap-1") == "not_held"
    for seat in ("a", "b"):
        do(on, "hold_seats", seats=[seat], ttl=9)
    do(on, "ask_manager", hold="hold-1", principal="Kaya")
    touched = BY_NAME["confirm_all"].touches(on, {"approval": "ap-1"})
    assert [t.resource for t in touched] == ["seat/a", "seat/b"]
    assert do(on, "confirm_all", approval="ap-1") == {"sales": ["sale-1", "sale-2"]}


def test_errors_change_nothing() -> None:
    on = world()
    do(on, "hold_seats", seats=["a"], ttl=9)
    on.take_effects()
    assert failed(on, "hold_seats", seats=["z"], ttl=9) == "unknown_seat"
    assert failed(on, "ask_manager", hold="hold-1", principal="Bo") == "unknown_approver"
    assert failed(on, "confirm_hold", hold="hold-1", approval="ap-9") == "unknown_approval"
    for tool, more in (("read_hold", {}), ("release_hold", {}), ("ask_manager", {"principal": "x"}),
                       ("confirm_hold", {"approval": "ap-1"})):  # fmt: skip
        assert failed(on, tool, hold="hold-0", **more) == "unknown_hold"
    assert on.take_effects() == ()


def test_the_other_tools_say_what_they_touch() -> None:
    on = world()
    hold = BY_NAME["hold_seats"].touches(on, {"seats": ["a", "b"], "ttl": 1})
    assert [(t.effect, t.resource) for t in hold] == [("hold", "seat/a"), ("hold", "seat/b")]
    for tool, effect in (("ask_manager", "ask"), ("release_hold", "release")):
        (touch,) = BY_NAME[tool].touches(on, {"hold": "hold-1", "principal": "Kaya"})
        assert (touch.effect, touch.resource) == (effect, "hold/hold-1")
    assert BY_NAME["read_hold"].touches(on, {"hold": "hold-1"}) == ()
    assert BY_NAME["confirm_hold"].touches(on, {"hold": "x", "approval": "y"}) == ()
