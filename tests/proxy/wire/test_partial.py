import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grid.canonical import digest
from grid.errors import StrictError
from proxy.wire import partial
from proxy.wire.exchange import ErrorKind, Exchange, Gap, body_bytes, exchange_lines
from proxy.wire.partial import (
    RawRequest,
    RawResponse,
    close_frame,
    error_frame,
    open_frame,
    raw_response,
    read_partial,
    request_frame,
    response_frame,
)

ASKED = RawRequest(
    method="POST", path="/x", headers={"accept": "a"}, body=b'{"a": "\xe6\x9c\x88\n"}'
)
ANSWERED = RawResponse(status=200, headers={"content-type": "text/plain"}, body=b"\xff\n\n\x00")
CHANGED = RawResponse(status=503, headers={}, body=b"no")
TRIAL = "s/f/m/c/off/en/0"

FRAMES = [
    b"".join(parts)
    for parts in (
        open_frame(TRIAL),
        request_frame(0, ASKED),
        request_frame(1, ASKED),
        response_frame(1, ANSWERED),
        error_frame(0, ErrorKind.REFUSED, None),
        close_frame(2, None),
    )
]
WHOLE = b"".join(FRAMES)


def forged(*bodies: bytes, **head: Any) -> bytes:
    """Build a frame whose digests all fit, whatever the head says."""
    line = json.dumps(head).encode()
    return b"".join(
        [digest("head", line).encode(), b" ", line, b"\n", *(b + b"\n" for b in bodies)]
    )


def kept(body: bytes, **changes: Any) -> dict[str, Any]:
    return {"size": len(body), "digest": digest("body", body)} | changes


def told(frame: list[bytes]) -> bytes:
    return b"".join([*open_frame(TRIAL), *request_frame(0, ASKED), *frame, *close_frame(1, None)])


def test_a_whole_file_is_complete_and_in_order_of_requests() -> None:
    recording = read_partial(WHOLE)
    assert (recording.complete, recording.reason, recording.detail) == (True, None, "")
    assert [(e.n, e.error) for e in recording.exchanges] == [(0, "refused"), (1, None)]
    assert [e.request for e in recording.exchanges] == [ASKED.recorded] * 2
    assert recording.exchanges[1].response == ANSWERED.recorded
    assert body_bytes(ANSWERED.recorded.body) == ANSWERED.body


def test_bodies_are_written_raw_and_heads_are_lines() -> None:
    assert ASKED.body in FRAMES[1]
    assert ANSWERED.body in FRAMES[3]
    assert FRAMES[0].count(b"\n") == 1


@pytest.mark.parametrize("got", [b"{}", b"\xff\n", b""])
def test_a_body_that_goes_to_the_provider_instead_is_kept_behind_the_clients(got: bytes) -> None:
    frames = [*request_frame(0, ASKED, got), *response_frame(0, ANSWERED, CHANGED)]
    data = b"".join([*open_frame(TRIAL), *frames, *close_frame(1, None)])
    (exchange,) = read_partial(data).exchanges
    assert exchange.request == ASKED.recorded
    assert exchange.got is not None
    assert body_bytes(exchange.got) == got
    assert exchange.sent == CHANGED.recorded
    assert data.index(ASKED.body) < data.index(b"\n" + got + b"\n", data.index(ASKED.body))
    spoiled = read_partial(data.replace(ASKED.body + b"\n" + got, ASKED.body + b"\n" + got[:-1]))
    assert spoiled.complete == (not got)


def test_a_body_that_is_no_other_one_is_no_change() -> None:
    frames = [*request_frame(0, ASKED, ASKED.body), *response_frame(0, ANSWERED)]
    recording = read_partial(b"".join([*open_frame(TRIAL), *frames, *close_frame(1, None)]))
    assert (recording.complete, recording.reason) == (False, Gap.BAD_LINE)
    assert "/got: it is the same" in recording.detail


def test_the_upstream_that_a_client_named_is_kept_and_none_is_not_written() -> None:
    named = RawRequest(method="GET", path="/x", headers={}, body=b"", upstream="api.test:443")
    frames = [*open_frame(TRIAL), *request_frame(0, named), *response_frame(0, ANSWERED)]
    (exchange,) = read_partial(b"".join([*frames, *close_frame(1, None)])).exchanges
    assert exchange.request.upstream == "api.test:443"
    assert b"upstream" not in FRAMES[1]


def test_a_file_cut_at_any_byte_is_incomplete_and_never_raises() -> None:
    """C63: between two frames too, which no frame could tell."""
    for length in range(len(WHOLE)):
        recording = read_partial(WHOLE[:length])
        assert not recording.complete
        assert recording.reason in (Gap.EMPTY, Gap.CUT_TAIL, Gap.UNANSWERED, Gap.NOT_CLOSED)
        assert recording.detail


def test_a_file_with_any_bit_turned_is_incomplete_and_what_is_kept_is_true() -> None:
    """Also in a body, where nothing but its digest could tell."""
    true = exchange_lines(read_partial(WHOLE).exchanges)
    for place in range(len(WHOLE)):
        for bit in (1, 128):
            spoiled = bytearray(WHOLE)
            spoiled[place] ^= bit
            recording = read_partial(bytes(spoiled))
            assert not recording.complete, place
            assert recording.detail
            for line in exchange_lines(recording.exchanges).splitlines(keepends=True):
                assert line in true


