from datetime import UTC, datetime, timedelta, timezone

import pytest

from proxy.wire.answer import asked_to_wait, seconds_to_wait

NOW = datetime(2026, 10, 21, 7, 27, 30, tzinfo=UTC)
JST = timezone(timedelta(hours=9))


@pytest.mark.parametrize(
    ("sent", "seconds"),
    [
        ("0", 0.0),
        ("1.5", 1.5),
        (" 30 ", 30.0),
        ("-1", None),
        ("-0", None),
        ("+5", None),
        ("1e3", None),
        ("1_0", None),
        ("\u0663", None),
        ("9" * 400, None),
        ("inf", None),
        ("nan", None),
        ("soon", None),
        ("", None),
        (None, None),
    ],
)
def test_seconds_are_plain_numbers_with_and_without_a_clock(
    sent: str | None, seconds: float | None
) -> None:
    """C65."""
    assert seconds_to_wait(sent) == seconds
    assert seconds_to_wait(sent, NOW) == seconds


@pytest.mark.parametrize(
    ("sent", "seconds"),
    [
        ("Wed, 21 Oct 2026 07:28:00 GMT", 30.0),
        ("Wednesday, 21-Oct-26 07:28:00 GMT", 30.0),
        ("Wed Oct 21 07:28:00 2026", 30.0),
        ("Wed, 21 Oct 2026 07:27:30 GMT", 0.0),
        ("Wed, 21 Oct 2026 16:28:00 +0900", 30.0),
        ("Wed, 21 Oct 2026 07:27:29 GMT", None),
        ("Wed, 31 Feb 2026 07:28:00 GMT", None),
        ("Wed, 21 Oct 99999 07:28:00 GMT", None),
        ("Wed, 21 Oct 2026 99999999999999999999:28:00 GMT", None),
        ("2026-10-21T07:28:00Z", None),
    ],
)
def test_a_date_is_read_by_who_has_a_clock_wherever_it_stands(
    sent: str, seconds: float | None
) -> None:
    """C65: the three forms of HTTP; the recorder's clock in JST; a date that has passed."""
    assert seconds_to_wait(sent) is None
    assert seconds_to_wait(sent, NOW) == seconds
    assert seconds_to_wait(sent, NOW.astimezone(JST)) == seconds


def test_milliseconds_come_first_where_they_are_told() -> None:
    """C65: the clients that know them do not look at what is rounded to seconds."""
    date = {"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}
    assert asked_to_wait({"retry-after-ms": "250"} | date, NOW) == 0.25
    for unread in ({}, {"retry-after-ms": "-1"}, {"retry-after-ms": "soon"}):
        assert asked_to_wait(unread | date, NOW) == 30.0
        assert asked_to_wait(unread, NOW) is None
