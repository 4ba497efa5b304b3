"""Planted faults on the wire: what the agent gets in place of the provider's answer.

Works on messages in their recorded form (content encoding undone, keys replaced, headers
by allow-list): so the same recording gives the same answers again, in replay and for `verify`. The
recorder asks it before it writes; both versions go into the record.

A trial that plants anything in answers gets no stream as it comes: each answer is held until it is
whole. One that only puts texts into tool results does: nothing happens to its answers.
"""

from dataclasses import replace

from mitmproxy import http

from grid.tampering import ModelAnswer, Tampering
from proxy.wire.exchange import Exchange, Response, body_bytes, body_json


def tampered(tampering: Tampering, n: int, sent: Response) -> tuple[Response, bool]:
    """Return what the agent gets for the answer to request `n`, and whether it is cut off.

    The very object comes back where nothing is changed.
    """
    if not tampering:
        return sent, False
    answer = ModelAnswer(status=sent.status, headers=dict(sent.headers), body=body_bytes(sent.body))
    got = tampering.apply(n + 1, answer)
    if got == answer:
        return sent, False
    return Response(status=got.status, headers=got.headers, body=body_json(got.body)), got.cut


def on_the_wire(recorded: Response, *, cut: bool) -> http.Response:
    """Build an answer; a cut one promises a byte more than it holds and closes the connection."""
    body = body_bytes(recorded.body)
    response = http.Response.make(recorded.status, body, dict(recorded.headers))
    response.headers["content-length"] = str(len(body) + cut)
    if cut:
        response.headers["connection"] = "close"
    return response


def request_on_the_wire(request: http.Request, body: bytes) -> None:
    """Give a request another body, in plain form."""
    request.headers.pop("content-encoding", None)
    request.content = body


def from_provider(exchange: Exchange) -> Exchange:
    """Return an exchange as the provider answered it: what a replay begins with."""
    if exchange.sent is not None:
        exchange = replace(exchange, response=exchange.sent, error=None, sent=None)
    return exchange if exchange.got is None else replace(exchange, got=None)
