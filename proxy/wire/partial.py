"""The partial file of a trial: what the recorder appends, frame by frame, and how it is read back.

A frame is one event. It begins with a line ``<digest> <head>``: the head is JSON without a line
break, the digest that of the head's bytes. In a head a body is ``{"size": N, "digest": ...}``; the
bodies themselves stand behind the line, raw, in the order request, got, response, sent, each
followed by a line break of its own. So a body is neither escaped nor decoded while the wire waits,
and whatever stands in one can pass for nothing else: its length is known before it begins.

``open`` comes first, then ``request``, ``response`` and ``error`` events, and ``close`` last. A
recording is complete only if every frame reads, every request has its answer, and the last frame is
a ``close`` that counts the same requests and says that nothing failed. So a file that was cut
anywhere, even between two frames, is incomplete, and so is one in which a single bit is wrong. Good
exchanges are kept all the same.

Rules of reading:

1. A file is never empty and ends with a whole frame (else: ``cut_tail``).
2. Head and bodies fit their digests, and a head is strict JSON with exactly the fields of its event
   (else: ``bad_line``). Behind a bad body reading goes on; behind a bad head nothing can be told
   apart, and nothing is read.
3. ``open`` comes first and once, ``close`` last and once; requests are numbered 0, 1, 2...; an
   answer names an earlier request that has none yet (else: ``bad_line``).
4. No ``close``: ``not_closed``, whatever was under way when the proxy ended. A request without
   response or error in a file that has one: ``unanswered``.
"""

from dataclasses import dataclass, field
from typing import Any

from grid.canonical import digest, load_json, plain_json
from grid.errors import CanonicalError, StrictError
from grid.strict import from_json
from proxy.wire.exchange import (
    ErrorKind,
    Exchange,
    Gap,
    Recording,
    Request,
    Response,
    body_bytes,
    body_json,
    check_exchange,
    check_got,
    refuse_empty,
)

PARTIAL_FORMAT = 2
"""Version of the partial file; bumped at each change."""

HEAD_LIMIT = 4 * 1024 * 1024
"""The most bytes of a head: a path and a few headers."""

