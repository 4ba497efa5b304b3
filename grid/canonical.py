"""Canonical bytes, strict JSON reading and the one digest function of the project.

Everything that is hashed goes through here: RFC 8785 bytes (package ``rfc8785``), prefixed by kind
and length so that no two kinds of record can share a digest. Integers beyond 2^53, NaN, infinities,
lone surrogates, duplicate keys and over-deep nesting are refused, never rounded.
"""

import copy
import hashlib
import json
import math
from collections.abc import Iterable
from typing import Any

import rfc8785

from grid.errors import CanonicalError

type Json = bool | int | float | str | list["Json"] | dict[str, "Json"] | None

MAX_INT = 2**53 - 1
PLAIN_DIGITS = 1e21
"""RFC 8785 writes whole numbers below this without an exponent: they read back as integers."""
MAX_DEPTH = 64
MAX_BYTES = 64 * 1024 * 1024
ZERO = "0" * 64


def canonical(value: Any) -> bytes:
    """Return the RFC 8785 bytes of a JSON value (tuples count as arrays).

    Raises:
        CanonicalError: the value has no canonical form.
    """
    try:
        if _is_plain(value):
            return _PLAIN.encode(value).encode()
        return rfc8785.dumps(value)
    except (ValueError, RecursionError) as error:  # all that rfc8785 raises is a ValueError
        raise CanonicalError(f"this value has no canonical JSON form: {error}") from error


_PLAIN = json.JSONEncoder(
    ensure_ascii=False,
    check_circular=False,
    allow_nan=False,
    sort_keys=True,
    separators=(",", ":"),
)
"""Writes exactly the RFC 8785 bytes of what `_is_plain` lets through, four times as fast."""


def _is_plain(value: Any) -> bool:
    """Tell whether the standard encoder writes a value canonically: no float, ASCII keys."""
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return True
    if kind is dict:
        for key, item in value.items():
            if type(key) is not str or not key.isascii():
                return False
            if type(item) is not str and not _is_plain(item):
                return False
        return True
    if kind is list or kind is tuple:
        return all(map(_is_plain, value))
    return kind is int and -MAX_INT <= value <= MAX_INT


def digest(kind: str, data: bytes) -> str:
    """Return the sha256 (64 hex digits) of ``nonverba/1 kind length`` followed by the data."""
    head = f"nonverba/1 {kind} {len(data)}\n".encode()
    return hashlib.sha256(head + data).hexdigest()


def digest_of(kind: str, value: Any) -> str:
    """Return the digest of a JSON value's canonical bytes."""
    return digest(kind, canonical(value))


def file_sha256(chunks: Iterable[bytes]) -> str:
    """Return the plain sha256 of a file's bytes, as `sha256sum` prints it."""
    state = hashlib.sha256()
    for chunk in chunks:
        state.update(chunk)
    return state.hexdigest()


def unit_interval(*parts: str) -> float:
    """Return a reproducible number in [0, 1) drawn from the digest of the parts."""
    return int(digest("draw", "\x1f".join(parts).encode())[:13], 16) / 16**13


def text_json(value: Any) -> str:
    """Return canonical JSON as text, non-ASCII characters as they are."""
    return canonical(value).decode()


def plain_json(value: Any, indent: int | None = 2, *, ascii_only: bool = False) -> str:
    """Return readable JSON for people; never hashed."""
    return json.dumps(value, ensure_ascii=ascii_only, indent=indent)


def load_json(data: bytes | str, *, limit: int = MAX_BYTES) -> Any:
    """Parse strict JSON: no duplicate key, NaN, huge integer, lone surrogate or deep nesting.

    Raises:
        CanonicalError: with one sentence that says what is wrong.
    """
    if len(data) > limit:
        raise CanonicalError(f"JSON of {len(data)} bytes is over the limit of {limit} bytes")
    try:
        text = data.decode() if isinstance(data, bytes) else data
        value = _STRICT.decode(text)
    except (ValueError, RecursionError) as error:
        raise CanonicalError(f"not strict JSON: {error}") from error
    check_value(value)
    return value


def check_value(value: Any, depth: int = 0) -> None:
    """Refuse what `canonical` would refuse, and nesting deeper than MAX_DEPTH.

    Raises:
        CanonicalError: naming the first offending part.
    """
    if depth > MAX_DEPTH:
        raise CanonicalError(f"JSON nested deeper than {MAX_DEPTH} levels")
    kind = type(value)
    if kind is str:
        _check_text(value)
    elif kind is dict:
        for key, item in value.items():
            _check_key(key)
            if type(item) is not str or not item.isascii():  # most are, and calls are dear
                check_value(item, depth + 1)
    elif kind is list or kind is tuple:
        for item in value:
            check_value(item, depth + 1)
    elif value is None or kind is bool:
        return
    elif isinstance(value, int | float):
        _check_number(value)
    else:
        _check_rare(value, depth)


def _check_rare(value: Any, depth: int) -> None:
    """Check what is of a class of its own, such as an enumeration's member."""
    match value:
        case str():
            _check_text(value)
        case list() | tuple():
            check_value([*value], depth)
        case dict():
            check_value({**value}, depth)
        case _:
            raise CanonicalError(f"{type(value).__name__} is not a JSON type")


def copied[T](value: T) -> T:
    """Return a copy of JSON data that shares nothing with it that could change."""
    return _copied(value)  # type: ignore[no-any-return]


def _copied(value: Any) -> Any:
    kind = type(value)
    if kind is dict:
        return {key: item if type(item) is str else _copied(item) for key, item in value.items()}
    if kind is list:
        return [item if type(item) is str else _copied(item) for item in value]
    return value if kind in _UNCHANGING else copy.deepcopy(value)


_UNCHANGING = frozenset({str, int, float, bool, type(None)})


def scrub_text(text: str) -> str:
    """Return text with lone surrogates written out as escapes, so that it can be kept."""
    return text.encode("utf-8", "backslashreplace").decode()


def _check_number(number: float) -> None:
    if isinstance(number, float) and not math.isfinite(number):
        raise CanonicalError("NaN and infinities are not JSON")
    if abs(number) > MAX_INT and (isinstance(number, int) or abs(number) < PLAIN_DIGITS):
        raise CanonicalError("a whole number is beyond 2^53-1")


def _check_key(key: Any) -> None:
    if not isinstance(key, str):
        raise CanonicalError(f"object key {key!r} is not a string")
    _check_text(key)


def _check_text(text: str) -> None:
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise CanonicalError("text holds a lone surrogate") from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        names = [key for key, _ in pairs]
        raise ValueError(f"duplicate key {next(key for key in names if names.count(key) > 1)!r}")
    return result


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _small_int(text: str) -> int:
    if len(text) > 17 or abs(int(text)) > MAX_INT:
        raise ValueError(f"integer {text[:24]} is beyond 2^53-1")
    return int(text)


_STRICT = json.JSONDecoder(
    object_pairs_hook=_unique, parse_constant=_no_constant, parse_int=_small_int
)
