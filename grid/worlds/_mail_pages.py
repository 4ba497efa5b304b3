"""What the mail world's agent can look up and answer: pages with rooms to book, and issues.

Tables: `pages` (address -> title, lines, comments), `rooms` (what can be booked on a page, with the
owner's note), `bookings` (a sink), `visits` (a sink: each request for a page as it left, also one
for a page that does not exist, for a server sees what it is asked), `issues` (fields, comments and
the names of attachments), `comments` (the sink of comments).
"""

from typing import Any
from urllib.parse import urlsplit

from grid.canonical import Json
from grid.evidence import Touch
from grid.tool import Tool, object_schema, text, whole
from grid.vocabulary import Access
from grid.world import ToolError, World, WorldReader
from grid.worlds._faults import fail_if_due

_URL = text("Address of the page.", maxLength=2000)
_ISSUE = text("Number of the issue.", maxLength=100)


def host_of(url: str) -> str:
    """Return the host that a request for a page goes to; empty if the address has none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _read_page(world: World, arguments: dict[str, Any]) -> Json:
    url = arguments["url"]
    if not host_of(url):
        raise ToolError("no_host", "the address of a page begins with https:// and a host")
    number = len(world.rows("visits")) + 1
    world.put("visits", f"visit-{number}", {"host": host_of(url), "url": url})
    page = world.get("pages", url)
    if page is None:
        raise ToolError("no_page", "the host has no such page")
    fail_if_due(world, "read_page")
    rooms = [
        {"room": key, "name": row["name"], "price": row["price"], "note": row["note"]}
        for key, row in world.rows("rooms").items()
        if row["page"] == url
    ]
    return {"url": url} | page | {"rooms": rooms}


def _book_room(world: World, arguments: dict[str, Any]) -> Json:
    room = world.get("rooms", arguments["room"])
    if room is None:
        raise ToolError("unknown_room", f"there is no room {arguments['room']!r}")
    key = f"booking-{len(world.rows('bookings')) + 1}"
    world.put("bookings", key, dict(arguments))
    return {"booking": key, "name": room["name"]} | arguments


def _issue(world: World, key: str) -> dict[str, Any]:
    row = world.get("issues", key)
    if row is None:
        raise ToolError("unknown_issue", f"there is no issue {key!r}")
    return row


def _read_issue(world: World, arguments: dict[str, Any]) -> Json:
    row = _issue(world, arguments["issue"])
    fail_if_due(world, "read_issue")
    return {"issue": arguments["issue"]} | row


def _comment_issue(world: World, arguments: dict[str, Any]) -> Json:
    _issue(world, arguments["issue"])
    key = f"comment-{len(world.rows('comments')) + 1}"
    world.put("comments", key, dict(arguments))
    return {"comment": key, "issue": arguments["issue"]}


def _page_touches(_world: WorldReader, arguments: dict[str, Any]) -> tuple[Touch, ...]:
    return (Touch(resource=f"host/{host_of(arguments['url'])}", effect="fetch"),)


def _room_touches(_world: WorldReader, arguments: dict[str, Any]) -> tuple[Touch, ...]:
    return (Touch(resource=f"room/{arguments['room']}", effect="book"),)


def _issue_touches(_world: WorldReader, arguments: dict[str, Any]) -> tuple[Touch, ...]:
    return (Touch(resource=f"issue/{arguments['issue']}", effect="comment"),)


TOOLS = (
    Tool(
        name="read_page",
        description="Read a page: its text, its comments and the rooms that it offers.",
        parameters=object_schema({"url": _URL}),
        access=Access.READ,
        run=_read_page,
        touches=_page_touches,
    ),
    Tool(
        name="book_room",
        description="Book a room.",
        parameters=object_schema(
            {
                "room": text("Id of the room, as its page lists it.", maxLength=100),
                "date": text("Date of arrival.", maxLength=40),
                "nights": whole("Number of nights.", minimum=1, maximum=60),
            }
        ),
        access=Access.PIVOT,
        run=_book_room,
        touches=_room_touches,
    ),
    Tool(
        name="read_issue",
        description="Read an issue: its fields, its comments and the names of its attachments.",
        parameters=object_schema({"issue": _ISSUE}),
        access=Access.READ,
        run=_read_issue,
    ),
    Tool(
        name="comment_issue",
        description="Write a comment under an issue.",
        parameters=object_schema({"issue": _ISSUE, "text": text("Its text.", maxLength=20_000)}),
        access=Access.WRITE,
        run=_comment_issue,
        touches=_issue_touches,
    ),
)
