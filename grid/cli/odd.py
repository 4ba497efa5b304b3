"""Lines about what was odd on the wire: of a trial, and of a session of the proxy."""

from collections.abc import Iterator, Sequence

from grid.display import visible
from ledgers.oddities import Oddity

WORDS = 300
"""Characters that are shown of one."""
LISTED = 20
"""Oddities that are listed; more are counted."""


def odd_lines(found: Sequence[Oddity]) -> Iterator[str]:
    """Yield a line for each; a provider can make any number of them."""
    for item in found[:LISTED]:
        yield f"odd on the wire: {visible(str(item), WORDS)}"
    if len(found) > LISTED:
        yield f"odd on the wire: and {len(found) - LISTED} more"
