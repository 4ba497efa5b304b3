import base64
import gzip
import http.client
import json
import os
import socket
import threading
from collections.abc import Callable

import brotli
import pytest
import zstandard
from mitmproxy.flow import Error
from mitmproxy.test import tflow

from proxy.recorder import kind_of
from proxy.wire.answer import Assistant, Undecodable
from proxy.wire.exchange import ErrorKind, body_bytes
from proxy.wire.openai_chat import decode_answer
from tests.proxy.bench import (
    ANSWER,
    EVENT_STREAM_HEAD,
    PATIENCE_S,
    Bench,
    Seen,
    chat,
    chunk,
    plain_answer,
    recording_of,
)

EVENTS = [
    b'data: {"model":"fake","choices":[{"index":0,"delta":{"content":"mo"}}]}\n\n',
    b'data: {"choices":[{"index":0,"delta":{"content":"on"},"finish_reason":"stop"}]}\n\n',
    b"data: [DONE]\n\n",
]


def test_an_exchange_is_kept_as_it_went_over_the_wire(bench: Bench) -> None:
    client = bench.open(trial="s/f/m/c/off/en/7")
    sent = json.dumps(chat("月へ 🍣"), ensure_ascii=False, indent=1).encode()
    _, got, _ = client.ask(sent, headers={"accept": "application/json", "x-other": "dropped"})
    closed = bench.close(client)
    (exchange,) = recording_of(closed).exchanges
    assert (closed.count, closed.complete, closed.reason) == (1, True, "")
    assert exchange.request.body == {"text": sent.decode()}
    assert exchange.request.path == "/chat/completions"
    assert exchange.request.headers == {
        "content-type": "application/json",
        "accept": "application/json",
    }
    assert exchange.response is not None
    assert exchange.response.body == {"text": got.decode()}
    assert exchange.response.headers == {"content-type": "application/json"}


def test_the_partial_file_holds_no_clock_no_port_and_no_id(bench: Bench) -> None:
    files = []
    for _ in range(2):
        client = bench.open()
        client.ask()
        file = bench.close(client).file
        assert file is not None
        files.append(file.read_bytes())
        assert os.stat(file).st_mode & 0o777 == 0o600
    assert files[0] == files[1]


def test_a_body_that_is_no_text_is_kept_in_base64(bench: Bench) -> None:
    client = bench.open()
    client.ask(b"\xff\x00\xfe")
    (exchange,) = recording_of(bench.close(client)).exchanges
    assert exchange.request.body == {"base64": base64.b64encode(b"\xff\x00\xfe").decode()}


@pytest.mark.parametrize(
    ("encoding", "encode"),
    [("gzip", gzip.compress), ("br", brotli.compress), ("zstd", zstandard.compress)],
)
def test_a_compressed_answer_is_recorded_plain(
    bench: Bench, encoding: str, encode: Callable[[bytes], bytes]
) -> None:
    packed = encode(json.dumps(ANSWER).encode())
    answer = plain_answer(packed, "200 OK", f"Content-Encoding: {encoding}")
    bench.upstream.play = lambda connection, seen: connection.sendall(answer)
    client = bench.open()
    assert client.ask()[1] == packed
    (exchange,) = recording_of(bench.close(client)).exchanges
    assert exchange.response is not None
    assert json.loads(body_bytes(exchange.response.body)) == ANSWER
    assert "content-encoding" not in exchange.response.headers


@pytest.mark.parametrize(
    "body",
    [b'{"choices":[]}', gzip.compress(b'{"choices":[]}' * 9, mtime=0)[:-9]],
    ids=["plain", "cut"],
)
def test_an_encoding_that_is_a_lie_is_recorded_with_its_body_so_that_a_replay_lies_alike(
    bench: Bench, body: bytes
) -> None:
    answer = plain_answer(body, "200 OK", "Content-Encoding: gzip")
    bench.upstream.play = lambda connection, seen: connection.sendall(answer)
    client = bench.open()
    client.ask()
    (exchange,) = recording_of(bench.close(client)).exchanges
    assert exchange.response is not None
    assert exchange.response.headers["content-encoding"] == "gzip"
    assert body_bytes(exchange.response.body) == body


