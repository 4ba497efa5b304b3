"""Whose request is this? First addon on the way in; nothing without a known answer goes further.

A request belongs to a trial if its path starts with ``/t/<token>/v1`` and it carries that trial's
virtual key; both must fit, or it is answered 403 and never forwarded. Token and virtual key are
taken off here, with every other credential header of the client; the provider's real key, which the
agent never sees, is put on. Requests in absolute form, to other hosts, or with a path that climbs
are refused: this is no open proxy.
"""

import re
from urllib.parse import unquote

from mitmproxy import http

from proxy.opentrials import OpenTrials
from proxy.passage import Passage, attach, fails_closed, refuse
from proxy.trial import Trial

_PATH = re.compile(r"/t/([0-9a-f]{32,128})/v1((?:/[^?#]*)?(?:\?[^#]*)?)")
_BEARER = "Bearer "
_CREDENTIALS = (
    "authorization",
    "proxy-authorization",
    "proxy-connection",
    "api-key",
    "x-api-key",
    "cookie",
)


class Attribution:
    """Attributes requests to trials."""

    def __init__(self, trials: OpenTrials) -> None:
        """Keep the open trials."""
        self._trials = trials

    @fails_closed
    def requestheaders(self, flow: http.HTTPFlow) -> None:
        """Attribute a request, or refuse it."""
        request = flow.request
        found = _PATH.fullmatch(request.path)
        trial = self._trials.find(found[1]) if found else None
        if request.authority or found is None or trial is None or not _has_key(request, trial):
            refuse(flow, 403, "not_attributed", "this address and key belong to no open trial")
            return
        if _climbs(found[2]):
            refuse(flow, 403, "path_refused", "this path is not forwarded")
            return
        attach(flow, Passage(trial=trial, suffix=found[2]))
        for name in _CREDENTIALS:
            request.headers.pop(name, None)
        if trial.secret:
            request.headers["authorization"] = _BEARER + trial.secret
        if trial.failure is not None:
            refuse(flow, 403, str(trial.failure), "this trial has failed and was stopped")
        elif trial.closing:
            refuse(flow, 403, "trial_closed", "this trial is closed")


def _has_key(request: http.Request, trial: Trial) -> bool:
    given = request.headers.get("authorization", "")
    return given.startswith(_BEARER) and trial.has_key(given.removeprefix(_BEARER))


def _climbs(suffix: str) -> bool:
    path = unquote(suffix.partition("?")[0])
    return "\\" in path or any(part in (".", "..") for part in path.split("/"))
