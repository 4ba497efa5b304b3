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
    "api.anthropic.com": ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"),
    "generativelanguage.googleapis.com": ("GOOGLE_GEMINI_BASE_URL", "GEMINI_API_KEY"),
}
_USUAL = ("OPENAI_BASE_URL", "OPENAI_API_KEY")


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


def names_of(upstream: str) -> Names:
    """Return the variables that the clients of an upstream usually read."""
    url, key = _BY_HOST.get(parse_upstream(upstream).host, _USUAL)
    return Names(url=url, key=key)


def by_base_url(opened: OpenedTrial, upstreams: Iterable[str]) -> dict[str, str]:
    """Return variable -> value for clients that take a base URL; the first of a kind counts."""
    found: dict[str, str] = {}
    urls = (opened.base_url, *opened.more_urls)
    for upstream, url in zip(upstreams, urls, strict=False):
        names = names_of(upstream)
        found.setdefault(names.url, url)
        found.setdefault(names.key, opened.api_key)
    return found


def environment_of(
    way: Way, opened: OpenedTrial, upstreams: Iterable[str], authority: Path, own: Mapping[str, str]
) -> dict[str, str]:
    """Return the whole environment of a command that runs behind the proxy."""
    if way is Way.BASE_URL:
        # Else a proxy of the user's own would be asked for the way to this one.
        return dict(own) | {"NO_PROXY": LOOPBACK} | by_base_url(opened, upstreams)
    ours = client_environment(opened, authority, plain=True)
    said = {name.lower() for name in ours} | {"no_proxy"}  # clients read both ways of writing them
    return {name: value for name, value in own.items() if name.lower() not in said} | ours


def export_lines(variables: Mapping[str, str]) -> list[str]:
    """Return lines for a shell."""
    return [f"export {name}={shlex.quote(value)}" for name, value in variables.items()]
