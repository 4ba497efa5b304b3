"""Where may the proxy connect? Only to the listed addresses; everything else is denied by default.

Guards behind attribution. `requestheaders` refuses what was attributed to nobody, and what asks for
another protocol; `http_connect` refuses a tunnel that nobody let through. `server_connect` is the
last line: the error is set first and taken back only if the address is listed, so a mistake
anywhere else ends in no connection. In replay nothing is listed. What a listed name leads to is
checked where it is looked up (see `proxy.resolving`).

`responseheaders` takes out of an answer what is meant to lead its reader elsewhere, or to be read
as more headers than there are.
"""

from collections.abc import Set as AbstractSet

from mitmproxy import http
from mitmproxy.proxy.server_hooks import ServerConnectionHookData

from proxy.credentials import signed_headers
from proxy.forward import Forward, came_forward
from proxy.passage import fails_closed, passage_of, refuse

DENIED = "this address is not a listed upstream"

_LEADS_AWAY = frozenset(
    [
        b"alt-svc",
        b"proxy-authenticate",
        b"proxy-authentication-info",
        b"proxy-connection",
        b"proxy-support",
        b"upgrade",
    ]
)
"""Names another address or protocol, or speaks for the proxy."""
_FOLLOWED = frozenset([b"location", b"refresh"])
"""Names an address that a client with a base URL would go to without us."""
_BREAKS = bytes.maketrans(b"\r\n\0", b"   ")


class Upstreams:
    """Keeps every connection to the listed upstreams."""

    def __init__(
        self, listed: AbstractSet[tuple[str, int]], forward: Forward | None = None
    ) -> None:
        """Keep the list, and what lets tunnels through."""
        self._listed = frozenset(listed)
        self._forward = forward

    @fails_closed
    def requestheaders(self, flow: http.HTTPFlow) -> None:
        """Refuse what nobody attributed; ask the upstream for a body as it is."""
        request = flow.request
        if flow.response is not None:
            return
        if passage_of(flow) is None:
            refuse(flow, 403, "not_attributed", DENIED)
        elif "websocket" in request.headers.get("upgrade", "").lower():
            refuse(flow, 501, "no_upgrade", "this proxy carries HTTP/1.1 alone, no WebSocket")
        elif "accept-encoding" not in signed_headers(request.headers.fields):
            request.headers["accept-encoding"] = "identity"

    @fails_closed
    def responseheaders(self, flow: http.HTTPFlow) -> None:
        """Take out of an answer what must not reach the client."""
        passage, response = passage_of(flow), flow.response
        if passage is None or response is None:
            return
        fields, forward = response.headers.fields, came_forward(flow)
        kept = tuple(
            (name, value.translate(_BREAKS))
            for name, value in fields
            if (low := name.lower()) not in _LEADS_AWAY and (forward or low not in _FOLLOWED)
        )
        if kept != fields:
            response.headers.fields = kept
        response.data.reason = response.data.reason.translate(_BREAKS)

    @fails_closed
    def http_connect(self, flow: http.HTTPFlow) -> None:
        """Refuse a tunnel that nobody let through."""
        let_through = self._forward is not None and self._forward.leads(flow.client_conn)
        if flow.response is None and not let_through:
            refuse(flow, 403, "no_tunnels", "this proxy opens no tunnels")

    def server_connect(self, data: ServerConnectionHookData) -> None:
        """Deny a connection unless its address is listed."""
        earlier, data.server.error = data.server.error, DENIED
        listed = data.server.address is not None and data.server.address[:2] in self._listed
        if listed and data.server.transport_protocol == "tcp":
            data.server.error = earlier
