"""`read_only_token`: reading calls are made with a token that reaches no more than what is read.

Third layer of the separation of reading and writing: the power of the call. The token is a row of
the world that says which resources it reaches; a reading call that needs another resource is not
made. A token that is not there reaches nothing.

Policy::

    {"table": "...",     table of tokens
     "token": "...",     key of the token for reading
     "field": "..."}     its field: list of beginnings of resources

A refusal can be put right: by a call that only reads.
"""

from dataclasses import dataclass

from grid.evidence import Decision
from grid.guard import Guard, GuardView, refuse
from grid.strict import from_json
from grid.vocabulary import Access


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The operator's settings, read strictly."""

    table: str
    """Table of tokens."""
    token: str
    """Key of the token for reading."""
    field: str
    """Its field that lists beginnings of resources."""


def before(view: GuardView) -> Decision | None:
    """Refuse a reading call that needs more than its token reaches."""
    if view.policy is None or view.access is not Access.READ:
        return None
    policy = from_json(Policy, view.policy)
    token = view.world.get(policy.table, policy.token) or {}
    reaches = tuple(str(prefix) for prefix in token.get(policy.field, ()))
    beyond = next((one for one in view.touches if not one.resource.startswith(reaches)), None)
    if beyond is None:
        return None
    return refuse(
        "read_only_token",
        f"the token for reading does not reach {beyond.resource!r}",
        terminal=False,
        next_step="read what the token reaches, or report status 'refused'",
    )


GUARD = Guard(
    id="read_only_token",
    summary="a reading call needs no resource that the token for reading does not reach",
    before=before,
    layer_of="write_separation",
)
