"""A trial as the proxy knows it: its credentials, its upstream, its file, and what went wrong.

The first failure of a trial is its reason; after that every further request of it is refused and
its recording is incomplete. Nothing here knows mitmproxy.
"""

import asyncio
import hmac
import math
import time
from array import array
from collections.abc import Callable
from dataclasses import dataclass

from grid.errors import HarnessError
from grid.scenario import Tamper
from grid.tampering import Tampering
from proxy.address import Upstream
from proxy.difference import read_pointers
from proxy.partialfile import PartialFile
from proxy.redaction import Redaction
from proxy.wire.exchange import ErrorKind, Exchange, Gap
from proxy.wire.partial import (
    RawRequest,
    RawResponse,
    close_frame,
    error_frame,
    open_frame,
    request_frame,
    response_frame,
)


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
    """Base URL of the model API; not read in replay mode; may be empty where a proxy forwards."""
    secret: str
    """The provider's real key; empty for none."""
    replay: str | None
    """File with the canonical exchanges to replay; None in record mode."""
    tamper: tuple[Tamper, ...] = ()
    """Faults that are planted on the wire, in requests or answers."""
    seed: str = ""
    """Hex seed of the trial, from which faults at a rate are drawn."""
    crossed: bool = False
    """The recording is of another framework: its answers are played by turn, whatever is asked."""
    volatile: tuple[str, ...] = ()
    """JSON pointers of request fields that may differ from the recorded ones in a strict replay."""
    more: tuple[str, ...] = ()
    """Further base URLs, under ``/u1``, ``/u2``...; in replay they only say what was addressed."""
    session: bool = False
    """It is a session of the proxy alone; sentences about it say so, and count from 1."""
    more_secrets: tuple[str, ...] = ()
    """The providers' real keys of these, each empty for none; or no list at all."""


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
        self.called = f"session {opening.trial}" if opening.session else "this trial"
        """What sentences for people call it."""
        self._first = 1 if opening.session else 0
        self.secret = opening.secret
        self.upstream = upstream
        self.replay = replay
        self.crossed = opening.crossed
        self.volatile = read_pointers(opening.volatile)
        self.tampering = Tampering(opening.tamper, opening.seed)
        self.redaction = Redaction(
            secrets=(opening.secret, *opening.more_secrets), key=opening.key, token=opening.token
        )
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
        self._opened = time.monotonic()
        self._stamps = array("d")  # three for each exchange, in seconds; NaN: it never came to that
        self._write(open_frame, opening.trial)

    def nth(self, n: int) -> str:
        """Return how sentences for people count an exchange."""
        return f"request {n + self._first}"

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

    def asked(self, request: RawRequest, got: bytes | None = None) -> int:
        """Write a request and return its number; `got` is the provider's body if another one.

        Raises:
            HarnessError: it could not be written; it must not be forwarded then.
        """
        number, now = self.count, time.monotonic()
        self._write(request_frame, number, request, got)
        self.count += 1
        self._stamps.extend((now, math.nan, math.nan))
        return number

    def first_byte(self, n: int) -> None:
        """Note that the answer to a request begins to come."""
        self._stamps[3 * n + 1] = time.monotonic()

    def answered(self, n: int, response: RawResponse, sent: RawResponse | None = None) -> None:
        """Write a whole answer; `sent` is the provider's own if another one is handed on.

        Raises:
            HarnessError: it could not be written.
        """
        self._stamps[3 * n + 2] = time.monotonic()
        self._write(response_frame, n, response, sent)

    def broke_off(
        self, n: int, kind: ErrorKind, response: RawResponse | None, sent: RawResponse | None = None
    ) -> None:
        """Write the end of an exchange that got no whole answer; `sent` as in `answered`.

        Raises:
            HarnessError: it could not be written.
        """
        self._stamps[3 * n + 2] = time.monotonic()
        self._write(error_frame, n, kind, response, sent)

    def timings(self) -> list[list[float | None]]:
        """Return when each exchange was asked, got the first byte of its answer, and ended.

        In milliseconds since the trial was opened; None where it never came to that. No part of
        the recording, and never hashed.
        """
        since = [
            None if math.isnan(stamp) else round((stamp - self._opened) * 1000, 3)
            for stamp in self._stamps
        ]
        return [since[place : place + 3] for place in range(0, len(since), 3)]

    def seal(self) -> None:
        """Write the last line; whatever is asked or answered later is refused."""
        if self._in_flight:
            self.fail(Gap.IN_FLIGHT, f"{self._in_flight} exchanges were still under way")
        if self.replay is not None and not self.crossed and self.count < len(self.replay):
            asker = self.called if self._first else "the trial"
            self.fail(
                Gap.REPLAY_SHORT,
                f"{asker} asked {self.count} times, the recorded one {len(self.replay)} times",
            )
        if self._partial is None:
            self.fail(Gap.NOT_RECORDED, "recording is switched off")
        try:
            self._write(close_frame, self.count, self.failure)
        except HarnessError as error:
            self.fail(Gap.RECORDER_FAILED, str(error))
        self._sealed = True

    def _write[*Parts](self, frame: Callable[[*Parts], list[bytes]], *parts: *Parts) -> None:
        if self._sealed:
            raise HarnessError("the trial is closed")
        if self._partial is not None:
            self._partial.append(frame(*parts))
