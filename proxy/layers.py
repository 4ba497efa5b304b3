"""What is spoken on a connection: HTTP/1, or TLS with HTTP/1 inside of a tunnel; nothing else.

Takes the place of mitmproxy's own choice, which would also offer TLS to the face of the proxy, name
service, and raw bytes. And it stands between both peers and what mitmproxy's HTTP/1 leaves open:

- A head without an end would fill the memory: over `HEAD_MOST` bytes it is an error.
- Interim answers (``100``, ``103``) would count as the answer: they are taken off, up to a number.
- An answer that switches protocols, or has no status that an answer may have, is the upstream's
  error, as any other breach of the protocol is.
- Trailers after a body would crash the connection, and with it every trial: they are taken off.
- A body over the limit is refused with a sentence that names the limit.
- Where no answer comes, the client would get a page of HTML, in which an upstream could tell it its
  key: it gets an error as JSON, in the shape that clients of providers read, and without one.
"""

import re
from typing import Any

from mitmproxy import ctx, http
from mitmproxy.connection import Client
from mitmproxy.net.http import http1
from mitmproxy.proxy import commands, events, layer, layers
from mitmproxy.proxy.layers import http as stock
from mitmproxy.proxy.layers import modes
from mitmproxy.proxy.layers.http import HTTPMode
from mitmproxy.proxy.layers.http import _http1 as stock_http1
from mitmproxy.proxy.layers.http._base import ReceiveHttp
from mitmproxy.proxy.layers.http._events import (
    ErrorCode,
    RequestEndOfMessage,
    RequestProtocolError,
    ResponseEndOfMessage,
    ResponseProtocolError,
)
from mitmproxy.proxy.layers.http._http1 import Http1Client, Http1Server

from proxy.address import join_address
from proxy.passage import NO_ANSWER, error_body, passage_of
from proxy.wire.exchange import STATUSES

HEAD_MOST = 64 * 1024
"""The most bytes of a request or status line with its headers, give or take one read."""

INTERIM_MOST = 20
"""The most interim answers on one connection."""

_TLS_HANDSHAKE = b"\x16\x03"
_SWITCHING_PROTOCOLS = 101
_STATUS = re.compile(rb"HTTP/\d\.\d +(\d{1,9})[ \r\n]")

_CODES = {400: "bad_request", 413: "too_large", 431: "too_large", 502: NO_ANSWER}

type _Commands = layer.CommandGenerator[None]


class Layers:
    """Chooses the layers of a connection."""

    name = "nextlayer"  # mitmproxy warns where nothing has that name

    def next_layer(self, choice: layer.NextLayer) -> None:
        """Choose by the place in the connection and by the first byte."""
        context = choice.context
        above = context.layers[-1]
        begun = choice.data_client()[: len(_TLS_HANDSHAKE)]
        if isinstance(above, stock.HttpStream) and begun == _TLS_HANDSHAKE:
            upstream_tls = layers.ServerTLSLayer(context)
            upstream_tls.child_layer = layers.ClientTLSLayer(context)
            choice.layer = upstream_tls
        else:
            regular = isinstance(above, modes.HttpProxy)
            choice.layer = BoundedHttp(
                context, HTTPMode.regular if regular else HTTPMode.transparent
            )

    def client_disconnected(self, client: Client) -> None:
        """Close what is open to upstreams for a client that is gone.

        mitmproxy ends those connections by cancelling their tasks. A task that is cancelled for the
        second time, because the first one is just being dealt with, leaves its connection open for
        good: an upstream that breaks the protocol could take one descriptor after the other.
        """
        found = ctx.master.addons.get("proxyserver").connections.get(client.id)
        for transport in found.transports.values() if found else ():
            if transport.writer is not None:
                transport.writer.close()


class BoundedHttp(stock.HttpLayer):
    """HTTP/1 with a client, and with the upstreams that it asks for."""

    def _handle_event(self, event: events.Event) -> _Commands:
        if isinstance(event, events.Start):
            self.connections[self.context.client] = BoundedServer(self.context.fork())
        yield from super()._handle_event(event)

    def make_stream(self, stream_id: int) -> _Commands:
        """Begin an exchange."""
        stream = self.streams[stream_id] = _Stream(self.context.fork(), stream_id)
        yield from self.event_to_child(stream, events.Start())


