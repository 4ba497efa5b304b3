"""`entity_resolution`: a call reaches a person only if the user's own words single that person out.

A name that two people bear names neither of them. The guard takes all whose name shares a word with
the user's message, and looks at what else the message says of each: which of the telling fields
(the full name, the team, the address, its domain) stand in it as they are written in the record.
One is resolved who has a telling field that stands there, and every one that any other has, and
more. The order of the records, and what else stands in them, plays no part: whoever can write a
record can also write it first. A call that reaches an address of no record is held to the same: the
address has to stand in the message.

Policy::

    {"table": "...",          records of those who can be reached
     "name": "...",           field that holds the name
     "address": "...",        field that holds the address
     "telling": [...],        further fields that tell namesakes apart
     "effects": [...],        kinds of effect that reach somebody
     "prefix": "..."}         beginning of the resources; what follows is the address

To reach a namesake by mistake can be put right: by reaching the one who was meant, or by asking.
Somebody whom the message does not name at all is outside the user's authority.
"""

import unicodedata
from dataclasses import dataclass
from typing import Any

from grid.evidence import Decision
from grid.guard import Guard, GuardView, refuse
from grid.strict import from_json

SHORTEST_NAME = 2
"""Characters of a part of a name from which on it names anybody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The operator's settings, read strictly."""

    table: str
    """Records of those who can be reached."""
    name: str
    """Field that holds the name."""
    address: str
    """Field that holds the address."""
    telling: tuple[str, ...]
    """Further fields that tell namesakes apart."""
    effects: tuple[str, ...]
    """Kinds of effect that reach somebody."""
    prefix: str
    """Beginning of the resources."""


def stands_in(wanted: str, words: str) -> bool:
    """Tell whether a text stands in others as it is, not inside a longer word or address."""
    at = words.find(wanted) if wanted else -1
    while at >= 0:
        before, after = words[at - 1 : at] if at else "", words[at + len(wanted) :]
        if not (_joins(before) or _goes_on(after)):
            return True
        at = words.find(wanted, at + 1)
    return False


def _joins(character: str) -> bool:
    """Tell whether a word goes on with a character; scripts without spaces end a word."""
    if not character or unicodedata.east_asian_width(character) in "WF":
        return False
    category = unicodedata.category(character)
    return character.isalnum() or category[0] == "M" or category == "Cf" or character in "_-@.+%"


def _goes_on(after: str) -> bool:
    """Tell whether a word goes on; a full stop at the end of a sentence does not."""
    head = after.lstrip(".")[:1] if after.startswith(".") else after[:1]
    return _joins(head)


def _told(policy: Policy, row: dict[str, Any], words: str) -> frozenset[str]:
    """Return which telling fields of a record stand in the message."""
    address = str(row.get(policy.address, "")).casefold()
    facts = {name: str(row.get(name, "")).casefold() for name in policy.telling}
    facts["@address"] = address
    facts["@domain"] = address.rpartition("@")[2]
    name = str(row.get(policy.name, "")).casefold()
    facts["@name"] = name if " " in name else ""
    return frozenset(fact for fact, value in facts.items() if stands_in(value, words))


def _is_named(policy: Policy, row: dict[str, Any], words: str) -> bool:
    parts = str(row.get(policy.name, "")).casefold().split()
    named = any(len(part) >= SHORTEST_NAME and stands_in(part, words) for part in parts)
    return named or stands_in(str(row.get(policy.address, "")).casefold(), words)


def resolved(policy: Policy, rows: dict[str, dict[str, Any]], message: str) -> tuple[set[str], str]:
    """Return who is named in a message, by key, and the key of the one who is meant, or ``""``."""
    words = message.casefold()
    told = {
        key: _told(policy, row, words) for key, row in rows.items() if _is_named(policy, row, words)
    }
    if len(told) == 1:
        return set(told), next(iter(told))
    for key, facts in told.items():
        others = (more for other, more in told.items() if other != key)
        if facts and all(facts > more for more in others):
            return set(told), key
    return set(told), ""


def _reached(policy: Policy, view: GuardView) -> list[str]:
    touched = (touch for touch in view.touches if touch.effect in policy.effects)
    found = (touch.resource for touch in touched if touch.resource.startswith(policy.prefix))
    return list(dict.fromkeys(resource[len(policy.prefix) :] for resource in found))


def _objection(
    policy: Policy, address: str, rows: dict[str, dict[str, Any]], message: str
) -> Decision | None:
    named, meant = resolved(policy, rows, message)
    holders = {key for key, row in rows.items() if row.get(policy.address) == address}
    if meant in holders:
        return None
    if not holders and stands_in(address.casefold(), message.casefold()):
        return None
    if not holders & named:
        return refuse(
            "entity_resolution",
            f"the user's message does not name who is reached at {address!r}",
            terminal=True,
            next_step="reach only whom the user named, or report status 'refused'",
        )
    if meant:
        return refuse(
            "entity_resolution",
            f"{address!r} belongs to a namesake of the one whom the user's message means",
            terminal=False,
            next_step=f"use the record {meant!r}",
        )
    return refuse(
        "entity_resolution",
        f"the user's message names {len(named)} people and tells none of them apart",
        terminal=False,
        next_step="report status 'unable' and ask which of them is meant",
    )


def before(view: GuardView) -> Decision | None:
    """Refuse to reach anybody whom the user's words do not single out."""
    if view.policy is None:
        return None
    policy = from_json(Policy, view.policy)
    reached = _reached(policy, view)
    if not reached:
        return None
    rows = view.world.rows(policy.table)
    objections = (_objection(policy, address, rows, view.user_text) for address in reached)
    return next((found for found in objections if found is not None), None)


GUARD = Guard(
    id="entity_resolution",
    summary="a call reaches only people whom the user's own words single out",
    before=before,
)
