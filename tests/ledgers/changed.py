"""Recordings in which an answer was changed on its way: what the tests of planted faults share."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from grid.canonical import load_json, plain_json
from grid.evidence import CallRecord
from grid.wirecall import WireCall, completion
from ledgers.case import Case
from proxy.wire.exchange import ErrorKind, Exchange, Response
from tests import builders


def sent_as(exchange: Exchange, was: str, now: str) -> Exchange:
    """Return an exchange whose answer the provider had sent with another text in it."""
    assert exchange.response is not None
    text = exchange.response.body["text"]
    assert now in text
    return replace(exchange, sent=replace(exchange.response, body={"text": text.replace(now, was)}))


def with_calls(exchange: Exchange, *sent: WireCall) -> Exchange:
    """Return an exchange whose answer the provider had sent with other calls in it."""
    assert exchange.response is not None
    body = completion("m", "", sent).decode()
    return replace(exchange, sent=replace(exchange.response, body={"text": body}))


def told(exchange: Exchange, was: str, now: str) -> Exchange:
    """Return an exchange in whose request the provider got another text in the tool messages."""
    asked = load_json(exchange.request.body["text"])
    for message in asked["messages"]:
        if message["role"] == "tool":
            assert was in message["content"]
            message["content"] = message["content"].replace(was, now)
    return replace(exchange, got={"text": plain_json(asked, indent=None)})


def failed_with(exchange: Exchange, status: int) -> Exchange:
    """Return an exchange whose answer an error took the place of."""
    error = Response(status=status, headers={}, body={"text": '{"error": {"message": "no"}}'})
    return replace(exchange, response=error, sent=exchange.response)


def cut(exchange: Exchange) -> Exchange:
    """Return an exchange whose answer breaks off half way."""
    assert exchange.response is not None
    text = exchange.response.body["text"]
    half = replace(exchange.response, body={"text": text[: len(text) // 2]})
    return replace(exchange, response=half, sent=exchange.response, error=ErrorKind.DISCONNECT)


def case(calls: Sequence[CallRecord], at: int, was: str, now: str, **more: Any) -> Case:
    """Return the case of calls of which one came with another text than the provider sent."""
    wire = list(builders.exchanges(calls))
    wire[at] = sent_as(wire[at], was, now)
    return builders.case(said=builders.journal(calls, **more), wire=wire)
