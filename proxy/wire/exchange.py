"""From the recorder's lines to canonical exchanges; strict about every line, honest about gaps.

The recorder appends one JSON line per event to the partial file of a trial: ``open`` first, then
``request``, ``response`` and ``error`` events, and ``close`` last. A recording is complete only if
every line reads, every request has its answer, and the last line is a ``close`` that counts the
same requests and says that nothing failed. So a file that was cut anywhere, even between two lines,
is incomplete. Good exchanges beside a bad line are kept; the recording is still incomplete.

Rules of reading:

1. A file is never empty and its last byte is a newline (else: ``cut_tail``).
2. Each line is strict JSON with exactly the fields of its event (else: ``bad_line``).
3. ``open`` comes first and once, ``close`` last and once; requests are numbered 0, 1, 2...; an
   answer names an earlier request that has none yet (else: ``bad_line``).
4. A request without response or error: ``unanswered``. No ``close`` line: ``not_closed``.

An answer that a planted fault changed is held in both versions: ``response`` is what the client
got, ``sent`` what the provider had sent. Where nothing was changed there is no ``sent`` at all.
"""

import base64
import binascii
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from grid.canonical import canonical, load_json
from grid.errors import CanonicalError, StrictError
from grid.strict import from_json, to_json

PARTIAL_FORMAT = 1
"""Version of the partial file; bumped at each change."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenEvent:
    """First line of a partial file."""

    format: int
    """PARTIAL_FORMAT."""
    trial: str
    """Coordinates of the trial."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestEvent:
    """A request, whole; written before it is forwarded."""

    n: int
    """Position in the trial, from 0."""
    request: Request
    """The request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseEvent:
    """A whole answer; written before the client has all of it."""

    n: int
    """Number of its request."""
    response: Response
    """The answer."""
    sent: Response | None = None
    """As in `Exchange`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorEvent:
    """The end of an exchange without a whole answer."""

    n: int
    """Number of its request."""
    kind: ErrorKind
    """How it ended."""
    response: Response | None
    """What the client had seen of the answer."""
    sent: Response | None = None
    """As in `Exchange`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseEvent:
    """Last line of a partial file."""

    count: int
    """Number of requests."""
    reason: Gap | None
    """Why the recording is not complete; None: it is."""


EVENTS: dict[str, type[Any]] = {
    "open": OpenEvent,
    "request": RequestEvent,
    "response": ResponseEvent,
    "error": ErrorEvent,
    "close": CloseEvent,
}
"""The word in the field ``event`` of each line, and the record that the line is."""


def read_partial(data: bytes) -> Recording:
    """Read a partial file; never raises, whatever the bytes are."""
    reading = _Reading()
    tail = "" if data.endswith(b"\n") else f"the file ends inside the line at byte {_tail(data)}"
    offset = 0
    for line in data.split(b"\n")[:-1]:
        try:
            reading.take(line)
        except (StrictError, CanonicalError) as error:
            reading.bad.append(f"the line at byte {offset} does not read: {error}")
        offset += len(line) + 1
    exchanges = tuple(
        Exchange(
            n=n,
            request=reading.requests[n],
            response=answer.response,
            error=answer.kind if isinstance(answer, ErrorEvent) else None,
            sent=answer.sent,
        )
        for n, answer in sorted(reading.answers.items())
    )
    reason, detail = _gap(reading, tail, empty=not data)
    return Recording(exchanges=exchanges, complete=reason is None, reason=reason, detail=detail)


def exchange_lines(exchanges: Iterable[Exchange]) -> bytes:
    """Return canonical bytes: one line per exchange, each ended by a newline."""
    return b"".join(canonical(record_json(item)) + b"\n" for item in exchanges)


def record_json(record: Any) -> dict[str, Any]:
    """Return an exchange or an event of one as JSON; what is not there is not written."""
    fields: dict[str, Any] = to_json(record)
    if fields.get("sent", True) is None:
        del fields["sent"]
    request = fields.get("request")
    if isinstance(request, dict) and request.get("upstream") == "":
        del request["upstream"]
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
    found = tuple(from_json(Exchange, _written(load_json(line))) for line in lines[:-1])
    last = -1
    for item in found:
        if item.n <= last:
            raise StrictError(f"/n: expected a number over {last}, found {item.n}")
        last = item.n
        _check(item.request, item.response, item.sent, item.error)
        if item.response is None and item.error is None:
            raise StrictError(f"exchange {item.n} has neither response nor error")
    return found


def _written(value: Any) -> Any:
    """Refuse what is written and empty: one reading has one form."""
    if isinstance(value, dict) and value.get("sent", True) is None:
        raise StrictError("/sent: write it only where something was changed")
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


@dataclass(slots=True)
class _Reading:
    """State of one pass over the lines of a partial file."""

    opened: bool = False
    requests: dict[int, Request] = field(default_factory=dict)
    answers: dict[int, ResponseEvent | ErrorEvent] = field(default_factory=dict)
    close: CloseEvent | None = None
    bad: list[str] = field(default_factory=list)

    def take(self, line: bytes) -> None:
        """Read one line into the state."""
        event = _event(line)
        if isinstance(event, OpenEvent) == self.opened or self.close is not None:
            raise StrictError("an event out of order")
        match event:
            case OpenEvent():
                if event.format != PARTIAL_FORMAT:
                    raise StrictError(f"/format: expected {PARTIAL_FORMAT}, found {event.format}")
                self.opened = True
            case RequestEvent():
                if event.n != len(self.requests):
                    raise StrictError(f"/n: expected {len(self.requests)}, found {event.n}")
                _check(event.request, None, None, None)
                self.requests[event.n] = event.request
            case ResponseEvent():
                self._answer(event, None)
            case ErrorEvent():
                self._answer(event, event.kind)
            case CloseEvent():
                self.close = event

    def _answer(self, event: ResponseEvent | ErrorEvent, error: ErrorKind | None) -> None:
        n = event.n
        if n not in self.requests or n in self.answers:
            raise StrictError(f"/n: no open request has the number {n}")
        _check(self.requests[n], event.response, event.sent, error)
        self.answers[n] = event


def _event(line: bytes) -> Any:
    value = load_json(line)
    if not isinstance(value, dict) or value.get("event") not in EVENTS:
        raise StrictError(f"/event: expected one of {sorted(EVENTS)}")
    return from_json(EVENTS[value.pop("event")], _written(value))


def _check(
    request: Request, response: Response | None, sent: Response | None, error: ErrorKind | None
) -> None:
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


def _gap(reading: _Reading, tail: str, *, empty: bool) -> tuple[Gap | None, str]:
    """Return the first reason why a reading is not complete."""
    if empty:
        return Gap.EMPTY, "the file is empty"
    if reading.close is not None and reading.close.reason is not None:
        return reading.close.reason, "the recorder says so"
    if tail:
        return Gap.CUT_TAIL, tail
    if reading.bad:
        return Gap.BAD_LINE, reading.bad[0]
    if missing := sorted(set(reading.requests) - set(reading.answers)):
        return Gap.UNANSWERED, f"request {missing[0]} has no answer"
    if reading.close is None:
        return Gap.NOT_CLOSED, "the file has no close line: the proxy ended before the trial did"
    if reading.close.count != len(reading.requests):
        return Gap.BAD_LINE, f"the close line counts {reading.close.count} requests"
    return None, ""


def _tail(data: bytes) -> int:
    return data.rfind(b"\n") + 1
