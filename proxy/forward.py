"""The other way in: clients that keep their provider's address and go through ``HTTPS_PROXY``.

A client says whose it is by the user of the proxy, ``http://<token>:<virtual key>@host:port``: once
for a tunnel, and with every request outside of one. In a tunnel the client speaks TLS with the
proxy (see `proxy.authority`), so that what it asks is seen; each request in it belongs to the trial
that the tunnel was opened for, while that one is open. A client without a user is asked for one.

A trial may address every listed upstream, and in replay, where nothing is connected to, those of
its recording too. Anything else is refused before a name is looked up: also a ``Host`` that is not
where the tunnel leads, since one server may stand for many.

The client's own credentials pass on untouched, or a signature over them would break; they are told
to the trial's redaction before anything is recorded. Only the proxy's user is taken off.
"""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from mitmproxy import http
from mitmproxy.connection import Client
from mitmproxy.net.http.url import parse_authority
from mitmproxy.proxy.mode_specs import RegularMode

from proxy.address import join_address
from proxy.credentials import (
    client_credentials,
    read_proxy_user,
    without_hop,
    without_query_credentials,
)
from proxy.opentrials import OpenTrials
from proxy.passage import Passage, fails_closed, refuse
from proxy.strays import Strays
from proxy.trial import Trial

_PORTS = {"http": 80, "https": 443}


def came_forward(flow: http.HTTPFlow) -> bool:
    """Tell whether a request came by the forward listener."""
    return isinstance(flow.client_conn.proxy_mode, RegularMode)


def refuse_stopped(flow: http.HTTPFlow, trial: Trial) -> bool:
    """Refuse a request of a trial that has failed or is being closed; tell whether it was."""
    if trial.failure is not None:
        refuse(flow, 403, str(trial.failure), f"{trial.called} has failed and was stopped")
    elif trial.closing:
        refuse(flow, 403, "trial_closed", f"{trial.called} is closed")
    return trial.failure is not None or trial.closing


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tunnel:
    """A tunnel that was let through."""

    token: str
    """Token of its trial."""
    address: tuple[str, int]
    """Where it leads."""


class Forward:
    """Lets tunnels through and attributes what comes by the forward listener."""

    def __init__(
        self, trials: OpenTrials, strays: Strays, listed: AbstractSet[tuple[str, int]]
    ) -> None:
        """Keep the open trials, the count of what belongs to none, and the listed addresses."""
        self._trials = trials
        self._strays = strays
        self._listed = frozenset(listed)
        self._tunnels: dict[str, _Tunnel] = {}

    def leads(self, client: Client) -> bool:
        """Tell whether a client has a tunnel."""
        return client.id in self._tunnels

    @fails_closed
    def http_connect(self, flow: http.HTTPFlow) -> None:
        """Let a tunnel through, or refuse it."""
        found = self._named(flow)
        if found is None:
            return
        token, trial = found
        address = (flow.request.host.lower(), flow.request.port)
        if refuse_stopped(flow, trial) or self._unlisted(flow, trial, address):
            return
        self._tunnels[flow.client_conn.id] = _Tunnel(token=token, address=address)

    def client_disconnected(self, client: Client) -> None:
        """Forget a tunnel."""
        self._tunnels.pop(client.id, None)
        self._strays.ended(client.id)

    def attributed(self, flow: http.HTTPFlow) -> Passage | None:
        """Return whose request this is, or refuse it."""
        request, tunnel = flow.request, self._tunnels.get(flow.client_conn.id)
        address = (request.host.lower(), request.port)
        trial = self._of_tunnel(flow, tunnel) if tunnel else self._of_user(flow)
        if trial is None or self._unlisted(flow, trial, address):
            return None
        if (tunnel and tunnel.address != address) or not _says_where_it_goes(request):
            refuse(flow, 403, "other_host", "this request names another host than it is sent to")
            return None
        trial.redaction.learn_brought(client_credentials(request.headers.fields, request.path))
        request.headers.fields = without_hop(request.headers.fields)
        request.authority = ""
        return Passage(
            trial=trial,
            suffix=without_query_credentials(request.path),
            upstream=join_address(*address),
        )

    def _of_tunnel(self, flow: http.HTTPFlow, tunnel: _Tunnel) -> Trial | None:
        trial = self._trials.find(tunnel.token)
        if trial is None:
            refuse(flow, 403, "trial_closed", "this trial is closed")
        return trial

    def _of_user(self, flow: http.HTTPFlow) -> Trial | None:
        found = self._named(flow)
        return None if found is None else found[1]

    def _named(self, flow: http.HTTPFlow) -> tuple[str, Trial] | None:
        """Return the token and the trial that a client named as the proxy's user, or refuse it."""
        request, client = flow.request, flow.client_conn
        seen = (request.method, join_address(request.host, request.port), request.path)
        given = request.headers.get("proxy-authorization")
        if given is None:
            self._strays.hold(client.id, *seen)
            refuse(flow, 407, "not_attributed", "this proxy needs a user: that of an open trial")
            if flow.response is not None:
                flow.response.headers["proxy-authenticate"] = 'Basic realm="nonverba"'
            return None
        token, key = read_proxy_user(given) or ("", "")
        trial = self._trials.find(token)
        if trial is not None and trial.has_key(key):
            self._strays.forgive(client.id)
            return token, trial
        if trial is None and self._trials.was_open(token):
            refuse(flow, 403, "trial_closed", "this trial is closed")
        else:
            self._strays.add(*seen)
            refuse(flow, 403, "not_attributed", "this user of the proxy belongs to no open trial")
        return None

    def _unlisted(self, flow: http.HTTPFlow, trial: Trial, address: tuple[str, int]) -> bool:
        if address in self._listed:
            return False
        target = join_address(*address)
        if any(exchange.request.upstream == target for exchange in trial.replay or ()):
            return False
        self._strays.refused(target)
        refuse(flow, 403, "not_listed", f"{target} is not a listed upstream of this proxy")
        return True


def _says_where_it_goes(request: http.Request) -> bool:
    """Tell whether all that a request says of its host is where it is sent to."""
    said = [*request.headers.get_all("host"), *([request.authority] if request.authority else [])]
    try:
        named = [parse_authority(text, check=True) for text in said]
    except ValueError:
        return False
    default = _PORTS.get(request.scheme, 0)
    where = (request.host.lower(), request.port)
    return all((host.lower(), port or default) == where for host, port in named)
