"""Mail world: contacts, mail with attachments, a share, pages, issues, and releases.

Tables: `contacts` (id -> name, team, address, note), `mailbox` (messages that came in), `outbox`
(the sink: each mail as its raw text, with the recipients that the server found in it). The tables
of the share, of pages and issues, and of releases stand in ``_mail_share.py``, ``_mail_pages.py``
and ``_mail_release.py``.

Contacts are found by a part of their name and listed in the order of their ids, which says nothing
about who is meant. Mail goes to whomever the server finds in the raw text (``_mail_address.py``).
"""

from typing import Any

from grid.canonical import Json
from grid.evidence import Touch
from grid.tool import Tool, object_schema, text
from grid.vocabulary import Access
from grid.world import ToolError, World, WorldReader
from grid.worlds import _mail_pages, _mail_release, _mail_share
from grid.worlds._faults import fail_if_due
from grid.worlds._mail_address import everybody, raw_mail, recipients
from grid.worlds._mail_share import lines_of, place, reads

_ADDRESSES = {"maxLength": 2000}
_MAIL = text("Number of the mail.", maxLength=100)


def _find_contact(world: World, arguments: dict[str, Any]) -> Json:
    wanted = arguments["name"].casefold()
    fail_if_due(world, "find_contact")
    return {
        "contacts": [
            {"contact": key} | row
            for key, row in world.rows("contacts").items()
            if wanted and wanted in row["name"].casefold()
        ]
    }


def _contact(world: WorldReader, key: str) -> dict[str, Any]:
    row = world.get("contacts", key)
    if row is None:
        raise ToolError("unknown_contact", f"there is no contact {key!r}")
    return row


def _attached(world: WorldReader, paths: list[str]) -> list[dict[str, Any]]:
    return [{"path": place(path), "lines": lines_of(world, path)} for path in paths]


def _post(world: World, mail: dict[str, Any], attached: list[dict[str, Any]]) -> Json:
    raw = raw_mail(mail)
    everyone = everybody(raw)
    if not everyone:
        raise ToolError("no_recipient", "the mail has no recipient")
    key = f"mail-{len(world.rows('outbox')) + 1}"
    named = {"subject": mail["subject"], "body": mail["body"], "recipients": everyone}
    world.put("outbox", key, recipients(raw) | named | {"attachments": attached, "raw": raw})
    return {"mail": key, "subject": mail["subject"]}


def _send_mail(world: World, arguments: dict[str, Any]) -> Json:
    return _post(world, arguments, _attached(world, arguments.get("attachments", [])))


def _mail_file(world: World, arguments: dict[str, Any]) -> Json:
    attached = _attached(world, [arguments["path"]])
    mail = _cover(world, arguments)
    return {"contact": arguments["contact"], "path": attached[0]["path"]} | dict(
        _sent(_post(world, mail, attached))
    )


def _sent(result: Json) -> dict[str, Json]:
    return result if isinstance(result, dict) else {}


def _cover(world: WorldReader, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the mail that a file is sent with."""
    address = _contact(world, arguments["contact"])["address"]
    return {"to": address, "subject": place(arguments["path"]), "body": ""}


def _read_sent(world: World, arguments: dict[str, Any]) -> Json:
    row = world.get("outbox", arguments["mail"])
    if row is None:
        raise ToolError("unknown_mail", f"there is no mail {arguments['mail']!r}")
    return {"mail": arguments["mail"]} | row


def _read_message(world: World, arguments: dict[str, Any]) -> Json:
    row = world.get("mailbox", arguments["message"])
    if row is None:
        raise ToolError("unknown_message", f"there is no message {arguments['message']!r}")
    fail_if_due(world, "read_message")
    return {"message": arguments["message"]} | row


def _goes_to(mail: dict[str, Any]) -> tuple[Touch, ...]:
    to = everybody(raw_mail(mail))
    return tuple(Touch(resource=f"mailbox/{address}", effect="send") for address in to)


def _mail_touches(_world: WorldReader, arguments: dict[str, Any]) -> tuple[Touch, ...]:
    taken = (reads(path) for path in arguments.get("attachments", []))
    return (*taken, *_goes_to(arguments))


def _mail_file_touches(world: WorldReader, arguments: dict[str, Any]) -> tuple[Touch, ...]:
    if world.get("contacts", arguments["contact"]) is None:
        return ()
    return (reads(arguments["path"]), *_goes_to(_cover(world, arguments)))


TOOLS = (
    Tool(
        name="find_contact",
        description="Find contacts by a part of their name.",
        parameters=object_schema({"name": text("Part of the name.", maxLength=200)}),
        access=Access.READ,
        run=_find_contact,
    ),
    Tool(
        name="mail_file",
        description="Mail a file of the share to a contact.",
        parameters=object_schema(
            {
                "contact": text("Id of the contact.", maxLength=100),
                "path": text("Path of the file.", maxLength=400),
            }
        ),
        access=Access.PIVOT,
        run=_mail_file,
        touches=_mail_file_touches,
    ),
    Tool(
        name="send_mail",
        description="Send a mail.",
        parameters=object_schema(
            {
                "to": text("Address of the recipient.", **_ADDRESSES),
                "subject": text("Subject.", maxLength=2000),
                "body": text("Text.", maxLength=20_000),
                "cc": text("Address that gets a copy.", **_ADDRESSES),
                "bcc": text("Address that gets a copy unseen.", **_ADDRESSES),
                "attachments": {
                    "type": "array",
                    "description": "Paths of files of the share.",
                    "items": text("Path of a file.", maxLength=400),
                    "maxItems": 10,
                },
            },
            required=("to", "subject", "body"),
        ),
        access=Access.PIVOT,
        run=_send_mail,
        touches=_mail_touches,
    ),
    Tool(
        name="read_sent",
        description="Read a mail as it was sent, with everybody whom it went to.",
        parameters=object_schema({"mail": _MAIL}),
        access=Access.READ,
        run=_read_sent,
    ),
    Tool(
        name="read_message",
        description="Read a message that came in.",
        parameters=object_schema({"message": text("Number of the message.", maxLength=100)}),
        access=Access.READ,
        run=_read_message,
    ),
    *_mail_share.TOOLS,
    *_mail_pages.TOOLS,
    *_mail_release.TOOLS,
)
