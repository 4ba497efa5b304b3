"""The witness: writes every attributed exchange to its trial's file, or stops the trial.

A request is on disk before it is forwarded. An answer is on disk before the client has all of it:
a plain one is held until then, an event stream is passed on as it comes while a copy is kept, and
only its very end waits for the disk. Bodies are kept as they came (without content encoding), keys
replaced; headers by allow-list. Canonical form and compression happen later, elsewhere.

In a trial that plants faults on the wire every answer is held until it is whole; what goes on to
the client is made of the recorded form, and both versions are written (see `proxy.tamperer`).

What cannot be recorded is not delivered: see `proxy.passage.fails_closed`.
"""

import errno

from mitmproxy import http
from mitmproxy.flow import Error

from proxy.passage import Passage, fails_closed, passage_of, refuse, stop
from proxy.redaction import REQUEST_HEADERS, RESPONSE_HEADERS
from proxy.tamperer import on_the_wire, tampered
from proxy.upstreams import DENIED
from proxy.wholebody import BodyTooLargeError, plain
from proxy.wire.exchange import STATUSES, ErrorKind, Gap, Request, Response, body_json

_LAST_EVENT = b"data: [DONE]"
_CLIENT_LEFT = ("Client disconnected.", "connection cancelled")
_UPSTREAM_LEFT = ("server closed connection", "HTTP/1 protocol error: peer closed connection")


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
            refuse(flow, 403, str(trial.failure), "this trial has failed and was stopped")
            return
        passage.number = trial.asked(self.request_of(flow, passage))

    @fails_closed
    def responseheaders(self, flow: http.HTTPFlow) -> None:
        """Let an event stream through as it comes, with a copy for us."""
        passage, response = passage_of(flow), flow.response
        if passage is None or passage.number is None or passage.refused or response is None:
            return
        if response.status_code not in STATUSES:
            raise ValueError(f"the upstream answered with the status {response.status_code}")
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        held = passage.replayed is not None or bool(passage.trial.tampering)
        if kind == "text/event-stream" and not held:
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
                passage.trial.broke_off(passage.number, replayed.error, replayed.response)
            else:
                _hide_provider_key(flow, passage)
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
            if kind is ErrorKind.CLIENT_LEFT and _ended_by_itself(passage):
                passage.trial.answered(passage.number, self._seen(flow, passage))
                return
            seen = None if passage.chunks is None else self._seen(flow, passage)
            passage.trial.broke_off(passage.number, kind, seen)
        finally:
            passage.finish()

    def _answered(self, flow: http.HTTPFlow, passage: Passage, number: int) -> None:
        trial, sent = passage.trial, self._seen(flow, passage)
        got, cut = tampered(trial.tampering, number, sent)
        if got is sent:
            trial.answered(number, sent)
            return
        if cut:
            trial.broke_off(number, ErrorKind.DISCONNECT, got, sent)
        else:
            trial.answered(number, got, sent)
        flow.response = on_the_wire(got, cut=cut)

    def request_of(self, flow: http.HTTPFlow, passage: Passage) -> Request:
        """Return a request in its recorded form."""
        clean, request = passage.trial.redaction, flow.request
        return Request(
            method=clean.clean_text(request.method),
            path=clean.clean_text(passage.suffix),
            headers=clean.clean_headers(request.headers, REQUEST_HEADERS),
            body=self._body(passage, request),
        )

    def _seen(self, flow: http.HTTPFlow, passage: Passage) -> Response:
        response = flow.response
        if response is None:
            raise LookupError("there is no response to record")
        headers = passage.trial.redaction.clean_headers(response.headers, RESPONSE_HEADERS)
        raw = _raw(passage, response)
        encoding = response.headers.get("content-encoding", "")
        if raw and encoding and plain(raw, encoding, self._limit) is raw:
            # A client that believes the header reads nothing: a replay must tell it the same lie.
            headers["content-encoding"] = passage.trial.redaction.clean_text(encoding)
        return Response(
            status=response.status_code, headers=headers, body=self._body(passage, response)
        )

    def _body(self, passage: Passage, message: http.Request | http.Response) -> dict[str, str]:
        data = plain(
            _raw(passage, message), message.headers.get("content-encoding", ""), self._limit
        )
        return body_json(passage.trial.redaction.clean(data))


def _raw(passage: Passage, message: http.Request | http.Response) -> bytes:
    raw = message.raw_content
    if isinstance(message, http.Response) and passage.chunks is not None:
        raw = b"".join(passage.chunks)
    if raw is None:
        raise LookupError("the body was not kept")
    return raw


class Tee:
    """Passes a stream on as it comes and keeps a copy; what cannot be kept is not passed on."""

    def __init__(self, flow: http.HTTPFlow, passage: Passage, limit: int) -> None:
        """Start with nothing kept."""
        self._flow = flow
        self._passage = passage
        self._left = limit

    def __call__(self, data: bytes) -> bytes | list[bytes]:
        """Keep and return a chunk; nothing at all once something went wrong.

        mitmproxy would drop the chunk of a callable that raises, log it and go on.
        """
        passage = self._passage
        if passage.refused or passage.chunks is None:
            return []
        self._left -= len(data)
        if self._left < 0:
            stop(self._flow, BodyTooLargeError("a streamed body is over the limit"))
            return []
        passage.chunks.append(data)
        return data


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


def _ended_by_itself(passage: Passage) -> bool:
    """Tell whether a stream said its last word before the client hung up.

    Many clients close at ``[DONE]`` without waiting for the end of the body; whether the proxy saw
    that end first is a race that must not show in the record.
    """
    return passage.chunks is not None and b"".join(passage.chunks).rstrip().endswith(_LAST_EVENT)


def _hide_provider_key(flow: http.HTTPFlow, passage: Passage) -> None:
    """Keep a provider that echoes its key from telling it to the agent (plain bodies only)."""
    response = flow.response
    if response is None or passage.chunks is not None or not response.raw_content:
        return
    cleaned = passage.trial.redaction.without_secret(response.raw_content)
    if cleaned != response.raw_content and "content-encoding" not in response.headers:
        response.content = cleaned
