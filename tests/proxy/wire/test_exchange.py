import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grid.errors import CanonicalError, StrictError
from proxy.wire.exchange import (
    ErrorKind,
    Exchange,
    Gap,
    Request,
    Response,
    body_bytes,
    body_json,
    exchange_lines,
    read_exchanges,
    read_partial,
)

ASKED = {"method": "POST", "path": "/x", "headers": {}, "body": {"text": "{}"}}
ANSWERED = {"status": 200, "headers": {"content-type": "text/plain"}, "body": {"base64": "/w=="}}

EVENTS: list[dict[str, Any]] = [
    {"event": "open", "format": 1, "trial": "s/f/m/c/off/en/0"},
    {"event": "request", "n": 0, "request": ASKED},
    {"event": "request", "n": 1, "request": ASKED},
    {"event": "response", "n": 1, "response": ANSWERED},
    {"event": "error", "n": 0, "kind": "refused", "response": None},
    {"event": "close", "count": 2, "reason": None},
]


def partial(*events: Any) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def test_a_whole_file_is_complete_and_in_order_of_requests() -> None:
    recording = read_partial(partial(*EVENTS))
    assert (recording.complete, recording.reason, recording.detail) == (True, None, "")
    assert [(e.n, e.error) for e in recording.exchanges] == [(0, "refused"), (1, None)]
    assert recording.exchanges[1].response is not None
    assert body_bytes(recording.exchanges[1].response.body) == b"\xff"


def test_a_file_cut_at_any_byte_is_incomplete_and_never_raises() -> None:
    """C63: between two lines too, which no line could tell."""
    whole = partial(*EVENTS)
    for length in range(len(whole)):
        recording = read_partial(whole[:length])
        assert not recording.complete
        assert recording.reason in (Gap.EMPTY, Gap.CUT_TAIL, Gap.UNANSWERED, Gap.NOT_CLOSED)
        assert recording.detail


@pytest.mark.parametrize("number", range(len(EVENTS)))
def test_a_file_without_one_of_its_lines_is_incomplete(number: int) -> None:
    assert not read_partial(partial(*EVENTS[:number], *EVENTS[number + 1 :])).complete


@pytest.mark.parametrize("number", range(len(EVENTS)))
def test_a_file_with_one_of_its_lines_twice_is_incomplete(number: int) -> None:
    assert not read_partial(partial(*EVENTS[: number + 1], *EVENTS[number:])).complete


@pytest.mark.parametrize(
    ("number", "changes"),
    [
        (0, {"format": 2}),
        (0, {"more": 1}),
        (1, {"n": 1}),
        (1, {"n": True}),
        (1, {"request": ASKED | {"body": {"text": "x", "base64": ""}}}),
        (1, {"request": ASKED | {"body": {}}}),
        (3, {"response": ANSWERED | {"body": {"base64": "no!"}}}),
        (3, {"response": ANSWERED | {"body": {"base64": "/x=="}}}),
        (3, {"response": ANSWERED | {"status": 99}}),
        (3, {"response": None}),
        (3, {"n": 5}),
        (4, {"kind": "bored"}),
        (5, {"count": 3}),
        (5, {"event": "dance"}),
    ],
)
def test_a_line_that_is_not_exactly_its_event_is_a_bad_line(
    number: int, changes: dict[str, Any]
) -> None:
    events = [*EVENTS]
    events[number] = events[number] | changes
    recording = read_partial(partial(*events))
    assert (recording.complete, recording.reason) == (False, Gap.BAD_LINE)


def test_good_exchanges_beside_a_bad_line_are_kept_and_its_offset_is_told() -> None:
    """C63: a damaged line spoils the trial, not the evidence beside it."""
    first, rest = partial(*EVENTS[:1]), partial(*EVENTS[1:])
    recording = read_partial(first + b'{"event":"request"' + b"\xff\n" + rest)
    assert len(recording.exchanges) == 2
    assert (recording.complete, recording.reason) == (False, Gap.BAD_LINE)
    assert f"the line at byte {len(first)}" in recording.detail


def test_trailing_zero_bytes_are_a_cut_tail() -> None:
    assert read_partial(partial(*EVENTS) + bytes(64)).reason is Gap.CUT_TAIL


def test_the_recorders_own_reason_is_kept() -> None:
    events = [*EVENTS[:-1], EVENTS[-1] | {"reason": "recorder_failed"}]
    recording = read_partial(partial(*events))
    assert (recording.complete, recording.reason) == (False, Gap.RECORDER_FAILED)


