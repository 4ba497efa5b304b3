"""The witness: writes every attributed exchange to its trial's file, or stops the trial.

A request is on disk before it is forwarded. An answer is on disk before the client has all of it:
a plain one is held until then, a stream is passed on as it comes while a copy is kept (see
`proxy.streaming`), and only its very end waits for the disk. Bodies are kept as they came (without
content encoding), keys replaced; headers by allow-list. They are written raw: canonical form and
compression happen later, elsewhere. One whose encoding is broken, or another than is said, is kept
in it, unless a credential could be read in it: then a sentence stands in its place.

Where a provider echoes its key, the agent gets a placeholder in its place; a stream that is
compressed although none was asked for is held for that until it is whole. A message of a binary
event stream in which a key was replaced gets new checksums.

In a trial that plants faults in answers every one is held until it is whole. What a fault changed
goes on in its recorded form, and both versions are written (see `proxy.tamperer`).

What cannot be recorded is not delivered: see `proxy.passage.fails_closed`.
"""

import errno
from dataclasses import dataclass

from mitmproxy import http
from mitmproxy.flow import Error

from proxy.credentials import answer_credentials, body_credentials
from proxy.passage import Passage, fails_closed, passage_of, refuse
from proxy.redaction import REQUEST_HEADERS, RESPONSE_HEADERS, Redaction
from proxy.streaming import Tee, streams
from proxy.tamperer import on_the_wire, request_on_the_wire, tampered
from proxy.upstreams import DENIED
from proxy.wholebody import BROKEN, hides, plain
from proxy.wire.aws_eventstream import rewritten
from proxy.wire.exchange import STATUSES, ErrorKind, Gap, Request
from proxy.wire.lastword import AWS_EVENTS, media_type, said_its_last_word
from proxy.wire.partial import RawRequest, RawResponse, raw_response

_CLIENT_LEFT = ("Client disconnected.", "connection cancelled")
_UPSTREAM_LEFT = ("server closed connection", "HTTP/1 protocol error: peer closed connection")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Body:
    """A body as it came."""

    raw: bytes
    """Its bytes."""
    encoding: str
    """The header that names its content encodings; empty for none."""
    framed: bool = False
    """It is an event stream of AWS, whose messages have checksums."""
    cut: bool = False
    """It broke off."""


