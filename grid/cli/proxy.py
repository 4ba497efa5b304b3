"""`nonverba proxy`: the recording proxy alone, for any agent of anybody's.

It records every session into a folder, or answers every session from such a folder with nothing
else reachable. It prints the variables that an agent needs, or runs a command with them set.
"""

import os
import shutil
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from grid.cli.console import say, show_json, tell
from grid.cli.damage import check_readable, lacks
from grid.cli.odd import odd_lines
from grid.cli.proxied import Providers, Way, by_base_url, environment_of, export_lines
from grid.cli.proxyservice import (
    Ended,
    Service,
    Serving,
    keys_of,
    run_command,
    serve,
    wait,
)
from grid.display import visible
from grid.errors import ConfigError
from ledgers.recordings import Recordings, check_sessions, read_recordings
from proxy.address import parse_upstream
from proxy.difference import read_pointers
from proxy.launch import client_environment
from proxy.wire.exchange import Gap

STOPPED = 130
"""Exit code when Ctrl-C ends a command's run."""
DIFFERS = (Gap.REPLAY_MISMATCH.value, Gap.REPLAY_SHORT.value)
"""Gaps of a replay that are findings, not failures of ours."""

_Upstream = Annotated[
    list[str] | None,
    typer.Option("--upstream", metavar="URL", help="Base URL of a provider; may be repeated."),
]
_Record = Annotated[
    Path | None, typer.Option("--record", metavar="DIR", help="New folder to record into.")
]
_Replay = Annotated[
    Path | None, typer.Option("--replay", metavar="DIR", help="Folder to answer from, offline.")
]
_Sessions = Annotated[
    list[str] | None,
    typer.Option("--session", metavar="NAME", help="An agent of its own; may be repeated."),
]
_Volatile = Annotated[
    list[str] | None,
    typer.Option(
        "--volatile",
        metavar="POINTER",
        help="Field of requests that may differ in replay, such as /metadata/user_id.",
    ),
]
_Keys = Annotated[
    list[str] | None,
    typer.Option(
        "--key-env",
        metavar="NAME",
        help="Variable with the provider's key, for --via base-url; one for each --upstream, - for "
        "none. Known hosts have their usual one.",
    ),
]


