"""`pinned_definitions`: a tool is used only while it is the tool that was consented to.

At consent the digest of the definition is kept: name, description, schema, hints and server. Before
each call the present definition is digested anew. If it differs in one character, the consent does
not cover it, and the call is refused until somebody has consented to the new one.

Policy::

    {"tools": [...],          the tools that need consent
     "principals": [...],     whose consent counts
     "definitions": "...",    table of the present definitions, by tool name
     "consents": "..."}       table of consents, in the order of their numbers: tool, definition
                              (the digest), principal, granted

The last word of a principal on a definition counts. To use a definition that was denied is outside
the user's authority; one that nobody was asked about can be shown and consented to. A tool whose
present definition is not known is not used.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from grid.definitions import definition_digest
from grid.evidence import Decision
from grid.guard import Guard, GuardView, refuse
from grid.strict import from_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The operator's settings, read strictly."""

    tools: tuple[str, ...]
    """Tools that need consent."""
    principals: tuple[str, ...]
    """Whose consent counts."""
    definitions: str
    """Table of the present definitions."""
    consents: str
    """Table of consents."""


def _words(view: GuardView, policy: Policy) -> Iterator[dict[str, Any]]:
    """Yield what those who may decide said about this tool, oldest first."""
    rows = view.world.rows(policy.consents).items()
    for _, row in sorted(rows, key=lambda item: (len(item[0]), item[0])):
        if row.get("tool") == view.tool and row.get("principal") in policy.principals:
            yield row


def before(view: GuardView) -> Decision | None:
    """Refuse a call of a tool whose present definition nobody consented to."""
    if view.policy is None:
        return None
    policy = from_json(Policy, view.policy)
    if view.tool not in policy.tools:
        return None
    row = view.world.get(policy.definitions, view.tool)
    if row is None:
        return _refused(f"the present definition of {view.tool!r} is not known")
    present = definition_digest(view.tool, row)
    said = list(_words(view, policy))
    last = next((word for word in reversed(said) if word.get("definition") == present), None)
    if last is not None and last.get("granted") is True:
        return None
    if last is not None:
        return refuse(
            "pinned_definitions",
            f"{last['principal']!r} denied the present definition of {view.tool!r}",
            terminal=True,
            next_step="report status 'refused' and say that this definition was denied",
        )
    if any(word.get("granted") is True for word in said):
        return _refused(f"the definition of {view.tool!r} is not the one that was consented to")
    return _refused(f"nobody has consented to {view.tool!r}")


def _refused(reason: str) -> Decision:
    return refuse(
        "pinned_definitions",
        reason,
        terminal=False,
        next_step="list the tools again and ask for consent to the present definition",
    )


GUARD = Guard(
    id="pinned_definitions",
    summary="a tool is used only while its definition is, digest by digest, the consented one",
    before=before,
)
