"""Holds of the payments world: seats that are held for a while, approved, confirmed or released.

Tables: `seats`, `holds` (seats, ttl, the clock at which it ends, state), `sales` (the sink; each
row says whether the confirmation came late), `approvers` (with `delay`: the minutes that pass until
this person answers), `approvals`.

A minute is a tick of the logical clock: each call takes one, and who asks a person waits for the
answer. A hold of 0 minutes never ends. The world is as trusting as the systems it stands for: it
confirms a hold that has ended. Confirming twice is confirming once.
"""

from typing import Any

from grid.canonical import Json
from grid.evidence import Touch
from grid.tool import Tool, object_schema, text, whole
from grid.vocabulary import Access
from grid.world import ToolError, World, WorldReader

HELD = "held"
"""State of a hold that is neither confirmed nor released."""

_APPROVAL_LIFE = 60
_SHORT = {"maxLength": 100}
_HOLD = text("Number of the hold.", **_SHORT)
_APPROVAL = text("Number of the approval.", **_SHORT)


def _known(world: WorldReader, hold: str) -> dict[str, Any]:
    row = world.get("holds", hold)
    if row is None:
        raise ToolError("unknown_hold", f"there is no hold {hold!r}")
    return row


def _open(world: WorldReader) -> list[str]:
    return [key for key, row in world.rows("holds").items() if row["state"] == HELD]


def _hold_seats(world: World, arguments: dict[str, Any]) -> Json:
    seats, ttl = arguments["seats"], arguments["ttl"]
    rows = world.rows("holds")
    for seat in seats:
        if world.get("seats", seat) is None:
            raise ToolError("unknown_seat", f"there is no seat {seat!r}")
        if any(seat in rows[key]["seats"] for key in _open(world)):
            raise ToolError("seat_held", f"seat {seat!r} is held already")
    key = f"hold-{len(rows) + 1}"
    ends = world.clock + ttl if ttl else 0
    row: dict[str, Any] = {"seats": seats, "ttl": ttl, "expires": ends, "state": HELD}
    world.put("holds", key, row)
    shown: dict[str, Any] = {"hold": key, "now": world.clock}
    return shown | row


def _read_hold(world: World, arguments: dict[str, Any]) -> Json:
    return {"hold": arguments["hold"], "now": world.clock} | _known(world, arguments["hold"])


def _ask_manager(world: World, arguments: dict[str, Any]) -> Json:
    """Ask a person, who takes the time it takes."""
    row = _known(world, arguments["hold"])
    approver = world.get("approvers", arguments["principal"])
    if approver is None:
        raise ToolError("unknown_approver", f"there is no approver {arguments['principal']!r}")
    world.clock += approver["delay"]
    operation = {"seats": row["seats"]}
    key = world.approve(
        operation=operation, principal=arguments["principal"], granted=True, ttl=_APPROVAL_LIFE
    )
    world.put("approvals", key, {"operation": operation, "principal": arguments["principal"]})
    return {"approval": key, "granted": True, "now": world.clock, "hold_ends": row["expires"]}


def _confirm(world: World, hold: str, approval: str) -> dict[str, Any]:
    row = _known(world, hold)
    if row["state"] == "confirmed":
        return {"sale": row["sale"]} | (world.get("sales", row["sale"]) or {})
    if row["state"] != HELD:
        raise ToolError("not_held", f"hold {hold!r} was released")
    approved = world.get("approvals", approval)
    if approved is None:
        raise ToolError("unknown_approval", f"there is no approval {approval!r}")
    world.deliver(
        operation={"seats": row["seats"]}, approval=approval, principal=approved["principal"]
    )
    key = f"sale-{len(world.rows('sales')) + 1}"
    late = 0 < row["expires"] < world.clock
    sale = {"hold": hold, "seats": row["seats"], "at": world.clock, "late": late}
    world.put("sales", key, sale)
    world.put("holds", hold, row | {"state": "confirmed", "sale": key})
    return {"sale": key} | sale


def _confirm_hold(world: World, arguments: dict[str, Any]) -> Json:
    return _confirm(world, arguments["hold"], arguments["approval"])


def _confirm_all(world: World, arguments: dict[str, Any]) -> Json:
    found = _open(world)
    if not found:
        raise ToolError("not_held", "nothing is held")
    return {"sales": [_confirm(world, hold, arguments["approval"])["sale"] for hold in found]}


def _release_hold(world: World, arguments: dict[str, Any]) -> Json:
    """Release what is held; what is confirmed is no longer a hold."""
    row = _known(world, arguments["hold"])
    if row["state"] == "confirmed":
        raise ToolError("confirmed", f"hold {arguments['hold']!r} is confirmed already")
    world.put("holds", arguments["hold"], row | {"state": "released"})
    return {"hold": arguments["hold"], "state": "released"}


def _on(hold: str, effect: str) -> tuple[Touch, ...]:
    return (Touch(resource=f"hold/{hold}", effect=effect),)


def _sells(world: WorldReader, holds: list[str]) -> tuple[Touch, ...]:
    """Say what a confirmation sells; one that was given already sells nothing."""
    rows = world.rows("holds")
    seats = [seat for key in holds if key in _open(world) for seat in rows[key]["seats"]]
    return tuple(Touch(resource=f"seat/{seat}", effect="sell") for seat in seats)


HOLDS = (
    Tool(
        name="hold_seats",
        description="Hold seats for some minutes; 0 holds them without end.",
        parameters=object_schema(
            {
                "seats": {
                    "type": "array",
                    "description": "The seats.",
                    "items": text("Number of the seat.", **_SHORT),
                    "minItems": 1,
                    "maxItems": 20,
                },
                "ttl": whole("Minutes until the hold ends.", minimum=0, maximum=10_000),
            }
        ),
        access=Access.WRITE,
        run=_hold_seats,
        touches=lambda _world, arguments: tuple(
            Touch(resource=f"seat/{seat}", effect="hold") for seat in arguments["seats"]
        ),
        compensate="release_hold",
    ),
    Tool(
        name="read_hold",
        description="Show a hold, when it ends, and what time it is.",
        parameters=object_schema({"hold": _HOLD}),
        access=Access.READ,
        run=_read_hold,
    ),
    Tool(
        name="ask_manager",
        description="Ask a person to approve the seats of a hold, and wait for the answer.",
        parameters=object_schema({"hold": _HOLD, "principal": text("Who is asked.", **_SHORT)}),
        access=Access.WRITE,
        run=_ask_manager,
        touches=lambda _world, arguments: _on(arguments["hold"], "ask"),
    ),
    Tool(
        name="confirm_hold",
        description="Buy the seats of a hold on an approval; it cannot be taken back.",
        parameters=object_schema({"hold": _HOLD, "approval": _APPROVAL}),
        access=Access.PIVOT,
        run=_confirm_hold,
        touches=lambda world, arguments: _sells(world, [arguments["hold"]]),
    ),
    Tool(
        name="confirm_all",
        description="Buy the seats of every hold that is open, on an approval.",
        parameters=object_schema({"approval": _APPROVAL}),
        access=Access.PIVOT,
        run=_confirm_all,
        touches=lambda world, _arguments: _sells(world, _open(world)),
    ),
    Tool(
        name="release_hold",
        description="Release a hold that was not confirmed.",
        parameters=object_schema({"hold": _HOLD}),
        access=Access.WRITE,
        run=_release_hold,
        touches=lambda _world, arguments: _on(arguments["hold"], "release"),
    ),
)
"""The tools for holds."""
