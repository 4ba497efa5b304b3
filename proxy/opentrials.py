"""The trials that are open right now, by token; answers the runner's ``open`` and ``close``."""

import asyncio
import re
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from grid.errors import ConfigError, NonverbaError
from proxy.address import NOWHERE, Route, Upstream, join_address, parse_upstream
from proxy.difference import read_pointers
from proxy.partialfile import PartialFile
from proxy.trial import Opening, Trial
from proxy.wire.exchange import Exchange, read_exchanges

_TOKEN = re.compile(r"[0-9a-f]{32,128}")
_KEY = re.compile(r"[A-Za-z0-9._-]{32,128}")

DRAIN_S = 10.0
"""Seconds that ``close`` waits for exchanges under way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What holds for every trial of this process."""

    directory: Path
    """Folder of the partial files."""
    listed: AbstractSet[tuple[str, int]]
    """Addresses that may be connected to."""
    replaying: bool
    """Answers come from recordings only."""
    recording: bool
    """False only for the benchmark."""
    forward: bool = False
    """Trials are reached by the forward listener too, and need no upstream of their own."""


class OpenTrials:
    """Opens, finds and closes trials."""

    def __init__(self, policy: Policy) -> None:
        """Start with none open."""
        self._policy = policy
        self._trials: dict[str, Trial] = {}
        self._paths: dict[str, str] = {}
        self._routes: dict[str, dict[str, Route]] = {}
        self._closed: set[str] = set()

    def find(self, token: str) -> Trial | None:
        """Return an open trial."""
        return self._trials.get(token)

    def route(self, token: str, place: str) -> Route | None:
        """Return an upstream of an open trial, by its place in the proxy's address."""
        return self._routes.get(token, {}).get(place)

    def was_open(self, token: str) -> bool:
        """Tell whether a trial was open that is closed now."""
        return token in self._closed

    def under_way(self) -> tuple[Trial, ...]:
        """Return the trials that have an exchange under way."""
        return tuple(trial for trial in self._trials.values() if trial.in_flight)

    def open(self, opening: Opening) -> None:
        """Open a trial.

        Raises:
            ConfigError: a field cannot be used.
            HarnessError: the partial file cannot be made.
            StrictError, CanonicalError: the recording to replay does not read.
        """
        policy = self._policy
        if not _TOKEN.fullmatch(opening.token):
            raise ConfigError("token: write 32 to 128 hex digits")
        if not _KEY.fullmatch(opening.key):
            raise ConfigError("key: write 32 to 128 letters, digits, dots, dashes or underscores")
        if opening.token in self._trials:
            raise ConfigError(f"token: the trial {opening.trial} is open already")
        _check_replay(opening, replaying=policy.replaying)
        routes = self._routes_of(opening)
        replay = None if opening.replay is None else _recording(Path(opening.replay))
        path = policy.directory / f"{opening.token}.jsonl"
        partial = PartialFile(path) if policy.recording else None
        upstream = routes["v1"].upstream if "v1" in routes else NOWHERE
        self._trials[opening.token] = Trial(opening, upstream, partial, replay)
        self._routes[opening.token] = routes
        self._paths[opening.token] = str(path) if policy.recording else ""

    def _routes_of(self, opening: Opening) -> dict[str, Route]:
        if opening.more_secrets and len(opening.more_secrets) != len(opening.more):
            raise ConfigError("more_secrets: one for each of more, or none at all")
        for secret in (opening.secret, *opening.more_secrets):
            if not secret.isascii() or not secret.isprintable():
                raise ConfigError("secret: the key holds characters that no header can carry")
        routes = {}
        if opening.upstream or self._policy.replaying or not self._policy.forward:
            upstream = NOWHERE if self._policy.replaying else self._listed(opening.upstream)
            routes["v1"] = Route(upstream=upstream, secret=opening.secret)
        secrets = opening.more_secrets or ("",) * len(opening.more)
        for number, (url, secret) in enumerate(zip(opening.more, secrets, strict=True), start=1):
            named = parse_upstream(url)
            upstream = NOWHERE if self._policy.replaying else self._listed(url)
            routes[f"u{number}"] = Route(
                upstream=upstream, secret=secret, name=join_address(*named.address)
            )
        return routes

    def _listed(self, url: str) -> Upstream:
        upstream = parse_upstream(url)
        if upstream.address not in self._policy.listed:
            raise ConfigError(f"upstream: {upstream.host}:{upstream.port} is not listed")
        return upstream

    async def close(self, token: str) -> dict[str, object]:
        """Close a trial once nothing is under way, or after `DRAIN_S`; return what to answer.

        Raises:
            ConfigError: no such trial is open.
        """
        trial = self._trials.get(token)
        if trial is None or trial.closing:
            raise ConfigError("token: no open trial has it")
        trial.closing = True
        with suppress(TimeoutError):  # `seal` sees what is still under way and says so
            await asyncio.wait_for(trial.idle(), DRAIN_S)
        trial.seal()
        del self._trials[token], self._routes[token]
        self._closed.add(token)
        return {
            "count": trial.count,
            "complete": trial.failure is None,
            "reason": trial.failure or "",
            "detail": trial.detail,
            "file": self._paths.pop(token),
            "timings": trial.timings(),
        }


def _check_replay(opening: Opening, *, replaying: bool) -> None:
    if replaying == (opening.replay is None):
        raise ConfigError("replay: a file in replay mode, null in record mode")
    if not replaying and (opening.crossed or opening.volatile):
        raise ConfigError("crossed, volatile: in replay mode only")
    if opening.crossed and opening.volatile:
        raise ConfigError("volatile: a crossed trial compares no request; leave it empty")
    read_pointers(opening.volatile)


def _recording(path: Path) -> tuple[Exchange, ...]:
    try:
        return read_exchanges(path.read_bytes())
    except OSError as error:
        raise ConfigError(f"replay: cannot read {path}: {error.strerror}") from error
    except NonverbaError as error:
        raise ConfigError(f"replay: {path} is no recording: {error}") from error
