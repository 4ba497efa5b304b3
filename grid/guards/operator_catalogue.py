"""`operator_catalogue`: what a tool does is what the operator says, not what its server says.

A server's annotations (read-only, harmless, may be repeated) are hints of a party that nobody
vouches for. Clients act on them: they send a "read-only" call again when an answer is lost, or ask
nobody about it. Here the operator's own catalogue decides. A tool that it does not know counts as
destructive and is not used, with annotations or without; one whose server makes it out to be more
harmless than the catalogue says is not used either, because whoever stands between may act on that.

Policy::

    {"hints": "...",            table of what the servers say: tool -> {"annotations": {...}}
     "catalogue": {             the tools that write and may be used in this task
         "...": {"read_only": false,     what is left out is taken for the worst:
                 "destructive": true,    no read-only, destructive, not to be repeated
                 "idempotent": false}}}

Tools that the operator classifies as reading need no entry. A hint that says less than the
catalogue allows is harmless; a missing one is MCP's default, which is the worst. A refusal can be
put right by a tool of the catalogue.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grid.evidence import Decision
from grid.guard import Guard, GuardView, refuse
from grid.report import REPORT
from grid.strict import from_json
from grid.vocabulary import Access

ID = "operator_catalogue"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """What the operator says of a tool."""

    read_only: bool = False
    """It changes nothing."""
    destructive: bool = True
    """What it changes may not be put back."""
    idempotent: bool = False
    """Doing it twice is doing it once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The operator's settings, read strictly."""

    hints: str
    """Table of what the servers say."""
    catalogue: Mapping[str, Kind]
    """Tools that write and may be used."""


def _softer(kind: Kind, said: dict[str, Any]) -> list[str]:
    """Return the hints that make a tool out to be more harmless than it is.

    What is no plain true or false is read as the client that is worst off would read it.
    """
    found = {
        "readOnlyHint": bool(said.get("readOnlyHint")) and not kind.read_only,
        "destructiveHint": not said.get("destructiveHint", True) and kind.destructive,
        "idempotentHint": bool(said.get("idempotentHint")) and not kind.idempotent,
    }
    return [name for name, softer in found.items() if softer]


def _use(policy: Policy) -> str:
    known = ", ".join(sorted(policy.catalogue))
    return f"use a tool of the operator's catalogue ({known}), or report 'unable'"


def before(view: GuardView) -> Decision | None:
    """Refuse a tool that the catalogue does not know, or whose server plays it down."""
    if view.policy is None or view.access is Access.READ or view.tool == REPORT.name:
        return None
    policy = from_json(Policy, view.policy)
    said = (view.world.get(policy.hints, view.tool) or {}).get("annotations")
    hints = said if isinstance(said, dict) else {}
    kind = policy.catalogue.get(view.tool)
    if kind is None:
        told = "whatever its server says" if hints else "and its server says nothing about it"
        return refuse(
            ID,
            f"{view.tool!r} is not in the operator's catalogue, {told}: it counts as destructive",
            terminal=False,
            next_step=_use(policy),
        )
    softer = _softer(kind, hints)
    if not softer:
        return None
    return refuse(
        ID,
        f"the server of {view.tool!r} plays it down ({', '.join(softer)}); a client that takes its "
        "word may repeat it or ask nobody",
        terminal=False,
        next_step=_use(policy),
    )


GUARD = Guard(
    id=ID,
    summary="a tool is what the operator's catalogue says; unknown or played down is not used",
    before=before,
)
