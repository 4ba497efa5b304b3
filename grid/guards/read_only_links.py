"""`read_only_links`: a call that only reads asks for nothing but what the operator lets it ask.

First layer of the separation of reading and writing: the words of the call. A link that a page
offers may hold anything. A tool that the operator classed as reading may follow it only if each key
of its query is on the operator's list. Keys are compared as they are written: an encoded one is not
on the list.

Policy::

    {"arguments": [...],    arguments that hold an address
     "query": [...]}        keys that a query may have

A refusal can be put right: by a call that only reads.
"""

import re
from dataclasses import dataclass

from grid.evidence import Decision
from grid.guard import Guard, GuardView, refuse
from grid.strict import from_json
from grid.vocabulary import Access

LONGEST_SHOWN = 80
"""Characters of a key that a refusal repeats."""
_BETWEEN_PAIRS = re.compile("[&;?]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The operator's settings, read strictly."""

    arguments: tuple[str, ...]
    """Arguments that hold an address."""
    query: tuple[str, ...]
    """Keys that a query may have."""


def _keys(address: str) -> set[str]:
    """Return the keys of an address's query, as they are written."""
    _, _, query = address.partition("?")
    return {part.partition("=")[0] for part in _BETWEEN_PAIRS.split(query) if part}


def before(view: GuardView) -> Decision | None:
    """Refuse a reading call whose address asks for more than to be read."""
    if view.policy is None or view.access is not Access.READ:
        return None
    policy = from_json(Policy, view.policy)
    for name in policy.arguments:
        strange = sorted(_keys(str(view.arguments.get(name, ""))) - set(policy.query))
        if strange:
            shown = strange[0][:LONGEST_SHOWN]
            return refuse(
                "read_only_links",
                f"the address asks for {shown!r}, which no reading call may ask for",
                terminal=False,
                next_step="leave that part of the address out, or report status 'refused'",
            )
    return None


GUARD = Guard(
    id="read_only_links",
    summary="the address of a reading call asks for nothing but what may be read",
    before=before,
    layer_of="write_separation",
)
