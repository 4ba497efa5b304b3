"""Where do two requests differ, and which recorded one is a request most like?

Two bodies are the same if their canonical JSON is the same: key order and spacing do not matter,
``1`` and ``1.0`` are one number, ``true`` and ``1`` are not. Bodies that are not JSON must be the
same text. Fields that may differ are named by JSON pointers and are left out on both sides; a step
``*`` in a pointer stands for every key of an object and every item of a list.

How alike two requests are is the share of their leaves that they have in common. A leaf is a value
with the keys that lead to it, whatever its position in lists: a message more or less makes two
conversations no strangers.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from grid.apart import ABSENT, apart
from grid.canonical import load_json, text_json
from grid.errors import CanonicalError, ConfigError
from proxy.wire.exchange import Request

EVERY = "*"
_OTHER_WAY = "; one came by base URL, the other through HTTPS_PROXY: replay the way it was recorded"

type Steps = tuple[str, ...]
"""The steps of a pointer, unescaped; `EVERY` for each key or item."""


def read_pointers(pointers: Sequence[str]) -> tuple[Steps, ...]:
    """Return the steps of pointers to request fields that may differ.

    Raises:
        ConfigError: one is no JSON pointer, or its first step names no field of the body.
    """
    for pointer in pointers:
        if not pointer.startswith("/") or pointer.split("/")[1] in ("", EVERY):
            raise ConfigError(
                f"volatile: {pointer!r} names no field; write a JSON pointer into the body, such "
                "as /user or /messages/*/name"
            )
    return tuple(
        tuple(step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:])
        for pointer in pointers
    )


def explain_difference(
    recorded: Request, got: Request, volatile: Sequence[Steps] = ()
) -> str | None:
    """Return in a sentence which part differs, or None if the requests are the same.

    Args:
        recorded: the recorded request.
        got: the one that came.
        volatile: fields of the body that may differ.
    """
    for name, then, now in (
        ("method", recorded.method, got.method),
        ("upstream", recorded.upstream, got.upstream),
        ("path", recorded.path, got.path),
    ):
        if then != now:
            hint = _OTHER_WAY if name == "upstream" and "" in (then, now) else ""
            return f"its {name} differs: {_both(then, now)}{hint}"
    if recorded.body == got.body:
        return None
    try:
        then, now = _body(recorded, volatile), _body(got, volatile)
    except CanonicalError:
        return f"its body differs: {_both(*_raw(recorded, got))}"
    return _differ(then, now, "")


def nearest(
    recorded: Sequence[Request], got: Request, expected: int, volatile: Sequence[Steps] = ()
) -> int | None:
    """Return the position of the recorded request that another one is most like.

    Args:
        recorded: the recorded requests.
        got: the one that came.
        expected: the position that it should have had; of equals, the nearest to it counts.
        volatile: fields of the body that play no part.

    Returns:
        the position; None if none has anything in common with it.
    """
    wanted = _leaves(got, volatile)
    shares = [_share(_leaves(request, volatile), wanted) for request in recorded]
    best = max(shares, default=0.0)
    if not best:
        return None
    equals = (position for position, share in enumerate(shares) if share == best)
    return min(equals, key=lambda position: (abs(position - expected), position))


def _share(one: Counter[str], other: Counter[str]) -> float:
    every = (one | other).total()
    return (one & other).total() / every if every else 0.0


def _leaves(request: Request, volatile: Sequence[Steps]) -> Counter[str]:
    try:
        body = _body(request, volatile)
    except CanonicalError:
        return Counter(line for text in request.body.values() for line in text.splitlines())
    return Counter(_walk(body, ""))


def _walk(value: Any, place: str) -> Iterator[str]:
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from _walk(item, f"{place}/{_escaped(key)}")
    elif isinstance(value, list) and value:
        for item in value:
            yield from _walk(item, f"{place}/{EVERY}")
    else:
        yield f"{place} {text_json(value)}"


def _body(request: Request, volatile: Sequence[Steps]) -> Any:
    body = load_json(request.body.get("text", ""))
    for steps in volatile:
        _drop(body, steps)
    return body


def _drop(value: Any, steps: Steps) -> None:
    """Take out of a body, in place, what a pointer names; in lists the other items stay put."""
    step, rest = steps[0], steps[1:]
    if isinstance(value, dict):
        named: list[Any] = [*value] if step == EVERY else [key for key in (step,) if key in value]
    elif isinstance(value, list):
        named = [n for n in range(len(value)) if step in (EVERY, str(n))]
    else:
        return
    for key in named:
        if rest:
            _drop(value[key], rest)
        elif isinstance(value, dict):
            del value[key]
        else:
            value[key] = None


def _differ(then: Any, now: Any, pointer: str) -> str | None:
    if isinstance(then, dict) and isinstance(now, dict):
        steps: list[Any] = sorted(set(then) | set(now))
        pairs = [(step, then.get(step, ABSENT), now.get(step, ABSENT)) for step in steps]
    elif isinstance(then, list) and isinstance(now, list):
        length = max(len(then), len(now))
        padded = [[*side, *[ABSENT] * (length - len(side))] for side in (then, now)]
        pairs = [(step, *pair) for step, pair in enumerate(zip(*padded, strict=True))]
    elif isinstance(then, bool) == isinstance(now, bool) and then == now:
        return None
    else:
        return f"its body differs at {pointer or '/'}: {_both(then, now)}"
    for step, one, other in pairs:
        if found := _differ(one, other, f"{pointer}/{_escaped(str(step))}"):
            return found
    return None


def _raw(recorded: Request, got: Request) -> tuple[Any, Any]:
    if recorded.body.keys() == got.body.keys() == {"text"}:
        return recorded.body["text"], got.body["text"]
    return recorded.body, got.body


def _both(then: Any, now: Any) -> str:
    shown = apart(then, now)
    return f"recorded {shown[0]}, got {shown[1]}"


def _escaped(step: str) -> str:
    return step.replace("~", "~0").replace("/", "~1")
