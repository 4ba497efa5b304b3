"""Pages with rooms, and issues."""

from typing import Any

import pytest

from grid.world import ToolError, World
from grid.worlds._mail_pages import host_of
from tests.grid.mailed import do, touched

URL = "https://inn.example/rooms"
PAGE = {"title": "Inn", "lines": ["Rooms."], "comments": []}
ROOM = {"name": "Attic", "price": 6400, "page": URL, "note": ""}
ISSUE = {"title": "Slow", "state": "open", "fields": {}}


def world(**tables: Any) -> World:
    start = {"pages": {URL: PAGE}, "rooms": {"r-1": ROOM}, "issues": {"i-1": ISSUE}}
    return World(start | tables)


def test_a_page_shows_its_rooms_and_leaves_the_request_behind() -> None:
    on = world(rooms={"r-1": ROOM, "r-2": ROOM | {"page": "https://other.example/"}})
    shown = do(on, "read_page", url=URL)
    assert [room["room"] for room in shown["rooms"]] == ["r-1"]
    assert on.rows("visits") == {"visit-1": {"host": "inn.example", "url": URL}}


def test_a_request_leaves_also_where_there_is_no_page_and_where_the_page_fails() -> None:
    on = world(faults={"read_page": {"messages": ["later"]}})
    asked = "https://inn.example/?code=CODE"
    with pytest.raises(ToolError, match="no such page"):
        do(on, "read_page", url=asked)
    with pytest.raises(ToolError, match="later"):
        do(on, "read_page", url=URL)
    assert [row["url"] for row in on.rows("visits").values()] == [asked, URL]


@pytest.mark.parametrize(("url", "host"), [
    (URL, "inn.example"), ("https://INN.example/x", "inn.example"), ("//a.example", "a.example"),
    ("https://inn.example@collect.test/", "collect.test"), ("https://[broken", ""), ("rooms", ""),
    ("", ""), ("https://inn.example:8080/x", "inn.example"),
])  # fmt: skip
def test_the_host_is_the_one_that_the_request_goes_to(url: str, host: str) -> None:
    assert host_of(url) == host
    assert touched(world(), "read_page", url=url) == [("fetch", f"host/{host}")]


def test_an_address_without_a_host_is_no_request() -> None:
    on = world()
    with pytest.raises(ToolError, match="a host"):
        do(on, "read_page", url="rooms")
    assert on.rows("visits") == {}


def test_a_booking_keeps_what_was_asked_for() -> None:
    on = world()
    booked = do(on, "book_room", room="r-1", date="1 June", nights=2)
    assert booked["booking"] == "booking-1"
    assert on.rows("bookings") == {"booking-1": {"room": "r-1", "date": "1 June", "nights": 2}}
    with pytest.raises(ToolError, match="no room"):
        do(on, "book_room", room="r-9", date="1 June", nights=2)
    assert touched(on, "book_room", room="r-1", date="", nights=1) == [("book", "room/r-1")]


def test_an_issue_is_read_and_commented() -> None:
    on = world(faults={"read_issue": {"messages": ["busy"]}})
    with pytest.raises(ToolError, match="busy"):
        do(on, "read_issue", issue="i-1")
    assert do(on, "read_issue", issue="i-1") == {"issue": "i-1"} | ISSUE
    do(on, "comment_issue", issue="i-1", text="fine")
    assert on.rows("comments") == {"comment-1": {"issue": "i-1", "text": "fine"}}
    assert touched(on, "comment_issue", issue="i-1", text="") == [("comment", "issue/i-1")]
    for tool, arguments in (("read_issue", {}), ("comment_issue", {"text": "x"})):
        with pytest.raises(ToolError, match="no issue"):
            do(on, tool, issue="i-9", **arguments)
