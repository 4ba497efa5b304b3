"""The offline guard: a test that reaches for any address but this machine's own fails.

`make test` also takes the network away altogether where the system allows it; this guard works
everywhere in the test process, and names the test and the address. A library that swallows the
refusal is found out all the same.
"""

import ipaddress
import os
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

settings.register_profile("nonverba", deadline=None)  # machines are shared: time proves nothing
settings.load_profile("nonverba")

WATCHED = {
    "socket.connect": 1,
    "socket.sendto": 1,
    "socket.getaddrinfo": 0,
    "socket.gethostbyname": 0,
}
"""Audit events, and where among their arguments the address stands."""

_reached: list[str] = []


class ReachedOut(ConnectionError):
    """Code under test tried to talk to something that is not this machine."""


def is_here(host: object) -> bool:
    """Return whether a host is this machine: loopback, a wildcard address or a file's path."""
    if isinstance(host, bytes):
        host = host.decode("utf-8", "replace")
    if not isinstance(host, str) or host in ("", "localhost") or host.startswith(("/", "\0")):
        return True
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def _refuse_outside(event: str, arguments: tuple[object, ...]) -> None:
    if event not in WATCHED:
        return
    target = arguments[WATCHED[event]]
    host = target[0] if isinstance(target, tuple) and target else target
    if not is_here(host):
        _reached.append(f"{event} {target!r}")
        raise ReachedOut(f"{event} {target!r}: the tests talk to nothing but this machine")


sys.addaudithook(_refuse_outside)


@pytest.fixture
def reached() -> list[str]:
    """What was reached for so far in this test; a test that provokes it clears the list."""
    return _reached


@pytest.fixture(autouse=True)
def offline() -> Iterator[None]:
    """Fail a test during which anything reached outside."""
    _reached.clear()
    yield
    attempts = list(_reached)
    _reached.clear()
    if attempts:
        pytest.fail("reached outside this machine: " + "; ".join(attempts), pytrace=False)


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name sets in one order, or two workers would collect tests of different names."""
    if isinstance(val, set | frozenset):
        return "{" + ", ".join(sorted(map(str, val))) + "}"
    return None


def pytest_report_header() -> str:
    """Say whether the network is really off."""
    return f"network: {os.environ.get('NONVERBA_NETWORK', 'on')} (guarded in the test process)"
