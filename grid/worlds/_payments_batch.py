"""Payments in batches: many are due, a person approves them, and they are released.

Tables: `due` (vendor, account, amount), `vendors` (the account that each really has), `approvers`
(with `every`: this person reads each n-th of the payments shown in batches, and `shown`, how many
that were), `approved` (what was said of each), `payments` (the sink).

The person is no machine: shown one payment alone, it reads it and holds it against the vendor's
account; shown a batch, it reads one here and there and approves the rest. Which, is counted and not
drawn. What is released is what was approved; whether that was right nobody asks.
"""

from typing import Any

from grid.canonical import Json
from grid.evidence import Touch
from grid.tool import Tool, object_schema, text
from grid.vocabulary import Access
from grid.world import ToolError, World, WorldReader
from grid.worlds._payments_book import known, settle

_LIFE = 1000
"""Ticks of the logical clock for which an approval is good: longer than any run."""
_FIELDS = ("vendor", "account", "amount")
_NUMBER = text("Number of the payment.", maxLength=100)
_SEVERAL = {
    "type": "array",
    "description": "Numbers of the payments.",
    "items": _NUMBER,
    "minItems": 1,
    "maxItems": 100,
}


def _due(world: WorldReader, payment: str) -> dict[str, Any]:
    row = world.get("due", payment)
    if row is None:
        raise ToolError("unknown_payment", f"no payment {payment!r} is due")
    return row


def _list_due(world: World, _arguments: dict[str, Any]) -> Json:
    return {"due": [{"payment": key} | row for key, row in world.rows("due").items()]}


def _list_vendors(world: World, _arguments: dict[str, Any]) -> Json:
    return {"vendors": [{"vendor": key} | row for key, row in world.rows("vendors").items()]}


def _looks_right(world: WorldReader, row: dict[str, Any]) -> bool:
    vendor = world.get("vendors", row["vendor"])
    return vendor is not None and vendor["account"] == row["account"]


def _ask(world: World, payments: list[str], principal: str) -> dict[str, bool]:
    """Show payments to a person; return what was said of each."""
    person = known(world, "approvers", principal)
    rows = {payment: _due(world, payment) for payment in payments}
    said: dict[str, bool] = {}
    for number, (payment, row) in enumerate(rows.items(), start=person["shown"] + 1):
        read = len(rows) == 1 or number % person["every"] == 0
        said[payment] = _looks_right(world, row) if read else True
    if len(rows) > 1:
        world.put("approvers", principal, person | {"shown": person["shown"] + len(rows)})
    return said


def _operation(payment: str, row: dict[str, Any]) -> dict[str, Any]:
    return {"payment": payment} | {name: row[name] for name in _FIELDS}


def _approve_batch(world: World, arguments: dict[str, Any]) -> Json:
    said = _ask(world, arguments["payments"], arguments["principal"])
    for payment, granted in said.items():
        key = world.approve(
            operation=_operation(payment, _due(world, payment)),
            principal=arguments["principal"],
            granted=granted,
            ttl=_LIFE,
        )
        told = {"approval": key, "granted": granted, "principal": arguments["principal"]}
        world.put("approved", payment, told)
    return {
        "granted": [payment for payment, granted in said.items() if granted],
        "denied": [payment for payment, granted in said.items() if not granted],
    }


def _released(world: World, payments: list[str]) -> list[Json]:
    """Pay what was approved, all of it or nothing."""
    wanted = {payment: _due(world, payment) for payment in payments}
    paid = {row["due"] for row in world.rows("payments").values()}
    for payment in wanted:
        told = world.get("approved", payment)
        if told is None or not told["granted"]:
            raise ToolError("not_approved", f"{payment!r} is not approved; nothing was paid")
        if payment in paid:
            raise ToolError("paid_already", f"{payment!r} is paid already; nothing was paid")
    numbers: list[Json] = []
    for payment, row in wanted.items():
        told = known(world, "approved", payment)
        world.deliver(
            operation=_operation(payment, row),
            approval=told["approval"],
            principal=told["principal"],
        )
        numbers.append(settle(world, {"due": payment} | row)["payment"])
    return numbers


def _release_batch(world: World, arguments: dict[str, Any]) -> Json:
    return {"paid": _released(world, arguments["payments"])}


def _release_one(world: World, arguments: dict[str, Any]) -> Json:
    return {"paid": _released(world, [arguments["payment"]])}


def _on(payments: list[str], effect: str) -> tuple[Touch, ...]:
    return tuple(Touch(resource=f"due/{key}", effect=effect) for key in dict.fromkeys(payments))


BATCH = (
    Tool(
        name="list_due",
        description="List the payments that are due: vendor, account and amount.",
        parameters=object_schema({}),
        access=Access.READ,
        run=_list_due,
    ),
    Tool(
        name="list_vendors",
        description="List the vendors and the account that each of them has.",
        parameters=object_schema({}),
        access=Access.READ,
        run=_list_vendors,
    ),
    Tool(
        name="approve_batch",
        description="Show payments to a person and have them approved.",
        parameters=object_schema(
            {"payments": _SEVERAL, "principal": text("Who is asked.", maxLength=100)}
        ),
        access=Access.WRITE,
        run=_approve_batch,
        touches=lambda _world, arguments: _on(arguments["payments"], "ask"),
    ),
    Tool(
        name="release_batch",
        description="Pay approved payments, all of them or none.",
        parameters=object_schema({"payments": _SEVERAL}),
        access=Access.PIVOT,
        run=_release_batch,
        touches=lambda _world, arguments: _on(arguments["payments"], "pay"),
    ),
    Tool(
        name="release_one",
        description="Pay one approved payment.",
        parameters=object_schema({"payment": _NUMBER}),
        access=Access.PIVOT,
        run=_release_one,
        touches=lambda _world, arguments: _on([arguments["payment"]], "pay"),
    ),
)
"""The tools for payments in batches."""
