"""The environment of an agent that runs behind `nonverba proxy`: two ways in, as variables.

By base URL the agent holds a virtual key and the provider's real one stays with the proxy. Through
``HTTPS_PROXY`` unmodified clients keep their own keys and addresses, and trust the certificate
authority of this proxy instead of the world's: a client that slips past it fails.
"""

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from proxy.address import parse_upstream
from proxy.launch import OpenedTrial, client_environment

LOOPBACK = "127.0.0.1,localhost"

_BY_HOST = {
    "api.openai.com": ("OPENAI_BASE_URL", "OPENAI_API_KEY"),
    "api.anthropic.com": ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"),
    "generativelanguage.googleapis.com": ("GOOGLE_GEMINI_BASE_URL", "GEMINI_API_KEY"),
}


class Way(StrEnum):
    """How an agent's requests get into the proxy."""

    BASE_URL = "base-url"
    """Its client is given the proxy as the provider's base URL."""
    HTTPS_PROXY = "https-proxy"
    """Its client is unmodified and is given a proxy and a certificate authority."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """Variables that clients of one provider read."""

    url: str
    """Holds the base URL."""
    key: str
    """Holds the key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Providers:
    """Where requests go, and with which keys."""

    upstreams: tuple[str, ...]
    """Base URLs."""
    keys: tuple[str, ...]
    """The provider's key of each; empty for none."""


def names_of(upstream: str) -> tuple[Names, ...]:
    """Return the variables that the clients of an upstream usually read.

    What speaks at a host of nobody we know is not known either: it gets the names of all.
    """
    host = parse_upstream(upstream).host
    pairs = (_BY_HOST[host],) if host in _BY_HOST else _BY_HOST.values()
    return tuple(Names(url=url, key=key) for url, key in pairs)


def usual_key(upstream: str) -> str | None:
    """Return the variable whose key may go to an upstream unasked; None for a host we don't know.

    A key goes to the provider that gave it and to nobody else: a server that merely speaks the same
    protocol gets one only if the user says so.
    """
    found = _BY_HOST.get(parse_upstream(upstream).host)
    return found[1] if found else None


def by_base_url(opened: OpenedTrial, upstreams: Iterable[str]) -> dict[str, str]:
    """Return variable -> value for clients that take a base URL; the first of a kind counts."""
    found: dict[str, str] = {}
    urls = (opened.base_url, *opened.more_urls)
    for upstream, url in zip(upstreams, urls, strict=False):
        for names in names_of(upstream):
            found.setdefault(names.url, url)
            found.setdefault(names.key, opened.api_key)
    return found


def environment_of(
    way: Way, opened: OpenedTrial, providers: Providers, authority: Path, own: Mapping[str, str]
) -> dict[str, str]:
    """Return the whole environment of a command that runs behind the proxy.

    By base URL it holds no variable with a provider's key; through ``HTTPS_PROXY`` the command
    needs its own keys and has them.
    """
    if way is Way.BASE_URL:
        kept = {
            name: value for name, value in own.items() if not value or value not in providers.keys
        }
        # Else a proxy of the user's own would be asked for the way to this one.
        around = {"NO_PROXY": LOOPBACK, "no_proxy": LOOPBACK}
        return kept | around | by_base_url(opened, providers.upstreams)
    ours = client_environment(opened, authority, plain=True)
    said = {name.lower() for name in ours} | {"no_proxy"}  # clients read both ways of writing them
    return {name: value for name, value in own.items() if name.lower() not in said} | ours


def export_lines(variables: Mapping[str, str]) -> list[str]:
    """Return lines for a shell."""
    return [f"export {name}={shlex.quote(value)}" for name, value in variables.items()]
