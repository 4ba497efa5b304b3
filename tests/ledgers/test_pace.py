"""A retry before its time is noted; one at its time, and one that nobody asked to wait, are not."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from ledgers.pace import early_retries
from proxy.wire.exchange import Exchange
from tests.builders import exchange

OPENED = datetime(2026, 10, 21, 7, 27, 0, tzinfo=UTC)


def pair(retry_after: str | None, status: int = 429) -> tuple[Exchange, Exchange]:
    """Return an answer that may ask to wait, and the request after it."""
    first = exchange(0, {}, {"error": {"message": "slow down"}}, status)
    assert first.response is not None
    headers = {} if retry_after is None else {"retry-after": retry_after}
    return replace(first, response=replace(first.response, headers=headers)), exchange(1, {}, {})


@pytest.mark.parametrize(
    ("retry_after", "asked_ms", "early"),
    [
        ("2", 2900, True),
        ("2", 3000, False),
        ("1.5", 2400, True),
        ("1.5", 2500, False),
        ("0", 1000, False),
        ("-1", 1000, False),
        (None, 1000, False),
        ("soon", 1000, False),
        ("Wed, 21 Oct 2026 07:28:00 GMT", 59_000, True),
        ("Wed, 21 Oct 2026 07:28:00 GMT", 60_000, False),
        ("Wed, 21 Oct 2020 07:28:00 GMT", 1_000, False),
    ],
)
def test_a_retry_is_early_before_what_the_answer_allowed(
    retry_after: str | None, asked_ms: float, early: bool
) -> None:
    timings = [[0.0, 900.0, 1000.0], [asked_ms, None, None]]
    assert bool(list(early_retries(pair(retry_after), timings, OPENED))) is early


def test_the_sentence_names_both_times() -> None:
    timings = [[0.0, 900.0, 1000.0], [1250.0, None, None]]
    (said,) = early_retries(pair("2", 503), timings, OPENED)
    assert said == "request 1 came 0.2 s after an answer with status 503 that asked to wait 2.0 s"


def test_other_statuses_ask_nobody_to_wait() -> None:
    timings = [[0.0, 900.0, 1000.0], [1001.0, None, None]]
    assert not list(early_retries(pair("9", 200), timings, OPENED))


def test_without_timings_nothing_is_said() -> None:
    for timings in ([], [[0.0, None, None], [1.0, None, None]]):
        assert not list(early_retries(pair("9"), timings, OPENED))
