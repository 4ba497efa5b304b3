"""`risk_tiers`: what a machine can check is checked before a person is asked.

A person who is shown forty things approves forty things; approval is permission, not proof. So each
item is held against the operator's own records first, both when a person is asked about it and when
it is carried out, and what does not fit reaches neither. And what is worth a person's eye is shown
alone: an item of the upper tier in a batch is not asked about.

Policy::

    {"tools": [{"tool": "...",         a tool that asks about items, or carries them out
                "items": "...",        its argument: one item or a list of them
                "alone": true}],       it asks a person: items of the upper tier go one by one
     "table": "...",                   table of the items
     "checks": [{"field": "...",       this field of an item
                 "table": "...",       must be that of a record in this table,
                 "key": "...",         whose key is this field of the item,
                 "equals": "..."}],    in this field
     "tier": {"field": "...",          this field of an item
              "above": n}}             above this it is of the upper tier; null: there is none

Every refusal can be put right: leave the named items out, or ask about each by itself.
"""

from dataclasses import dataclass
from typing import Any

from grid.evidence import Decision
from grid.guard import Guard, GuardView, refuse
from grid.matching import equal
from grid.strict import from_json

ID = "risk_tiers"

_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """A tool that asks about items, or carries them out."""

    tool: str
    """Name of the tool."""
    items: str
    """Argument that names them: a text or a list."""
    alone: bool
    """It asks a person: items of the upper tier go one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One field of an item that has to be that of a record."""

    field: str
    """Field of the item."""
    table: str
    """Table of records."""
    key: str
    """Field of the item that is the record's key."""
    equals: str
    """Field of the record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tier:
    """What makes an item one of the upper tier."""

    field: str
    """Field of the item."""
    above: int
    """Above this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The operator's settings, read strictly."""

    tools: tuple[Watched, ...]
    """Tools that ask about items, or carry them out."""
    table: str
    """Table of the items."""
    checks: tuple[Check, ...]
    """What a machine can check of an item."""
    tier: Tier | None = None
    """Which items are shown alone; None: none."""


def _fits(check: Check, view: GuardView, row: dict[str, Any]) -> bool:
    record = view.world.get(check.table, str(row.get(check.key)))
    return record is not None and equal(record.get(check.equals), row.get(check.field))


def _upper(tier: Tier | None, row: dict[str, Any]) -> bool:
    """Tell whether an item is of the upper tier; one without a number is taken for one."""
    if tier is None:
        return False
    size = row.get(tier.field)
    return not isinstance(size, int | float) or isinstance(size, bool) or size > tier.above


def _items(view: GuardView, watched: Watched, table: str) -> dict[str, dict[str, Any]]:
    """Return the rows of the items that a call names; what is not there is left to the world."""
    named = view.arguments.get(watched.items)
    keys = named if isinstance(named, list) else [named]
    rows = view.world.rows(table)
    return {key: rows[key] for key in keys if isinstance(key, str) and key in rows}


def _some(keys: list[str]) -> str:
    shown = ", ".join(repr(key[:60]) for key in keys[:_NAMED])
    return shown + (f" and {len(keys) - _NAMED} more" if len(keys) > _NAMED else "")


def before(view: GuardView) -> Decision | None:
    """Refuse items that a machine can tell are wrong, and a crowd that hides what matters."""
    if view.policy is None:
        return None
    policy = from_json(Policy, view.policy)
    watched = next((item for item in policy.tools if item.tool == view.tool), None)
    if watched is None:
        return None
    rows = _items(view, watched, policy.table)
    for check in policy.checks:
        wrong = [key for key, row in rows.items() if not _fits(check, view, row)]
        if wrong:
            return refuse(
                ID,
                f"the {check.field} of {_some(wrong)} is not the one in {check.table!r}; no "
                "approval can put that right",
                terminal=False,
                next_step=f"leave out {_some(wrong)} and say so in the report",
            )
    upper = [key for key, row in rows.items() if _upper(policy.tier, row)]
    if not watched.alone or not upper or len(rows) == 1:
        return None
    return refuse(
        ID,
        f"{_some(upper)} must be looked at and would be one of {len(rows)}",
        terminal=False,
        next_step=f"ask about {_some(upper)} alone, each in a call of its own",
    )


GUARD = Guard(
    id=ID,
    summary="items are checked before a person is asked, and those that matter are shown alone",
    before=before,
)
