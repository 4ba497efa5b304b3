"""Class 8 of the public reports, the same in every protocol: answers that arrive in a bad way.

What only chat completions can do (C51, indices of deltas) is in the tests of that decoder.
"""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from proxy.wire.answer import Finding, ProviderError, Undecodable
from proxy.wire.exchange import ErrorKind
from proxy.wire.protocol import decode_answer
from tests.proxy.wire.dialects import (
    CHAT,
    DIALECTS,
    MESSAGES,
    RESPONSES,
    STREAM,
    Dialect,
    Said,
    decoded,
    event,
    exchange,
    in_halves_at,
    in_one,
    shape,
    streamed,
    utf16,
)

ARGUMENTS = '{"宛先": "髙橋🍣", "n": 1.0}'
WORDS = "月へ 🍣 go\\"
ANSWER = Said(
    text=WORDS, calls=(("c1", "pay", ARGUMENTS), ("c2", "pay", '{"n": 12345678901234567890}'))
)

every_dialect = pytest.mark.parametrize("dialect", DIALECTS, ids=str)


def reason(dialect: Dialect, answer: bytes | None, **how: object) -> str:
    found = decode_answer(exchange(dialect, answer, **{"kind": STREAM, **how}))  # type: ignore[arg-type]
    assert isinstance(found, Undecodable), found
    return found.reason


@every_dialect
def test_a_whole_body_and_a_stream_give_the_same_answer(dialect: Dialect) -> None:
    """C61: collected and buffered are one; C53: unstreamed is the measure of streamed."""
    whole = decoded(dialect, dialect.whole(ANSWER))
    assert shape(whole) == ANSWER
    stream = streamed(dialect, dialect.stream(ANSWER, list))
    assert shape(stream) == ANSWER
    assert (stream.findings, stream.finish_reason, stream.model) == (
        whole.findings,
        whole.finish_reason,
        whole.model,
    )
    assert stream.findings == ()


@every_dialect
def test_a_cut_at_every_place_inside_json_and_inside_a_character_changes_nothing(
    dialect: Dialect,
) -> None:
    """C57: pieces end inside a key, an escape, a number, and between the halves of an emoji."""
    places = range(max(len(utf16(ARGUMENTS)), len(utf16(WORDS))) + 1)
    found = {shape(streamed(dialect, dialect.stream(ANSWER, in_halves_at(at)))) for at in places}
    assert found == {ANSWER}


@every_dialect
def test_half_a_character_that_stays_alone_is_kept_and_told(dialect: Dialect) -> None:
    events = dialect.stream(Said(text="moon"), in_one)
    body = b"".join(events).replace(b"moon", b"mo\\ud83c")
    found = decoded(dialect, body, kind=STREAM)
    assert (found.text, found.findings) == ("mo\\ud83c", (Finding.HALF_CHARACTER,))


@every_dialect
def test_a_stray_byte_is_kept_escaped_and_flagged_and_its_neighbours_stay(dialect: Dialect) -> None:
    """C57: one byte 0xFF inside the words."""
    for body, kind in (
        (dialect.whole(Said(text="mo?on")), "application/json"),
        (b"".join(dialect.stream(Said(text="mo?on"), in_one)), STREAM),
    ):
        found = decoded(dialect, body.replace(b"?", "月".encode() + b"\xff"), kind=kind)
        assert (found.text, found.findings) == ("mo月\\xffon", (Finding.INVALID_UTF8,))


FRAMINGS: dict[str, Callable[[bytes], bytes]] = {
    "comments": lambda one: b": ping\n\n:\n\n: OPENROUTER PROCESSING\n\n" + one,
    "a comment inside": lambda one: b": ping\n" + one,
    "a keep-alive without data": lambda one: b"event: keepalive\n\n" + one,
    "retry and id": lambda one: b"retry: 3000\nid: 7\n" + one,
    "CRLF": lambda one: one.replace(b"\n", b"\r\n"),
    "CR": lambda one: one.replace(b"\n", b"\r"),
    "no space": lambda one: one.replace(b"data: ", b"data:").replace(b"event: ", b"event:"),
    "data in lines": lambda one: one.replace(b', "', b',\ndata: "'),
    "blank lines": lambda one: b"\n\n" + one + b"\n",
}


