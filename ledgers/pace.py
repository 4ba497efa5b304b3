"""Retries that came before the provider allowed them, as notes for people.

A rate limit is a matter of transport: it is no refusal and no loop of the agent's, and no verdict
reads what is said here. The recording holds no clock, so the proxy's own timings are needed.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from proxy.wire.answer import asked_to_wait
from proxy.wire.exchange import Exchange

WAITING = (429, 503)
"""Statuses whose ``Retry-After`` asks to wait."""

type Timing = Sequence[float | None]
"""When an exchange was asked, got its first byte and ended: ms since the trial was opened."""


def early_retries(
    exchanges: Sequence[Exchange], timings: Sequence[Timing], opened: datetime
) -> Iterator[str]:
    """Yield a sentence for each request that came before the answer before it allowed one.

    One that was under way when that answer came is no retry; the first one after it is looked at.

    Args:
        exchanges: exchanges of one trial, in order.
        timings: of each exchange by its number `n`.
        opened: when the trial was opened, with its zone; dates in headers are held against it.
    """
    for place, last in enumerate(exchanges):
        answer, ended = last.response, _at(timings, last.n, 2)
        if answer is None or answer.status not in WAITING or ended is None:
            continue
        later = ((item.n, _at(timings, item.n, 0)) for item in exchanges[place + 1 :])
        after = ((n, asked - ended) for n, asked in later if asked is not None and asked >= ended)
        wait = asked_to_wait(answer.headers, opened + timedelta(milliseconds=ended))
        number, waited = next(after, (0, float("inf")))
        if wait is not None and waited / 1000 < wait:
            yield (
                f"request {number} came {waited / 1000:.1f} s after an answer with status "
                f"{answer.status} that asked to wait {wait:.1f} s"
            )


def _at(timings: Sequence[Timing], n: int, part: int) -> float | None:
    return timings[n][part] if n < len(timings) else None