class Recorder:
    """Records exchanges."""

    def __init__(self, body_limit: int) -> None:
        """Keep the limit on bodies, in bytes."""
        self._limit = body_limit

    @fails_closed
    def request(self, flow: http.HTTPFlow) -> None:
        """Write a whole request before it is forwarded."""
        passage = passage_of(flow)
        if flow.response is not None:
            return
        if passage is None:
            refuse(flow, 403, "not_attributed", "this request belongs to no open trial")
            return
        trial = passage.trial
        if trial.failure is not None:
            refuse(flow, 403, str(trial.failure), f"{trial.called} has failed and was stopped")
            return
        asked = self._asked(flow, passage)
        got = trial.tampering.ask(asked.body) if trial.tampering else asked.body
        if got == asked.body:
            passage.number = trial.asked(asked)
        else:
            passage.number = trial.asked(asked, got)
            if trial.replay is None:  # else nothing goes out, and the client's own is compared
                request_on_the_wire(flow.request, got)

    @fails_closed
    def responseheaders(self, flow: http.HTTPFlow) -> None:
        """Let a stream through as it comes, with a copy for us."""
        passage, response = passage_of(flow), flow.response
        if passage is None or passage.number is None or passage.refused or response is None:
            return
        if response.status_code not in STATUSES:
            raise ValueError(f"the upstream answered with the status {response.status_code}")
        passage.trial.first_byte(passage.number)
        passage.trial.redaction.learn(*answer_credentials(response.headers.fields))
        _hide_in_head(response, passage.trial.redaction)
        held = passage.replayed is not None or passage.trial.tampering.of_answers
        held = held or (bool(passage.trial.redaction.secrets) and _encoded(response))
        if not held and streams(passage.suffix, response):
            passage.chunks = []
            response.stream = Tee(flow, passage, self._limit)

    @fails_closed
    def response(self, flow: http.HTTPFlow) -> None:
        """Write a whole answer before the client has all of it."""
        passage = passage_of(flow)
        if passage is None:
            return
        try:
            if passage.refused:
                # Set anew: if it was set at the headers, mitmproxy has put the upstream's body in.
                flow.response = passage.refusal or flow.response
                return
            if passage.number is None:
                raise LookupError("an answer to a request that was not recorded")
            replayed = passage.replayed
            if replayed is not None and replayed.error is not None:
                seen = None if replayed.response is None else raw_response(replayed.response)
                passage.trial.broke_off(passage.number, replayed.error, seen)
            else:
                self._hide_provider_key(flow, passage)
                self._answered(flow, passage, passage.number)
        finally:
            passage.finish()

    @fails_closed
    def error(self, flow: http.HTTPFlow) -> None:
        """Write how an exchange broke off."""
        passage = passage_of(flow)
        if passage is None:
            return
        try:
            if passage.refused:
                return
            if passage.number is None:
                passage.trial.fail(*_unfinished(flow.error))
                return
            kind = kind_of(flow)
            # A stream announced as too large is answered by mitmproxy, with a 502 of its own.
            unseen = passage.chunks is None or kind is ErrorKind.TOO_LARGE
            seen = None if unseen else self._seen(flow, passage, cut=True)
            if seen is not None and kind is ErrorKind.CLIENT_LEFT and _ended_by_itself(seen):
                passage.trial.answered(passage.number, seen)
            else:
                passage.trial.broke_off(passage.number, kind, seen)
        finally:
            passage.finish()

    def _answered(self, flow: http.HTTPFlow, passage: Passage, number: int) -> None:
        trial, seen = passage.trial, self._seen(flow, passage)
        if not trial.tampering:
            trial.answered(number, seen)
            return
        sent = seen.recorded
        got, cut = tampered(trial.tampering, number, sent)
        if got is sent:
            trial.answered(number, seen)
            return
        if cut:
            trial.broke_off(number, ErrorKind.DISCONNECT, raw_response(got), seen)
        else:
            trial.answered(number, raw_response(got), seen)
        flow.response = on_the_wire(got, cut=cut)

    def request_of(self, flow: http.HTTPFlow, passage: Passage) -> Request:
        """Return a request in its recorded form."""
        return self._asked(flow, passage).recorded

    def _asked(self, flow: http.HTTPFlow, passage: Passage) -> RawRequest:
        clean, request = passage.trial.redaction, flow.request
        encoding = request.headers.get("content-encoding", "")
        kept = _Body(raw=_raw(passage, request), encoding=encoding)
        body, _ = self._kept(clean, kept)
        return RawRequest(
            method=clean.clean_text(request.method),
            path=clean.clean_text(passage.suffix),
            headers=clean.clean_headers(request.headers.fields, REQUEST_HEADERS),
            body=body,
            upstream=clean.clean_text(passage.upstream),
        )

    def _seen(self, flow: http.HTTPFlow, passage: Passage, *, cut: bool = False) -> RawResponse:
        response, clean = flow.response, passage.trial.redaction
        if response is None:
            raise LookupError("there is no response to record")
        headers = clean.clean_headers(response.headers.fields, RESPONSE_HEADERS)
        raw = _raw(passage, response)
        encoding = response.headers.get("content-encoding", "")
        body, undone = self._kept(
            clean, _Body(raw=raw, encoding=encoding, framed=_framed(response), cut=cut)
        )
        if raw and encoding and not undone:
            # A client that believes the header reads nothing: a replay must tell it the same lie.
            headers["content-encoding"] = clean.clean_text(encoding)
        return RawResponse(status=response.status_code, headers=headers, body=body)

    def _kept(self, clean: Redaction, came: _Body) -> tuple[bytes, bool]:
        """Return a body as it may be written, and whether its content encoding was undone."""
        body = plain(came.raw, came.encoding, self._limit)
        undone = body is not came.raw
        clean.learn(*body_credentials(body))
        left = "" if undone else came.encoding
        if hides(body, left, self._limit, lambda reading: clean.clean(reading, cut=True)):
            return BROKEN, undone
        if came.framed:
            body = rewritten(body, clean.clean)
        return clean.clean(body, cut=came.cut), undone

    def _hide_provider_key(self, flow: http.HTTPFlow, passage: Passage) -> None:
        """Keep a provider that echoes its key in a body from telling it to the agent."""
        response, redaction = flow.response, passage.trial.redaction
        if response is None or passage.chunks is not None or not redaction.secrets:
            return
        raw = response.raw_content or b""
        encoding = response.headers.get("content-encoding", "")
        body = plain(raw, encoding, self._limit)
        undone = body is not raw
        change = redaction.without_secret
        cleaned = rewritten(body, change) if _framed(response) else change(body)
        if hides(body, "" if undone else encoding, self._limit, change):
            cleaned = BROKEN
        if cleaned == body:
            return
        if undone:
            del response.headers["content-encoding"]
        _put(response, cleaned)  # if not: in no encoding, as it was: the client meets the same lie


