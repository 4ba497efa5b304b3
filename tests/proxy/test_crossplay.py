"""A recorded answer in the form that another client asks for."""

import json
from dataclasses import replace
from typing import Any

import pytest

from grid.errors import StrictError
from grid.wirecall import WireCall
from proxy.completion import EVENT_STREAM, JSON, Completion, stream_events, whole_body
from proxy.crossplay import played
from proxy.wire.answer import Assistant, ProviderError
from proxy.wire.exchange import ErrorKind, Exchange, Request, Response, body_json
from proxy.wire.openai_chat import decode_answer
from proxy.wire.protocol import decode_answer as decode_answer_of

CALL = WireCall(id="call_7", name="pay", raw_arguments='{"to":  "Bob"}')
SAID = Completion(
    id="chatcmpl-recorded", model="m-2031", text="I pay.", calls=(CALL,),
    finish_reason="tool_calls",
    usage={"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7},
)  # fmt: skip
WHOLE = {"model": "m", "messages": [{"role": "user", "content": "other words"}]}
STREAM = WHOLE | {"stream": True}
COUNTED = STREAM | {"stream_options": {"include_usage": True}}


def asked(body: Any, path: str = "/chat/completions") -> Request:
    return Request(method="POST", path=path, headers={}, body={"text": json.dumps(body)})


def answered(kind: str, body: bytes, *, status: int = 200, **more: Any) -> Exchange:
    response = Response(status=status, headers={"content-type": kind, **more}, body=body_json(body))
    want = STREAM if kind.startswith(EVENT_STREAM) else WHOLE
    return Exchange(n=4, request=asked(want), response=response, error=None)


def whole() -> Exchange:
    return answered(JSON, whole_body(SAID))


def streamed() -> Exchange:
    events = b"".join(stream_events(SAID, counted=True))
    return answered(f"{EVENT_STREAM}; charset=utf-8", events)


@pytest.mark.parametrize(("recorded", "body"), [(whole(), WHOLE), (streamed(), STREAM)])
def test_in_its_own_form_an_answer_keeps_every_byte(recorded: Exchange, body: Any) -> None:
    assert played(recorded, asked(body)) == recorded


@pytest.mark.parametrize(
    ("recorded", "body", "kind"), [(whole(), COUNTED, EVENT_STREAM), (streamed(), WHOLE, JSON)]
)
def test_in_the_other_form_it_says_the_same(recorded: Exchange, body: Any, kind: str) -> None:
    found = played(recorded, asked(body))
    assert found.response is not None
    assert found.response.headers == {"content-type": kind}
    assert found.response.body != (recorded.response.body if recorded.response else None)
    said = decode_answer(found)
    assert said == decode_answer(recorded)
    assert isinstance(said, Assistant)
    assert (said.calls, said.model, said.usage) == ((CALL,), "m-2031", SAID.usage)


def test_there_and_back_again_nothing_is_lost() -> None:
    there = replace(played(whole(), asked(COUNTED)), request=asked(COUNTED))
    back = played(there, asked(WHOLE))
    assert decode_answer(back) == decode_answer(whole())


def test_token_counts_are_streamed_only_where_they_are_asked_for() -> None:
    said = decode_answer(played(whole(), asked(STREAM)))
    assert isinstance(said, Assistant)
    assert said.usage is None


def test_the_same_answer_is_written_the_same_way_every_time() -> None:
    assert played(whole(), asked(STREAM)) == played(whole(), asked(STREAM))


def test_an_error_keeps_its_status_and_bytes_whatever_form_was_asked_for() -> None:
    error = answered(JSON, b'{"error": {"message": "slow down"}}', status=429)
    assert played(error, asked(STREAM)) == error


@pytest.mark.parametrize("body", [WHOLE, STREAM])
def test_an_error_inside_a_200_comes_as_one_in_either_form(body: Any) -> None:
    event = b'data: {"error": {"message": "overloaded", "code": "busy"}}\n\n'
    plain = b'{"error": {"message": "overloaded", "code": "busy"}}'
    for recorded in (answered(EVENT_STREAM, event), answered(JSON, plain)):
        found = decode_answer(played(recorded, asked(body)))
        assert found == ProviderError(
            status=200, code="busy", message="overloaded", retry_after=None
        )


@pytest.mark.parametrize(
    "recorded",
    [
        answered(JSON, b"no json"),
        answered(EVENT_STREAM, b'data: {"choices": []}\n\n'),
        replace(whole(), error=ErrorKind.DISCONNECT),
        replace(whole(), response=None, error=ErrorKind.REFUSED),
    ],
)
def test_what_is_no_whole_answer_is_passed_on_as_it_is(recorded: Exchange) -> None:
    for body in (WHOLE, STREAM):
        assert played(recorded, asked(body)) == recorded


def test_a_request_that_cannot_be_read_gets_the_recorded_bytes() -> None:
    assert played(whole(), Request(method="GET", path="/x", headers={}, body={"text": ""})) == (
        whole()
    )


@pytest.mark.parametrize("count", [str(2**60), '"\\ud83d"'])
def test_what_has_no_other_form_is_refused_in_a_sentence(count: str) -> None:
    """A count beyond 2^53, or half a character, cannot be written; the recorded bytes can."""
    body = b"".join(stream_events(replace(SAID, usage={"total": 77}), counted=True))
    recorded = answered(EVENT_STREAM, body.replace(b"77", count.encode()))
    assert played(recorded, asked(STREAM)) == recorded
    with pytest.raises(StrictError, match="cannot be written in another form"):
        played(recorded, asked(WHOLE))


def test_an_answer_of_another_protocol_is_given_as_recorded_or_not_at_all() -> None:
    body = WHOLE | {"max_tokens": 5}
    theirs = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m",
        "content": [{"type": "text", "text": "moon"}], "stop_reason": "end_turn",
        "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
    }  # fmt: skip
    recorded = replace(
        answered(JSON, json.dumps(theirs).encode()), request=asked(body, path="/v1/messages")
    )
    assert isinstance(decode_answer_of(recorded), Assistant)
    assert played(recorded, asked(body, path="/v1/messages")) == recorded
    for other in (asked(body | {"stream": True}, path="/v1/messages"), asked(WHOLE)):
        with pytest.raises(StrictError, match="only chat completions change their form"):
            played(recorded, other)
    with pytest.raises(StrictError, match="recorded from /chat/completions cannot"):
        played(whole(), asked(body, path="/v1/messages"))
