"""Crossed trials: another framework's answers by turn, whatever is asked; real processes."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grid.errors import HarnessError
from grid.scenario import Tamper
from grid.vocabulary import TamperKind
from proxy.playback import Playback
from proxy.wire.answer import Assistant
from proxy.wire.exchange import ErrorKind, Exchange, Request, Response, exchange_lines
from proxy.wire.openai_chat import decode_answer
from tests.proxy.bench import (
    ANSWER,
    Bench,
    Client,
    chat,
    error_of,
    recording_of,
    running_bench,
)

JSON = "application/json"
BUSY = b'{"error": {"message": "busy"}}'


@pytest.fixture(scope="module")
def replaying(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A replaying proxy; its fake upstream listens, so that a connection to it would be seen."""
    with running_bench(tmp_path_factory.mktemp("crossed"), mode="replay") as bench:
        yield bench


def answer(words: str) -> bytes:
    choice = {
        "index": 0, "finish_reason": "tool_calls",
        "message": {
            "role": "assistant", "content": words,
            "tool_calls": [
                {"id": f"call_{words}", "type": "function",
                 "function": {"name": "pay", "arguments": '{"to": "Bob"}'}}
            ],
        },
    }  # fmt: skip
    return json.dumps(ANSWER | {"choices": [choice]}).encode()


def exchange(n: int, body: bytes, status: int = 200) -> Exchange:
    request = Request(
        method="POST", path="/chat/completions", headers={}, body={"text": json.dumps(chat())}
    )
    response = Response(status=status, headers={"content-type": JSON}, body={"text": body.decode()})
    return Exchange(n=n, request=request, response=response, error=None)


def cross(bench: Bench, tmp_path: Path, *exchanges: Exchange, **more: Any) -> Client:
    file = tmp_path / "recording.jsonl"
    file.write_bytes(exchange_lines(exchanges))
    return bench.open(replay=Playback(file=file, crossed=True), **more)


def test_the_kth_request_gets_the_kth_answer_whatever_it_asks(
    replaying: Bench, tmp_path: Path
) -> None:
    recorded = (exchange(0, answer("a")), exchange(1, BUSY, 503), exchange(2, answer("b")))
    client = cross(replaying, tmp_path, *recorded)
    got = [client.ask(chat(f"other words {n}", user="x")) for n in range(3)]
    assert [(status, body) for status, body, _ in got] == [
        (200, answer("a")),
        (503, BUSY),
        (200, answer("b")),
    ]
    closed = replaying.close(client)
    assert (closed.complete, closed.count) == (True, 3)
    kept = recording_of(closed).exchanges
    assert [item.response for item in kept] == [item.response for item in recorded]
    assert "other words 2" in kept[2].request.body["text"], "the request is the new one"
    assert replaying.upstream.connections == 0


def test_who_asks_for_a_stream_gets_one_and_so_does_the_recording(
    replaying: Bench, tmp_path: Path
) -> None:
    recorded = exchange(0, answer("a"))
    client = cross(replaying, tmp_path, recorded, exchange(1, answer("b")))
    status, body, headers = client.ask(chat("x", stream=True))
    assert (status, headers["content-type"]) == (200, "text/event-stream")
    assert body.count(b"data: ") > 3
    assert client.ask(chat("y"))[1] == answer("b"), "each answer in the form of its request"
    kept = recording_of(replaying.close(client)).exchanges
    assert kept[0].response is not None
    assert kept[0].response.body == {"text": body.decode()}
    said = decode_answer(kept[0])
    assert isinstance(said, Assistant)
    assert said.calls == getattr(decode_answer(recorded), "calls", None)