def test_a_rate_limit_is_an_answer_with_its_headers(bench: Bench) -> None:
    """C65: 429 and 503 are answers of the provider, kept with `Retry-After` as it was sent."""
    date = "Wed, 21 Oct 2026 07:28:00 GMT"
    replies = iter([("429 Too Many Requests", date), ("503 Service Unavailable", "-1")])

    def play(connection: socket.socket, seen: Seen) -> bool:
        status, wait = next(replies)
        connection.sendall(plain_answer(b"{}", status, f"Retry-After: {wait}"))
        return True

    bench.upstream.play = play
    client = bench.open()
    assert [client.ask()[0] for _ in range(2)] == [429, 503]
    recording = recording_of(bench.close(client))
    assert recording.complete
    waits = [e.response.headers["retry-after"] for e in recording.exchanges if e.response]
    assert waits == [date, "-1"]


def test_a_stream_is_passed_on_as_it_comes_and_kept_whole(bench: Bench) -> None:
    """C61: the upstream sends on only after the client has the first event in its hands."""
    first_arrived = threading.Event()

    def play(connection: socket.socket, seen: Seen) -> bool:
        connection.sendall(EVENT_STREAM_HEAD + chunk(EVENTS[0]))
        assert first_arrived.wait(PATIENCE_S), "the first event was held back"
        connection.sendall(b"".join(chunk(event) for event in EVENTS[1:]) + b"0\r\n\r\n")
        return True

    bench.upstream.play = play
    client = bench.open()
    response = client.start(chat(stream=True))
    assert response.read(len(EVENTS[0])) == EVENTS[0]
    first_arrived.set()
    assert response.read() == b"".join(EVENTS[1:])
    (exchange,) = recording_of(bench.close(client)).exchanges
    assert exchange.response is not None
    assert exchange.error is None
    assert body_bytes(exchange.response.body) == b"".join(EVENTS)
    answer = decode_answer(exchange)
    assert isinstance(answer, Assistant)
    assert answer.text == "moon"


def test_a_client_that_hangs_up_in_a_stream_is_recorded_as_such(bench: Bench) -> None:
    cut_off = threading.Event()

    def play(connection: socket.socket, seen: Seen) -> None:
        connection.sendall(EVENT_STREAM_HEAD + chunk(EVENTS[0]))
        assert connection.recv(1) == b""
        cut_off.set()

    bench.upstream.play = play
    client = bench.open()
    response = client.start(chat(stream=True))
    assert response.read(len(EVENTS[0])) == EVENTS[0]
    response.close()
    client.close()
    assert cut_off.wait(PATIENCE_S), "the upstream was not told"
    recording = recording_of(bench.close(client))
    (exchange,) = recording.exchanges
    assert recording.complete
    assert exchange.error is ErrorKind.CLIENT_LEFT
    assert exchange.response is not None
    assert body_bytes(exchange.response.body) == EVENTS[0]
    assert isinstance(decode_answer(exchange), Undecodable)


def test_a_client_that_leaves_at_done_has_had_a_whole_answer(bench: Bench) -> None:
    """Whether the proxy saw the end of the body before the client hung up must not show."""
    cut_off = threading.Event()

    def play(connection: socket.socket, seen: Seen) -> None:
        connection.sendall(EVENT_STREAM_HEAD + b"".join(chunk(event) for event in EVENTS))
        assert connection.recv(1) == b""
        cut_off.set()

    bench.upstream.play = play
    client = bench.open()
    response = client.start(chat(stream=True))
    response.read(len(b"".join(EVENTS)))
    response.close()
    client.close()
    assert cut_off.wait(PATIENCE_S)
    (exchange,) = recording_of(bench.close(client)).exchanges
    assert exchange.error is None
    assert isinstance(decode_answer(exchange), Assistant)


