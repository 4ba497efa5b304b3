"""Requests that belong to no trial: refused, counted, and shown at the end of the run.

A model's traffic that nobody recorded would make every verdict of the run an opinion. Nothing of a
stray request is forwarded; of the first few it is kept what they were: no query, no body, no
header, and no token of a trial. A request to a trial that is closed or has failed is no stray.

Some clients name their trial only after they were asked for it. What such a client sent before is
held until its connection ends, and is no stray if it has named an open trial by then.
"""

import re
from collections.abc import Iterable
from typing import Any

from grid.canonical import scrub_text

SHOWN = 5
"""How many are kept."""

_WIDTH = 120
_TOKEN = re.compile(r"/t/[0-9a-f]{32,}")


class Strays:
    """What belonged to no trial so far, and where the clients of trials were not let go."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._count = 0
        self._first: list[dict[str, str]] = []
        self._held: dict[str, list[dict[str, str]]] = {}
        self._unlisted: dict[str, int] = {}

    def add(self, method: str, host: str, path: str) -> None:
        """Count a request."""
        self._settle([_shown(method, host, path)])

    def hold(self, connection: str, method: str, host: str, path: str) -> None:
        """Hold a request of a client that was asked for its trial."""
        self._held.setdefault(connection, []).append(_shown(method, host, path))

    def forgive(self, connection: str) -> None:
        """Forget what a connection had sent before it named an open trial."""
        self._held.pop(connection, None)

    def ended(self, connection: str) -> None:
        """Count what a connection had sent that never named an open trial."""
        self._settle(self._held.pop(connection, []))

    def refused(self, target: str) -> None:
        """Count a request of a trial to an address that is not listed."""
        if target in self._unlisted or len(self._unlisted) < SHOWN:
            self._unlisted[target] = self._unlisted.get(target, 0) + 1

    def told(self) -> dict[str, Any]:
        """Return ``count`` and ``first``, each with ``method``, ``host``, ``path``; ``unlisted``.

        The last says how often the clients of trials were refused which address that is not listed.
        """
        held = [stray for strays in self._held.values() for stray in strays]
        return {
            "count": self._count + len(held),
            "first": (self._first + held)[:SHOWN],
            "unlisted": dict(self._unlisted),
        }

    def _settle(self, strays: Iterable[dict[str, str]]) -> None:
        for stray in strays:
            self._count += 1
            if len(self._first) < SHOWN:
                self._first.append(stray)


def _shown(method: str, host: str, path: str) -> dict[str, str]:
    place = _TOKEN.sub("/t/[trial token]", path.partition("?")[0].partition("#")[0])
    fields = {"method": method, "host": host, "path": place}
    return {name: _plain(text) for name, text in fields.items()}


def _plain(text: str) -> str:
    """Return the beginning of a text, without anything that a terminal would obey."""
    shown = scrub_text(text)
    cut = shown if len(shown) <= _WIDTH else shown[:_WIDTH] + "..."
    return "".join(sign if sign.isprintable() else "?" for sign in cut)
