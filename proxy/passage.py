"""One request on its way through the proxy: which trial it belongs to, and how it is refused.

`fails_closed` wraps every hook of our own addons. mitmproxy would only log an exception in a hook
and let the request pass; here the trial fails, the client gets an error instead of the answer,
and an answer that is already on its way is cut off.
"""

import asyncio
import functools
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

from mitmproxy import ctx, http

from grid.canonical import canonical, scrub_text
from grid.errors import HarnessError
from proxy.trial import Trial
from proxy.wholebody import BodyTooLargeError
from proxy.wire.exchange import Exchange, Gap

_KEY = "nonverba"


@dataclass(slots=True, kw_only=True)
class Passage:
    """One attributed request."""

    trial: Trial
    """Its trial."""
    suffix: str
    """Its path after the base URL, with the query."""
    upstream: str = ""
    """``host:port`` that the client addressed, in forward mode; else empty."""
    number: int | None = None
    """Its number, once it is recorded."""
    chunks: list[bytes] | None = None
    """What was streamed to the client so far; None if the answer is not streamed."""
    replayed: Exchange | None = None
    """The recorded exchange that answers it."""
    refused: bool = False
    """The client gets an error of ours, or is cut off."""
    refusal: http.Response | None = None
    """The error of ours; None if the client is cut off."""
    over: bool = field(default=False, init=False)
    """It was counted as over."""

    def finish(self) -> None:
        """Count it as over, once."""
        if not self.over:
            self.over = True
            self.trial.end()


def attach(flow: http.HTTPFlow, passage: Passage) -> None:
    """Attribute a flow."""
    flow.metadata[_KEY] = passage
    passage.trial.begin()


def passage_of(flow: http.HTTPFlow) -> Passage | None:
    """Return the attribution of a flow, if it has one."""
    found = flow.metadata.get(_KEY)
    return found if isinstance(found, Passage) else None


NO_ANSWER = "no_answer"
"""Code of the error that a client gets where its upstream gave no answer."""


def error_body(code: str, message: str) -> bytes:
    """Return an error of our own, so that the clients of every provider find its words."""
    error = {"message": scrub_text(message), "type": "nonverba_proxy", "param": None, "code": code}
    return canonical({"error": error, "message": error["message"], "type": "error"})


def refuse(flow: http.HTTPFlow, status: int, code: str, message: str) -> None:
    """Answer with an error of our own; clients are told not to try again."""
    passage = passage_of(flow)
    flow.response = http.Response.make(
        status,
        error_body(code, message),
        {"content-type": "application/json", "x-should-retry": "false"},
    )
    if passage is not None:
        passage.refused = True
        passage.refusal = flow.response.copy()


def fails_closed[Addon](
    hook: Callable[[Addon, http.HTTPFlow], None],
) -> Callable[[Addon, http.HTTPFlow], None]:
    """Wrap a hook so that an exception in it stops the trial."""

    @functools.wraps(hook)
    def wrapped(addon: Addon, flow: http.HTTPFlow) -> None:
        try:
            hook(addon, flow)
        except Exception as error:  # noqa: BLE001 - whatever it is, the trial must not go on
            stop(flow, error)

    return wrapped


def stop(flow: http.HTTPFlow, error: Exception) -> None:
    """Fail the trial of a flow and see that its client gets an error, not an answer."""
    passage = passage_of(flow)
    reason, sentence = _explain(error)
    if passage is not None:
        sentence = passage.trial.redaction.clean_text(sentence)
    print(f"nonverba proxy: {sentence}", file=sys.stderr, flush=True)
    if passage is not None:
        passage.trial.fail(reason, sentence)
    if passage is None or passage.chunks is None:
        called = "this trial" if passage is None else passage.trial.called
        refuse(flow, 500, str(reason), f"{called} is not recorded any more and was stopped")
        return
    # A new response would have no tee, and mitmproxy would pass on the rest of the stream.
    passage.refused = True
    if flow.killable:
        flow.kill()
    hang_up(flow)


def hang_up(flow: http.HTTPFlow) -> None:
    """Close the client's connection soon: the only way to break off an answer under way."""
    server = ctx.master.addons.get("proxyserver")
    handler = server.connections.get(flow.client_conn.id)
    if handler is not None and flow.client_conn in handler.transports:
        asyncio.get_running_loop().call_soon(handler.close_connection, flow.client_conn)


def _explain(error: Exception) -> tuple[Gap, str]:
    if isinstance(error, HarnessError):
        return Gap.RECORDER_FAILED, str(error)
    if isinstance(error, BodyTooLargeError):
        return Gap.TOO_LARGE, str(error)
    return Gap.INTERNAL_ERROR, f"a hook failed: {type(error).__name__}: {error}"
