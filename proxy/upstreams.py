"""Where may the proxy connect? Only to the listed addresses; everything else is denied by default.

Two guards. `requestheaders` points an attributed request at its trial's own upstream and refuses
the rest. `server_connect` is the last line: the error is set first and taken back only if the
address is listed, so a mistake anywhere else ends in no connection. In replay nothing is listed.
"""

from collections.abc import Set as AbstractSet

from mitmproxy import http
from mitmproxy.proxy.server_hooks import ServerConnectionHookData

from proxy.passage import fails_closed, passage_of, refuse

DENIED = "this address is not a listed upstream"


class Upstreams:
    """Keeps every connection to the listed upstreams."""

    def __init__(self, listed: AbstractSet[tuple[str, int]]) -> None:
        """Keep the list."""
        self._listed = frozenset(listed)

    @fails_closed
    def requestheaders(self, flow: http.HTTPFlow) -> None:
        """Point an attributed request at its upstream."""
        passage = passage_of(flow)
        if flow.response is not None:
            return
        if passage is None:
            refuse(flow, 403, "not_attributed", DENIED)
            return
        upstream, request = passage.trial.upstream, flow.request
        request.scheme, request.host, request.port = (
            upstream.scheme,
            upstream.host,
            upstream.port,
        )
        request.path = upstream.base + passage.suffix or "/"
        request.headers["accept-encoding"] = "identity"

    @fails_closed
    def http_connect(self, flow: http.HTTPFlow) -> None:
        """Refuse every tunnel."""
        refuse(flow, 403, "no_tunnels", "this proxy opens no tunnels")

    def server_connect(self, data: ServerConnectionHookData) -> None:
        """Deny a connection unless its address is listed."""
        earlier, data.server.error = data.server.error, DENIED
        listed = data.server.address is not None and data.server.address[:2] in self._listed
        if listed and data.server.transport_protocol == "tcp":
            data.server.error = earlier
