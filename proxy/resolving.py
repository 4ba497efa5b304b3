"""Where may a listed name lead? Not into the network around us, unless that was listed as well.

Whoever answers for the name of a public provider could answer with an address of this machine, of
the local network, or of a cloud's metadata service, and the proxy would carry an agent's words
there (DNS rebinding). So the proxy runs on an event loop that checks what a name has been resolved
to before it connects, and connects to exactly what was checked:

1. An address that is listed itself, with its port, is allowed: somebody wrote it down.
2. Link-local, multicast, unspecified and metadata addresses are refused.
3. Any other public address is allowed.
4. A private or loopback address is allowed to a name that can have no other: ``localhost``, a name
   without a dot, or one under a suffix that no public resolver serves.

An address inside another one (IPv4 in IPv6, 6to4, NAT64) is judged by what is inside.
"""

import asyncio
import ipaddress
from collections.abc import Set as AbstractSet
from typing import Any

from proxy.address import join_address

type _Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_METADATA = frozenset(
    ipaddress.ip_address(text)
    for text in ("100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254")
)
"""Metadata services of clouds that are not link-local."""

_PRIVATE_SUFFIXES = (
    "localhost",
    "local",
    "internal",
    "lan",
    "home.arpa",
    "intranet",
    "private",
    "corp",
    "home",
    "test",
)
"""Suffixes that lead nowhere in the public name system."""

_NAT64 = ipaddress.ip_network("64:ff9b::/96")


def explain_refusal(
    host: str, address: str, port: int, listed: AbstractSet[tuple[str, int]]
) -> str | None:
    """Return in a sentence why a name must not lead to an address, or None if it may."""
    found = _inside(ipaddress.ip_address(address.partition("%")[0]))
    if (address, port) in listed or (str(found), port) in listed:
        return None
    if found.is_link_local or found.is_multicast or found.is_unspecified or found in _METADATA:
        return f"{host} leads to {address}, which is no address of a provider"
    if found.is_global or _is_private_name(host):
        return None
    return (
        f"{host} leads to {address}, which is not public; if that is meant, list "
        f"{join_address(address, port)} as well"
    )


def _inside(address: _Address) -> _Address:
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


def _is_private_name(host: str) -> bool:
    name = host.lower().rstrip(".")
    return "." not in name or name.endswith(tuple(f".{suffix}" for suffix in _PRIVATE_SUFFIXES))


class CheckedLoop(asyncio.SelectorEventLoop):
    """An event loop that resolves names to addresses that they may lead to, and to no other."""

    def __init__(self, listed: AbstractSet[tuple[str, int]], denied: str) -> None:
        """Keep the listed addresses, and what every refusal begins with."""
        super().__init__()
        self._listed = frozenset(listed)
        self._denied = denied

    async def getaddrinfo(
        self, host: bytes | str | None, port: bytes | str | int | None, **hints: Any
    ) -> Any:
        """Resolve a name.

        Raises:
            OSError: it does not resolve, or leads only where it must not.
        """
        found = await super().getaddrinfo(host, port, **hints)
        name = host.decode() if isinstance(host, bytes) else host or ""
        refusals = [
            explain_refusal(name, str(info[4][0]), int(info[4][1]), self._listed) for info in found
        ]
        allowed = [info for info, why in zip(found, refusals, strict=True) if why is None]
        if found and not allowed:
            raise OSError(f"{self._denied}: {refusals[0]}")
        return allowed
