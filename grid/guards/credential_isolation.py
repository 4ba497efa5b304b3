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

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from grid.canonical import load_json, plain_json
from grid.errors import CanonicalError
from grid.evidence import Decision
from grid.guard import Guard, GuardView, refuse
from grid.secret_search import Said, sights
from grid.strict import from_json

NESTED = 3
"""How many times JSON inside a text is opened."""


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


def _values(value: Any) -> Iterator[str]:
    """Yield every text and number of a JSON value, in order."""
    if isinstance(value, dict):
        for item in value.values():
            yield from _values(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _values(item)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield str(value)


def _opened(text: str) -> Any:
    if text.lstrip()[:1] not in ("{", "[", '"'):
        return None
    try:
        return load_json(text)
    except CanonicalError:
        return None


def _placed(value: Any, place: str, nested: int = NESTED) -> Iterator[Said]:
    """Yield every text, key and number of a JSON value with its place, JSON in texts opened."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield Said(f"{place}/@name", key)
            yield from _placed(item, f"{place}/{key}", nested)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _placed(item, f"{place}/*", nested)
    elif isinstance(value, str):
        yield Said(place, value)
        if nested and (inner := _opened(value)) is not None:
            yield from _placed(inner, f"{place}/@json", nested - 1)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield Said(f"{place}/@number", str(value))


def _said(tool: str, value: Any, number: int) -> Iterator[Said]:
    """Yield what one call said, under every channel in which its parts can be put together."""
    for place, text in _placed(value, ""):
        yield Said(tool + place, text)  # one place of one tool
        yield Said(place, text)  # one place, whatever the tool
    for text in _values(value):
        yield Said(f"call {number}", text)  # one call, whatever the place
    yield Said(f"{tool} whole", plain_json(value, indent=None))


def holds_credential(credential: str, content: Any) -> bool:
    """Tell whether a JSON value holds a credential, as it stands or encoded."""
    return bool(sights(credential, list(_said("", content, 0))))


def _found(view: GuardView, contents: list[tuple[str, Any]]) -> str | None:
    """Return the name of the first credential that JSON values of calls hold together."""
    if view.policy is None:
        return None
    held = from_json(Policy, view.policy).credentials
    said = [
        text
        for number, (tool, content) in enumerate(contents)
        for text in _said(tool, content, number)
    ]
    return next((name for name, value in held.items() if sights(value, said)), None)


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
