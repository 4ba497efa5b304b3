"""`one_intent_one_key`: an intent that was sent under one key is never sent under another.

A model that makes its own idempotency keys makes a new one for each attempt, and the service takes
each for a new request. What the intent is, the operator says: the values of some arguments, such as
the invoice. Free text and attempt numbers are no part of it.

Policy::

    {"tools": [...],    the tools that carry an intent out; they share their intents
     "intent": [...],   arguments that make the intent
     "key": "...",      argument that holds the key
     "life": n,         calls of a run for which the service surely keeps an answer under its key
     "look": "..."}     tool that shows what was carried out

A call that ran counts even if it failed: its answer may have been lost after the effect. A key that
the service has forgotten is as good as another key, so it is refused too. The refusal can be put
right: the state can be looked at, and the first key may be used again while it lives.
"""

from typing import Any

from grid.evidence import Decision
from grid.guard import Guard, GuardView, refuse
from grid.matching import equal


def _intent(policy: Any, arguments: dict[str, Any]) -> list[Any]:
    return [arguments.get(name) for name in policy["intent"]]


def _first_sent(view: GuardView) -> tuple[int, Any] | None:
    """Return how many calls ago this intent was first sent, and its key; None if it never was."""
    wanted = _intent(view.policy, view.arguments)
    for index, past in enumerate(view.past):
        sent = past.tool in view.policy["tools"] and isinstance(past.arguments, dict)
        if sent and equal(_intent(view.policy, past.arguments), wanted):
            return len(view.past) - index, past.arguments.get(view.policy["key"])
    return None


def before(view: GuardView) -> Decision | None:
    """Refuse a second key for an intent that was sent before."""
    policy = view.policy
    if policy is None or view.tool not in policy["tools"]:
        return None
    sent = _first_sent(view)
    if sent is None:
        return None
    age, first = sent
    look = f"call {policy['look']!r} to see what happened"
    if age > policy["life"]:
        reason = f"this was sent {age} calls ago; the service may have forgotten its key"
    elif equal(first, view.arguments.get(policy["key"])):
        return None
    else:
        reason = f"this was sent before under the key {first!r}; another could carry it out twice"
        look += f", or send it again under {first!r}"
    return refuse("one_intent_one_key", reason, terminal=False, next_step=look)


GUARD = Guard(
    id="one_intent_one_key",
    summary="what was sent under one idempotency key is never sent under another",
    before=before,
)