def test_what_stands_behind_a_damaged_body_is_kept_and_the_place_is_told() -> None:
    """C63: damage spoils the trial, not the evidence beside it."""
    frames = [*FRAMES]
    frames[3] = frames[3][:-3] + b"??\n"
    recording = read_partial(b"".join(frames))
    assert [e.n for e in recording.exchanges] == [0]
    assert (recording.complete, recording.reason) == (False, Gap.BAD_LINE)
    assert f"the frame at byte {len(b''.join(FRAMES[:3]))}" in recording.detail
    assert "/response/body" in recording.detail


@pytest.mark.parametrize("count", [1, 64, 66, 4096, partial.HEAD_LIMIT + 4096])
def test_zeros_behind_the_end_spoil_the_recording_and_no_exchange(count: int) -> None:
    """C63: a file that was made longer than what was written into it, as after a power cut."""
    spoiled = read_partial(WHOLE + bytes(count))
    assert spoiled.exchanges == read_partial(WHOLE).exchanges
    assert (spoiled.complete, spoiled.reason) in ((False, Gap.CUT_TAIL), (False, Gap.BAD_LINE))
    assert f"byte {len(WHOLE)}" in spoiled.detail


def test_behind_a_damaged_request_the_others_are_kept() -> None:
    """C63: they are numbered on from the one that is lost, and no answer to it is believed."""
    frames = [*FRAMES]
    frames[1] = frames[1].replace(b'{"a"', b'{"b"')
    recording = read_partial(b"".join(frames))
    assert [e.n for e in recording.exchanges] == [1]
    assert recording.exchanges[0].response == ANSWERED.recorded
    assert (recording.complete, recording.reason) == (False, Gap.BAD_LINE)
    again = b"".join([*frames[:2], FRAMES[1], *frames[2:]])
    assert [e.n for e in read_partial(again).exchanges] == [1]


def test_every_damaged_place_is_told_up_to_a_number() -> None:
    """C63: bad ones are listed with their offset."""
    frames = [FRAMES[0], *(b"".join(request_frame(n, ASKED)) for n in range(30))]
    places = [len(b"".join(frames[:at])) for at in range(len(frames))]
    for bad in ([3, 7, 11], range(1, 30)):
        spoiled = [one[:-3] + b"?}\n" if at in bad else one for at, one in enumerate(frames)]
        for tail in (b"", b"0" * 9):
            detail = read_partial(b"".join([*spoiled, tail])).detail
            most = 19 if tail else 20
            told = [f"the frame at byte {places[at]} does" in detail for at in bad]
            assert told == [place < most for place in range(len(bad))]
            assert detail.endswith(f"; and {len(bad) - most} more") is (len(bad) > most)
            assert detail.startswith("the file ends inside") is bool(tail)


def test_behind_a_damaged_head_nothing_is_read() -> None:
    """A body may hold frames of its own: after a length that is not sure none may be believed."""
    frames = [*FRAMES[:3], b"x" + FRAMES[3][1:], *FRAMES[4:]]
    recording = read_partial(b"".join(frames))
    assert (recording.exchanges, recording.reason) == ((), Gap.BAD_LINE)


def test_frames_inside_a_body_are_a_body() -> None:
    said = RawResponse(status=200, headers={}, body=b"\n" + WHOLE)
    recording = read_partial(told(response_frame(0, said)))
    assert recording.complete
    assert recording.exchanges[0].response == said.recorded


@pytest.mark.parametrize("number", range(len(FRAMES)))
def test_a_file_without_one_of_its_frames_is_incomplete(number: int) -> None:
    assert not read_partial(b"".join([*FRAMES[:number], *FRAMES[number + 1 :]])).complete


@pytest.mark.parametrize("number", range(len(FRAMES)))
def test_a_file_with_one_of_its_frames_twice_is_incomplete(number: int) -> None:
    assert not read_partial(b"".join([*FRAMES[: number + 1], *FRAMES[number:]])).complete


REQUEST = {"method": "POST", "path": "/x", "headers": {}, "body": kept(b"")}
RESPONSE = {"status": 200, "headers": {}, "body": kept(b"")}

