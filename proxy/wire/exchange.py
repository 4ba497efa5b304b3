"""Canonical exchanges: what a recording is, line by line, and the one form in which it is hashed.

What a planted fault changed on its way is held in both versions: of an answer, ``response`` is what
the client got, ``sent`` what the provider had sent; of a request, ``request`` is what the client
asked, ``got`` the body that came to the provider. Where nothing was changed they are not there.
"""

import base64
import binascii
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from grid.canonical import canonical, load_json
from grid.errors import StrictError
from grid.strict import LATER, from_json, to_json

STATUSES = range(200, 1000)
"""Statuses that an answer may have; those below 200 are not answers."""


class ErrorKind(StrEnum):
    """How an exchange ended without a whole answer."""

    REFUSED = "refused"
    """The upstream could not be reached."""
    TIMEOUT = "timeout"
    """The connection to the upstream timed out."""
    DENIED = "denied"
    """The upstream is not listed; nothing was sent."""
    DISCONNECT = "disconnect"
    """The upstream died before its answer was whole."""
    CLIENT_LEFT = "client_left"
    """The client hung up before the answer was whole."""
    MALFORMED = "malformed"
    """The upstream broke the protocol."""
    TOO_LARGE = "too_large"
    """The upstream's answer is over the body limit."""


class Gap(StrEnum):
    """Why a recording is not complete; these words may be hashed, their details may not."""

    EMPTY = "empty"
    CUT_TAIL = "cut_tail"
    BAD_LINE = "bad_line"
    UNANSWERED = "unanswered"
    NOT_CLOSED = "not_closed"
    RECORDER_FAILED = "recorder_failed"
    """The partial file could not be written: disk full, folder gone or changed by others."""
    INTERNAL_ERROR = "internal_error"
    """A hook of the proxy, or the proxy itself, failed."""
    REQUEST_CUT = "request_cut"
    """A request of the trial was never whole, so it was neither recorded nor forwarded."""
    TOO_LARGE = "too_large"
    """A body is over the limit."""
    IN_FLIGHT = "in_flight"
    """An exchange was still under way when the trial was closed."""
    NOT_RECORDED = "not_recorded"
    """Recording was switched off (benchmark)."""
    REPLAY_MISMATCH = "replay_mismatch"
    """A request differs from the recorded one."""
    REPLAY_SHORT = "replay_short"
    """The replayed trial asked fewer times than the recorded one."""
    REPLAY_SPENT = "replay_spent"
    """A trial that is played another framework's answers asked for more of them than there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What the client asked."""

    method: str
    """HTTP method."""
    path: str
    """Path after the base URL, with its query."""
    headers: dict[str, str]
    """Allow-listed headers, lower-case names."""
    body: dict[str, str]
    """``{"text": ...}`` if it is UTF-8, else ``{"base64": ...}``."""
    upstream: str = ""
    """``host:port`` that the client itself addressed, in forward mode; else empty and not written:
    a trial with a base URL has one upstream, which the plan names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """What the client got."""

    status: int
    """HTTP status."""
    headers: dict[str, str]
    """Allow-listed headers, lower-case names."""
    body: dict[str, str]
    """As in `Request`; after an error it is what came until then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One recorded request and its answer, in canonical form."""

    n: int
    """Position in the trial, from 0."""
    request: Request
    """The request."""
    response: Response | None
    """The answer; None if the client saw nothing of the upstream's."""
    error: ErrorKind | None
    """How it ended without a whole answer; None if the answer is whole."""
    sent: Response | None = None
    """The whole answer of the provider, where a planted fault put `response` in its place."""
    got: dict[str, str] | None = field(default=None, metadata=LATER)
    """Body of the request as the provider got it, where a planted fault changed it."""

    @property
    def forwarded(self) -> Request:
        """The request as the provider got it."""
        return self.request if self.got is None else replace(self.request, body=self.got)

    @property
    def provided(self) -> Response | None:
        """What the provider sent, whole or as far as it came."""
        return self.sent or self.response


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """All exchanges of a trial."""

    exchanges: tuple[Exchange, ...]
    """Answered exchanges, in order."""
    complete: bool
    """Nothing is missing."""
    reason: Gap | None
    """Why it is not complete."""
    detail: str
    """A sentence about it for people; never hashed."""


