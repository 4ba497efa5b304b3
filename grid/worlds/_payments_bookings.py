"""Bookings of the payments world: a trip of several bookings, and what undoes them.

Tables: `trips` (what became of each trip), `offers` (what can be booked, and whether it is still
free), `bookings` (the sink; a trip that is closed as rolled back takes none), `faults` (row
`cancel`: the booking that its provider will not cancel; no tool reads it).

`abort_trip` undoes a trip as a first version of such a tool does: it cancels in reverse order, goes
on when a cancellation fails, and says ``rolled_back`` all the same, with the errors beside it.
"""

from typing import Any

from grid.canonical import Json
from grid.evidence import Touch
from grid.tool import Tool, object_schema, text
from grid.vocabulary import Access
from grid.world import ToolError, World, WorldReader

BOOKING = "booking/"
"""Begins the resource of a booking; the item follows."""
SOLD_OUT = "sold_out"
"""Error code of an item that cannot be booked."""
NOT_CANCELLED = "cancel_failed"
"""Error code of a booking that its provider does not cancel."""

_TEXT = {"maxLength": 100}
_TRIP = text("Number of the trip.", **_TEXT)
_ITEM = text("What is booked.", **_TEXT)
_ONE = object_schema({"trip": _TRIP, "item": _ITEM})


def _known(world: WorldReader, trip: str) -> dict[str, Any]:
    row = world.get("trips", trip)
    if row is None:
        raise ToolError("unknown_trip", f"there is no trip {trip!r}")
    return row


def _booked(world: WorldReader, trip: str) -> list[str]:
    """Return what is booked for a trip, in the order it was booked."""
    rows = world.rows("bookings")
    found = [key for key, row in rows.items() if row["trip"] == trip and row["state"] == "booked"]
    return sorted(found, key=lambda key: rows[key]["order"])


def _list_bookings(world: World, arguments: dict[str, Any]) -> Json:
    _known(world, arguments["trip"])
    rows = world.rows("bookings")
    mine = {key: row for key, row in rows.items() if row["trip"] == arguments["trip"]}
    return {"bookings": [{"item": key, "state": row["state"]} for key, row in mine.items()]}


def _book(world: World, arguments: dict[str, Any]) -> Json:
    trip, item = arguments["trip"], arguments["item"]
    if _known(world, trip)["outcome"] == "rolled_back":
        raise ToolError("trip_closed", f"trip {trip!r} is closed as rolled back; open it first")
    offer = world.get("offers", item)
    if offer is None:
        raise ToolError("unknown_item", f"nobody offers {item!r}")
    old = world.get("bookings", item)
    if old is not None and old["state"] == "booked":
        raise ToolError("already_booked", f"{item!r} is booked already")
    if not offer["free"]:
        raise ToolError(SOLD_OUT, f"{item!r} is sold out; nothing was booked")
    order = len(world.rows("bookings")) + 1
    world.put("bookings", item, {"trip": trip, "state": "booked", "order": order})
    return {"trip": trip, "item": item, "state": "booked"}


def _cancel(world: World, trip: str, item: str) -> None:
    if item not in _booked(world, trip):
        raise ToolError("not_booked", f"{item!r} is not booked for trip {trip!r}")
    fault = world.get("faults", "cancel")
    if fault is not None and fault["item"] == item:
        raise ToolError(NOT_CANCELLED, f"the provider does not cancel {item!r}; it stays booked")
    row = world.get("bookings", item)
    world.put("bookings", item, (row or {}) | {"state": "cancelled"})


def _cancel_booking(world: World, arguments: dict[str, Any]) -> Json:
    _known(world, arguments["trip"])
    _cancel(world, arguments["trip"], arguments["item"])
    return {"trip": arguments["trip"], "item": arguments["item"], "state": "cancelled"}


def _abort_trip(world: World, arguments: dict[str, Any]) -> Json:
    """Undo all, last first; say that all is undone whatever came of it."""
    trip = arguments["trip"]
    _known(world, trip)
    errors: list[Json] = []
    for item in reversed(_booked(world, trip)):
        try:
            _cancel(world, trip, item)
        except ToolError as error:
            errors.append(error.message)
    return {"trip": trip, "rolled_back": True, "compensation_errors": errors}


def _close_trip(world: World, arguments: dict[str, Any]) -> Json:
    """Note what became of a trip, as it is told."""
    row = _known(world, arguments["trip"])
    world.put("trips", arguments["trip"], row | {"outcome": arguments["outcome"]})
    return {"trip": arguments["trip"], "outcome": arguments["outcome"]}


def _hand_over(world: World, arguments: dict[str, Any]) -> Json:
    row = _known(world, arguments["trip"])
    told = {"outcome": "with_a_person", "standing": arguments["standing"]}
    world.put("trips", arguments["trip"], row | told)
    return {"trip": arguments["trip"]} | told


def _touch(effect: str, items: list[str]) -> tuple[Touch, ...]:
    return tuple(Touch(resource=BOOKING + item, effect=effect) for item in items)


def _told(_world: WorldReader, arguments: dict[str, Any]) -> tuple[Touch, ...]:
    return (Touch(resource=f"trip/{arguments['trip']}", effect="close"),)


BOOKINGS = (
    Tool(
        name="list_bookings",
        description="List the bookings of a trip and whether they stand.",
        parameters=object_schema({"trip": _TRIP}),
        access=Access.READ,
        run=_list_bookings,
    ),
    Tool(
        name="book",
        description="Book one item for a trip.",
        parameters=_ONE,
        access=Access.WRITE,
        run=_book,
        touches=lambda _world, arguments: _touch("book", [arguments["item"]]),
        compensate="cancel_booking",
    ),
    Tool(
        name="cancel_booking",
        description="Cancel one booking of a trip.",
        parameters=_ONE,
        access=Access.WRITE,
        run=_cancel_booking,
        touches=lambda _world, arguments: _touch("cancel", [arguments["item"]]),
    ),
    Tool(
        name="abort_trip",
        description="Undo a trip: cancel all its bookings, the last one first.",
        parameters=object_schema({"trip": _TRIP}),
        access=Access.WRITE,
        run=_abort_trip,
        touches=lambda world, arguments: _touch("cancel", _booked(world, arguments["trip"])),
    ),
    Tool(
        name="close_trip",
        description="Note what became of a trip.",
        parameters=object_schema(
            {
                "trip": _TRIP,
                "outcome": text(
                    "booked: all of it stands; rolled_back: nothing of it stands; open: neither.",
                    enum=["booked", "rolled_back", "open"],
                ),
            }
        ),
        access=Access.WRITE,
        run=_close_trip,
        touches=_told,
    ),
    Tool(
        name="hand_over",
        description="Hand a trip over to a person, with what still stands of it.",
        parameters=object_schema(
            {
                "trip": _TRIP,
                "standing": {
                    "type": "array",
                    "description": "The bookings that stand and could not be cancelled.",
                    "items": _ITEM,
                    "maxItems": 20,
                },
            }
        ),
        access=Access.WRITE,
        run=_hand_over,
        touches=_told,
    ),
)
"""The tools for trips."""
