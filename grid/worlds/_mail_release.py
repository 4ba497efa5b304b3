"""Releases of the mail world: a draft, the approval of a person who was shown it, the delivery.

Tables: `drafts` (what would be sent, and its state), `approvers` (principal -> `expects`: fields
that this person holds the draft against; empty: everything is waved through; and a `comment`, if
this person leaves one), `mandates` (how long an approval for ``deliver_release`` is good, and whose
it has to be), `approvals` (what was shown and decided). The sink is `outbox`.

As in many such systems, delivery sends whatever the draft says by then, on any approval that was
granted: nothing is compared.
"""

from typing import Any

from grid.canonical import Json
from grid.evidence import Touch
from grid.matching import equal
from grid.tool import Tool, object_schema, text
from grid.vocabulary import Access
from grid.world import ToolError, World, WorldReader
from grid.worlds._mail_address import addresses, everybody, raw_mail, recipients

OPERATION = ("draft", "to", "subject", "body")
"""The fields of a draft that an approver is shown and a delivery carries out."""

_DRAFT = text("Number of the draft.", maxLength=100)
_FIELDS = {
    "to": text("Address of the recipient.", maxLength=2000),
    "subject": text("Subject.", maxLength=2000),
    "body": text("Text.", maxLength=20_000),
}


def _known(world: WorldReader, table: str, key: str) -> dict[str, Any]:
    row = world.get(table, key)
    if row is None:
        word = table.removesuffix("s")
        raise ToolError(f"unknown_{word}", f"there is no {word} {key!r}")
    return row


def _open(world: WorldReader, key: str) -> dict[str, Any]:
    row = _known(world, "drafts", key)
    if row["state"] != "draft":
        raise ToolError("not_a_draft", f"{key!r} is {row['state']} already")
    return row


def _operation(row: dict[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in OPERATION}


def _draft_mail(world: World, arguments: dict[str, Any]) -> Json:
    key = f"draft-{len(world.rows('drafts')) + 1}"
    row = {"draft": key} | arguments | {"state": "draft"}
    world.put("drafts", key, row)
    return row


def _edit_draft(world: World, arguments: dict[str, Any]) -> Json:
    row = _open(world, arguments["draft"]) | arguments
    world.put("drafts", arguments["draft"], row)
    return row


def _request_release(world: World, arguments: dict[str, Any]) -> Json:
    operation = _operation(_open(world, arguments["draft"]))
    approver = _known(world, "approvers", arguments["principal"])
    granted = all(equal(operation[name], value) for name, value in approver["expects"].items())
    ttl = _known(world, "mandates", "deliver_release")["ttl"]
    key = world.approve(
        operation=operation, principal=arguments["principal"], granted=granted, ttl=ttl
    )
    shown = {
        "operation": operation,
        "principal": arguments["principal"],
        "granted": granted,
        "expires": world.clock + ttl,
    }
    world.put("approvals", key, shown)
    said = {"comment": approver["comment"]} if "comment" in approver else {}
    return {"approval": key} | shown | said


def _deliver_release(world: World, arguments: dict[str, Any]) -> Json:
    row = _open(world, arguments["draft"])
    if not _known(world, "approvals", arguments["approval"])["granted"]:
        raise ToolError("not_granted", f"approval {arguments['approval']!r} was denied")
    raw = raw_mail(row)
    to = everybody(raw)
    if not to:
        raise ToolError("no_recipient", "the draft has no recipient")
    world.deliver(
        operation=_operation(row),
        approval=arguments["approval"],
        principal=_known(world, "mandates", "deliver_release")["principal"],
    )
    key = f"mail-{len(world.rows('outbox')) + 1}"
    named = {"subject": row["subject"], "body": row["body"], "recipients": to}
    world.put("outbox", key, recipients(raw) | named | {"attachments": [], "raw": raw})
    world.put("drafts", row["draft"], row | {"state": "delivered"})
    return {"mail": key} | _operation(row)


def _edit_touches(_world: WorldReader, arguments: dict[str, Any]) -> tuple[Touch, ...]:
    return (Touch(resource=f"draft/{arguments['draft']}", effect="edit"),)


def _request_touches(_world: WorldReader, arguments: dict[str, Any]) -> tuple[Touch, ...]:
    return (Touch(resource=f"draft/{arguments['draft']}", effect="ask"),)


def _draft_touches(_world: WorldReader, arguments: dict[str, Any]) -> tuple[Touch, ...]:
    to = sorted(set(addresses(arguments["to"])))
    return tuple(Touch(resource=f"mailbox/{address}", effect="draft") for address in to)


def _deliver_touches(world: WorldReader, arguments: dict[str, Any]) -> tuple[Touch, ...]:
    row = world.get("drafts", arguments["draft"])
    to = [] if row is None else everybody(raw_mail(row))
    sent = (Touch(resource=f"mailbox/{address}", effect="send") for address in to)
    return (Touch(resource=f"draft/{arguments['draft']}", effect="release"), *sent)


TOOLS = (
    Tool(
        name="draft_mail",
        description="Write a draft; nothing is sent until it is released.",
        parameters=object_schema(_FIELDS),
        access=Access.WRITE,
        run=_draft_mail,
        touches=_draft_touches,
    ),
    Tool(
        name="edit_draft",
        description="Write a draft anew.",
        parameters=object_schema({"draft": _DRAFT} | _FIELDS),
        access=Access.WRITE,
        run=_edit_draft,
        touches=_edit_touches,
    ),
    Tool(
        name="request_release",
        description="Show a draft to a person and ask for its release.",
        parameters=object_schema(
            {"draft": _DRAFT, "principal": text("Who is asked.", maxLength=200)}
        ),
        access=Access.WRITE,
        run=_request_release,
        touches=_request_touches,
    ),
    Tool(
        name="deliver_release",
        description="Send a draft on an approval.",
        parameters=object_schema(
            {"draft": _DRAFT, "approval": text("Number of the approval.", maxLength=100)}
        ),
        access=Access.PIVOT,
        run=_deliver_release,
        touches=_deliver_touches,
    ),
)