class _Stream(stock.HttpStream):
    """One exchange, whose refused bodies and missing answers are explained."""

    def handle_protocol_error(
        self, event: RequestProtocolError | ResponseProtocolError
    ) -> _Commands:
        """End the exchange; tell the client of it without any credential of its trial."""
        for command in super().handle_protocol_error(event):
            sent = command.event if isinstance(command, stock.SendHttp) else None
            if isinstance(sent, ResponseProtocolError):
                passage, request = passage_of(self.flow), self.flow.request
                words = f"no answer came from {join_address(request.host, request.port)}: "
                words += sent.message
                sent.message = passage.trial.redaction.clean_text(words) if passage else words
            yield command

    def check_body_size(self, request: bool) -> layer.CommandGenerator[bool]:
        """Refuse a body over the limit, in a sentence that names it."""
        checking = super().check_body_size(request)
        reply: Any = None
        while True:
            try:
                command = checking.send(reply)
            except StopIteration as end:
                return bool(end.value)
            sent = command.event if isinstance(command, stock.SendHttp) else None
            if isinstance(sent, ResponseProtocolError):
                limit = self.context.options.body_size_limit
                sent.message = (
                    f"The body of this {'request' if request else 'answer'} is over the limit of "
                    f"{limit} bytes. Start the proxy with a higher body limit to let it pass."
                )
            reply = yield command


class BoundedServer(Http1Server):
    """The proxy's side of a connection from a client."""

    def read_headers(self, event: events.ConnectionEvent) -> _Commands:
        """Read the head of a request."""
        if bytes(self.buf)[:2] == _TLS_HANDSHAKE:
            yield from self._refused(400, "Write http:// in the address of this proxy, not https.")
            return
        yield from super().read_headers(event)
        if self.state == self.read_headers and len(self.buf) > HEAD_MOST:
            yield from self._refused(431, f"The head of this request is over {HEAD_MOST} bytes.")

    def read_body(self, event: events.Event) -> _Commands:
        """Read a body, and take off the trailers behind it."""
        try:
            yield from super().read_body(event)
        except NotImplementedError:  # trailers, read and left out: the message is whole
            yield ReceiveHttp(RequestEndOfMessage(self.stream_id))
            yield from self.mark_done(request=True)

    def _refused(self, status: int, words: str) -> _Commands:
        yield commands.SendData(self.conn, error_answer(status, words))
        yield commands.CloseConnection(self.conn)
        self.state = self.done


class BoundedClient(Http1Client):
    """The proxy's side of a connection to an upstream."""

    interim = 0
    """Interim answers so far."""

    def read_headers(self, event: events.ConnectionEvent) -> _Commands:
        """Read the head of an answer."""
        if self.request is not None and isinstance(event, events.DataReceived):
            while (status := self._odd_status()) is not None:
                interim = 100 <= status < STATUSES.start and status != _SWITCHING_PROTOCOLS
                if not interim or self.interim > INTERIM_MOST:
                    yield from self._broken(f"the upstream answered with the status {status}")
                    return
                if self.buf.maybe_extract_lines() is None:
                    break  # the rest of its head is still to come
                self.interim += 1
        yield from super().read_headers(event)
        if self.state == self.read_headers and len(self.buf) > HEAD_MOST:
            yield from self._broken(f"the head of the answer is over {HEAD_MOST} bytes")

    def read_body(self, event: events.Event) -> _Commands:
        """Read a body, and take off the trailers behind it."""
        try:
            yield from super().read_body(event)
        except NotImplementedError:  # as in `BoundedServer`
            yield ReceiveHttp(ResponseEndOfMessage(self.stream_id or 0))
            yield from self.mark_done(response=True)

    def _odd_status(self) -> int | None:
        """Return the status of the head that is coming, if it is none of an answer."""
        found = _STATUS.match(bytes(self.buf))
        status = int(found[1]) if found else STATUSES.start
        return None if status in STATUSES else status

    def _broken(self, why: str) -> _Commands:
        yield commands.CloseConnection(self.conn)
        error = f"HTTP/1 protocol error: {why}"
        yield ReceiveHttp(
            ResponseProtocolError(self.stream_id or 0, error, ErrorCode.GENERIC_SERVER_ERROR)
        )
        self.state = self.done


def error_answer(status_code: int, message: str = "") -> bytes:
    """Return an error of our own, as bytes, after which the connection is closed."""
    body = error_body(_CODES.get(status_code, "proxy_error"), message)
    headers = {"content-type": "application/json", "connection": "close"}
    return bytes(http1.assemble_response(http.Response.make(status_code, body, headers)))


# mitmproxy says by this name what it says itself.
stock_http1.make_error_response = error_answer
# mitmproxy makes the connection to an upstream by this name, and offers no other way in.
stock.Http1Client = BoundedClient  # type: ignore[attr-defined]
