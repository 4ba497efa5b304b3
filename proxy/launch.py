"""Starting and asking the proxy and the scripted models; used by the runner process only."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict, Unpack

from grid.scenario import Tamper
from grid.strict import to_json
from proxy.address import exposure, join_address, reachable
from proxy.child import RESUME, Child
from proxy.playback import Playback, playing
from proxy.trust import remove_certificate

BODY_LIMIT = 8 * 1024 * 1024
"""The most bytes of one body on the wire."""
LISTEN = "127.0.0.1"
"""Where the proxy listens unless it is told otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedTrial:
    """What an agent needs to reach its model, and what closes the trial."""

    token: str
    """Closes the trial."""
    base_url: str
    """Base URL for the agent."""
    api_key: str
    """Virtual key for the agent."""
    more_urls: tuple[str, ...] = ()
    """Base URLs of its further upstreams, for the same key."""
    proxy_url: str | None = None
    """What the agent writes as ``HTTPS_PROXY``; None if the proxy does not forward."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedTrial:
    """What the recorder says of a trial."""

    count: int
    """Requests recorded."""
    complete: bool
    """Nothing is missing."""
    reason: str
    """Why not: a word of `proxy.wire.exchange.Gap`; empty if complete."""
    detail: str
    """A sentence about it for people; never hashed."""
    file: Path | None
    """The partial file; None if recording is switched off."""
    timings: tuple[tuple[float | None, ...], ...] = ()
    """When each exchange was asked, got the first byte of its answer, and ended: milliseconds since
    the trial was opened, None where it never came to that. No part of the recording."""


class Settings(TypedDict, total=False):
    """What a proxy may be told besides."""

    record: bool
    """False only for the benchmark."""
    body_limit: int
    """The most bytes of one body."""
    forward: bool
    """Listen for clients that come by ``HTTPS_PROXY``, too."""
    advice: str
    """What to do where it fails, in a sentence."""
    listen: str
    """Address to listen on, 127.0.0.1; any but a loopback one lets other machines in."""


class Wanted(TypedDict, total=False):
    """What a trial may be opened with besides."""

    secret: str
    """The provider's real key; empty for none."""
    replay: Path | Playback | None
    """The recording to answer from; a path is replayed strictly; None in record mode."""
    tamper: tuple[Tamper, ...]
    """Faults to plant on the wire, in both modes."""
    seed: str
    """Hex seed of the trial, from which faults at a rate are drawn."""
    session: bool
    """It is a session of the proxy alone; sentences about it say so."""
    more: Sequence[tuple[str, str]]
    """Further upstreams: base URL, and real key or nothing."""


