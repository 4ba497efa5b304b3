"""`oddities`: what decoders find odd comes out in sentences, each thing once."""

import base64
from dataclasses import replace
from typing import Any

import pytest

from grid.canonical import plain_json
from ledgers.oddities import SENTENCES, oddities
from proxy.wire.answer import Finding
from proxy.wire.exchange import ErrorKind, Exchange, body_bytes
from tests.builders import call, completion, exchange, exchanges, message, wire_call

ASKED = {"model": "m", "messages": [{"role": "user", "content": "look"}]}


def said(*found: Exchange) -> list[str]:
    return [str(item) for item in oddities(found)]


def answered(*calls: dict[str, Any], words: str | None = None) -> Exchange:
    return exchange(0, ASKED, completion(message(calls, words)))


def streamed(*events: str) -> Exchange:
    whole = exchange(0, ASKED, "")
    assert whole.response is not None
    body = {"text": "".join(f"data: {event}\n\n" for event in events)}
    headers = {"content-type": "text/event-stream"}
    return replace(whole, response=replace(whole.response, headers=headers, body=body))


def chunk(finish: str | None = None, **delta: Any) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return plain_json({"choices": [choice]}, indent=None)


def test_plain_exchanges_have_nothing_odd() -> None:
    assert said(*exchanges((call(0), call(1)))) == []


def test_every_finding_of_a_decoder_has_its_sentence() -> None:
    assert set(SENTENCES) == set(Finding)
    assert len(set(SENTENCES.values())) == len(Finding)


def test_a_stray_byte_is_told_with_its_exchange() -> None:
    plain = answered(words="a?b")
    assert plain.response is not None
    body = body_bytes(plain.response.body).replace(b"?", b"\xff")
    kept = {"base64": base64.b64encode(body).decode()}
    spoiled = replace(plain, n=3, response=replace(plain.response, body=kept))
    assert said(spoiled) == [
        r"exchange 3: the answer: it holds bytes that are no UTF-8, which are kept as \xNN"
    ]
    assert said(plain) == []


def test_skipped_events_are_counted() -> None:
    whole = (chunk(content="hi"), chunk("stop"), "[DONE]")
    skipped = "exchange 0: the answer: an event of the stream was no JSON and was skipped"
    assert said(streamed(*whole)) == []
    assert said(streamed("5", *whole)) == [skipped]
    assert said(streamed("5", ": PROCESSING", *whole)) == [
        "exchange 0: the answer: 2 events of the stream were no JSON and skipped"
    ]


def test_ids_and_arguments_that_are_odd_are_told() -> None:
    twice = answered(wire_call("c", "pay", "{}"), wire_call("c", "pay", "{"))
    assert said(twice) == [
        "exchange 0: the answer: two tool calls share one id",
        "exchange 0: the answer: a tool call's arguments are not JSON",
    ]
    assert said(answered(wire_call("", "pay", "{}"))) == [
        "exchange 0: the answer: a tool call has no id"
    ]
    assert said(answered(wire_call("c", "pay", "{}"), wire_call("d", "pay", "{}"))) == []


def with_results(n: int, ids: tuple[str, ...], *wanted: str) -> Exchange:
    calls = message([wire_call(one, "get_weather", "{}") for one in ids])
    results = [{"role": "tool", "tool_call_id": one, "content": "sunny"} for one in wanted]
    asked = {**ASKED, "messages": [*ASKED["messages"], calls, *results]}
    return exchange(n, asked, completion(message(words="Sunny.")))


def test_a_result_that_may_belong_to_two_calls_is_told_once_where_it_is_shown_first() -> None:
    """C59."""
    first, again = (with_results(n, ("", ""), "", "") for n in (1, 2))
    assert said(first, again) == [
        "exchange 1: message 2 of the request is a tool result, and more than one call could be "
        "meant",
        "exchange 1: message 3 of the request is a tool result, and more than one call could be "
        "meant",
    ]
    assert said(with_results(1, ("a", "b"), "b", "a")) == []
    assert said(with_results(1, ("",), "")) == [], "one call and one result belong together"


def test_a_result_without_a_call_is_told() -> None:
    assert said(with_results(0, (), "a")) == [
        "exchange 0: message 2 of the request is a tool result, and no call stands before it"
    ]


@pytest.mark.parametrize("body", ["no JSON", {"messages": 5}, {"messages": [], "model": 5}])
def test_a_request_that_cannot_be_decoded_says_why(body: Any) -> None:
    (line,) = said(exchange(0, body, completion(message(words="x"))))
    assert line.startswith("exchange 0: the request cannot be decoded: ")


def test_an_answer_that_cannot_be_decoded_says_why_and_one_that_never_came_is_none() -> None:
    broken = exchange(0, ASKED, '{"choices": [')
    (line,) = said(broken)
    assert line.startswith(
        "exchange 0: the answer cannot be decoded: the response body is not JSON"
    )
    assert said(replace(broken, error=ErrorKind.DISCONNECT)) == []
    assert said(replace(broken, response=None, error=ErrorKind.REFUSED)) == []
    assert said(exchange(0, ASKED, {"error": {"message": "busy"}}, status=503)) == []


def test_a_request_of_any_shape_is_no_reason_to_fail() -> None:
    for calls in (5, "x", {"a": 1}, [5], [[]]):
        turn = {"role": "assistant", "tool_calls": calls}
        results = [{"role": "tool", "tool_call_id": [1]}, {"role": "tool"}]
        asked = {**ASKED, "messages": [turn, *results]}
        assert len(said(exchange(0, asked, completion(message(words="x"))))) == 2


def test_what_is_no_models_talk_at_all_is_not_odd() -> None:
    """A client of the proxy may list models, or ask for embeddings."""
    body = {"object": "list", "data": []}
    found = exchange(0, "", body)
    assert len(said(found)) == 2
    listed = replace(found, request=replace(found.request, method="GET", path="/v1/models?limit=5"))
    assert said(listed) == []
