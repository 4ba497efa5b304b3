"""Retries that came before the provider allowed them, as notes for people.

A rate limit is a matter of transport: it is no refusal and no loop of the agent's, and no verdict
reads what is said here. The recording holds no clock, so the proxy's own timings are needed.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import pairwise

from proxy.wire.answer import seconds_to_wait
from proxy.wire.exchange import Exchange

WAITING = (429, 503)
"""Statuses whose ``Retry-After`` asks to wait."""

type Timing = Sequence[float | None]
"""When an exchange was asked, got its first byte and ended: ms since the trial was opened."""


def early_retries(
    exchanges: Sequence[Exchange], timings: Sequence[Timing], opened: datetime
) -> Iterator[str]:
    """Yield a sentence for each request that came before the answer before it allowed one.

    Args:
        exchanges: exchanges of one trial, in order.
        timings: of each exchange by its number `n`.
        opened: when the trial was opened, with its zone; dates in headers are held against it.
    """
    for last, following in pairwise(exchanges):
        answer = last.response
        if answer is None or answer.status not in WAITING:
            continue
        ended, asked = _at(timings, last.n, 2), _at(timings, following.n, 0)
        if ended is None or asked is None:
            continue
        now = opened + timedelta(milliseconds=ended)
        wait = seconds_to_wait(answer.headers.get("retry-after"), now)
        waited = (asked - ended) / 1000
        if wait is not None and waited < wait:
            yield (
                f"request {following.n} came {waited:.1f} s after an answer with status "
                f"{answer.status} that asked to wait {wait:.1f} s"
            )


def _at(timings: Sequence[Timing], n: int, part: int) -> float | None:
    return timings[n][part] if n < len(timings) else None