@every_dialect
@pytest.mark.parametrize("framing", FRAMINGS)
def test_every_framing_gives_the_same_answer(dialect: Dialect, framing: str) -> None:
    """C55."""
    said = Said(text="moon", calls=(("c1", "pay", '{"a": 1}'),))
    events = [FRAMINGS[framing](one) for one in dialect.stream(said, list)]
    for body in (events, [b"\xef\xbb\xbf", *events]):
        found = streamed(dialect, body)
        assert (shape(found), found.findings, found.skipped) == (said, (), 0)


@every_dialect
@pytest.mark.parametrize("noise", [b": PROCESSING", b"5", b"[]", b"null", b"{}", b'"x"'])
def test_a_keep_alive_sent_as_data_is_one_bad_event_and_the_rest_is_kept(
    dialect: Dialect, noise: bytes
) -> None:
    """C55: a comment that somebody wrapped again as data."""
    if dialect is CHAT and noise == b"{}":
        return  # a chunk without choices is an ordinary chunk there
    said = Said(text="moon", calls=(("c1", "pay", "{}"),))
    events = dialect.stream(said, list)
    for place in range(len(events) - 1):
        found = streamed(dialect, [*events[:place], b"data: " + noise + b"\n\n", *events[place:]])
        assert (shape(found), found.findings) == (said, (Finding.BAD_EVENT,))
        assert found.skipped == 1


DAMAGED = {
    "cut": b'{"a": 1',
    "a key twice": b'{"a": 1, "a": 2}',
    "a number that is none": b'{"a": NaN}',
    "wrapped twice": b'data: {"a": 1}',
    "run together with a comment": b': PROCESSING\ndata: {"a": 1}',
    "two in one": b'{"a": 1}\ndata: {"b": 1}',
    "in a list": b'[{"a": 1}]',
    "in a text": b'"{}"',
}


@every_dialect
@pytest.mark.parametrize("damage", DAMAGED)
def test_an_event_that_may_have_held_something_is_not_skipped(
    dialect: Dialect, damage: str
) -> None:
    """C55, C61: what is lost there may be a call; some clients read it, some skip it, some raise.

    An error of the provider's is its own, wherever the damage stands.
    """
    said = Said(text="moon", calls=(("c1", "pay", "{}"),))
    events, bad = dialect.stream(said, list), b"data: " + DAMAGED[damage] + b"\n\n"
    for place in range(len(events) - 1):
        body = b"".join([*events[:place], bad, *events[place:]])
        assert "damaged" in reason(dialect, body)
    failed = decode_answer(exchange(dialect, bad + dialect.error, kind=STREAM))
    assert isinstance(failed, ProviderError)


@every_dialect
@pytest.mark.parametrize(
    ("ids", "finding"),
    [
        (("", ""), Finding.EMPTY_CALL_ID),
        ((None, None), Finding.EMPTY_CALL_ID),
        ((None, "a"), Finding.EMPTY_CALL_ID),
        (("a", "a"), Finding.DUPLICATE_CALL_ID),
        (("get_weather", "get_weather"), Finding.DUPLICATE_CALL_ID),
        (("a", "b"), None),
    ],
)
def test_parallel_calls_without_or_with_the_same_id_stay_two_calls(
    dialect: Dialect, ids: tuple[str | None, str | None], finding: Finding | None
) -> None:
    """C59: nothing is dropped by a map keyed by id."""
    said = Said(
        calls=(
            (ids[0], "get_weather", '{"city": "NYC"}'),
            (ids[1], "get_weather", '{"city": "SF"}'),
        )
    )
    expected = replace(said, calls=tuple((one[0] or "", *one[1:]) for one in said.calls))
    whole = decoded(dialect, dialect.whole(said))
    for found in (whole, streamed(dialect, dialect.stream(said, list))):
        assert shape(found) == expected
        assert set(found.findings) == ({finding} if finding else set())


@every_dialect
def test_a_call_without_a_name_is_no_call(dialect: Dialect) -> None:
    said = Said(calls=(("c1", "", "{}"),))
    assert "has no name" in reason(dialect, b"".join(dialect.stream(said, list)))
    assert "has no name" in reason(dialect, dialect.whole(said), kind="application/json")


