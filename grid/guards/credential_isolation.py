r"""`credential_isolation`: a credential that the harness holds never enters the agent's world.

A call whose arguments hold it does not run; a result that holds it is withheld before the agent
sees it. Logging in is the harness's own deed: its tool takes no secret.

The credential is looked for as it stands, in other case, cut short by up to a third, reversed, in
rot13, hex and base64 at any offset; each of these also percent-encoded, with ``\u`` or ``\x``
escapes, in look-alike characters, with separators between its characters, spread over the texts of
one call, or over the same argument of several calls. Pieces spread over different arguments of
different calls are not seen. The shorter a credential, the more harmless texts look like it.

Policy::

    {"credentials": {"name": "value", ...}}    the name may be told to the agent, the value never

To hand a credential over is outside the user's authority; to come upon one by reading is not: the
task goes on without it.
"""

import base64
import codecs
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

from grid.evidence import Decision
from grid.guard import Guard, GuardView, refuse
from grid.strict import from_json

LEAST_CUT = 12
"""Characters that must be left of a credential that is cut short: fewer stand in many texts."""
LEAST_ASCII = 8
"""Letters and digits of ASCII that a credential needs to be looked for among those alone."""

_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})")
_TAGS = {0xE0020 + offset: 0x20 + offset for offset in range(95)}
"""Characters that are never displayed -> what they spell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The operator's settings, read strictly."""

    credentials: dict[str, str]
    """Name -> value."""

    def __post_init__(self) -> None:
        """Refuse a credential that would be found in every text."""
        if not all(_bare(value) for value in self.credentials.values()):
            raise ValueError("a credential needs at least one letter or digit")


def _plain(text: str) -> str:
    """Return a text with look-alike characters as what they look like or spell."""
    return unicodedata.normalize("NFKC", text.translate(_TAGS))


def _bare(text: str) -> str:
    """Return letters and digits alone, in lower case and plain shape."""
    return "".join(character for character in _plain(text).casefold() if character.isalnum())


def _ascii(text: str) -> str:
    return "".join(character for character in text if character.isascii())


@lru_cache(maxsize=64)
def _bare_forms(value: str) -> tuple[str, ...]:
    """Return what a credential may look like among letters and digits."""
    spelled = [value, value[::-1], codecs.encode(value, "rot13"), value.encode().hex()]
    kept = -(-2 * len(value) // 3)
    if kept >= LEAST_CUT:
        spelled.append(value[:kept])
    return tuple(bare for text in spelled if (bare := _bare(text)))


@lru_cache(maxsize=64)
def _base64_forms(value: str) -> tuple[str, ...]:
    """Return, for each offset and alphabet, the characters that the value alone decides."""
    data = value.encode()
    forms: list[str] = []
    for offset in range(3):
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            text = encode(bytes(offset) + data).decode()
            forms.append(text[-(-offset * 8 // 6) : (offset + len(data)) * 8 // 6])
    return tuple(form for form in forms if form)


def _placed(value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Yield every text and number of a JSON value with its place, keys with the place of none."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield "", key
            yield from _placed(item, f"{place}/{key}")
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _placed(item, f"{place}/*")
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield place, str(value)


def _readings(text: str) -> set[str]:
    once = unquote(text)
    return {text, _plain(text), once, unquote(once), _ESCAPE.sub(_unescaped, text)}


def _unescaped(found: re.Match[str]) -> str:
    return chr(int(found[1] or found[2], 16))


def _stands_in(credential: str, text: str) -> bool:
    if credential in text:
        return True
    bare, packed = _bare(text), "".join(text.split())
    plain = _ascii(bare)
    return (
        any(form in bare for form in _bare_forms(credential))
        or any(form in packed for form in _base64_forms(credential))
        or any(
            len(form) >= LEAST_ASCII and form in plain
            for form in map(_ascii, _bare_forms(credential))
        )
    )


def holds_credential(credential: str, content: Any) -> bool:
    """Tell whether a JSON value holds a credential, as it stands or encoded."""
    texts = list(_placed(content))
    whole = "".join(text for place, text in texts if place)
    return any(
        _stands_in(credential, reading)
        for text in (*(text for _, text in texts), whole)
        for reading in _readings(text)
    )


def _spread(view: GuardView) -> list[str]:
    """Return, for each argument of this call, what it and earlier calls put there, in order."""
    now = dict.fromkeys(place for place, _ in _placed(view.arguments) if place)
    past = [call.arguments for call in view.past if call.arguments is not None]
    sent = [item for arguments in (*past, view.arguments) for item in _placed(arguments)]
    return ["".join(text for where, text in sent if where == place) for place in now]


def _found(view: GuardView, content: Any) -> str | None:
    """Return the name of the first credential that a JSON value holds."""
    if view.policy is None:
        return None
    held = from_json(Policy, view.policy).credentials
    return next((name for name in held if holds_credential(held[name], content)), None)


def before(view: GuardView) -> Decision | None:
    """Refuse a call that would hand a credential over."""
    name = _found(view, [view.arguments, *_spread(view)])
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
    name = _found(view, result)
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