def _raw(passage: Passage, message: http.Request | http.Response) -> bytes:
    raw = message.raw_content
    if isinstance(message, http.Response) and passage.chunks is not None:
        raw = b"".join(passage.chunks)
    if raw is None:
        raise LookupError("the body was not kept")
    return raw


def kind_of(flow: http.HTTPFlow) -> ErrorKind:
    """Return how an exchange broke off, from mitmproxy's words and the state of the connection."""
    message = "" if flow.error is None else flow.error.msg
    if message in _CLIENT_LEFT:
        return ErrorKind.CLIENT_LEFT
    if flow.server_conn.timestamp_tcp_setup is None:
        if DENIED in message:
            return ErrorKind.DENIED
        timed_out = f"[Errno {errno.ETIMEDOUT}]" in message
        return ErrorKind.TIMEOUT if timed_out else ErrorKind.REFUSED
    if message.startswith("Response body exceeds"):
        return ErrorKind.TOO_LARGE
    return ErrorKind.DISCONNECT if message.startswith(_UPSTREAM_LEFT) else ErrorKind.MALFORMED


def _unfinished(error: Error | None) -> tuple[Gap, str]:
    if error is not None and error.msg.startswith("Request body exceeds"):
        return Gap.TOO_LARGE, "a request body is over the limit"
    return Gap.REQUEST_CUT, "a request was never whole; it was neither recorded nor forwarded"


def _ended_by_itself(seen: RawResponse) -> bool:
    """Tell whether a stream said its last word before the client hung up.

    Many clients close at the last word without waiting for the end of the body; whether the proxy
    saw that end first is a race that must not show in the record.
    """
    return said_its_last_word(seen.headers.get("content-type", ""), seen.body)


def _put(response: http.Response, body: bytes) -> None:
    """Give an answer another body, its content encoding left as it says."""
    response.raw_content = body
    if "transfer-encoding" not in response.headers:
        response.headers["content-length"] = str(len(body))


def _framed(response: http.Response) -> bool:
    return media_type(response.headers.get("content-type", "")) == AWS_EVENTS


def _encoded(response: http.Response) -> bool:
    names = response.headers.get("content-encoding", "").split(",")
    return any(name.strip().lower() not in ("", "identity") for name in names)


def _hide_in_head(response: http.Response, redaction: Redaction) -> None:
    """Do the same in the head of an answer."""
    if not redaction.secrets:
        return
    fields = response.headers.fields
    hidden = tuple((name, redaction.without_secret(value)) for name, value in fields)
    if hidden != fields:
        response.headers.fields = hidden
    response.data.reason = redaction.without_secret(response.data.reason)
