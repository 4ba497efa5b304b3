"""Planted faults on the wire: what the agent gets in place of the provider's answer.

Works on answers in their recorded form (content encoding undone, the trial's keys replaced, headers
by allow-list): so the same recording gives the same answers again, in replay and for `verify`. The
recorder asks it before it writes; both versions go into the record.

A trial that plants anything gets no stream as it comes: each answer is held until it is whole.
"""

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


def from_provider(exchange: Exchange) -> Exchange:
    """Return an exchange as the provider answered it: what a replay begins with."""
    if exchange.sent is None:
        return exchange
    return Exchange(n=exchange.n, request=exchange.request, response=exchange.sent, error=None)