def proxy_command(
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[-- COMMAND...]", help="Runs behind the proxy, which ends with it."
        ),
    ] = None,
    upstream: _Upstream = None,
    record: _Record = None,
    replay: _Replay = None,
    session: _Sessions = None,
    volatile: _Volatile = None,
    via: Annotated[
        Way, typer.Option("--via", help="Which variables COMMAND gets.")
    ] = Way.HTTPS_PROXY,
    key_env: _Keys = None,
    listen: Annotated[
        str, typer.Option("--listen", metavar="ADDRESS", help="Address to listen on.")
    ] = "127.0.0.1",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Put any agent behind the recording proxy, or replay what was recorded."""
    if record is not None and replay is not None:
        raise ConfigError("--record, --replay: one of them, not both")
    stored = None if replay is None else read_recordings(replay)
    chosen = check_sessions(session or ())
    upstreams = _upstreams(upstream, stored)
    service = Service(
        upstreams=upstreams,
        record=record,
        stored=None if stored is None else {item.record.name: item for item in stored.sessions},
        sessions=_sessions(chosen, stored),
        volatile=tuple(volatile or ()),
        listen=listen,
        keys=() if stored is not None else keys_of(upstreams, tuple(key_env or ())),
        stopped=STOPPED if command else 0,
    )
    if volatile and stored is None:
        raise ConfigError("--volatile: only with --replay, where requests are compared")
    read_pointers(service.volatile)
    if command and shutil.which(command[0]) is None:
        raise ConfigError(f"COMMAND: there is no {command[0]!r} to run")
    if command and len(service.sessions) != 1:
        raise ConfigError("--session: a command runs in one session; name one")

    def serving(up: Serving) -> int:
        if not command:
            _show_variables(service, up, as_json)
            return wait(up.proxy)
        (opened,) = up.opened.values()
        providers = Providers(upstreams=service.upstreams, keys=service.keys)
        own = environment_of(via, opened, providers, up.authority, os.environ)
        return run_command(command, own, up.proxy)

    with _stoppable():
        ended = serve(service, serving)
    code = _show_end(service, ended, as_json) or _left_out(chosen, stored)
    raise typer.Exit(code or _idle(command, ended) or ended.code)


def _upstreams(given: list[str] | None, stored: Recordings | None) -> tuple[str, ...]:
    """Return the base URLs: those given, or in replay those that were recorded."""
    for url in given or ():
        parse_upstream(url)
    if stored is None and not given:
        raise ConfigError("--upstream: name the provider, such as https://api.openai.com/v1")
    if stored is not None and given and tuple(given) != stored.upstreams:
        raise ConfigError(
            f"--upstream: it was recorded with {' '.join(stored.upstreams)}; leave it out in replay"
        )
    return tuple(given or ()) if stored is None else stored.upstreams


def _sessions(chosen: tuple[str, ...], stored: Recordings | None) -> tuple[str, ...]:
    """Return the sessions to open; say so where a recording is not whole."""
    if stored is None:
        return chosen or ("session",)
    known = {item.record.name: item.record for item in stored.sessions}
    for wanted in chosen or (None,):
        check_readable(stored, wanted, option="--session")
    for name in chosen or known:
        if name not in known:
            raise ConfigError(f"--session: {name!r} is not recorded; write {' or '.join(known)}")
        if not known[name].complete:
            tell(f"note: the recording of {name} is {lacks(known[name])} and replays so far only")
        if not known[name].count:
            raise ConfigError(f"--replay: nothing is recorded of {name}")
    return chosen or tuple(known)


def _left_out(chosen: tuple[str, ...], stored: Recordings | None) -> int:
    """Return the exit code of what cannot be read, where every session was asked for."""
    return 3 if stored is not None and stored.damaged and not chosen else 0


def _show_variables(service: Service, up: Serving, as_json: bool) -> None:
    both = {
        name: {
            Way.BASE_URL.value: by_base_url(opened, service.upstreams),
            Way.HTTPS_PROXY.value: client_environment(opened, up.authority, plain=True),
        }
        for name, opened in up.opened.items()
    }
    if as_json:
        show_json(both)
    for name, ways in {} if as_json else both.items():
        say(f"# session {name}: clients that take a base URL (the provider's key stays here)")
        for line in export_lines(ways[Way.BASE_URL.value]):
            say(line)
        say(f"# session {name}: or unmodified clients, which keep their own keys and addresses")
        for line in export_lines(ways[Way.HTTPS_PROXY.value]):
            say(line)
    sys.stdout.flush()  # somebody may be reading it through a pipe
    tell("listening; Ctrl-C ends it" + (" and seals the recording" if service.record else ""))


def _show_end(service: Service, ended: Ended, as_json: bool) -> int:
    """Say how it went and return the exit code: 1 a replay that differs, 3 something is missing."""
    recording, code = service.record is not None or service.stored is not None, 0
    if as_json:
        sessions = {
            name: {"count": item.count, "complete": item.complete, "reason": item.reason}
            | ({"oddities": len(ended.odd[name])} if name in ended.odd else {})
            for name, item in ended.closed.items()
        }
        show_json({"sessions": sessions, "unattributed": ended.strangers})
    for name, item in ended.closed.items():
        missing = recording and not item.complete
        state = f", not complete: {visible(item.detail or item.reason, 1000)}" if missing else ""
        tell(f"{name}: {_exchanges(item.count)}{state or (', complete' if recording else '')}")
        if broken := ended.broken.get(name, 0):
            tell(f"note: {broken} of them got no whole answer of the provider's")
        for line in odd_lines(ended.odd.get(name, ())):
            tell(f"note: {line}")
        if missing:
            code = max(code, 1 if item.reason in DIFFERS else 3)
    for address, times in dict(ended.strangers.get("unlisted", {})).items():
        tell(f"{times} x {visible(str(address))} was asked for and refused: no --upstream names it")
        code = 3
    if ended.strangers.get("count"):
        tell(stranger_sentence(ended.strangers))
        code = 3
    return code


def _exchanges(count: int) -> str:
    return f"{count} exchange" + ("" if count == 1 else "s")


def _idle(command: list[str] | None, ended: Ended) -> int:
    """Say so if a command ended well and never came to the proxy; return the exit code."""
    if not command or ended.code or any(item.count for item in ended.closed.values()):
        return 0
    tell(
        "the command asked nothing through the proxy; does it read the variables that it was "
        "given? --via chooses which"
    )
    return 3


def stranger_sentence(strangers: Mapping[str, Any]) -> str:
    """Return a sentence about requests that belong to no session."""
    first = [
        visible(f"{item['method']} {item['host']}{item['path']}", 200)
        for item in strangers.get("first", ())
    ]
    return (
        f"{strangers['count']} x a request that belongs to no session was refused "
        f"({', '.join(first)}); give the client the variables of its session"
    )


@contextmanager
def _stoppable() -> Iterator[None]:
    """Take SIGTERM as Ctrl-C."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
