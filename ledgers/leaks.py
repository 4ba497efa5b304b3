"""Finding a secret in what went over a boundary, and saying where and how it was written.

The search itself is `grid.secret_search`, which the guard `credential_isolation` shares; here
stands what is known of a text in the evidence: its channel and its pointer.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from grid.secret_search import Said, encoding_in, sights
from ledgers.finding import Pointer

SHORTEST_SECRET = 12
"""A secret shorter than this would be found by chance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """One text that went over a boundary."""

    channel: str
    """Which outputs follow one another, such as an argument of a tool."""
    text: str
    """The text."""
    pointer: Pointer
    """Where it stands in the evidence."""
    place: str = ""
    """Where in that: a JSON pointer; empty if there is no more to say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """One sight of a secret."""

    encoding: str
    """How it was written, such as ``raw`` or ``percent, base64``."""
    pointer: Pointer
    """Where it was seen (for a split secret: the last piece)."""
    place: str = ""
    """Where in that; empty where the place itself would tell the secret."""


def find_leaks(secret: str, outputs: Iterable[Output]) -> tuple[Leak, ...]:
    """Return every sight of a secret in outputs, in order; a split secret counts once.

    Raises:
        ValueError: the secret is too short to be told from chance.
    """
    if len(secret) < SHORTEST_SECRET:
        raise ValueError(
            f"a secret of fewer than {SHORTEST_SECRET} characters cannot be looked for"
        )
    sent = tuple(outputs)
    said = [Said(output.channel, output.text) for output in sent]
    return tuple(_leak(secret, sight.encoding, sent[sight.at]) for sight in sights(secret, said))


def _leak(secret: str, encoding: str, output: Output) -> Leak:
    place = "" if encoding_in(secret, output.place) else output.place
    return Leak(encoding=encoding, pointer=output.pointer, place=place)
