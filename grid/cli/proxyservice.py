"""One run of the recording proxy by itself: sessions opened, served until the end, and sealed."""

import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grid.cli.console import tell
from grid.cli.proxied import names_of
from grid.errors import ConfigError, HarnessError
from ledgers.recordings import RecordingFolder, Session
from proxy.address import join_address, parse_upstream
from proxy.launch import ClosedTrial, OpenedTrial, ProxyProcess
from proxy.playback import Playback
from proxy.wire.exchange import exchange_lines

LOOK_S = 1.0
"""Seconds between two looks at whether the proxy still runs."""
END_S = 10.0
"""Seconds that a command has to end when it is asked to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """What is asked of the proxy."""

    upstreams: tuple[str, ...]
    """Base URLs of the providers; in replay those that were recorded."""
    record: Path | None
    """Folder to record into."""
    stored: Mapping[str, Session] | None
    """Session -> what answers it, in replay; None otherwise."""
    sessions: tuple[str, ...]
    """Names of the sessions to open."""
    volatile: tuple[str, ...]
    """JSON pointers of request fields that may differ in replay."""
    listen: str
    """Address to listen on."""
    key_variable: str | None
    """Variable that holds the provider's key; None: the usual one of its host."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """The proxy, ready for agents."""

    proxy: ProxyProcess
    """Its process."""
    opened: dict[str, OpenedTrial]
    """Session -> what its agent needs."""
    authority: Path
    """The certificate that clients of the forward listener have to trust."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How the sessions ended."""

    code: int
    """Exit code of what was served."""
    closed: dict[str, ClosedTrial]
    """Session -> what the recorder says."""
    strangers: Mapping[str, Any]
    """See `proxy.launch.ProxyProcess.unattributed`."""


def serve(service: Service, serving: Callable[[Serving], int]) -> Ended:
    """Open the sessions, have agents served, and seal what was recorded, whatever ends it.

    Args:
        service: what is asked for.
        serving: called when everything is up; returns when the agents are done. Ctrl-C ends it.

    Raises:
        ConfigError: something asked for cannot be used.
        HarnessError: the proxy failed; what was recorded stays in the folder.
    """
    for url in service.upstreams if service.stored is None else ():
        key_of(service, url)  # what is not set is said before anything starts
    with ExitStack() as stack:
        folder = None
        if service.record is not None:
            folder = RecordingFolder(service.record, service.upstreams)
            stack.callback(folder.close)
        spool = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="nonverba-")))
        proxy = stack.enter_context(_start(service, folder.live if folder else spool))
        opened = {name: _open(service, proxy, name, spool) for name in service.sessions}
        if proxy.warning:
            tell(f"note: {proxy.warning}")
        if proxy.authority is None:
            raise HarnessError("the proxy made no certificate of its own")
        if folder is not None:
            folder.note({trial.token: name for name, trial in opened.items()})
        code = 0
        try:
            code = serving(Serving(proxy=proxy, opened=opened, authority=proxy.authority))
        except KeyboardInterrupt:
            tell("stopping; what was recorded is kept")
        closed = {name: proxy.close_trial(trial.token) for name, trial in opened.items()}
        strangers = proxy.unattributed()
        if folder is not None:
            folder.seal(
                {name: item.file for name, item in closed.items()},
                {name: item.reason for name, item in closed.items()},
            )
    return Ended(code=code, closed=closed, strangers=strangers)


def wait(proxy: ProxyProcess) -> int:
    """Wait for Ctrl-C.

    Raises:
        HarnessError: the proxy died first.
    """
    while True:
        proxy.check()
        time.sleep(LOOK_S)


def run_command(command: list[str], variables: Mapping[str, str], proxy: ProxyProcess) -> int:
    """Run a command to its end and return its exit code.

    Raises:
        ConfigError: it cannot be run.
        HarnessError: the proxy died first; the command is ended then.
    """
    try:
        child = subprocess.Popen(command, env=dict(variables))
    except OSError as error:
        raise ConfigError(f"COMMAND: cannot run {command[0]!r}: {error.strerror}") from error
    try:
        while True:
            proxy.check()
            try:
                return child.wait(LOOK_S)
            except subprocess.TimeoutExpired:
                continue
    finally:
        _end(child)


def _end(child: subprocess.Popen[bytes]) -> None:
    if child.poll() is not None:
        return
    child.terminate()
    try:
        child.wait(END_S)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def _start(service: Service, live: Path) -> ProxyProcess:
    return ProxyProcess(
        mode="record" if service.stored is None else "replay",
        directory=live,
        upstreams=_addresses(service),
        record=service.record is not None or service.stored is not None,
        forward=True,
        listen=service.listen,
    )


def _addresses(service: Service) -> tuple[str, ...]:
    """Return what clients may address: the upstreams, and in replay whatever was addressed."""
    named = [join_address(*parse_upstream(url).address) for url in service.upstreams]
    for session in (service.stored or {}).values():
        named += [item.request.upstream for item in session.exchanges if item.request.upstream]
    return tuple(dict.fromkeys(named))


def _open(service: Service, proxy: ProxyProcess, name: str, spool: Path) -> OpenedTrial:
    first, *more = service.upstreams or ("",)
    if service.stored is None:
        further = [(url, key_of(service, url)) for url in more]
        return proxy.open_trial(name, upstream=first, secret=key_of(service, first), more=further)
    file = spool / f"{name}.replay"
    file.write_bytes(exchange_lines(service.stored[name].exchanges))
    playback = Playback(file=file, volatile=service.volatile)
    return proxy.open_trial(name, replay=playback, more=[(url, "") for url in more])


def key_of(service: Service, upstream: str) -> str:
    """Return the provider's key; empty where there is none, as with most local servers.

    Raises:
        ConfigError: the variable that was named is not set.
    """
    if service.key_variable is None:
        return os.environ.get(names_of(upstream).key, "")
    if service.key_variable not in os.environ:
        raise ConfigError(f"--key-env: the variable {service.key_variable} is not set")
    return os.environ[service.key_variable]
