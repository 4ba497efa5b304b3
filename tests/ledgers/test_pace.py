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


@pytest.mark.parametrize(
    ("milliseconds", "retry_after", "early"),
    [
        ("200", "1", False),  # clients that know both go by the first; the second is rounded up
        ("200", None, False),
        ("900", None, True),
        ("900", "0", True),
        ("-1", "1", True),
        ("soon", None, False),
    ],
)
def test_milliseconds_come_before_seconds(
    milliseconds: str, retry_after: str | None, early: bool
) -> None:
    """C65."""
    first, following = pair(retry_after)
    assert first.response is not None
    headers = first.response.headers | {"retry-after-ms": milliseconds}
    first = replace(first, response=replace(first.response, headers=headers))
    timings = [[0.0, 900.0, 1000.0], [1500.0, None, None]]
    assert bool(list(early_retries((first, following), timings, OPENED))) is early


def test_a_request_that_was_under_way_already_is_no_retry() -> None:
    """C65: a parallel one came before the answer; the one that came after it is looked at."""
    first, parallel = pair("2")
    found = (first, parallel, replace(parallel, n=2))
    before = [0.0, 900.0, 1000.0], [500.0, 950.0, 1200.0]
    assert not list(early_retries(found, [*before, [3000.0, None, None]], OPENED))
    assert not list(early_retries(found[:2], before, OPENED))
    (said,) = early_retries(found, [*before, [1500.0, None, None]], OPENED)
    assert said.startswith("request 2 came 0.5 s after")


def test_other_statuses_ask_nobody_to_wait() -> None:
    timings = [[0.0, 900.0, 1000.0], [1001.0, None, None]]
    assert not list(early_retries(pair("9", 200), timings, OPENED))


def test_without_timings_nothing_is_said() -> None:
    for timings in ([], [[0.0, None, None], [1.0, None, None]]):
        assert not list(early_retries(pair("9"), timings, OPENED))
