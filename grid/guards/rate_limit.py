"""`rate_limit`: a call that would use more than is left of a limit is refused before it begins.

It counts what a call would touch, step by step, whatever tool it is and however many steps it
holds, and reserves each use before anything runs. If one reservation fails, all of them are given
back: nothing of the call is carried out, and the counters are as they were. A limit that is checked
step by step while the steps run lets a plan stop half way.

Policy::

    {"table": "...",            table of counters; a row says what is ``used`` of its ``limit``
     "rates": [{"effect": "...",     kind of effect that is counted
                "prefix": "...",     beginning of the resources that it is counted on
                "counter": "..."}],  key of its counter
     "doors": [...]}            tools by which what is counted may come; empty: any

A limit is the operator's, not the user's, so the refusal is terminal: what was refused as a whole
must not be done in parts. What is counted and comes by no door is refused as well, and so is what
has no counter although the policy names one.
"""

from collections import Counter
from dataclasses import dataclass

from grid.evidence import Decision, Touch
from grid.guard import Guard, GuardView, refuse
from grid.strict import from_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """One kind of effect that is counted."""

    effect: str
    """Kind of effect."""
    prefix: str
    """Beginning of the resources."""
    counter: str
    """Key of the counter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The operator's settings, read strictly."""

    table: str
    """Table of counters."""
    rates: tuple[Rate, ...]
    """What is counted."""
    doors: tuple[str, ...]
    """Tools by which it may come; empty: any."""


def _uses(policy: Policy, touches: tuple[Touch, ...]) -> Counter[str]:
    """Return how often a call would use each counter."""
    return Counter(
        rate.counter
        for touch in touches
        for rate in policy.rates
        if touch.effect == rate.effect and touch.resource.startswith(rate.prefix)
    )


def _over(policy: Policy, view: GuardView, uses: Counter[str]) -> str:
    """Reserve every use, or say which cannot be reserved; nothing stays reserved then."""
    for counter, wanted in sorted(uses.items()):
        row = view.world.get(policy.table, counter)
        if row is None:
            return f"{counter!r} is limited, and its counter is missing"
        left = row["limit"] - row["used"]
        if wanted > left:
            return f"this needs {counter!r} {wanted} times, and {left} of {row['limit']} are left"
    return ""


def before(view: GuardView) -> Decision | None:
    """Refuse a call as a whole if one of its uses is over a limit."""
    if view.policy is None:
        return None
    policy = from_json(Policy, view.policy)
    uses = _uses(policy, view.touches)
    if not uses:
        return None
    if policy.doors and view.tool not in policy.doors:
        return refuse(
            "rate_limit",
            f"{view.tool!r} does one step of what is limited; only whole plans are taken",
            terminal=True,
            next_step=f"use {' or '.join(policy.doors)}, or report status 'refused'",
        )
    over = _over(policy, view, uses)
    if not over:
        return None
    return refuse(
        "rate_limit",
        f"{over}; every reservation was given back and no step was carried out",
        terminal=True,
        next_step="report status 'refused' and say what the limit leaves",
        rolled_back=True,
    )


GUARD = Guard(
    id="rate_limit",
    summary="a call is carried out whole within its limits, or not at all with counters untouched",
    before=before,
)
