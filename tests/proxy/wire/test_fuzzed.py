"""Every decoder on valid bodies that were bent: it never raises and makes nothing up.

Each part of a body, of an event and of a request is replaced once by each of some odd values and
left out once; bytes and the order of events are bent at random.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.wire.answer import Asked, Assistant, Finding, ProviderError, Undecodable
from proxy.wire.protocol import decode_answer, decode_request
from tests.proxy.wire.dialects import (
    DIALECTS,
    PLAIN,
    RESPONSES,
    STREAM,
    Dialect,
    Said,
    event,
    exchange,
    in_halves_at,
    in_one,
    shape,
)

SAID = Said(text="moon 🍣", calls=(("c1", "pay", '{"a": [1.0, "髙"]}'), ("c2", "stop", "{}")))
SHORT = Said(text="moon", calls=(("c1", "pay", '{"a": 1}'),))
WHOLE = {dialect.name: dialect.whole(SAID) for dialect in DIALECTS}
EVENTS = {dialect.name: dialect.stream(SAID, in_halves_at(3)) for dialect in DIALECTS}

every_dialect = pytest.mark.parametrize("dialect", DIALECTS, ids=str)
bent = settings(max_examples=60, deadline=None)

LEAVES: tuple[Any, ...] = (
    *(None, True, 0, -1, 2**70, 1.5, "", "x", "\ud83c", "error"),
    *([], {}, [None], [[]], [{}], {"error": {}}),
    *({"type": "text"}, {"type": "tool_use"}, [{"type": "message"}]),
)
EDITS = st.lists(
    st.tuples(st.integers(0, 10**6), st.integers(0, 12), st.binary(max_size=4)),
    min_size=1,
    max_size=4,
)


def edited(data: bytes, edits: list[tuple[int, int, bytes]]) -> bytes:
    """Put other bytes in the place of some."""
    for at, length, put in edits:
        place = at % (len(data) + 1)
        data = data[:place] + put + data[place + length :]
    return data


def bends(value: Any) -> Iterator[Any]:
    """Yield a JSON value with each of its parts left out or replaced in turn."""
    yield from LEAVES
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            copy = value.copy()
            del copy[key]
            yield copy
            for other in bends(value[key]):
                changed = value.copy()
                changed[key] = other
                yield changed


def bent_events(one: bytes) -> Iterator[bytes]:
    name, _, data = one.decode().partition("data: ")
    if data.startswith("{"):
        for body in bends(json.loads(data)):
            yield f"{name}data: {json.dumps(body)}\n\n".encode()


def check(dialect: Dialect, body: bytes, kind: str) -> Assistant | ProviderError | Undecodable:
    found = decode_answer(exchange(dialect, body, kind=kind))
    assert isinstance(found, Assistant | ProviderError | Undecodable)
    if isinstance(found, Undecodable):
        assert found.reason
        found.reason.encode()
    elif isinstance(found, ProviderError):
        (found.code + found.message).encode()
    else:
        assert found.finish_reason
        assert all(call.name for call in found.calls)
        empty = not found.text and not found.refusal and not found.calls
        assert (Finding.NO_CONTENT in found.findings) == empty
        texts = [found.text or "", found.refusal or "", found.model, found.finish_reason]
        for call in found.calls:
            texts += [call.id, call.name, call.raw_arguments]
        "".join(texts).encode()
    return found


def check_request(dialect: Dialect, body: bytes) -> None:
    found = decode_request(exchange(dialect, None, asked=body))
    assert isinstance(found, Asked | Undecodable)
    if isinstance(found, Undecodable):
        assert found.reason
        found.reason.encode()
    else:
        assert all(isinstance(one.get("role"), str) for one in found.messages)


@every_dialect
@bent
@given(edits=EDITS)
def test_other_bytes(dialect: Dialect, edits: list[tuple[int, int, bytes]]) -> None:
    check(dialect, edited(WHOLE[dialect.name], edits), PLAIN)
    check(dialect, edited(b"".join(EVENTS[dialect.name]), edits), STREAM)


@every_dialect
def test_another_value_anywhere_in_a_body(dialect: Dialect) -> None:
    for body in bends(json.loads(dialect.whole(SHORT))):
        check(dialect, json.dumps(body).encode(), PLAIN)


@every_dialect
def test_another_value_anywhere_in_a_stream(dialect: Dialect) -> None:
    events = dialect.stream(SHORT, in_one)
    for at, one in enumerate(events):
        for other in bent_events(one):
            found = check(dialect, b"".join([*events[:at], other, *events[at + 1 :]]), STREAM)
            if dialect is RESPONSES and isinstance(found, Assistant):
                assert shape(found) == SHORT, "all is said more than once, so no lie can stand"


@every_dialect
@bent
@given(order=st.data())
def test_events_left_out_repeated_and_out_of_order(dialect: Dialect, order: st.DataObject) -> None:
    events = list(EVENTS[dialect.name])
    for _ in range(order.draw(st.integers(1, 3))):
        one = order.draw(st.integers(0, len(events) - 1))
        other = order.draw(st.integers(0, len(events) - 1))
        match order.draw(st.sampled_from(["drop", "twice", "move", "swap"])):
            case "drop" if len(events) > 1:
                del events[one]
            case "twice":
                events.insert(other, events[one])
            case "move":
                events.insert(other, events.pop(one))
            case _:
                events[one], events[other] = events[other], events[one]
    found = check(dialect, b"".join(events), STREAM)
    if dialect is RESPONSES and isinstance(found, Assistant):
        assert shape(found) == SAID, "its end says everything again, so nothing can go missing"


@every_dialect
def test_another_value_anywhere_in_a_request(dialect: Dialect) -> None:
    for body in bends(dialect.asked):
        check_request(dialect, json.dumps(body).encode())


@every_dialect
@bent
@given(edits=EDITS)
def test_other_bytes_in_a_request(dialect: Dialect, edits: list[tuple[int, int, bytes]]) -> None:
    check_request(dialect, edited(json.dumps(dialect.asked).encode(), edits))


@every_dialect
def test_any_event_of_another_protocol_is_not_believed(dialect: Dialect) -> None:
    for other in DIALECTS:
        body = b"".join(EVENTS[other.name])
        found = check(dialect, body, STREAM)
        assert isinstance(found, Assistant) == (other is dialect)
        whole = check(dialect, WHOLE[other.name], PLAIN)
        assert isinstance(whole, Assistant) == (other is dialect)


def test_bending_bends_something() -> None:
    """The measure of this file: a bent value is another one, and so is a bent event."""
    found = list(bends({"a": [1]}))
    assert {"a": []} in found
    assert {} in found
    assert {"a": ["x"]} in found
    assert {"a": "x"} in found
    assert len(found) == 3 * len(LEAVES) + 2
    assert b'event: ping\ndata: {"type": "x"}\n\n' in bent_events(event({"type": "ping"}))
    assert edited(b"abcdef", [(1, 2, b"X")]) == b"aXdef"
