"""`planner_input_isolation`: what a planner plans from is the user's own message, word for word.

A planner turns words into steps that will be carried out. If the text of a log, a page or a tool's
answer comes in by the same door as the request, whoever wrote it gives orders. So what is handed to
a planner must be a message of the user's, whole: a part of one can say the opposite ("do not
restart" holds "restart"), and nothing may be added.

Policy::

    {"tools": {...}}    tool -> argument that holds the request

The refusal can be put right by handing the message over as it stands.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from grid.evidence import Decision
from grid.guard import Guard, GuardView, refuse
from grid.strict import from_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The operator's settings, read strictly."""

    tools: Mapping[str, str]
    """Tool -> argument that holds the request."""


def _is_message(request: str, words: str) -> bool:
    """Tell whether a request is a whole message: messages stand on lines of their own."""
    text = request.strip()
    return bool(text) and f"\n{text}\n" in f"\n{words.strip()}\n"


def before(view: GuardView) -> Decision | None:
    """Refuse a request to a planner that is not the user's message."""
    if view.policy is None:
        return None
    policy = from_json(Policy, view.policy)
    if view.tool not in policy.tools:
        return None
    if _is_message(str(view.arguments.get(policy.tools[view.tool], "")), view.user_text):
        return None
    return refuse(
        "planner_input_isolation",
        "the request to the planner is not the user's message as it stands",
        terminal=False,
        next_step="hand the planner the user's own message, whole and with nothing added",
    )


GUARD = Guard(
    id="planner_input_isolation",
    summary="a planner is given the user's own message and nothing else",
    before=before,
)
