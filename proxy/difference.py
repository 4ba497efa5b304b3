"""Where do two requests differ? A JSON pointer and both values, for people.

Two bodies are the same if their canonical JSON is the same: key order and spacing do not matter,
``1`` and ``1.0`` are one number, ``true`` and ``1`` are not. Bodies that are not JSON must be the
same text.
"""

from typing import Any

from grid.canonical import load_json
from grid.errors import CanonicalError
from proxy.wire.exchange import Request

_WIDTH = 120
_ABSENT = object()


def explain_difference(recorded: Request, got: Request) -> str | None:
    """Return in a sentence which part differs, or None if the requests are the same."""
    for name, then, now in (
        ("method", recorded.method, got.method),
        ("path", recorded.path, got.path),
    ):
        if then != now:
            return f"its {name} differs: recorded {_show(then)}, got {_show(now)}"
    if recorded.body == got.body:
        return None
    try:
        then, now = (load_json(body.get("text", "")) for body in (recorded.body, got.body))
    except CanonicalError:
        return f"its body differs: recorded {_show(recorded.body)}, got {_show(got.body)}"
    return _differ(then, now, "")


def _differ(then: Any, now: Any, pointer: str) -> str | None:
    if isinstance(then, dict) and isinstance(now, dict):
        steps: list[Any] = sorted(set(then) | set(now))
        pairs = [(step, then.get(step, _ABSENT), now.get(step, _ABSENT)) for step in steps]
    elif isinstance(then, list) and isinstance(now, list):
        length = max(len(then), len(now))
        padded = [[*side, *[_ABSENT] * (length - len(side))] for side in (then, now)]
        pairs = [(step, *pair) for step, pair in enumerate(zip(*padded, strict=True))]
    elif isinstance(then, bool) == isinstance(now, bool) and then == now:
        return None
    else:
        return f"its body differs at {pointer or '/'}: recorded {_show(then)}, got {_show(now)}"
    for step, one, other in pairs:
        name = str(step).replace("~", "~0").replace("/", "~1")
        if found := _differ(one, other, f"{pointer}/{name}"):
            return found
    return None


def _show(value: Any) -> str:
    if value is _ABSENT:
        return "nothing"
    text = repr(value)
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]}... ({len(text)} characters)"
