import struct
import zlib
from typing import Any

import pytest
from botocore.eventstream import EventStreamBuffer
from hypothesis import given
from hypothesis import strategies as st

from grid.errors import StrictError
from proxy.wire.aws_eventstream import (
    LONGEST_HEADERS,
    LONGEST_PAYLOAD,
    Message,
    read_messages,
    rewritten,
    split_messages,
)
from tests.proxy.wire.eventstream import framed, header

INTEGERS = {2: 8, 3: 16, 4: 32, 5: 64, 8: 64}


def values(kind: int) -> st.SearchStrategy[Any]:
    if kind in INTEGERS:
        half = 2 ** (INTEGERS[kind] - 1)
        return st.integers(-half, half - 1)
    texts = {
        6: st.binary(max_size=40),
        7: st.text(max_size=20),
        9: st.binary(min_size=16, max_size=16),
    }
    return texts.get(kind, st.just(kind == 0))


HEADERS = st.dictionaries(
    st.text(min_size=1, max_size=8),
    st.integers(0, 9).flatmap(lambda kind: st.tuples(values(kind), st.just(kind))),
    max_size=4,
)
STREAMS = st.lists(st.tuples(HEADERS, st.binary(max_size=80)), max_size=4)


def written(stream: list[tuple[dict[str, Any], bytes]]) -> bytes:
    return b"".join(
        framed(b"".join(header(name, *value) for name, value in headers.items()), payload)
        for headers, payload in stream
    )


def by_botocore(data: bytes, cuts: tuple[int, ...] = ()) -> list[tuple[dict[str, Any], bytes]]:
    buffer, found, at = EventStreamBuffer(), [], 0
    for cut in (*cuts, len(data)):
        buffer.add_data(data[at:cut])
        at = cut
        found += [(message.headers, message.payload) for message in buffer]
    return found


def plain(messages: list[Message]) -> list[tuple[dict[str, Any], bytes]]:
    return [(message.headers, message.payload) for message in messages]


def reason(data: bytes) -> str:
    with pytest.raises(StrictError) as caught:
        list(read_messages(data))
    return str(caught.value)


def broken(data: bytes, at: int, to: bytes) -> bytes:
    return data[:at] + to + data[at + len(to) :]


def resealed(data: bytes) -> bytes:
    """Give one message the checksums that its other bytes ask for."""
    prelude = data[:8] + struct.pack(">I", zlib.crc32(data[:8]))
    return (whole := prelude + data[12:-4]) + struct.pack(">I", zlib.crc32(whole))


@given(STREAMS)
def test_every_stream_reads_as_the_providers_own_client_reads_it(
    stream: list[tuple[dict[str, Any], bytes]],
) -> None:
    data = written(stream)
    found = list(read_messages(data))
    assert plain(found) == by_botocore(data)
    assert plain(found) == [
        ({name: value for name, (value, _) in headers.items()}, payload)
        for headers, payload in stream
    ]


def test_all_types_of_headers_keep_their_values() -> None:
    every = [
        ("yes", True, 0),
        ("no", False, 1),
        ("byte", -1, 2),
        ("short", -300, 3),
        ("integer", 70_000, 4),
        ("long", 2**40, 5),
        ("bytes", b"\xff\x00", 6),
        ("text", "髙橋🍣", 7),
        ("time", 1_700_000_000_123, 8),
        ("uuid", bytes(range(16)), 9),
    ]
    data = framed(b"".join(header(*one) for one in every), b"{}")
    [message] = read_messages(data)
    assert list(message.headers.items()) == [(name, value) for name, value, _ in every]
    assert [type(value) for value in message.headers.values()] == [type(one[1]) for one in every]


def test_offsets_name_the_byte_where_each_message_begins() -> None:
    first, second = framed(b"", b"one"), framed(header("a", "b"), b"two")
    assert [message.offset for message in read_messages(first + second)] == [0, len(first)]
    assert list(read_messages(b"")) == []


