"""Reading upstream addresses: strict, because they decide where a provider's key may go."""

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from grid.errors import ConfigError

_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """Where the requests of a trial go."""

    scheme: str
    """``http`` or ``https``."""
    host: str
    """Host name or address."""
    port: int
    """Port."""
    base: str
    """Path that every request path is appended to; no slash at its end."""

    @property
    def address(self) -> tuple[str, int]:
        """Host and port."""
        return (self.host, self.port)


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One of the upstreams that a trial has under the proxy's own address."""

    upstream: Upstream
    """Where its requests go."""
    secret: str
    """The provider's real key; empty for none."""
    name: str = ""
    """``host:port`` for the record; empty for the first, which the plan names."""


NOWHERE = Upstream(scheme="http", host="127.0.0.1", port=1, base="")
"""The upstream of a replayed trial: listed nowhere, and nobody listens there."""


def parse_upstream(url: str) -> Upstream:
    """Read a base URL.

    Raises:
        ConfigError: it is not ``http(s)://host[:port][/path]`` and nothing more.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ConfigError(f"upstream {url!r} is no URL: {error}") from error
    extra = parts.username is not None or parts.query or parts.fragment or not url.isascii()
    if parts.scheme not in _PORTS or not parts.hostname or extra:
        raise ConfigError(f"upstream {url!r}: write http(s)://host[:port][/path] and nothing more")
    return Upstream(
        scheme=parts.scheme,
        host=parts.hostname,
        port=port or _PORTS[parts.scheme],
        base=parts.path.rstrip("/"),
    )


def parse_address(text: str) -> tuple[str, int]:
    """Read ``host:port``.

    Raises:
        ConfigError: it is something else.
    """
    host, _, port = text.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
        raise ConfigError(f"upstream address {text!r}: write host:port, such as 127.0.0.1:8000")
    return (host.strip("[]").lower(), int(port))


def join_address(host: str, port: int) -> str:
    """Return ``host:port`` in the form that `parse_address` reads."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def parse_listen(text: str) -> str:
    """Read the address that the proxy listens on.

    Raises:
        ConfigError: it is no IPv4 or IPv6 address.
    """
    try:
        return str(ipaddress.ip_address(text))
    except ValueError as error:
        raise ConfigError(f"listen: {text!r} is no IP address; write 127.0.0.1") from error


def reachable(listen: str) -> str:
    """Return the host by which a client on this machine reaches what listens on an address."""
    address = ipaddress.ip_address(listen)
    if address.is_unspecified:
        return "127.0.0.1" if address.version == 4 else "::1"
    return str(address)


def exposure(listen: str) -> str:
    """Return a warning if an address is open to other machines, else nothing."""
    if ipaddress.ip_address(listen).is_loopback:
        return ""
    return (
        f"warning: the proxy listens on {listen}, where other machines may reach it; what its "
        "clients send to it, their keys among it, crosses the network in the clear"
    )