class ProxyProcess(Child):
    """The recording proxy of a run."""

    def __init__(
        self,
        *,
        mode: str,
        directory: Path,
        upstreams: tuple[str, ...],
        **settings: Unpack[Settings],
    ) -> None:
        """Start it.

        Args:
            mode: ``record`` or ``replay``.
            directory: folder of the partial files; mode 0700.
            upstreams: ``host:port`` of everything that may be connected to; in replay, where
                nothing may, what clients of the forward listener may address.
            settings: see `Settings`.

        Raises:
            HarnessError: it did not get ready.
        """
        self._directory = directory.absolute()
        listen = settings.get("listen", LISTEN)
        super().__init__(
            "proxy.server",
            {
                "mode": mode,
                "directory": str(self._directory),
                "upstreams": list(upstreams),
                "record": settings.get("record", True),
                "body_limit": settings.get("body_limit", BODY_LIMIT),
                "forward": settings.get("forward", False),
                "listen": listen,
            },
            "the recording proxy",
            settings.get("advice", RESUME),
        )
        self.host = reachable(listen)
        self.warning = exposure(listen)
        """A sentence for people where other machines can reach it, else empty."""
        self.forward_port: int | None = self.ready["forward_port"]
        """Where it forwards; None if it does not."""
        said = self.ready["authority"]
        self.authority = None if said is None else Path(said)
        """The certificate that clients of the forward listener have to trust."""

    def _ended(self) -> None:
        remove_certificate(self._directory)

    def open_trial(
        self, trial: str, *, upstream: str = "", **wanted: Unpack[Wanted]
    ) -> OpenedTrial:
        """Open a trial and make its token and virtual key.

        Args:
            trial: coordinates.
            upstream: base URL of the model API; not read in replay, and not needed by a trial that
                goes forward alone.
            wanted: see `Wanted`.

        Raises:
            HarnessError: the proxy refused or died.
        """
        token, key = secrets.token_hex(16), "nv-" + secrets.token_hex(24)
        more = wanted.get("more", ())
        self.ask(
            {
                "do": "open",
                "trial": trial,
                "token": token,
                "key": key,
                "upstream": upstream,
                "secret": wanted.get("secret", ""),
                **playing(wanted.get("replay")),
                "tamper": to_json(wanted.get("tamper", ())),
                "seed": wanted.get("seed", ""),
                "session": wanted.get("session", False),
                "more": [url for url, _ in more],
                "more_secrets": [secret for _, secret in more],
            }
        )
        here = f"http://{join_address(self.host, self.port)}/t/{token}"
        forward = self.forward_port and join_address(self.host, self.forward_port)
        return OpenedTrial(
            token=token,
            api_key=key,
            base_url=f"{here}/v1",
            more_urls=tuple(f"{here}/u{number}" for number, _ in enumerate(more, start=1)),
            proxy_url=f"http://{token}:{key}@{forward}" if forward else None,
        )

    def unattributed(self) -> dict[str, Any]:
        """Return what was asked of the proxy that belonged to no trial.

        ``count``; ``first``, a few of them with ``method``, ``host`` and ``path``; and
        ``unlisted``, how often the clients of trials were refused which address.

        Raises:
            HarnessError: the proxy refused or died.
        """
        answer = self.ask({"do": "unattributed"})
        return {name: answer[name] for name in ("count", "first", "unlisted")}

    def close_trial(self, token: str) -> ClosedTrial:
        """Close a trial once its exchanges are written.

        Raises:
            HarnessError: the proxy refused or died.
        """
        answer = self.ask({"do": "close", "token": token})
        return ClosedTrial(
            count=answer["count"],
            complete=answer["complete"],
            reason=answer["reason"],
            detail=answer["detail"],
            file=Path(answer["file"]) if answer["file"] else None,
            timings=tuple(map(tuple, answer["timings"])),
        )


def client_environment(
    opened: OpenedTrial, authority: Path, *, plain: bool = False
) -> dict[str, str]:
    """Return the variables that bring the clients in a process to the forward listener.

    They replace the authorities that a client trusts, so one that slips past the proxy fails.

    Args:
        opened: the trial that all of the process's requests belong to.
        authority: the proxy's certificate.
        plain: an upstream is spoken to without TLS, so that such requests must come too.
    """
    schemes = ("https", "http") if plain else ("https",)
    names = [f"{scheme}_proxy" for scheme in schemes]  # many clients prefer these to the others
    proxies = dict.fromkeys([*map(str.upper, names), *names], opened.proxy_url or "")
    trusting = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "AWS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
    return proxies | dict.fromkeys(trusting, str(authority))


class ScriptedModels(Child):
    """The scripted model server of a run."""

    def __init__(self) -> None:
        """Start it.

        Raises:
            HarnessError: it did not get ready.
        """
        super().__init__("proxy.scripted", {}, "the scripted model server")

    @property
    def address(self) -> str:
        """Address for the proxy's list of upstreams."""
        return f"127.0.0.1:{self.port}"

    def upstream(self, *, scenario: str, names: int, seed: str) -> str:
        """Return the base URL of the model that plays in one trial."""
        return f"http://{self.address}/play/{scenario}/{names}/{seed}/v1"
