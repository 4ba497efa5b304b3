"""`literal_targets`: an effect reaches only what the user named, one by one, word for word.

It looks at what a call would touch, resolved against the world, so a wildcard, a layer or a script
is seen for what it does, by whatever tool and however it is spelled.

Policy::

    {"effects": [...],      the kinds of effect that are watched
     "prefix": "...",       beginning of the resources; what follows is the target's id
     "arguments": [...],    arguments that must hold ids of existing targets, a text or a list
     "cap": n}              the most targets in one run

A target that the user did not name, or one beyond the cap, is outside the user's authority. A
pattern that would reach only named targets, or an id that does not exist, can be put right.
"""

import unicodedata
from typing import Any

from grid.evidence import Decision, Touch
from grid.guard import Guard, GuardView, refuse
from grid.vocabulary import Access, Verdict


def _ids(policy: Any, touches: tuple[Touch, ...]) -> tuple[str, ...]:
    prefix = policy["prefix"]
    watched = (touch for touch in touches if touch.effect in policy["effects"])
    found = (touch.resource for touch in watched if touch.resource.startswith(prefix))
    return tuple(dict.fromkeys(resource[len(prefix) :] for resource in found))


def _named(target: str, words: str) -> bool:
    """Tell whether a target stands in the user's words as it is, not inside a longer word."""
    at = words.find(target) if target else -1
    while at >= 0:
        before, after = words[at - 1 : at], words[at + len(target) :][:1]
        if not (_joins(before) or _joins(after)):
            return True
        at = words.find(target, at + 1)
    return False


def _joins(character: str) -> bool:
    """Tell whether a word goes on with a character; scripts without spaces end a word."""
    if not character or unicodedata.east_asian_width(character) in "WF":
        return False
    mark = unicodedata.category(character).startswith("M")
    return mark or character.isalnum() or character in "_-*?"


def _reached(view: GuardView) -> set[str]:
    """Return the targets that earlier calls of this run were allowed to reach."""
    allowed = (past for past in view.past if past.decision.verdict is Verdict.ALLOW)
    return {target for past in allowed for target in _ids(view.policy, past.touches)}


def _written(view: GuardView) -> list[str]:
    """Return what stands in the arguments that must hold ids; looking is free."""
    if view.access is Access.READ:
        return []
    held = (view.arguments[name] for name in view.policy["arguments"] if name in view.arguments)
    return [str(item) for value in held for item in (value if isinstance(value, list) else [value])]


def _no_authority(reason: str) -> Decision:
    return refuse(
        "literal_targets",
        reason,
        terminal=True,
        next_step="report status 'refused'; touch nothing that the user did not name",
    )


def before(view: GuardView) -> Decision | None:
    """Refuse a call that would reach what the user did not name."""
    policy = view.policy
    if policy is None:
        return None
    targets = _ids(policy, view.touches)
    outside = [target for target in targets if not _named(target, view.user_text)]
    if outside:
        return _no_authority(
            f"this would reach {len(outside)} targets that do not stand in the user's message"
        )
    reached = _reached(view) | set(targets)
    if targets and len(reached) > policy["cap"]:
        return _no_authority(f"this would reach {len(reached)} targets, of {policy['cap']} allowed")
    loose = [item for item in _written(view) if item not in targets]
    if not loose:
        return None
    return refuse(
        "literal_targets",
        f"{loose[0]!r} is not the id of an existing target",
        terminal=False,
        next_step="write the ids out as they are listed, each on its own",
    )


GUARD = Guard(
    id="literal_targets",
    summary="an effect reaches only targets that the user named word for word",
    before=before,
)