@every_dialect
@pytest.mark.parametrize("arguments", ["{", "[1", '{"a":1,"a":2}', "NaN", '{"a": 1}{"a": 1}'])
def test_streamed_arguments_that_are_no_json_are_told_and_kept(
    dialect: Dialect, arguments: str
) -> None:
    found = streamed(dialect, dialect.stream(Said(calls=(("c1", "pay", arguments),)), list))
    assert found.calls[0].raw_arguments == arguments
    assert found.findings == (Finding.MALFORMED_ARGUMENTS,)


@every_dialect
def test_a_missing_answer_is_missing_evidence_never_zero_calls(dialect: Dialect) -> None:
    """C61."""
    assert "no response" in reason(dialect, None)
    for kind in ErrorKind:
        assert kind in reason(dialect, dialect.whole(ANSWER), error=kind)


@every_dialect
def test_a_stream_that_just_stops_is_undecodable_wherever_it_stops(dialect: Dialect) -> None:
    """Cut at every byte: the whole answer once all of it has come, and never a part of it."""
    said = Said(text="月🍣", calls=(("c1", "pay", '{"a": "髙"}'), ("c2", "stop", "{}")))
    body = b"".join(dialect.stream(said, in_halves_at(2)))
    whole = False
    for end in range(len(body)):
        found = decode_answer(exchange(dialect, body[:end], kind=STREAM))
        if isinstance(found, Undecodable):
            assert not whole, "an answer that was whole is so no more"
            assert "without a finish reason" in found.reason
            continue
        whole = True
        assert shape(decoded(dialect, body[:end], kind=STREAM)) == said
        assert body[end:].strip().count(b"\n") < 3, "more than its last word is missing"


@every_dialect
def test_a_whole_body_that_was_cut_is_undecodable_wherever_it_was_cut(dialect: Dialect) -> None:
    body = dialect.whole(ANSWER)
    for end in range(len(body)):
        assert "not JSON" in reason(dialect, body[:end], kind="application/json")


@every_dialect
def test_an_error_inside_a_200_stream_is_the_providers_wherever_it_stands(dialect: Dialect) -> None:
    events = dialect.stream(ANSWER, in_one)
    for place in range(len(events) - 1):
        body = b"".join([*events[:place], dialect.error, *events[place:]])
        found = decode_answer(exchange(dialect, body, kind=STREAM))
        assert found == ProviderError(
            status=200, code="overloaded", message="too busy", retry_after=None
        )


@every_dialect
@pytest.mark.parametrize("status", [400, 401, 429, 500, 503, 529])
def test_a_refusal_of_the_transport_is_the_providers_with_its_retry_after(
    dialect: Dialect, status: int
) -> None:
    """C65."""
    body = {"type": "error", "error": {"type": "rate_limit_error", "message": "slow down"}}
    found = decode_answer(
        exchange(dialect, json.dumps(body).encode(), status=status, headers={"retry-after": "1.5"})
    )
    assert found == ProviderError(
        status=status, code="rate_limit_error", message="slow down", retry_after="1.5"
    )


@every_dialect
@pytest.mark.parametrize("text", [None, ""])
def test_an_answer_with_nothing_in_it_is_told_as_such(dialect: Dialect, text: str | None) -> None:
    said = Said(text=text)
    for found in (
        decoded(dialect, dialect.whole(said)),
        streamed(dialect, dialect.stream(said, in_one)),
    ):
        assert (found.text, found.findings) == (text, (Finding.NO_CONTENT,))


