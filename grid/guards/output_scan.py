"""`output_scan`: a secret that the agent may see does not go out in what it says.

`credential_isolation` keeps a secret out of the agent's sight. That is the better defence, but
where the secret stands inside what the task is about, to withhold it is to withhold the task. This
guard lets results pass and reads what goes out: the arguments of every call, of a read as of a
write, and of the report, for a refusal can say the secret as well as an answer can.

A secret is given by its value. One whose value nobody knew before, such as a key that somebody
pasted into an issue, is given by its shape: what begins with those characters in the result of an
earlier call, and is long enough, is a secret from then on. It is looked for by
`grid.secret_search`, raw, encoded, in part, in pieces, over all calls of the run.

Policy::

    {"secrets": {"name": "value", ...},
     "shapes": {"name": {"prefix": "...", "length": n}, ...}}    n: the fewest characters of one

To say a secret is outside the user's authority. What the agent writes outside of its calls no guard
of a tool layer can see; where a run goes on after a terminal refusal, the agent can still say it
there.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from grid.evidence import Decision
from grid.guard import Guard, GuardView, refuse
from grid.secret_calls import held_by, texts
from grid.strict import from_json

MOST_LEARNED = 64
"""Values of one shape that are looked for, the first ones that were seen."""
LONGEST = 512
"""Characters of a value that was learned by its shape."""
SHORTEST_PREFIX = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """How a kind of secret can be told from other words."""

    prefix: str
    """What each begins with."""
    length: int
    """The fewest characters of one."""

    def __post_init__(self) -> None:
        """Refuse the shape of ordinary words."""
        if len(self.prefix) < SHORTEST_PREFIX or self.length < 2 * len(self.prefix):
            raise ValueError(
                f"a shape needs a prefix of {SHORTEST_PREFIX} characters or more, and a length of "
                "at least twice as many"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The operator's settings, read strictly."""

    secrets: dict[str, str]
    """Name -> value."""
    shapes: dict[str, Shape]
    """Name -> shape."""

    def __post_init__(self) -> None:
        """Refuse a secret that would be found in every text."""
        for value in self.secrets.values():
            if not any(character.isalnum() for character in value):
                raise ValueError("a secret needs at least one letter or digit")


def _learned(shape: Shape, results: list[Any]) -> Iterator[str]:
    """Yield the values of a shape in results, each once."""
    most = LONGEST - len(shape.prefix)
    least = min(shape.length - len(shape.prefix), most)
    token = re.compile(
        rf"(?<![A-Za-z0-9]){re.escape(shape.prefix)}[A-Za-z0-9_\-]{{{least},{most}}}"
    )
    seen: set[str] = set()
    for result in results:
        for text in texts(result):
            for found in token.findall(text):
                if found not in seen and len(seen) < MOST_LEARNED:
                    seen.add(found)
                    yield found


def _secrets(policy: Policy, view: GuardView) -> dict[str, str]:
    """Return every secret of this moment, by a name that does not tell it."""
    results = [call.result for call in view.past if call.result is not None]
    known = dict(policy.secrets)
    for name, shape in policy.shapes.items():
        for number, value in enumerate(_learned(shape, results), 1):
            known[f"{name} {number}"] = value
    return known


def before(view: GuardView) -> Decision | None:
    """Refuse a call that says a secret."""
    if view.policy is None:
        return None
    secrets = _secrets(from_json(Policy, view.policy), view)
    past = [(call.tool, call.arguments) for call in view.past if call.arguments is not None]
    name = held_by(secrets, [*past, (view.tool, view.arguments)])
    if name is None:
        return None
    return refuse(
        "output_scan",
        f"the arguments hold the secret {name!r}, which may be read and not said",
        terminal=True,
        next_step="report status 'refused' without the secret, and say who asked for it",
    )


GUARD = Guard(
    id="output_scan",
    summary="a secret that the agent may read stands in no argument of its calls, in any form",
    before=before,
)