FORGED = {
    "another format": (0, forged(event="open", format=1, trial="t")),
    "a field too many": (0, forged(event="open", format=2, trial="t", more=1)),
    "another number": (1, forged(b"", event="request", n=1, request=REQUEST)),
    "a number that is none": (1, forged(b"", event="request", n=True, request=REQUEST)),
    "no body": (1, forged(event="request", n=0, request={"method": "POST"})),
    "a request that is none": (1, forged(event="request", n=0, request="POST")),
    "an upstream that is empty": (
        1, forged(b"", event="request", n=0, request=REQUEST | {"upstream": ""})
    ),
    "a body in text": (1, forged(event="request", n=0, request=REQUEST | {"body": {"text": ""}})),
    "a length below nothing": (
        1, forged(b"", event="request", n=0, request=REQUEST | {"body": kept(b"", size=-1)})
    ),
    "a length that is too short": (
        1, forged(b"xy", event="request", n=0, request=REQUEST | {"body": kept(b"xy", size=1)})
    ),
    "another digest": (
        1, forged(b"", event="request", n=0, request=REQUEST | {"body": kept(b"", digest="0")})
    ),
    "a status that is none": (
        3, forged(b"", event="response", n=1, response=RESPONSE | {"status": 99})
    ),
    "an answer that is none": (3, forged(event="response", n=1, response=None)),
    "an answer to nothing": (3, forged(b"", event="response", n=5, response=RESPONSE)),
    "another end": (4, forged(event="error", n=0, kind="bored", response=None)),
    "another count": (5, forged(event="close", count=3, reason=None)),
    "another event": (5, forged(event="dance", count=2, reason=None)),
    "no event": (5, forged(count=2, reason=None)),
    "a list": (5, forged()[:0] + digest("head", b"[]").encode() + b" []\n"),
    "no JSON": (5, digest("head", b"{").encode() + b" {\n"),
    "no digest": (5, b'{"event": "close", "count": 2, "reason": null}\n'),
}  # fmt: skip


@pytest.mark.parametrize("what", FORGED)
def test_a_frame_that_is_not_exactly_its_event_is_bad(what: str) -> None:
    number, frame = FORGED[what]
    recording = read_partial(b"".join([*FRAMES[:number], frame, *FRAMES[number + 1 :]]))
    assert (recording.complete, recording.reason) == (False, Gap.BAD_LINE), recording.detail


def test_a_length_beyond_the_end_is_a_cut() -> None:
    frame = forged(event="request", n=0, request=REQUEST | {"body": kept(b"", size=10**15)})
    assert read_partial(FRAMES[0] + frame).reason is Gap.CUT_TAIL


def test_trailing_zero_bytes_are_a_cut_tail() -> None:
    assert read_partial(WHOLE + bytes(64)).reason is Gap.CUT_TAIL


def test_a_line_without_end_is_looked_at_as_far_as_a_head_may_go(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(partial, "HEAD_LIMIT", 1000)
    assert read_partial(WHOLE).complete
    for behind, reason in ((b"x" * 1000, Gap.CUT_TAIL), (b"x" * 1100, Gap.BAD_LINE)):
        assert read_partial(WHOLE + behind).reason is reason
    with pytest.raises(StrictError, match="over 1000"):
        open_frame("t" * 1000)


def test_the_recorders_own_reason_is_kept() -> None:
    frames = [*FRAMES[:-1], b"".join(close_frame(2, Gap.RECORDER_FAILED))]
    recording = read_partial(b"".join(frames))
    assert (recording.complete, recording.reason) == (False, Gap.RECORDER_FAILED)


@given(st.binary(max_size=300))
def test_no_bytes_make_a_reader_raise(data: bytes) -> None:
    assert not read_partial(data).complete
    assert not read_partial(b"".join(FRAMES[:2]) + data).complete
    assert not read_partial(
        b"".join(FRAMES[:2]) + digest("head", data).encode() + b" " + data
    ).complete


@given(st.binary(max_size=200), st.binary(max_size=200))
def test_bodies_come_back_to_the_byte(asked: bytes, answered: bytes) -> None:
    request = RawRequest(method="POST", path="/", headers={}, body=asked)
    response = RawResponse(status=200, headers={}, body=answered)
    frames = [*open_frame(TRIAL), *request_frame(0, request), *response_frame(0, response)]
    recording = read_partial(b"".join([*frames, *close_frame(1, None)]))
    assert recording.complete
    assert recording.exchanges[0].request == request.recorded
    assert recording.exchanges[0].response == response.recorded
    assert raw_response(response.recorded) == response


def test_an_answer_that_was_changed_on_its_way_is_held_in_both_versions() -> None:
    (whole,) = read_partial(told(response_frame(0, CHANGED, ANSWERED))).exchanges
    (half,) = read_partial(told(error_frame(0, ErrorKind.DISCONNECT, CHANGED, ANSWERED))).exchanges
    for error, exchange in ((None, whole), (ErrorKind.DISCONNECT, half)):
        assert exchange == Exchange(
            n=0, request=ASKED.recorded, response=CHANGED.recorded, error=error,
            sent=ANSWERED.recorded,
        )  # fmt: skip


@pytest.mark.parametrize(
    "frame",
    [
        response_frame(0, ANSWERED, ANSWERED),
        error_frame(0, ErrorKind.CLIENT_LEFT, CHANGED, ANSWERED),
        error_frame(0, ErrorKind.DISCONNECT, None, ANSWERED),
        response_frame(0, CHANGED, RawResponse(status=7, headers={}, body=b"")),
        [forged(b"", event="response", n=0, response=RESPONSE, sent=None)],
        [forged(event="error", n=0, kind="disconnect", response=None, sent=None)],
    ],
)
def test_a_change_that_makes_no_sense_is_bad(frame: list[bytes]) -> None:
    assert read_partial(told(frame)).reason is Gap.BAD_LINE
