"""`rendered_approval`: whoever approves sees the whole of what will run.

A person who approves reads a card, not the call. What the card leaves out, cuts off, or shows in
characters that nobody sees, was not approved, whatever was clicked. This guard knows how cards are
drawn, as the operator says, and refuses to ask for an approval whose card would not show it all:

1. An argument that has no place on the card holds something.
2. The card is too narrow for what stands on it. Counted generously: each text, and four characters
   for what is drawn around it.
3. A text holds what pads or hides: control and format characters, line breaks, letters that are
   drawn blank, selectors that vary nothing (all that `grid.display.visible` would not leave as it
   is), or three or more spaces in a row.

Policy::

    {"tools": {tool: {"shown": [...],     the arguments that stand on the card, in full
                      "width": n}}}       characters that the card shows in all

A refusal can be put right: by asking for it so that all of it stands on the card.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grid.display import visible
from grid.evidence import Decision
from grid.guard import Guard, GuardView, refuse
from grid.leaves import leaves
from grid.strict import from_json

AROUND = 4
"""Characters that are drawn around each text of a card."""
SPACES = 3
"""So many spaces in a row are padding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """How the card of a request is drawn."""

    shown: tuple[str, ...]
    """Arguments that stand on it."""
    width: int
    """Characters that it shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The operator's settings, read strictly."""

    tools: Mapping[str, Card]
    """Tool that asks for an approval -> how its card is drawn."""


def _fault(card: Card, arguments: dict[str, Any]) -> str:
    """Return what the card of a request would not show; empty if it shows everything."""
    for name in sorted(arguments):
        if name not in card.shown and arguments[name] not in ("", [], {}, None):
            return f"the card has no place for {name!r}, which is not empty"
    texts = [str(leaf) for name in card.shown for leaf in leaves(arguments.get(name))]
    for text in texts:
        if visible(text, len(text)) != text or _padded(text):
            return "the card would hold padding or characters that nobody sees"
    needed = sum(len(text) + AROUND for text in texts)
    if needed > card.width:
        return f"the card shows {card.width} characters, and this needs up to {needed}"
    return ""


def _padded(text: str) -> bool:
    plain = "".join(" " if character.isspace() else character for character in text)
    return " " * SPACES in plain


def before(view: GuardView) -> Decision | None:
    """Refuse to ask for an approval whose card would not show the whole action."""
    if view.policy is None:
        return None
    card = from_json(Policy, view.policy).tools.get(view.tool)
    fault = _fault(card, view.arguments) if card is not None else ""
    if not fault:
        return None
    return refuse(
        "rendered_approval",
        fault,
        terminal=False,
        next_step="ask so that the whole command stands on the card, or report 'unable'",
    )


GUARD = Guard(
    id="rendered_approval",
    summary="an approval is asked for only on a card that shows the whole of what will run",
    before=before,
)