_LISTED = 20  # damaged places that are told
_DIGITS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class RawRequest:
    """A request as the recorder writes it: cleaned of keys, its body in bytes."""

    method: str
    """As in `Request`."""
    path: str
    """As in `Request`."""
    headers: dict[str, str]
    """As in `Request`."""
    body: bytes
    """Body without content encoding."""
    upstream: str = ""
    """As in `Request`."""

    @property
    def recorded(self) -> Request:
        """The request as it comes out of the recording."""
        return Request(
            method=self.method,
            path=self.path,
            headers=self.headers,
            body=body_json(self.body),
            upstream=self.upstream,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RawResponse:
    """An answer as the recorder writes it: cleaned of keys, its body in bytes."""

    status: int
    """As in `Response`."""
    headers: dict[str, str]
    """As in `Response`."""
    body: bytes
    """Body without content encoding."""

    @property
    def recorded(self) -> Response:
        """The answer as it comes out of the recording."""
        return Response(status=self.status, headers=self.headers, body=body_json(self.body))


def raw_response(recorded: Response) -> RawResponse:
    """Return a recorded answer as the recorder writes it."""
    return RawResponse(
        status=recorded.status, headers=recorded.headers, body=body_bytes(recorded.body)
    )


def open_frame(trial: str) -> list[bytes]:
    """Return the first frame of a file; `trial` are the coordinates."""
    return _frame({"event": "open", "format": PARTIAL_FORMAT, "trial": trial})


def request_frame(n: int, request: RawRequest, got: bytes | None = None) -> list[bytes]:
    """Return a request, whole; written before it is forwarded.

    Args:
        n: its number.
        request: what the client asked.
        got: the body that goes to the provider, if it is another one.
    """
    asked: dict[str, Any] = {
        "method": request.method,
        "path": request.path,
        "headers": request.headers,
        "body": _kept(request.body),
    }
    if request.upstream:
        asked["upstream"] = request.upstream
    head = {"event": "request", "n": n, "request": asked}
    if got is None:
        return _frame(head, request.body)
    return _frame(head | {"got": {"body": _kept(got)}}, request.body, got)


def response_frame(n: int, response: RawResponse, sent: RawResponse | None = None) -> list[bytes]:
    """Return a whole answer; written before the client has all of it."""
    return _answer_frame({"event": "response", "n": n}, response, sent)


def error_frame(
    n: int, kind: ErrorKind, response: RawResponse | None, sent: RawResponse | None = None
) -> list[bytes]:
    """Return the end of an exchange that got no whole answer, with what the client had seen."""
    return _answer_frame({"event": "error", "n": n, "kind": kind.value}, response, sent)


def close_frame(count: int, reason: Gap | None) -> list[bytes]:
    """Return the last frame: number of requests, and why the recording is not complete, if so."""
    word = None if reason is None else reason.value
    return _frame({"event": "close", "count": count, "reason": word})


def _answer_frame(
    head: dict[str, Any], response: RawResponse | None, sent: RawResponse | None
) -> list[bytes]:
    bodies = []
    for name, answer in (("response", response), ("sent", sent)):
        if answer is not None:
            fields = {"status": answer.status, "headers": answer.headers}
            head[name] = fields | {"body": _kept(answer.body)}
            bodies.append(answer.body)
        elif name == "response":
            head[name] = None
    return _frame(head, *bodies)


def _kept(body: bytes) -> dict[str, Any]:
    return {"size": len(body), "digest": digest("body", body)}


def _frame(head: dict[str, Any], *bodies: bytes) -> list[bytes]:
    """Return a frame in parts, so that no body is copied.

    Raises:
        StrictError: the head is longer than what is read back.
    """
    line = plain_json(head, indent=None).encode()
    if len(line) > HEAD_LIMIT:
        raise StrictError(f"path and headers of {len(line)} bytes are over {HEAD_LIMIT}")
    parts = [b"%s %s\n" % (digest("head", line).encode(), line)]
    for body in bodies:
        parts += (body, b"\n")
    return parts


@dataclass(frozen=True, slots=True, kw_only=True)
class _Open:
    format: int
    trial: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Got:
    body: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    n: int
    request: Request
    got: _Got | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answered:
    n: int
    response: Response
    sent: Response | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _BrokeOff:
    n: int
    kind: ErrorKind
    response: Response | None
    sent: Response | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Close:
    count: int
    reason: Gap | None


_EVENTS: dict[str, type[Any]] = {
    "open": _Open,
    "request": _Asked,
    "response": _Answered,
    "error": _BrokeOff,
    "close": _Close,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    size: int
    digest: str


class _CutError(Exception):
    """The file ends inside a frame."""


class _LostError(Exception):
    """Where the next frame begins cannot be told."""


def read_partial(data: bytes) -> Recording:
    """Read a partial file; never raises, whatever the bytes are."""
    reading, tail, offset = _Reading(), "", 0
    while offset < len(data) and not tail:
        begun = offset
        try:
            head, trouble, offset = _next(data, offset)
            reading.take(head, trouble)
        except _CutError:
            tail = f"the file ends inside the frame at byte {begun}"
        except (_LostError, StrictError, CanonicalError) as error:
            reading.bad.append(f"the frame at byte {begun} does not read: {error}")
            if isinstance(error, _LostError):
                break
    exchanges = tuple(
        Exchange(
            n=n,
            request=reading.requests[n].request,
            response=answer.response,
            error=answer.kind if isinstance(answer, _BrokeOff) else None,
            sent=answer.sent,
            got=_body(reading.requests[n]),
        )
        for n, answer in sorted(reading.answers.items())
    )
    reason, detail = _gap(reading, tail, empty=not data)
    return Recording(exchanges=exchanges, complete=reason is None, reason=reason, detail=detail)


@dataclass(slots=True)
class _Reading:
    """State of one pass over the frames of a partial file."""

    opened: bool = False
    requests: dict[int, _Asked] = field(default_factory=dict)
    answers: dict[int, _Answered | _BrokeOff] = field(default_factory=dict)
    close: _Close | None = None
    bad: list[str] = field(default_factory=list)
    lost: int = 0

    def take(self, head: dict[str, Any], trouble: str) -> None:
        """Read one event into the state; `trouble` says what is wrong with a body of it."""
        number = len(self.requests) + self.lost
        if trouble:
            self.lost += head.get("event") == "request" and head.get("n") == number
            raise StrictError(trouble)
        event = _event(head)
        if isinstance(event, _Open) == self.opened or self.close is not None:
            raise StrictError("an event out of order")
        match event:
            case _Open():
                if event.format != PARTIAL_FORMAT:
                    raise StrictError(f"/format: expected {PARTIAL_FORMAT}, found {event.format}")
                self.opened = True
            case _Asked():
                if event.n != number:
                    raise StrictError(f"/n: expected {number}, found {event.n}")
                check_got(event.request, _body(event))
                self.requests[event.n] = event
            case _Answered():
                self._answer(event, None)
            case _BrokeOff():
                self._answer(event, event.kind)
            case _Close():
                self.close = event

    def _answer(self, event: _Answered | _BrokeOff, error: ErrorKind | None) -> None:
        if (n := event.n) not in self.requests or n in self.answers:
            raise StrictError(f"/n: no open request has the number {n}")
        check_exchange(self.requests[n].request, event.response, event.sent, error)
        self.answers[n] = event


def _next(data: bytes, offset: int) -> tuple[dict[str, Any], str, int]:
    """Return the head of a frame with its bodies put in, and where the next frame begins.

    Between them a sentence says which body is not what was written; it is empty if all are.

    Raises:
        _CutError: the file ends first.
        _LostError: the head is not what was written.
    """
    head, place = _head(data, offset)
    trouble = ""
    for name in ("request", "got", "response", "sent"):
        message = head.get(name)
        if message is None:
            continue
        try:
            kept = from_json(_Kept, message["body"], f"/{name}/body")
        except (StrictError, TypeError, KeyError) as error:
            raise _LostError(f"/{name}: {error!r}") from error
        end = place + kept.size
        if end >= len(data):
            raise _CutError
        if kept.size < 0 or data[end : end + 1] != b"\n":
            raise _LostError(f"/{name}/body: it does not end where it should")
        body = data[place:end]
        if digest("body", body) != kept.digest:
            trouble = f"/{name}/body: it is not the one that was written"
        message["body"] = body_json(body)
        place = end + 1
    return head, trouble, place


def _head(data: bytes, offset: int) -> tuple[dict[str, Any], int]:
    end = data.find(b"\n", offset, offset + _DIGITS + 1 + HEAD_LIMIT + 1)
    if end < 0 and len(data) - offset <= _DIGITS + 1 + HEAD_LIMIT:
        raise _CutError
    start = offset + _DIGITS
    line = data[start + 1 : end]
    if end <= start or data[start : start + 1] != b" ":
        raise _LostError("it has no head")
    if digest("head", line).encode() != data[offset:start]:
        raise _LostError("its head is not the one that was written")
    try:
        head = load_json(line)
    except CanonicalError as error:
        raise _LostError(str(error)) from error
    if not isinstance(head, dict):
        raise _LostError("its head is no object")
    return head, end + 1


def _body(asked: _Asked) -> dict[str, str] | None:
    return None if asked.got is None else asked.got.body


def _event(value: dict[str, Any]) -> Any:
    word = value.pop("event", None)
    if not isinstance(word, str) or word not in _EVENTS:
        raise StrictError(f"/event: expected one of {sorted(_EVENTS)}")
    refuse_empty(value)
    return from_json(_EVENTS[word], value)


def _gap(reading: _Reading, tail: str, *, empty: bool) -> tuple[Gap | None, str]:
    """Return the first reason why a reading is not complete."""
    if empty:
        return Gap.EMPTY, "the file is empty"
    if reading.close is not None and reading.close.reason is not None:
        return reading.close.reason, "the recorder says so"
    bad = [tail, *reading.bad] if tail else reading.bad
    more = [f"and {len(bad) - _LISTED} more"] if len(bad) > _LISTED else []
    if bad:
        return Gap.CUT_TAIL if tail else Gap.BAD_LINE, "; ".join([*bad[:_LISTED], *more])
    if reading.close is None:
        return Gap.NOT_CLOSED, "the file has no close: the proxy ended before the trial did"
    if missing := sorted(set(reading.requests) - set(reading.answers)):
        return Gap.UNANSWERED, f"request {missing[0]} has no answer"
    if reading.close.count != len(reading.requests):
        return Gap.BAD_LINE, f"the close counts {reading.close.count} requests"
    return None, ""