@given(st.binary(max_size=300))
def test_no_bytes_make_a_reader_raise(data: bytes) -> None:
    assert not read_partial(data).complete
    assert not read_partial(partial(*EVENTS[:2]) + data).complete


@given(st.binary(max_size=200))
def test_a_body_comes_back_to_the_byte(data: bytes) -> None:
    assert body_bytes(body_json(data)) == data


def exchanges() -> tuple[Exchange, ...]:
    request = Request(method="POST", path="/x", headers={"accept": "a"}, body={"text": "月"})
    response = Response(status=200, headers={}, body={"base64": "/w=="})
    return (
        Exchange(n=0, request=request, response=response, error=None),
        Exchange(n=1, request=request, response=None, error=ErrorKind.REFUSED),
    )


def test_canonical_lines_come_back_equal_and_to_the_byte() -> None:
    lines = exchange_lines(exchanges())
    assert read_exchanges(lines) == exchanges()
    assert exchange_lines(read_exchanges(lines)) == lines
    assert lines.split(b"\n")[0] == (
        '{"error":null,"n":0,"request":{"body":{"text":"月"},"headers":{"accept":"a"},'
        '"method":"POST","path":"/x"},"response":{"body":{"base64":"/w=="},"headers":{},'
        '"status":200}}'.encode()
    )


def test_canonical_lines_are_read_strictly() -> None:
    lines = exchange_lines(exchanges())
    first, second = lines.splitlines(keepends=True)
    for wrong in (
        lines[:-1],
        second + first,
        first + first,
        lines.replace(b'"error":"refused"', b'"error":null'),
        lines.replace(b'"n":1', b'"n":1,"x":1'),
        lines.replace(b'"/w=="', b'"/w="'),
    ):
        with pytest.raises(StrictError):
            read_exchanges(wrong)
    with pytest.raises(CanonicalError):
        read_exchanges(b"no json\n")
    assert read_exchanges(b"") == ()
    assert [item.n for item in read_exchanges(second)] == [1], "an unanswered one leaves a hole"


CHANGED = {"status": 503, "headers": {}, "body": {"text": "no"}}


def told(event: str, **fields: Any) -> bytes:
    return partial(
        EVENTS[0], EVENTS[1], {"event": event, "n": 0} | fields, {**EVENTS[5], "count": 1}
    )


def test_an_answer_that_was_changed_on_its_way_is_held_in_both_versions() -> None:
    (whole,) = read_partial(told("response", response=CHANGED, sent=ANSWERED)).exchanges
    cut = {"kind": "disconnect", "response": CHANGED, "sent": ANSWERED}
    (half,) = read_partial(told("error", **cut)).exchanges
    for exchange in (whole, half):
        assert exchange.response is not None
        assert exchange.sent is not None
        assert exchange.provided is exchange.sent
        assert (exchange.response.status, exchange.sent.status) == (503, 200)
        lines = exchange_lines((exchange,))
        assert read_exchanges(lines) == (exchange,)
    assert (whole.error, half.error) == (None, ErrorKind.DISCONNECT)


def test_an_exchange_in_which_nothing_was_changed_says_nothing_of_it() -> None:
    lines = exchange_lines(exchanges())
    assert b"sent" not in lines
    plain = read_exchanges(lines)[-1]
    assert plain.provided is plain.response


@pytest.mark.parametrize(
    ("event", "fields"),
    [
        ("response", {"response": ANSWERED, "sent": ANSWERED}),
        ("response", {"response": ANSWERED, "sent": None}),
        ("response", {"response": ANSWERED, "sent": {**ANSWERED, "status": 7}}),
        ("response", {"response": ANSWERED, "sent": {**ANSWERED, "body": {}}}),
        ("error", {"kind": "client_left", "response": CHANGED, "sent": ANSWERED}),
        ("error", {"kind": "disconnect", "response": None, "sent": ANSWERED}),
        ("error", {"kind": "disconnect", "response": None, "sent": None}),
    ],
)
def test_a_change_that_makes_no_sense_is_a_bad_line(event: str, fields: dict[str, Any]) -> None:
    assert read_partial(told(event, **fields)).reason is Gap.BAD_LINE


def test_a_change_that_is_written_empty_is_refused() -> None:
    line = exchange_lines(exchanges()[:1])
    with pytest.raises(StrictError, match="/sent"):
        read_exchanges(line.replace(b'"request"', b'"sent":null,"request"'))