def test_every_cut_is_a_reason_and_what_was_whole_before_it_is_given() -> None:
    first, second = framed(header("a", "b"), b"one"), framed(header("c", "d"), b"two")
    data = first + second
    for cut in range(1, len(data)):
        messages, found = read_messages(data[:cut]), []
        if cut == len(first):
            assert len(list(messages)) == 1
            continue
        start = 0 if cut < len(first) else len(first)
        with pytest.raises(StrictError, match=f"cut inside the message at byte {start}$"):
            found += [next(messages), next(messages)] if start else [next(messages)]
        whole = list(by_botocore(data[:cut]))
        assert len(whole) == (1 if start else 0)


def test_no_flipped_byte_goes_unseen() -> None:
    data = framed(header("a", "b"), b"one") + framed(header("c", 5, 4), b"two")
    for at in range(len(data)):
        assert "byte" in reason(broken(data, at, bytes([data[at] ^ 1])))


def test_each_checksum_is_held_against_its_own_bytes() -> None:
    data = framed(header("a", "b"), b"one")
    assert reason(broken(data, 8, b"\0")) == "the checksum of the lengths at byte 0 does not fit"
    assert reason(broken(data, len(data) - 5, b"E")) == (
        "the checksum of the message at byte 0 does not fit"
    )
    assert "of the lengths at byte 23" in reason(framed(b"", b"message") + bytes(16))


def test_bytes_that_are_left_over_are_a_reason() -> None:
    data = framed(b"", b"one")
    assert f"cut inside the message at byte {len(data)}" in reason(data + b"\n")
    assert "checksum of the lengths" in reason(data + b"data: [DONE]\n\n")


@pytest.mark.parametrize(
    ("total", "length"),
    [
        (15, 0),
        (0, 0),
        (20, 5),
        (2**32 - 1, 0),
        (16 + LONGEST_PAYLOAD + 1, 0),
        (16 + LONGEST_HEADERS + 1, LONGEST_HEADERS + 1),
        (17, 2**32 - 1),
    ],
)
def test_lengths_are_bounded_before_anything_is_read(total: int, length: int) -> None:
    lengths = struct.pack(">II", total, length)
    data = lengths + struct.pack(">I", zlib.crc32(lengths)) + bytes(20)
    assert reason(data) == "the lengths at byte 0 are out of bounds"


def test_the_longest_headers_and_payload_are_still_read() -> None:
    headers = b"".join(header(f"{n:04}", bytes(120), 6) for n in range(1024))
    assert len(headers) == LONGEST_HEADERS
    [message] = read_messages(framed(headers, bytes(LONGEST_PAYLOAD)))
    assert (len(message.headers), len(message.payload)) == (1024, LONGEST_PAYLOAD)


@pytest.mark.parametrize(
    ("headers", "words"),
    [
        (header("a", "b") + header("a", "c"), "at byte 18 comes a second time"),
        (header("", "b"), "at byte 12 has no name"),
        (b"\x01\xff\x00", "at byte 12 is not UTF-8"),
        (header("a", b"\xff", 7), "at byte 12 is not UTF-8"),
        (b"\x01a\x0a", "of no known type: 10"),
        (b"\x05a", "cut at byte 13"),
        (b"\x01a", "cut at byte 14"),
        (b"\x01a\x05\0\0", "cut at byte 15"),
        (b"\x01a\x07\0", "cut at byte 15"),
        (b"\x01a\x07\0\x05bc", "cut at byte 17"),
        (b"\x01a\x06\xff\xff", "cut at byte 17"),
        (b"\x01a\x09" + bytes(15), "cut at byte 15"),
    ],
)
def test_a_header_that_cannot_be_read_is_a_reason(headers: bytes, words: str) -> None:
    """Their payloads would fill up a header that is too short: no reader may look there."""
    assert words in reason(framed(headers, b"0123456789abcdef"))


