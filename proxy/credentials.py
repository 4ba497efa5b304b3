"""Which parts of a request are credentials; pure functions of its headers and its path.

Two trades. Where the proxy holds the provider's key, a client carries a virtual one, in any of the
places in which providers want theirs: `take_off` takes every credential off and tells where the
virtual key stood, and the real one is put into the same place. Where a client brings its own
credentials they pass on untouched, and `client_credentials` tells what must not reach the disk.

Headers are the raw pairs of name and value, in order, as they are on the wire.
"""

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import quote, unquote_plus

from proxy.redaction import CLIENT_KEY

type Field = tuple[bytes, bytes]

BEARER = "Bearer "
QUERY_KEY = "key"
"""Name of the query parameter in which Gemini's clients may send a key."""

_PLACES = {
    b"authorization": (b"Authorization", BEARER),
    b"x-api-key": (b"x-api-key", ""),
    b"api-key": (b"api-key", ""),
    b"x-goog-api-key": (b"x-goog-api-key", ""),
}
"""Headers in which a key may stand: how each is written, and what stands before the key."""

_TAKEN_OFF = frozenset(
    [*_PLACES, b"proxy-authorization", b"proxy-connection", b"cookie", b"x-amz-security-token"]
)
_HOP = frozenset([b"proxy-authorization", b"proxy-connection"])

_KEY_HEADER = re.compile(
    rb"(.*[-_])?(api-?key|key|token|secret|password|signature|credentials?|auth|authorization)"
)
_NO_SECRET = frozenset([b"idempotency-key", b"sec-websocket-key", *_HOP])
_AWS = re.compile(r"\b(?:Credential|Signature)=([^/,\s]+)")
_QUERY = frozenset(
    [
        QUERY_KEY, "api_key", "api-key", "apikey", "access_token", "auth_token", "token",
        "subscription-key", "secret", "password", "sig", "signature", "x-amz-signature",
        "x-amz-credential", "x-amz-security-token", "x-goog-signature", "x-goog-credential",
    ]
)  # fmt: skip


def take_off(
    fields: Iterable[Field], is_key: Callable[[str], bool]
) -> tuple[tuple[Field, ...], tuple[bytes, ...]]:
    """Return the headers without credentials, and those in which a key stood that fits."""
    kept: list[Field] = []
    places: list[bytes] = []
    for field in fields:
        name = field[0].lower()
        if name not in _TAKEN_OFF:
            kept.append(field)
        elif name in _PLACES and name not in places:
            value, before = _text(field[1]), _PLACES[name][1]
            if value.startswith(before) and is_key(value.removeprefix(before)):
                places.append(name)
    return tuple(kept), tuple(places)


def placed(place: bytes, secret: str) -> Field:
    """Return the header that carries a key in a place."""
    name, before = _PLACES[place]
    return name, (before + secret).encode()


def swap_query_key(path: str, is_key: Callable[[str], bool], secret: str) -> str | None:
    """Return a path with the provider's key where a key that fits stood, or None if none did."""
    address, mark, query = path.partition("?")
    if not mark or f"{QUERY_KEY}=" not in query:
        return None
    parts, found = [], False
    for part in query.split("&"):
        name, _, value = part.partition("=")
        if name != QUERY_KEY:
            parts.append(part)
        elif is_key(unquote_plus(value)):
            found = True
            parts += [f"{name}={quote(secret, safe='')}"] if secret else []
    query = "&".join(parts)
    return (f"{address}?{query}" if query else address) if found else None


def without_hop(fields: Iterable[Field]) -> tuple[Field, ...]:
    """Return the headers without what is meant for the proxy alone."""
    return tuple(field for field in fields if field[0].lower() not in _HOP)


def client_credentials(fields: Iterable[Field], path: str) -> Iterator[str]:
    """Yield every credential that a client brought along, as it is and in its parts."""
    for raw, sent in fields:
        header, value = raw.lower(), _text(sent)
        if header == b"cookie":
            yield from (pair.partition("=")[2].strip() for pair in value.split(";"))
        elif _KEY_HEADER.fullmatch(header) and header not in _NO_SECRET:
            yield from _parts(value)
    for name, value in _query(path):
        if name in _QUERY:
            yield value
            yield unquote_plus(value)
            yield unquote_plus(value).partition("/")[0]


def without_query_credentials(path: str) -> str:
    """Return a path with a placeholder for every credential in its query."""
    address, mark, query = path.partition("?")
    if not mark:
        return path
    parts = []
    for part in query.split("&"):
        name, equals, _ = part.partition("=")
        hidden = equals and unquote_plus(name).lower() in _QUERY
        parts.append(f"{name}={CLIENT_KEY.decode()}" if hidden else part)
    return f"{address}?{'&'.join(parts)}"


def signed_headers(fields: Iterable[Field]) -> frozenset[str]:
    """Return the lower-case names of the headers that a signature of AWS holds fast."""
    for name, value in fields:
        if name.lower() == b"authorization":
            found = re.search(r"\bSignedHeaders=([^,\s]+)", _text(value))
            return frozenset(found[1].lower().split(";")) if found else frozenset()
    return frozenset()


def read_proxy_user(value: str) -> tuple[str, str] | None:
    """Return user and password of ``Proxy-Authorization: Basic ...``, or None if it is not that."""
    scheme, _, encoded = value.strip().partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        text = base64.b64decode(encoded.strip(), validate=True).decode("ascii")
    except (binascii.Error, ValueError):
        return None
    user, _, password = text.partition(":")
    return user, password


def _parts(value: str) -> Iterator[str]:
    scheme, _, rest = value.strip().partition(" ")
    if scheme.upper().startswith("AWS4-"):
        yield from _AWS.findall(value)
        return
    yield (rest or scheme).strip()
    pair = read_proxy_user(value)
    if pair is not None:
        yield ":".join(pair)
        yield pair[1]


def _query(path: str) -> Iterator[tuple[str, str]]:
    for part in path.partition("?")[2].split("&"):
        name, _, value = part.partition("=")
        yield unquote_plus(name).lower(), value


def _text(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")
