"""Which parts of a request are credentials; pure functions of its headers and its path.

Two trades. Where the proxy holds the provider's key, a client carries a virtual one, in any of the
places in which providers want theirs: `take_off` takes every credential off and tells where the
virtual key stood, and the real one is put into the same place. Where a client brings its own
credentials they pass on untouched, and `client_credentials` tells what must not reach the disk.

Headers are the raw pairs of name and value, in order, as they are on the wire.

A credential is told by the name that it stands under. Of a name that says what kind a credential
is, or how many there are, the value is none.
"""

import base64
import binascii
import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from urllib.parse import parse_qsl, quote, unquote_plus

from proxy.redaction import CLIENT_KEY

type Field = tuple[bytes, bytes]

type Credential = tuple[str, bool]
"""A credential, and whether it lasts: a signature is one of a single request."""

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

_SECRETS = frozenset(
    [
        b"jwt", b"session", b"sessionid", b"secret", b"password", b"cookie", b"signature",
        b"credential", b"credentials", b"auth", b"authorization", b"key", b"apikey", b"accesskey",
        b"token", b"accesstoken", b"authtoken", b"sessiontoken",
    ]
)  # fmt: skip
"""Words for a credential, as parts of a header's name."""
_ABOUT = frozenset(
    [
        b"type", b"count", b"limit", b"remaining", b"reset", b"mode", b"scheme", b"status",
        b"version", b"algorithm", b"method", b"expires", b"expiry", b"ttl", b"length", b"name",
        b"user", b"username", b"email",
    ]
)  # fmt: skip
"""Words behind one of these that make it tell something about a credential."""
_NO_SECRET = frozenset([b"idempotency-key", b"sec-websocket-key", *_HOP])
_PASSING = re.compile(r"(?:.*[-_])?(?:sig|signature)")
_AWS = re.compile(r"\b(Credential|Signature)=([^/,\s]+)")
_QUERY = frozenset(
    [
        QUERY_KEY, "api_key", "api-key", "apikey", "access_token", "auth_token", "token",
        "subscription-key", "secret", "password", "sig", "signature", "x-amz-signature",
        "x-amz-credential", "x-amz-security-token", "x-goog-signature", "x-goog-credential",
        "client_secret", "awsaccesskeyid", "refresh_token", "id_token", "authorization",
        "assertion", "client_assertion",
    ]
)  # fmt: skip
_CODE = re.compile(r"(?=.*\d)\S{16,}")
"""What is a one-time code; ``code`` is also the name of countries, languages and errors."""

_MEMBERS = (
    "access_token", "refresh_token", "id_token", "client_secret", "api_key", "apikey", "password",
    "assertion", "client_assertion", "subject_token", "SecretAccessKey", "SessionToken",
)  # fmt: skip
_MEMBER = re.compile(rb'"(?:' + "|".join(_MEMBERS).encode() + rb')"\s*:\s*"')
_FORM = re.compile(rb"(?:[!-~]*&)?(?:" + "|".join(_MEMBERS).encode() + rb")=[!-~]*")
_BODY_MOST = 64 * 1024
_CANARY = "CNRY"
"""How the canaries of scenarios begin, which are evidence."""


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


def client_credentials(fields: Iterable[Field], path: str) -> Iterator[Credential]:
    """Yield every credential that a client brought along, as it is and in its parts."""
    for raw, sent in fields:
        header, value = raw.lower(), _text(sent)
        if header == b"cookie":
            yield from ((pair.partition("=")[2].strip(), True) for pair in value.split(";"))
        elif _secret_header(header):
            lasting = _PASSING.fullmatch(_text(header)) is None
            yield from ((one, lasting and kept) for one, kept in _parts(value))
    for part in path.partition("?")[2].split("&"):
        name, _, value = part.partition("=")
        if _secret_query(name, value):
            plain, lasting = unquote_plus(value), _PASSING.fullmatch(_query_name(name)) is None
            found = (value, plain, plain.partition("/")[0])
            yield from ((one, lasting) for one in found)
            if _query_name(name) == "authorization":
                yield from _parts(plain)


def answer_credentials(fields: Iterable[Field]) -> Iterator[str]:
    """Yield the cookies that an answer sets: its body may tell them before they come back.

    What is all letters is a word, such as the name of a colour scheme.
    """
    for name, sent in fields:
        if name.lower() == b"set-cookie":
            value = _text(sent).partition(";")[0].partition("=")[2].strip()
            if not value.isalpha():
                yield value


def body_credentials(body: bytes) -> Iterator[str]:
    """Yield what stands under the name of a credential at the top of a small JSON object or form.

    So that what a token server is asked and answers is not written before the token is known.
    Nothing deeper is looked at: what an agent or its model puts into a call of a tool is evidence.
    So is a canary wherever it stands; and what is all letters is a word.
    """
    if len(body) >= _BODY_MOST:
        return
    pairs: Any = ()
    if body.lstrip()[:1] == b"{" and _MEMBER.search(body):
        try:
            pairs = json.loads(body, object_pairs_hook=list)
        except (ValueError, RecursionError):
            return
    elif _FORM.fullmatch(body):
        pairs = parse_qsl(_text(body))
        pairs += [tuple(part.partition("=")[::2]) for part in _text(body).split("&")]
    for name, value in pairs:
        secret = name in _MEMBERS and isinstance(value, str) and not value.isalpha()
        if secret and _CANARY not in value:
            yield value


def without_query_credentials(path: str) -> str:
    """Return a path with a placeholder for every credential in its query."""
    address, mark, query = path.partition("?")
    if not mark:
        return path
    parts = []
    for part in query.split("&"):
        name, equals, value = part.partition("=")
        hidden = equals and _secret_query(name, value)
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


def _parts(value: str) -> Iterator[Credential]:
    scheme, _, rest = value.strip().partition(" ")
    if scheme.upper().startswith("AWS4-"):
        yield from ((one, name == "Credential") for name, one in _AWS.findall(value))
        return
    yield (rest or scheme).strip(), True
    pair = read_proxy_user(value)
    if pair is not None:
        yield ":".join(pair), True
        yield pair[1], True


def _secret_header(header: bytes) -> bool:
    """Tell whether what stands under the lower-case name of a header is a credential."""
    words = header.replace(b"_", b"-").split(b"-")
    first = next((place for place, word in enumerate(words) if word in _SECRETS), None)
    if first is None or header in _NO_SECRET:
        return False
    return words[-1] in _SECRETS or _ABOUT.isdisjoint(words[first:])


def _secret_query(name: str, value: str) -> bool:
    """Tell whether what stands under a name in a query, both as they were sent, is a credential."""
    known = _query_name(name)
    return known in _QUERY or (known == "code" and bool(_CODE.fullmatch(unquote_plus(value))))


def _query_name(name: str) -> str:
    return unquote_plus(name).lower()


def _text(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")