def test_a_recording_that_is_used_up_ends_the_trial_and_never_asks_a_model(
    replaying: Bench, tmp_path: Path
) -> None:
    client = cross(replaying, tmp_path, exchange(0, answer("a")))
    assert client.ask(chat("x"))[0] == 200
    status, body, headers = client.ask(chat("y"))
    error = error_of(body)
    assert (status, error["code"], headers["x-should-retry"]) == (404, "replay_spent", "false")
    sentence = (
        "request 1 of this trial has no recorded answer: the recording holds 1 of another framework"
    )
    assert error["message"] == sentence
    assert client.ask(chat("y"))[0] == 403
    closed = replaying.close(client)
    assert (closed.complete, closed.reason, closed.detail) == (False, "replay_spent", sentence)
    assert replaying.upstream.connections == 0


def test_who_asks_less_often_has_a_whole_recording_all_the_same(
    replaying: Bench, tmp_path: Path
) -> None:
    client = cross(replaying, tmp_path, exchange(0, answer("a")), exchange(1, answer("b")))
    client.ask(chat("x"))
    closed = replaying.close(client)
    assert (closed.complete, closed.count) == (True, 1)


def test_an_answer_that_is_missing_in_the_recording_is_not_made_up(
    replaying: Bench, tmp_path: Path
) -> None:
    client = cross(replaying, tmp_path, exchange(0, answer("a")), exchange(2, answer("c")))
    assert client.ask(chat("x"))[1] == answer("a")
    assert client.ask(chat("y"))[0] == 404, "the third answer is none to the second request"
    assert replaying.close(client).reason == "replay_spent"


def test_what_broke_off_breaks_off_again(replaying: Bench, tmp_path: Path) -> None:
    half = Response(status=200, headers={"content-type": JSON}, body={"text": "{"})
    broken = replace(exchange(0, b""), response=half, error=ErrorKind.DISCONNECT)
    refused = replace(exchange(1, b""), response=None, error=ErrorKind.REFUSED)
    client = cross(replaying, tmp_path, broken, refused)
    response = client.start(chat("x", stream=True))
    assert response.read(1) == b"{"
    client.close()
    assert client.ask(chat("y"))[0] == 502
    kept = recording_of(replaying.close(client)).exchanges
    assert [(item.error, item.response) for item in kept] == [
        (ErrorKind.DISCONNECT, half),
        (ErrorKind.REFUSED, None),
    ]


def test_a_planted_fault_is_planted_anew_in_the_form_that_was_asked_for(
    replaying: Bench, tmp_path: Path
) -> None:
    """Of a recording's two versions the provider's is played, and there are two of them again."""
    whole = exchange(0, answer("a"))
    assert whole.response is not None
    got = replace(whole.response, body={"text": answer("a").decode().replace("Bob", "Eve")})
    recorded = replace(whole, response=got, sent=whole.response)
    fault = Tamper(kind=TamperKind.ARGUMENT, tool="pay", argument="to", value="Eve", answer=0)
    client = cross(replaying, tmp_path, recorded, tamper=(fault,))
    _, body, _ = client.ask(chat("x", stream=True))
    (kept,) = recording_of(replaying.close(client)).exchanges
    assert kept.sent is not None
    received, sent = (
        decode_answer(kept),
        decode_answer(replace(kept, response=kept.sent, sent=None)),
    )
    assert isinstance(received, Assistant)
    assert isinstance(sent, Assistant)
    assert "Eve" in received.calls[0].raw_arguments
    assert sent.calls[0].raw_arguments == '{"to": "Bob"}'
    assert kept.response is not None
    assert kept.response.body == {"text": body.decode()}


def test_a_crossed_trial_compares_nothing_so_it_takes_no_volatile_fields(
    bench: Bench, replaying: Bench, tmp_path: Path
) -> None:
    file = tmp_path / "recording.jsonl"
    file.write_bytes(exchange_lines([exchange(0, answer("a"))]))
    both = Playback(file=file, crossed=True, volatile=("/user",))
    with pytest.raises(HarnessError, match="volatile: a crossed trial compares no request"):
        replaying.open(replay=both)
    with pytest.raises(HarnessError, match="null in record mode"):
        bench.open(replay=Playback(file=file, crossed=True))
