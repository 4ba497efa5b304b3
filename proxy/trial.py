"""A trial as the proxy knows it: its credentials, its upstream, its file, and what went wrong.

The first failure of a trial is its reason; after that every further request of it is refused and
its recording is incomplete. Nothing here knows mitmproxy.
"""

import asyncio
import hmac
from dataclasses import dataclass

from grid.errors import HarnessError
from grid.scenario import Tamper
from grid.tampering import Tampering
from proxy.address import Upstream
from proxy.partialfile import PartialFile
from proxy.redaction import Redaction
from proxy.wire.exchange import (
    PARTIAL_FORMAT,
    CloseEvent,
    ErrorEvent,
    ErrorKind,
    Exchange,
    Gap,
    OpenEvent,
    Request,
    RequestEvent,
    Response,
    ResponseEvent,
    record_json,
)

_WORDS = {
    OpenEvent: "open",
    RequestEvent: "request",
    ResponseEvent: "response",
    ErrorEvent: "error",
    CloseEvent: "close",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """What the runner says of a trial when it opens it."""

    trial: str
    """Coordinates."""
    token: str
    """Hex token of the trial, in the base URL."""
    key: str
    """Virtual key of the trial."""
    upstream: str
    """Base URL of the model API; not read in replay mode."""
    secret: str
    """The provider's real key; empty for none."""
    replay: str | None
    """File with the canonical exchanges to replay; None in record mode."""
    tamper: tuple[Tamper, ...] = ()
    """Faults that are planted in the answers on their way to the agent."""


class Trial:
    """One open trial."""

    def __init__(
        self,
        opening: Opening,
        upstream: Upstream,
        partial: PartialFile | None,
        replay: tuple[Exchange, ...] | None,
    ) -> None:
        """Start with nothing asked; `partial` None means that recording is switched off."""
        self.coordinates = opening.trial
        self.secret = opening.secret
        self.upstream = upstream
        self.replay = replay
        self.tampering = Tampering(opening.tamper)
        self.redaction = Redaction(secret=opening.secret, key=opening.key, token=opening.token)
        self.failure: Gap | None = None
        self.detail = ""
        self.closing = False
        self.count = 0
        self._key = opening.key
        self._partial = partial
        self._sealed = False
        self._in_flight = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self._write(OpenEvent(format=PARTIAL_FORMAT, trial=opening.trial))

    def has_key(self, key: str) -> bool:
        """Tell whether this is the trial's virtual key."""
        return hmac.compare_digest(key.encode("utf-8", "surrogateescape"), self._key.encode())

    def fail(self, reason: Gap, detail: str) -> None:
        """Note a failure; the first one stays."""
        if self.failure is None:
            self.failure = reason
            self.detail = self.redaction.clean_text(detail)

    def begin(self) -> None:
        """Count an exchange as under way."""
        self._in_flight += 1
        self._idle.clear()

    def end(self) -> None:
        """Count it as over."""
        self._in_flight -= 1
        if self._in_flight == 0:
            self._idle.set()

    @property
    def in_flight(self) -> int:
        """Number of exchanges under way."""
        return self._in_flight

    async def idle(self) -> None:
        """Wait until nothing is under way."""
        await self._idle.wait()

    def asked(self, request: Request) -> int:
        """Write a request and return its number.

        Raises:
            HarnessError: it could not be written; it must not be forwarded then.
        """
        number = self.count
        self._write(RequestEvent(n=number, request=request))
        self.count += 1
        return number

    def answered(self, n: int, response: Response, sent: Response | None = None) -> None:
        """Write a whole answer; `sent` is the provider's own if another one is handed on.

        Raises:
            HarnessError: it could not be written.
        """
        self._write(ResponseEvent(n=n, response=response, sent=sent))

    def broke_off(
        self, n: int, kind: ErrorKind, response: Response | None, sent: Response | None = None
    ) -> None:
        """Write the end of an exchange that got no whole answer; `sent` as in `answered`.

        Raises:
            HarnessError: it could not be written.
        """
        self._write(ErrorEvent(n=n, kind=kind, response=response, sent=sent))

    def seal(self) -> None:
        """Write the last line; whatever is asked or answered later is refused."""
        if self._in_flight:
            self.fail(Gap.IN_FLIGHT, f"{self._in_flight} exchanges were still under way")
        if self.replay is not None and self.count < len(self.replay):
            self.fail(
                Gap.REPLAY_SHORT,
                f"the trial asked {self.count} times, the recorded one {len(self.replay)} times",
            )
        if self._partial is None:
            self.fail(Gap.NOT_RECORDED, "recording is switched off")
        try:
            self._write(CloseEvent(count=self.count, reason=self.failure))
        except HarnessError as error:
            self.fail(Gap.RECORDER_FAILED, str(error))
        self._sealed = True

    def _write(
        self, event: OpenEvent | RequestEvent | ResponseEvent | ErrorEvent | CloseEvent
    ) -> None:
        if self._sealed:
            raise HarnessError("the trial is closed")
        if self._partial is not None:
            self._partial.append({"event": _WORDS[type(event)]} | record_json(event))
