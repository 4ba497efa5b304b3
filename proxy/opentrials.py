"""The trials that are open right now, by token; answers the runner's ``open`` and ``close``."""

import asyncio
import re
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from grid.errors import ConfigError, NonverbaError
from proxy.address import NOWHERE, parse_upstream
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


class OpenTrials:
    """Opens, finds and closes trials."""

    def __init__(self, policy: Policy) -> None:
        """Start with none open."""
        self._policy = policy
        self._trials: dict[str, Trial] = {}
        self._paths: dict[str, str] = {}

    def find(self, token: str) -> Trial | None:
        """Return an open trial."""
        return self._trials.get(token)

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
        if policy.replaying == (opening.replay is None):
            raise ConfigError("replay: a file in replay mode, null in record mode")
        upstream = NOWHERE if policy.replaying else parse_upstream(opening.upstream)
        if not policy.replaying and upstream.address not in policy.listed:
            raise ConfigError(f"upstream: {upstream.host}:{upstream.port} is not listed")
        if not opening.secret.isascii() or not opening.secret.isprintable():
            raise ConfigError("secret: the key holds characters that no header can carry")
        replay = None if opening.replay is None else _recording(Path(opening.replay))
        path = policy.directory / f"{opening.token}.jsonl"
        partial = PartialFile(path) if policy.recording else None
        self._trials[opening.token] = Trial(opening, upstream, partial, replay)
        self._paths[opening.token] = str(path) if policy.recording else ""

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
        del self._trials[token]
        return {
            "count": trial.count,
            "complete": trial.failure is None,
            "reason": trial.failure or "",
            "detail": trial.detail,
            "file": self._paths.pop(token),
        }


def _recording(path: Path) -> tuple[Exchange, ...]:
    try:
        return read_exchanges(path.read_bytes())
    except OSError as error:
        raise ConfigError(f"replay: cannot read {path}: {error.strerror}") from error
    except NonverbaError as error:
        raise ConfigError(f"replay: {path} is no recording: {error}") from error
