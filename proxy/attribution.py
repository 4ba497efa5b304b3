"""Whose request is this? First addon on the way in; nothing without a known answer goes further.

A request to the proxy's own address belongs to a trial if its path starts with ``/t/<token>/v1``
and it carries that trial's virtual key, in any of the places in which providers want a key; both
must fit, or it is answered 403 and never forwarded. Further upstreams of a trial stand under
``/t/<token>/u1``, ``/u2`` and so on. Token and virtual key are taken off here, with every other
credential of the client; the provider's real key, which the agent never sees, is put where the
virtual one stood. Requests in absolute form, to other hosts, or with a path that climbs are
refused: this is no open proxy.

The token is looked up in a table, whose hash is keyed; the key is compared in constant time.
Requests that came by the forward listener are attributed in `proxy.forward`.
"""

import re
from urllib.parse import unquote

from mitmproxy import http

from proxy.address import Route, join_address
from proxy.credentials import client_credentials, placed, swap_query_key, take_off
from proxy.forward import Forward, came_forward, refuse_stopped
from proxy.opentrials import OpenTrials
from proxy.passage import Passage, attach, fails_closed, refuse
from proxy.strays import Strays
from proxy.trial import Trial

_PATH = re.compile(r"/t/([0-9a-f]{32,128})/(v1|u[1-9][0-9]?)((?:/[^?#]*)?(?:\?[^#]*)?)")


class Attribution:
    """Attributes requests to trials."""

    def __init__(self, trials: OpenTrials, strays: Strays, forward: Forward | None = None) -> None:
        """Keep the open trials, the count of what belongs to none, and the other way in."""
        self._trials = trials
        self._strays = strays
        self._forward = forward

    @fails_closed
    def requestheaders(self, flow: http.HTTPFlow) -> None:
        """Attribute a request, or refuse it."""
        if self._forward is not None and came_forward(flow):
            passage = self._forward.attributed(flow)
        else:
            passage = self._attributed(flow)
        if passage is not None:
            attach(flow, passage)
            refuse_stopped(flow, passage.trial)

    def _attributed(self, flow: http.HTTPFlow) -> Passage | None:
        request = flow.request
        found = None if request.authority else _PATH.fullmatch(request.path)
        trial = self._trials.find(found[1]) if found else None
        if found is None or trial is None:
            self._unknown(flow, found[1] if found else "")
            return None
        route = self._trials.route(found[1], found[2])
        brought = (*client_credentials(request.headers.fields, found[3]),)
        sent = _swap_keys(request, trial, route, found[3])
        if sent is None:
            self._unknown(flow, "")
        elif route is None:
            refuse(flow, 403, "no_upstream", f"{trial.called} has no upstream under /{found[2]}")
        elif _climbs(found[3]):
            refuse(flow, 403, "path_refused", "this path is not forwarded")
        else:
            _point(request, route, sent)
            trial.redaction.learn_brought(brought)
            return Passage(trial=trial, suffix=found[3], upstream=route.name)
        return None

    def _unknown(self, flow: http.HTTPFlow, token: str) -> None:
        if self._trials.was_open(token):
            refuse(flow, 403, "trial_closed", "this trial is closed")
            return
        request, here = flow.request, flow.client_conn.sockname
        self._strays.add(request.method, join_address(*here[:2]), request.path)
        refuse(flow, 403, "not_attributed", "this address and key belong to no open trial")


def _swap_keys(request: http.Request, trial: Trial, route: Route | None, suffix: str) -> str | None:
    """Put the real key where the virtual one stood; return the path to send, or None without it."""
    secret = route.secret if route else ""
    fields, places = take_off(request.headers.fields, trial.has_key)
    swapped = swap_query_key(suffix, trial.has_key, secret)
    if not places and swapped is None:
        return None
    put_on = tuple(placed(place, secret) for place in places) if secret else ()
    request.headers.fields = (*fields, *put_on)
    return suffix if swapped is None else swapped


def _point(request: http.Request, route: Route, suffix: str) -> None:
    upstream = route.upstream
    request.scheme, request.host, request.port = upstream.scheme, upstream.host, upstream.port
    request.path = upstream.base + suffix or "/"


def _climbs(suffix: str) -> bool:
    path = unquote(suffix.partition("?")[0])
    return "\\" in path or any(part in (".", "..") for part in path.split("/"))
