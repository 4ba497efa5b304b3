import pytest

from proxy.wire.sse import may_hold, read_events

FRAMINGS = [
    "data: one\n\ndata: two\n\n",
    "data:one\n\ndata:two\n\n",
    "data: one\r\n\r\ndata: two\r\n\r\n",
    "data: one\r\rdata: two\r\r",
    "\ufeffdata: one\n\ndata: two\n\n",
    ": ping\n\ndata: one\n\n: OPENROUTER PROCESSING\n\ndata: two\n\n",
    ": ping\ndata: one\n\n:\ndata: two\n\n",
    "id: 7\nevent: x\nretry: 3000\ndata: one\n\nevent: keepalive\n\ndata: two\n\n",
    "\n\n\ndata: one\n\n\n\ndata: two\n\nunknown\n\n",
]


@pytest.mark.parametrize("text", FRAMINGS)
def test_every_framing_gives_the_same_events(text: str) -> None:
    """C55: comments, keep-alives, missing spaces, CRLF, a byte-order mark, fields without data."""
    events = read_events(text)
    assert events.data == ("one", "two")
    assert events.unterminated == ""


def test_data_of_several_lines_is_joined_and_one_space_is_taken() -> None:
    assert read_events("data: a\ndata:  b\ndata\n\n").data == ("a\n b\n",)


def test_an_event_that_never_ended_is_told_and_not_given() -> None:
    events = read_events("data: one\n\ndata: tw")
    assert events.data == ("one",)
    assert events.unterminated == "tw"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\n: ping", "\n: ping\n", "\nid: 7\n"])
def test_a_line_end_alone_ends_no_event(end: str) -> None:
    """C55: the end of the stream is no blank line; clients that go by events never see this one."""
    events = read_events(f"data: one\n\ndata: two{end}")
    assert (events.data, events.unterminated) == (("one",), "two")
    assert read_events(f"data: one\n\ndata: two{end}\n\n").unterminated == ""


def test_data_that_may_hold_an_object_is_told_from_noise() -> None:
    for held in ('{"a"', 'data: {"a": 1}', ': ping\n{"a": 1}', '"{}"'):
        assert may_hold(held)
    for noise in ("", ": PROCESSING", "null", "[]", "[DONE] "):
        assert not may_hold(noise)


def test_unicode_line_ends_inside_data_cut_nothing() -> None:
    assert read_events("data: a\u2028b\x0bc\x85d\n\n").data == ("a\u2028b\x0bc\x85d",)


def test_an_event_has_the_last_name_that_it_was_given_and_it_is_not_handed_on() -> None:
    text = "event: a\nevent:b\ndata: 1\n\ndata: 2\n\nevent: c\n\ndata: 3\nevent: d\n\n"
    events = read_events(text)
    assert (events.data, events.names) == (("1", "2", "3"), ("b", "", "d"))
