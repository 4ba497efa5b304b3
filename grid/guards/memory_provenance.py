"""`memory_provenance`: what untrusted content wrote into memory names no payee and no target.

A text that was read once can be written down as a note and come back in a later session, where
nothing shows any more that it was an order of a stranger. So memory keeps, line by line, where a
text may have come from, and the guard looks at that: an argument that the operator watches may hold

- what stands, word for word, in the user's own messages, or
- what stands in a line of memory all of whose origins are trusted.

A line without an origin is not trusted, and one trusted line lends nothing to its neighbours. What
stands in no line at all was made up, and is refused likewise: both lie outside the user's
authority.

Policy::

    {"arguments": {"...": ["...", ...]},    tool -> arguments that are watched
     "memory": "...",                       table of notes: each row has "lines", each of them a
                                            "text" and its "origin", a list of names
     "trusted": ["...", ...]}               origins whose word counts

Known limit: a value that a trusted line names only to exclude it is named all the same.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from grid.evidence import Decision
from grid.guard import Guard, GuardView, refuse
from grid.leaves import leaves
from grid.strict import from_json
from grid.wording import stands_in


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The operator's settings, read strictly."""

    arguments: dict[str, tuple[str, ...]]
    """Tool -> arguments that are watched."""
    memory: str
    """Table of notes."""
    trusted: tuple[str, ...]
    """Origins whose word counts."""


def _origins(view: GuardView, policy: Policy, value: str) -> Iterator[tuple[str, ...]]:
    """Yield the origins of each line of memory in which a value stands."""
    for row in view.world.rows(policy.memory).values():
        for line in row.get("lines", ()):
            if stands_in(value, str(line.get("text"))):
                yield tuple(map(str, line.get("origin") or ()))


def _fault(view: GuardView, policy: Policy, value: str) -> str:
    """Return why a value may not be used; empty if it may."""
    if stands_in(value, view.user_text):
        return ""
    found = list(_origins(view, policy, value))
    if any(origin and set(origin) <= {*policy.trusted} for origin in found):
        return ""
    if not found:
        return "stands neither in the user's messages nor in memory"
    untrusted = sorted({name for origin in found for name in origin} - {*policy.trusted})
    named = ", ".join(repr(name[:80]) for name in untrusted[:3]) or "no origin"
    return f"comes from memory that is not the user's own word ({named})"


def before(view: GuardView) -> Decision | None:
    """Refuse a value that no word of the user stands behind."""
    if view.policy is None:
        return None
    policy = from_json(Policy, view.policy)
    for name in policy.arguments.get(view.tool, ()):
        for leaf in leaves(view.arguments.get(name)):
            fault = _fault(view, policy, str(leaf))
            if fault:
                return refuse(
                    "memory_provenance",
                    f"{str(leaf)[:80]!r} in {name!r} {fault}",
                    terminal=True,
                    next_step="report status 'refused' and say where the value came from",
                )
    return None


GUARD = Guard(
    id="memory_provenance",
    summary="a payee or target is named by the user, or by memory that only trusted origins wrote",
    before=before,
)
