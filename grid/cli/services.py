"""The processes behind a run: scripted model server and recording proxy, as the runner's wire."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from grid.catalogue import scenario
from grid.cli.upstreams import Endpoints, Served, Upstreams
from grid.errors import HarnessError
from grid.evidence import TrialId
from grid.gridfile import FAULT
from grid.runner import Recorded, WireAccess
from grid.scenario import Tamper
from grid.tampering import planted_in
from proxy.launch import OpenedTrial, ProxyProcess
from proxy.playback import Playback
from proxy.wire.exchange import Gap

OURS = (Gap.EMPTY, Gap.CUT_TAIL, Gap.BAD_LINE, Gap.NOT_CLOSED, Gap.RECORDER_FAILED)
"""Gaps that say nothing about the trial: the recorder could not write. Such a trial is not kept."""


class ProxyWire:
    """The proxy as the runner sees it; called from several threads."""

    def __init__(
        self,
        proxy: ProxyProcess,
        upstream: Callable[[TrialId, str], Served],
        replay: Callable[[TrialId], Path | Playback | None] = lambda _: None,
        alive: Callable[[], None] = lambda: None,
        planted: Callable[[TrialId, str], tuple[Tamper, ...]] = lambda _trial, _seed: (),
        facts: dict[str, Any] | None = None,
    ) -> None:
        """Keep the proxy and what tells a trial's upstream (or its recording, in replay).

        `planted` tells the faults that a trial's scenario plants in the answers on their way.
        `alive` raises when a server of ours behind the proxy has died: what a trial met then is our
        fault, and it is not kept.
        """
        self._proxy = proxy
        self._upstream = upstream
        self._replay = replay
        self._alive = alive
        self._planted = planted
        self._open: dict[TrialId, tuple[OpenedTrial, datetime]] = {}
        self.facts = facts or {}
        """What is noted of the models beside the head."""

    def open(self, trial: TrialId, seed: str) -> WireAccess:
        """Open a trial on the wire."""
        now = datetime.now(UTC)
        served = self._upstream(trial, seed)
        opened = self._proxy.open_trial(
            str(trial),
            upstream=served.url,
            secret=served.secret,
            replay=self._replay(trial),
            tamper=self._planted(trial, seed),
            seed=seed,
        )
        self._open[trial] = opened, now
        return WireAccess(base_url=opened.base_url, api_key=opened.api_key)

    def close(self, trial: TrialId) -> Recorded:
        """Close it, take its recording and remove the file.

        Raises:
            HarnessError: the recorder or a server of ours failed; the trial must run again.
        """
        opened, when = self._open.pop(trial)
        closed = self._proxy.close_trial(opened.token)
        self._alive()
        if not closed.complete and closed.reason in OURS:
            raise HarnessError(
                f"the recording of {trial} failed: {closed.detail}. Finished trials are kept; "
                "make room, then run again with --resume."
            )
        raw = b""
        if closed.file is not None:
            raw = closed.file.read_bytes()
            closed.file.unlink()
        return Recorded(
            raw=raw,
            complete=closed.complete,
            reason=closed.detail,
            opened=when,
            timings=closed.timings,
        )


def planted_by(
    names: int, more: tuple[Tamper, ...] = ()
) -> Callable[[TrialId, str], tuple[Tamper, ...]]:
    """Return what tells the faults that a trial's scenario plants on the wire, and then `more`."""

    def planted(trial: TrialId, seed: str) -> tuple[Tamper, ...]:
        return planted_in(scenario(trial.scenario, names), seed, more)

    return planted


def cannot_vouch(sentence: str) -> None:
    """End the command: something that the agents asked is not in the record.

    Raises:
        HarnessError: always.
    """
    raise HarnessError(sentence)


def tell_of_strays(proxy: ProxyProcess, tell: Callable[[str], None]) -> None:
    """Tell in a sentence what reached the proxy and belonged to no trial, if there was any."""
    found = proxy.unattributed()
    if not found["count"]:
        return
    first = found["first"][0]
    many = found["count"] > 1
    tell(
        f"{found['count']} request{'s' if many else ''} reached the proxy and belonged to no open "
        f"trial{', the first of them' if many else ':'} {first['method']} {first['host']} "
        f"{first['path']}".rstrip()
        + "; nothing of it was forwarded or recorded, so the record does not hold all that the "
        "agents asked. Give each client of an agent the base URL and the key of its trial."
    )


@contextmanager
def recording_wire(
    folder: Path,
    names: int = 0,
    tamper: tuple[Tamper, ...] = (),
    unattributed: Callable[[str], None] = cannot_vouch,
    upstreams: Upstreams | None = None,
) -> Iterator[ProxyWire]:
    """Start the models and a recording proxy; end both at the end.

    Args:
        folder: private folder for live recordings.
        names: names seed of the scenarios.
        tamper: what the run plants in every trial.
        unattributed: told at the end, in a sentence, what belonged to no trial, if there was any.
        upstreams: the servers behind the proxy, not yet started; None: the scripted models.
    """
    wanted = upstreams or Upstreams((FAULT,), Endpoints(), names=names)
    with (
        wanted as models,
        ProxyProcess(mode="record", directory=folder, upstreams=models.addresses) as proxy,
    ):
        yield ProxyWire(
            proxy,
            models.of,
            alive=models.check,
            planted=planted_by(names, tamper),
            facts=models.facts,
        )
        tell_of_strays(proxy, unattributed)


@contextmanager
def replaying_wire(
    folder: Path,
    recording: Callable[[TrialId], Path | Playback | None],
    tamper: tuple[Tamper, ...] = (),
    unattributed: Callable[[str], None] = cannot_vouch,
) -> Iterator[ProxyWire]:
    """Start a proxy that answers from recordings and connects to nothing.

    Args:
        folder: private folder for live recordings.
        recording: tells where a trial's recording is.
        tamper: what the run plants in every trial.
        unattributed: as in `recording_wire`.
    """
    with ProxyProcess(mode="replay", directory=folder, upstreams=()) as proxy:
        nowhere = Served(url="")
        yield ProxyWire(
            proxy, lambda _trial, _seed: nowhere, recording, planted=planted_by(0, tamper)
        )
        tell_of_strays(proxy, unattributed)