def exchange_lines(exchanges: Iterable[Exchange]) -> bytes:
    """Return canonical bytes: one line per exchange, each ended by a newline."""
    return b"".join(canonical(_json(item)) + b"\n" for item in exchanges)


def _json(exchange: Exchange) -> dict[str, Any]:
    """Return an exchange as JSON; what is not there is not written."""
    fields: dict[str, Any] = to_json(exchange)
    if fields["sent"] is None:
        del fields["sent"]
    if not fields["request"]["upstream"]:
        del fields["request"]["upstream"]
    return fields


def read_exchanges(data: bytes) -> tuple[Exchange, ...]:
    """Read what `exchange_lines` wrote, strictly.

    Numbers rise; one that is missing is an exchange that was never answered or whose line was
    damaged, and the recording of that trial is not complete.

    Raises:
        StrictError: a line is cut, misses a field or is out of order; the sentence says which.
        CanonicalError: a line is not strict JSON.
    """
    lines = data.split(b"\n")
    if lines[-1]:
        raise StrictError(f"line {len(lines)} of the recording is cut")
    found = tuple(from_json(Exchange, refuse_empty(load_json(line))) for line in lines[:-1])
    last = -1
    for item in found:
        if item.n <= last:
            raise StrictError(f"/n: expected a number over {last}, found {item.n}")
        last = item.n
        check_exchange(item.request, item.response, item.sent, item.error)
        check_got(item.request, item.got)
        if item.response is None and item.error is None:
            raise StrictError(f"exchange {item.n} has neither response nor error")
    return found


def refuse_empty(value: Any) -> Any:
    """Return the JSON of an exchange, or of an event of one, if nothing in it is written empty.

    Raises:
        StrictError: it holds a field that is left out where it is empty: one reading has one form.
    """
    for name in ("sent", "got"):
        if isinstance(value, dict) and value.get(name, True) is None:
            raise StrictError(f"/{name}: write it only where something was changed")
    request = value.get("request") if isinstance(value, dict) else None
    if isinstance(request, dict) and request.get("upstream", True) == "":
        raise StrictError("/request/upstream: write it only where the client named one")
    return value


def body_json(data: bytes) -> dict[str, str]:
    """Return a body as text if it is UTF-8, else as base64."""
    try:
        return {"text": data.decode()}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def body_bytes(body: dict[str, str]) -> bytes:
    """Return the bytes of a recorded body.

    Raises:
        StrictError: it is neither of the two forms.
    """
    match body:
        case {"text": text} if len(body) == 1:
            return text.encode()
        case {"base64": text} if len(body) == 1:
            return _base64_bytes(text)
    raise StrictError('a body is {"text": ...} or {"base64": ...} and nothing else')


def _base64_bytes(text: str) -> bytes:
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise StrictError(f"a body is not base64: {error}") from error
    if base64.b64encode(data).decode() != text:
        raise StrictError("a body is base64 in more than one way")
    return data


def check_exchange(
    request: Request, response: Response | None, sent: Response | None, error: ErrorKind | None
) -> None:
    """Refuse what no exchange can be.

    Raises:
        StrictError: the sentence says which part makes no sense.
    """
    body_bytes(request.body)
    for answer in (response, sent):
        if answer is not None:
            body_bytes(answer.body)
            if answer.status not in STATUSES:
                raise StrictError(f"/status: {answer.status} is no HTTP status")
    if sent is None:
        return
    if response is None or error not in (None, ErrorKind.DISCONNECT):
        raise StrictError("/sent: what nobody got was not changed on its way")
    if error is None and sent == response:
        raise StrictError("/sent: it is the same as the response, so nothing was changed")


def check_got(request: Request, got: dict[str, str] | None) -> None:
    """Refuse a changed request that is none.

    Raises:
        StrictError: the body is none, or it is the one that was asked.
    """
    if got is None:
        return
    body_bytes(got)
    if got == request.body:
        raise StrictError("/got: it is the same as the request, so nothing was changed")
