"""One run of the recording proxy by itself: sessions opened, served until the end, and sealed."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grid.cli.console import tell
from grid.cli.proxied import usual_key
from grid.errors import ConfigError, HarnessError
from ledgers.oddities import Oddity, oddities
from ledgers.recordings import RecordingFolder, Session
from proxy.address import join_address, parse_upstream
from proxy.launch import ClosedTrial, OpenedTrial, ProxyProcess
from proxy.lifeline import tied
from proxy.playback import Playback
from proxy.spool import spool_folder
from proxy.wire.exchange import exchange_lines

NO_KEY = "-"
"""Stands for no variable."""
LOOK_S = 1.0
"""Seconds between two looks at whether the proxy still runs."""
SIGNALLED = 128
"""Exit code of a command that signal 0 would have ended."""
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
    stopped: int
    """Exit code when Ctrl-C ends it."""
    keys: tuple[str, ...]
    """The provider's key of each upstream; empty for none."""


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
    broken: Mapping[str, int]
    """Session -> how many of its exchanges got no whole answer, where it is recorded."""
    odd: Mapping[str, tuple[Oddity, ...]]
    """Session -> what was odd on the wire, where it is recorded."""
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
    with ExitStack() as stack:
        folder = None
        if service.record is not None:
            with _saying(f"cannot record into {service.record}"):
                folder = RecordingFolder(service.record, service.upstreams)
            stack.callback(folder.close)
        spool = stack.enter_context(spool_folder())
        proxy = stack.enter_context(_start(service, folder.live if folder else spool))
        opened = {name: _open(service, proxy, name, spool) for name in service.sessions}
        if proxy.warning:
            tell(f"note: {proxy.warning}")
        if proxy.authority is None:
            raise HarnessError("the proxy made no certificate of its own")
        if folder is not None:
            with _saying(f"cannot record into {service.record}"):
                folder.note({trial.token: name for name, trial in opened.items()})
        code = 0
        try:
            code = serving(Serving(proxy=proxy, opened=opened, authority=proxy.authority))
        except KeyboardInterrupt:
            tell("stopping; what was recorded is kept")
            code = service.stopped
        closed = {name: proxy.close_trial(trial.token) for name, trial in opened.items()}
        strangers = proxy.unattributed()
        sessions = () if folder is None else _sealed(service, folder, closed)
    broken = {
        item.record.name: sum(found.error is not None for found in item.exchanges)
        for item in sessions
    }
    odd = {item.record.name: oddities(item.exchanges) for item in sessions}
    return Ended(code=code, closed=closed, broken=broken, odd=odd, strangers=strangers)


def _sealed(
    service: Service, folder: RecordingFolder, closed: Mapping[str, ClosedTrial]
) -> tuple[Session, ...]:
    words = (
        f"the recording in {service.record} is not sealed; what there is of it is kept in partial/"
    )
    with _saying(words):
        return folder.seal(
            {name: item.file for name, item in closed.items()},
            {name: item.reason for name, item in closed.items()},
        )


@contextmanager
def _saying(words: str) -> Iterator[None]:
    """Say in a sentence what could not be written."""
    try:
        yield
    except OSError as error:
        raise HarnessError(f"{words}: {error.strerror or error}") from error


def wait(proxy: ProxyProcess) -> int:
    """Wait for Ctrl-C.

    Raises:
        HarnessError: the proxy died first.
    """
    while True:
        proxy.check()
        time.sleep(LOOK_S)


def run_command(command: list[str], variables: Mapping[str, str], proxy: ProxyProcess) -> int:
    """Run a command to its end and return its exit code; on Linux it dies with this process.

    Raises:
        ConfigError: it cannot be run.
        HarnessError: the proxy died first; the command is ended then.
    """
    if shutil.which(command[0], path=variables.get("PATH", os.defpath)) is None:
        raise ConfigError(f"COMMAND: cannot run {command[0]!r}: there is none of that name")
    try:
        child = subprocess.Popen(tied(command, variables), env=dict(variables))
    except OSError as error:
        raise ConfigError(f"COMMAND: cannot run {command[0]!r}: {error.strerror}") from error
    try:
        while True:
            proxy.check()
            try:
                code = child.wait(LOOK_S)
                return code if code >= 0 else SIGNALLED - code  # as a shell says it
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
        advice="What was recorded is kept." if service.record else "Run it again.",
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
        secret, *secrets = service.keys
        further = list(zip(more, secrets, strict=True))
        return proxy.open_trial(name, upstream=first, secret=secret, more=further, session=True)
    file = spool / f"{name}.replay"
    file.write_bytes(exchange_lines(service.stored[name].exchanges))
    playback = Playback(file=file, volatile=service.volatile)
    return proxy.open_trial(name, replay=playback, more=[(url, "") for url in more], session=True)


def keys_of(upstreams: tuple[str, ...], named: tuple[str, ...]) -> tuple[str, ...]:
    """Return the provider's key of each upstream; empty where there is none.

    Args:
        upstreams: base URLs.
        named: a variable for each, ``-`` for no key; empty: the usual one of a host that is known.

    Raises:
        ConfigError: a variable that was named is not set, or there are too few of them.
    """
    if named and len(named) != len(upstreams):
        raise ConfigError(
            f"--key-env: {len(named)} for {len(upstreams)} upstreams; write one for each, in the "
            "same order, and - for one that needs no key"
        )
    for name in named:
        if name != NO_KEY and not os.environ.get(name):
            raise ConfigError(f"--key-env: the variable {name} is not set")
    names = named or tuple(usual_key(url) or NO_KEY for url in upstreams)
    return tuple("" if name == NO_KEY else os.environ.get(name, "") for name in names)
