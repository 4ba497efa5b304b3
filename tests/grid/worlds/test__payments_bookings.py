"""Trips: booking, cancelling, and a tool that calls undone what is not."""

from typing import Any

import pytest

from grid.tool import Tool
from grid.world import ToolError, World
from grid.worlds._payments_bookings import BOOKING, BOOKINGS, NOT_CANCELLED, SOLD_OUT

BY_NAME: dict[str, Tool] = {tool.name: tool for tool in BOOKINGS}


def world(stuck: str = "") -> World:
    return World({
        "trips": {"t": {"outcome": "open"}, "u": {"outcome": "open"}},
        "offers": {"z": {"free": True}, "a": {"free": True}, "full": {"free": False}},
        "bookings": {},
        "faults": {"cancel": {"item": stuck}} if stuck else {},
    })  # fmt: skip


def do(on: World, tool: str, **arguments: Any) -> Any:
    return BY_NAME[tool].run(on, {"trip": "t"} | arguments)


def failed(on: World, tool: str, **arguments: Any) -> str:
    with pytest.raises(ToolError) as error:
        do(on, tool, **arguments)
    return error.value.code


def test_what_is_booked_is_listed_and_can_be_cancelled_and_booked_again() -> None:
    on = world()
    assert do(on, "book", item="a") == {"trip": "t", "item": "a", "state": "booked"}
    assert do(on, "cancel_booking", item="a")["state"] == "cancelled"
    assert do(on, "list_bookings") == {"bookings": [{"item": "a", "state": "cancelled"}]}
    assert do(on, "book", item="a")["state"] == "booked"
    assert do(on, "list_bookings", trip="u") == {"bookings": []}


def test_errors_change_nothing() -> None:
    on = world(stuck="a")
    do(on, "book", item="a")
    on.take_effects()
    assert failed(on, "book", item="full") == SOLD_OUT
    assert failed(on, "book", item="a") == "already_booked"
    assert failed(on, "book", item="nothing") == "unknown_item"
    assert failed(on, "book", trip="x", item="z") == "unknown_trip"
    assert failed(on, "cancel_booking", item="a") == NOT_CANCELLED
    assert failed(on, "cancel_booking", item="z") == "not_booked"
    assert failed(on, "cancel_booking", trip="u", item="a") == "not_booked"
    for tool in ("list_bookings", "abort_trip"):
        assert failed(on, tool, trip="x") == "unknown_trip"
    assert failed(on, "close_trip", trip="x", outcome="open") == "unknown_trip"
    assert failed(on, "hand_over", trip="x", standing=[]) == "unknown_trip"
    assert on.take_effects() == ()


def test_aborting_cancels_in_reverse_order_of_booking() -> None:
    on = world()
    do(on, "book", item="z")
    do(on, "book", item="a")
    on.take_effects()
    assert do(on, "abort_trip") == {"trip": "t", "rolled_back": True, "compensation_errors": []}
    assert [effect.key for effect in on.take_effects()] == ["a", "z"]


def test_aborting_goes_on_after_an_error_and_says_rolled_back_all_the_same() -> None:
    on = world(stuck="a")
    do(on, "book", item="z")
    do(on, "book", item="a")
    answer = do(on, "abort_trip")
    assert answer["rolled_back"] is True
    assert "'a'" in answer["compensation_errors"][0]
    assert {key: row["state"] for key, row in on.rows("bookings").items()} == {
        "a": "booked", "z": "cancelled",
    }  # fmt: skip


def test_a_trip_is_closed_as_it_is_told_or_handed_over() -> None:
    on = world()
    do(on, "close_trip", outcome="rolled_back")
    assert on.rows("trips")["t"] == {"outcome": "rolled_back"}
    do(on, "hand_over", standing=["a"])
    assert on.rows("trips")["t"] == {"outcome": "with_a_person", "standing": ["a"]}


def test_each_tool_says_what_it_touches() -> None:
    on = world()
    do(on, "book", item="z")
    do(on, "book", item="a")
    touched: dict[str, tuple[dict[str, Any], list[tuple[str, str]]]] = {
        "book": ({"item": "a"}, [("book", BOOKING + "a")]),
        "cancel_booking": ({"item": "a"}, [("cancel", BOOKING + "a")]),
        "abort_trip": ({}, [("cancel", BOOKING + "z"), ("cancel", BOOKING + "a")]),
        "close_trip": ({"outcome": "open"}, [("close", "trip/t")]),
        "hand_over": ({"standing": []}, [("close", "trip/t")]),
        "list_bookings": ({}, []),
    }
    for tool, (arguments, expected) in touched.items():
        found = BY_NAME[tool].touches(on, {"trip": "t"} | arguments)
        assert [(item.effect, item.resource) for item in found] == expected