@given(STREAMS, st.data())
def test_no_mutation_raises_anything_but_the_one_error(
    stream: list[tuple[dict[str, Any], bytes]], data: st.DataObject
) -> None:
    bad = bytearray(written(stream) or framed(b"", b""))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(bad)))
        cut = data.draw(st.integers(0, 3))
        bad[at : at + cut] = data.draw(st.binary(max_size=3))
    try:
        found = list(read_messages(bytes(bad)))
    except StrictError:
        return
    assert plain(found) == by_botocore(bytes(bad))


@given(HEADERS, st.integers(0, 60), st.binary(min_size=1, max_size=4))
def test_no_headers_with_fitting_checksums_raise_anything_but_the_one_error(
    headers: dict[str, Any], at: int, to: bytes
) -> None:
    data = written([(headers, b"payload")])
    at = 12 + at % max(1, len(data) - 16)
    bad = resealed(broken(data, at, to[: max(0, len(data) - 4 - at)]))
    try:
        found = list(read_messages(bad))
    except StrictError:
        return
    assert plain(found) == by_botocore(bad)


@given(st.binary(max_size=200))
def test_any_bytes_are_messages_or_a_reason(data: bytes) -> None:
    try:
        assert list(read_messages(data)) == [] or len(data) >= 16
    except StrictError:
        assert data


@given(STREAMS, st.lists(st.integers(0, 400), max_size=6))
def test_cuts_between_network_chunks_change_nothing(
    stream: list[tuple[dict[str, Any], bytes]], cuts: list[int]
) -> None:
    data = written(stream)
    at = tuple(sorted(cut % (len(data) + 1) for cut in cuts))
    assert plain(list(read_messages(data))) == by_botocore(data, at)


def hidden(data: bytes) -> bytes:
    return data.replace(b"secret", b"[a key]")


def test_a_changed_message_gets_lengths_and_checksums_that_fit_and_the_others_stay() -> None:
    """In payloads and in the values of headers; botocore reads what comes out."""
    told = header("said", "a secret") + header("n", 7, 4) + header("raw", b"secret", 6)
    before = framed(header("n", 7, 4), b"nothing") + framed(told, b'{"a": "secret", "b": "secret"}')
    after = rewritten(before + before, hidden)
    assert b"secret" not in after
    assert after.startswith(framed(header("n", 7, 4), b"nothing"))
    read = EventStreamBuffer()
    read.add_data(after)
    first, second, *_ = messages = list(read)
    assert len(messages) == 4
    assert first.payload == b"nothing"
    assert second.headers == {"said": "a [a key]", "n": 7, "raw": b"[a key]"}
    assert second.payload == b'{"a": "[a key]", "b": "[a key]"}'
    assert rewritten(before, lambda data: data) is before


def test_what_is_no_message_is_changed_as_it_stands() -> None:
    whole = framed(b"", b"a secret")
    spoilt = bytearray(framed(b"", b"a secret"))
    spoilt[20] ^= 1
    for rest in (bytes(spoilt), whole[:-5], b"no message, but a secret"):
        changed = rewritten(whole + rest, hidden)
        assert changed == framed(b"", b"a [a key]") + hidden(rest)
    assert rewritten(bytes(spoilt), lambda data: data) == bytes(spoilt)


def test_whole_messages_are_told_from_the_beginning_of_the_next() -> None:
    one, other = framed(header("n", 7, 4), b"one"), framed(b"", b"other")
    for cut in range(len(one), len(one + other)):
        data = (one + other)[:cut]
        assert split_messages(data) == (one, data[len(one) :])
    assert split_messages(one + other) == (one + other, b"")
    assert split_messages(one[:-1]) == (b"", one[:-1])
    with pytest.raises(StrictError, match=f"at byte {len(one)}"):
        split_messages(one + b"something else altogether")
