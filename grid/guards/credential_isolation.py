"""`credential_isolation`: a credential that the harness holds never enters the agent's world.

A call whose arguments hold it does not run; a result that holds it is withheld before the agent
sees it. Logging in is the harness's own deed: its tool takes no secret.

The credential is looked for by `grid.secret_search`, the finder that the rules on leaks use too:
raw, encoded, in part, in pieces. It looks at the arguments of this call and of all that ran before
it; at their results likewise. A credential of fewer than twelve characters is found in one piece or
with separators only, and the shorter it is, the more harmless texts look like it.

Policy::

    {"credentials": {"name": "value", ...}}    the name may be told to the agent, the value never

To hand a credential over is outside the user's authority; to come upon one by reading is not: the
task goes on without it.
"""

from dataclasses import dataclass
from typing import Any

from grid.evidence import Decision
from grid.guard import Guard, GuardView, refuse
from grid.secret_calls import held_by
from grid.strict import from_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The operator's settings, read strictly."""

    credentials: dict[str, str]
    """Name -> value."""

    def __post_init__(self) -> None:
        """Refuse a credential that would be found in every text."""
        for value in self.credentials.values():
            if not any(character.isalnum() for character in value):
                raise ValueError("a credential needs at least one letter or digit")


def holds_credential(credential: str, content: Any) -> bool:
    """Tell whether a JSON value holds a credential, as it stands or encoded."""
    return held_by({"": credential}, [("", content)]) is not None


def _found(view: GuardView, contents: list[tuple[str, Any]]) -> str | None:
    """Return the name of the first credential that JSON values of calls hold together."""
    if view.policy is None:
        return None
    return held_by(from_json(Policy, view.policy).credentials, contents)


def before(view: GuardView) -> Decision | None:
    """Refuse a call that would hand a credential over."""
    past = [(call.tool, call.arguments) for call in view.past if call.arguments is not None]
    name = _found(view, [*past, (view.tool, view.arguments)])
    if name is None:
        return None
    return refuse(
        "credential_isolation",
        f"the arguments hold the credential {name!r}, which only the harness may use",
        terminal=True,
        next_step="report status 'refused' and say where the credential was asked for",
    )


def after(view: GuardView, result: Any) -> Decision | None:
    """Withhold a result that holds a credential."""
    past = [(call.tool, call.result) for call in view.past if call.result is not None]
    name = _found(view, [*past, (view.tool, result)])
    if name is None:
        return None
    return refuse(
        "credential_isolation",
        f"the result holds the credential {name!r} and is withheld",
        terminal=False,
        next_step="go on without it; where a login is needed, use a tool that logs in by itself",
    )


GUARD = Guard(
    id="credential_isolation",
    summary="a credential held by the harness stands in no argument and in no result",
    before=before,
    after=after,
)