def test_a_client_that_hangs_up_before_the_answer_is_recorded_as_such(bench: Bench) -> None:
    asked, cut_off = threading.Event(), threading.Event()

    def play(connection: socket.socket, seen: Seen) -> None:
        asked.set()
        assert connection.recv(1) == b""
        cut_off.set()

    bench.upstream.play = play
    client = bench.open()
    data = json.dumps(chat()).encode()
    client.connection.request(
        "POST",
        f"/t/{client.opened.token}/v1/chat/completions",
        data,
        {"authorization": f"Bearer {client.opened.api_key}"},
    )
    assert asked.wait(PATIENCE_S)
    client.close()
    assert cut_off.wait(PATIENCE_S)
    (exchange,) = recording_of(bench.close(client)).exchanges
    assert (exchange.error, exchange.response) == (ErrorKind.CLIENT_LEFT, None)


def test_an_upstream_that_dies_in_a_stream_leaves_what_it_sent(bench: Bench) -> None:
    bench.upstream.play = lambda connection, seen: connection.sendall(
        EVENT_STREAM_HEAD + chunk(EVENTS[0])
    )
    client = bench.open()
    response = client.start(chat(stream=True))
    with pytest.raises((http.client.IncompleteRead, ConnectionError)):
        response.read()
    recording = recording_of(bench.close(client))
    (exchange,) = recording.exchanges
    assert recording.complete
    assert exchange.error is ErrorKind.DISCONNECT
    assert exchange.response is not None
    assert body_bytes(exchange.response.body) == EVENTS[0]


@pytest.mark.parametrize(
    ("sent", "kind"),
    [
        (b"", ErrorKind.DISCONNECT),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort", ErrorKind.DISCONNECT),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", ErrorKind.MALFORMED),
        (b"no protocol at all\r\n\r\n", ErrorKind.MALFORMED),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 200001\r\n\r\n", ErrorKind.TOO_LARGE),
    ],
)
def test_an_upstream_that_breaks_off_is_a_502_and_recorded(
    bench: Bench, sent: bytes, kind: ErrorKind
) -> None:
    bench.upstream.play = lambda connection, seen: connection.sendall(sent)
    client = bench.open()
    assert client.ask()[0] == 502
    recording = recording_of(bench.close(client))
    assert recording.complete
    assert [(e.error, e.response) for e in recording.exchanges] == [(kind, None)]


def test_closing_waits_for_the_exchange_under_way(bench: Bench) -> None:
    asked, go_on = threading.Event(), threading.Event()

    def play(connection: socket.socket, seen: Seen) -> bool:
        asked.set()
        assert go_on.wait(PATIENCE_S)
        connection.sendall(plain_answer(json.dumps(ANSWER).encode()))
        return True

    bench.upstream.play = play
    client, other = bench.open(), bench.open()
    asking = threading.Thread(target=client.ask)
    asking.start()
    assert asked.wait(PATIENCE_S)
    found = []
    closing = threading.Thread(target=lambda: found.append(bench.close(client)))
    closing.start()
    assert bench.close(other).complete, "a close that waits holds up nobody else"
    assert not found
    go_on.set()
    closing.join()
    asking.join()
    assert found[0].complete
    assert found[0].count == 1


def test_a_connection_that_timed_out_is_told_from_a_refused_one() -> None:
    flow = tflow.tflow(err=True)
    flow.server_conn.timestamp_tcp_setup = None
    for words, kind in (
        ("[Errno 110] Connect call failed", ErrorKind.TIMEOUT),
        ("[Errno 111] Connect call failed", ErrorKind.REFUSED),
        ("connection cancelled", ErrorKind.CLIENT_LEFT),
    ):
        flow.error = Error(words)
        assert kind_of(flow) is kind
