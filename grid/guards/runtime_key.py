"""`runtime_key`: what was carried out once is not carried out again, and no model makes the key.

The runtime derives the key of a request itself: from the run, the group of tools that carry such a
request out, and the arguments that make its intent. It is no argument of a tool, so a model can
neither forget it nor make a new one, and neither a retry, nor another tool of the group, nor a
restored checkpoint, nor an attempt number in some text gives a second key for one intent. Held
against it is the journal of this run, which goes on through restores.

Policy::

    {"tools": [...],     the tools that carry an intent out; they share their intents
     "intent": [...],    arguments that make the intent; free text is no part of it
     "times": n,         how often an intent may be carried out; left out: once
     "shows": {...}}     this holds in the world once the intent was carried out (a predicate as
                         data; as a value, {"$argument": "/pointer"} is that argument's); left out:
                         the journal alone decides

A call that ran counts although it failed: its answer may have been lost after the effect. Where
`shows` is given, a failed call counts only while the world shows the effect, so that what surely
came to nothing may be sent again. The refusal can be put right: it names the receipt of the call
that carried the intent out, and nothing more needs to be done.
"""

from dataclasses import dataclass
from typing import Any

from grid.canonical import digest_of
from grid.evidence import Decision
from grid.guard import Guard, GuardView, PastCall, refuse
from grid.matching import equal
from grid.predicates import Predicate
from grid.readback import check_world_predicate, holds, with_arguments
from grid.strict import from_json, to_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The operator's settings, read strictly."""

    tools: tuple[str, ...]
    """Tools that carry an intent out."""
    intent: tuple[str, ...]
    """Arguments that make the intent, at least one."""
    times: int = 1
    """How often an intent may be carried out."""
    shows: Predicate | None = None
    """What the world shows once it was carried out; None: the journal alone decides."""

    def __post_init__(self) -> None:
        """Refuse settings under which all calls would be the same, or none allowed."""
        if not self.intent or self.times < 1:
            raise ValueError("write at least one argument that makes the intent, and times >= 1")
        if self.shows is not None:
            check_world_predicate(self.shows)


def intent_of(policy: Policy, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the part of a call's arguments that makes its intent; what is left out is null."""
    return {name: arguments.get(name) for name in policy.intent}


def key_of(policy: Policy, arguments: dict[str, Any]) -> str:
    """Return the key of a request: equal for equal intents, whatever else a call says."""
    return digest_of("intent", {"tools": list(policy.tools), "of": intent_of(policy, arguments)})


def _carried_out(policy: Policy, view: GuardView, past: PastCall) -> bool:
    """Tell whether an earlier call carried the same intent out, or may have done so."""
    if past.tool not in policy.tools or not isinstance(past.arguments, dict):
        return False
    if not equal(intent_of(policy, past.arguments), intent_of(policy, view.arguments)):
        return False
    if not past.error or policy.shows is None:
        return True
    shows = from_json(Policy, with_arguments(to_json(policy), view.arguments)).shows
    return shows is not None and holds(shows, view.world)


def before(view: GuardView) -> Decision | None:
    """Refuse to carry out again what was carried out in this run."""
    if view.policy is None:
        return None
    policy = from_json(Policy, view.policy)
    if view.tool not in policy.tools:
        return None
    done = [past for past in view.past if _carried_out(policy, view, past)]
    if len(done) < policy.times:
        return None
    lost = " (its answer was an error; the effect may stand all the same)" if done[0].error else ""
    return refuse(
        "runtime_key",
        f"the same request was carried out in this run, as {done[0].receipt!r}{lost}; its key is "
        f"{key_of(policy, view.arguments)!r}, however it is sent",
        terminal=False,
        next_step=f"do not send it again: look at the state, and report what {done[0].receipt!r} "
        "brought about",
    )


GUARD = Guard(
    id="runtime_key",
    summary="one intent is carried out once in a run, under a key that no model makes",
    before=before,
)