NULLS = [
    (CHAT, b'{"choices":[{"message":{"content":null},"finish_reason":"stop"}]}', None),
    (CHAT, b'{"choices":null}', "/choices is empty"),
    (CHAT, b'{"choices":[{"message":null,"finish_reason":"stop"}]}', "no object"),
    (MESSAGES, b'{"type":"message","content":null,"stop_reason":"end_turn"}', None),
    (MESSAGES, b'{"type":"message","stop_reason":"end_turn"}', "no message"),
    (MESSAGES, b'{"content":[{"type":"text","text":null}],"stop_reason":"end_turn"}', "no text"),
    (MESSAGES, b'{"content":[null],"stop_reason":"end_turn"}', "no list of objects"),
    (RESPONSES, b'{"status":"completed","output":[]}', None),
    (RESPONSES, b'{"status":"completed","output":null}', "no list"),
    (RESPONSES, b'{"status":"completed","output":[{"type":"message","content":null}]}', None),
    (
        RESPONSES,
        b'{"status":"completed","output":[{"type":"message","content":'
        b'[{"type":"output_text","text":null}]}]}',
        "no text",
    ),
    *((dialect, b"null", "no JSON object") for dialect in DIALECTS),
]


@pytest.mark.parametrize(("dialect", "body", "words"), NULLS, ids=str)
def test_null_is_no_content_or_no_answer_and_never_an_empty_text(
    dialect: Dialect, body: bytes, words: str | None
) -> None:
    if words is not None:
        assert words in reason(dialect, body, kind="application/json")
        return
    found = decoded(dialect, body)
    assert (found.text, found.calls, found.findings) == (None, (), (Finding.NO_CONTENT,))


@every_dialect
def test_a_wrong_header_makes_nothing_up(dialect: Dialect) -> None:
    """A stream said to be one body, a body said to be a stream, an encoding that is none."""
    whole, stream = dialect.whole(ANSWER), b"".join(dialect.stream(ANSWER, in_one))
    assert "not JSON" in reason(dialect, stream, kind="application/json")
    assert "without a finish reason" in reason(dialect, whole)
    assert "content encoding" in reason(
        dialect, whole, kind="application/json", headers={"content-encoding": "gzip"}
    )
    plain = exchange(dialect, whole, headers={"content-encoding": "identity"})
    assert not isinstance(decode_answer(plain), Undecodable)


@every_dialect
def test_a_huge_answer_is_read_whole(dialect: Dialect) -> None:
    """C63: some ten megabytes in tens of thousands of events, and in one piece."""
    long = json.dumps({"text": "0123456789" * 60_000})

    def in_tens(text: str) -> list[str]:
        return [text[at : at + 20] for at in range(0, len(text), 20)]

    said = Said(calls=(("c1", "pay", long),))
    body = b"".join(dialect.stream(said, in_tens))
    assert len(body) > 4_000_000
    assert shape(decoded(dialect, body, kind=STREAM)) == said
    assert shape(decoded(dialect, dialect.whole(said))) == said


@pytest.mark.parametrize("dialect", [MESSAGES, RESPONSES], ids=str)
def test_an_event_that_says_two_things_is_undecodable(dialect: Dialect) -> None:
    """Clients go by the event's name or by the type in its data; they would not see the same."""
    events = dialect.stream(ANSWER, in_one)
    for place, one in enumerate(events):
        name = one.split(b"\n")[0]
        other = one.replace(name, b"event: ping" if b"ping" not in name else b"event: pong", 1)
        body = b"".join([*events[:place], other, *events[place + 1 :]])
        assert "says that it is" in reason(dialect, body)


@pytest.mark.parametrize("dialect", [MESSAGES, RESPONSES], ids=str)
def test_an_unknown_event_is_skipped_and_told(dialect: Dialect) -> None:
    events = dialect.stream(ANSWER, in_one)
    new = event({"type": "response.new_thing.added", "text": "x"})
    found = streamed(dialect, [events[0], new, *events[1:]])
    assert (shape(found), found.findings) == (ANSWER, (Finding.UNKNOWN_EVENT,))
    keep_alive = event({"type": "ping"})
    assert streamed(dialect, [events[0], keep_alive, *events[1:]]).findings == ()


@pytest.mark.parametrize("dialect", [MESSAGES, RESPONSES], ids=str)
def test_what_comes_after_the_end_is_refused(dialect: Dialect) -> None:
    events = dialect.stream(ANSWER, in_one)
    assert "after its end" in reason(dialect, b"".join([*events, events[2]]))
    done = b"data: [DONE]\n\n"
    assert shape(streamed(dialect, [*events, done])) == ANSWER
    assert "after [DONE]" in reason(dialect, b"".join([*events, done, events[2]]))
