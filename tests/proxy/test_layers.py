"""`layers`: what is spoken on a connection, and what a hostile peer cannot do with it."""

import http.client
import json
import socket
import time
from collections.abc import Callable

import pytest

from proxy.layers import HEAD_MOST, INTERIM_MOST
from proxy.wire.exchange import ErrorKind, Gap
from tests.proxy.bench import (
    ANSWER,
    PATIENCE_S,
    Bench,
    Client,
    Seen,
    chat,
    error_of,
    plain_answer,
    recording_of,
)

OK = plain_answer(b"{}")
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n"


def answering(bench: Bench, *pieces: bytes) -> None:
    def play(connection: socket.socket, _seen: Seen) -> bool:
        for piece in pieces:
            connection.sendall(piece)
        return True

    bench.upstream.play = play


@pytest.mark.parametrize(
    "pieces",
    [
        (b"HTTP/1.1 100 Continue\r\n\r\n" + OK,),
        (b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", OK),
        (b"HTTP/1.1 102 Processing\r\nX: ", b"1\r\n\r\nHTTP/1.1 100 Cont", b"inue\r\n\r\n" + OK),
    ],
)
def test_interim_answers_are_no_answers(bench: Bench, pieces: tuple[bytes, ...]) -> None:
    answering(bench, *pieces)
    client = bench.open()
    assert [client.ask()[:2] for _ in range(2)] == [(200, b"{}")] * 2
    recording = recording_of(bench.close(client))
    assert recording.complete
    assert [item.response and item.response.status for item in recording.exchanges] == [200, 200]


@pytest.mark.parametrize(
    "sent",
    [
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nxx",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
        b"HTTP/1.1 99 Odd\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 1000 Odd\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\n" * (INTERIM_MOST + 2),
        HEAD + b"X: " + b"x" * 3 * HEAD_MOST + b"\r\nContent-Length: 2\r\n\r\n{}",
        HEAD + b"X: x\r\n" * HEAD_MOST + b"Content-Length: 2\r\n\r\n{}",
        HEAD + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x",
        HEAD + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        HEAD + b"Content-Length: -2\r\n\r\n{}",
        HEAD + b"X y: z\r\nContent-Length: 2\r\n\r\n{}",
    ],
    ids=[
        "websocket", "h2c", "99", "1000", "interim without end", "long header", "many headers",
        "two lengths", "length and chunks", "negative length", "bad name",
    ],
)  # fmt: skip
def test_a_breach_of_the_protocol_is_a_502_for_this_request_alone(
    bench: Bench, sent: bytes
) -> None:
    answering(bench, sent)
    client = bench.open()
    assert client.ask()[0] == 502
    answering(bench, OK)
    assert client.ask()[0] == 200
    recording = recording_of(bench.close(client))
    assert recording.complete, recording.detail
    assert [item.error for item in recording.exchanges] == [ErrorKind.MALFORMED, None]


def test_the_words_about_a_breach_tell_no_key_that_the_provider_put_into_it(bench: Bench) -> None:
    """mitmproxy names the line that it could not read."""
    secret = "sk-real-0123456789abcdef"
    answering(bench, f"HTTP/1.1 200 OK\r\nno header but Bearer {secret}\r\n\r\n".encode())
    status, body, headers = bench.open(secret=secret).ask()
    assert (status, headers["content-type"]) == (502, "application/json")
    assert "no header but Bearer [provider key]" in error_of(body)["message"]
    assert secret.encode() not in body


@pytest.mark.parametrize(
    ("sent", "status", "code"),
    [
        (b"no protocol\r\n\r\n", 400, "bad_request"),
        (b"\x16\x03\x01\x00\x00", 400, "bad_request"),
        (b"GET / HTTP/1.1\r\nX: " + b"x" * 3 * HEAD_MOST, 431, "too_large"),
    ],
)
def test_what_is_refused_before_it_is_a_request_is_told_as_json(
    bench: Bench, sent: bytes, status: int, code: str
) -> None:
    with socket.create_connection(("127.0.0.1", bench.proxy.port), PATIENCE_S) as connection:
        connection.sendall(sent)
        response = http.client.HTTPResponse(connection)
        response.begin()
        body = response.read()
    assert response.status == status
    assert response.getheader("content-type") == "application/json"
    assert error_of(body)["code"] == code


def test_a_head_up_to_the_bound_passes(bench: Bench) -> None:
    long = b"x" * (HEAD_MOST - 1000)
    answering(bench, HEAD + b"X-Long: " + long + b"\r\nContent-Length: 2\r\n\r\n{}")
    client = bench.open()
    status, _, headers = client.ask()
    assert (status, headers["x-long"]) == (200, long.decode())


@pytest.mark.parametrize("_", range(4))
def test_a_head_without_an_end_is_cut_off_before_it_fills_the_memory(bench: Bench, _: int) -> None:
    """Four times: mitmproxy left about every fourth such connection open, for good."""

    def play(connection: socket.socket, _seen: Seen) -> None:
        try:
            connection.sendall(HEAD)
            for _ in range(100_000):
                connection.sendall(b"X-More: " + b"x" * 1000 + b"\r\n")
        except OSError:
            ended.append(True)

    ended: list[bool] = []
    bench.upstream.play = play
    client = bench.open()
    assert client.ask()[0] == 502
    wait_for(lambda: bool(ended))


def wait_for(happened: Callable[[], bool]) -> None:
    """Wait until something has happened that must, or fail."""
    end = time.monotonic() + PATIENCE_S
    while not happened():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.01)


@pytest.mark.parametrize("trailers", [b"\r\n", b"X-Sum: 1\r\nServer-Timing: x\r\n\r\n"])
def test_trailers_behind_an_answer_are_taken_off(bench: Bench, trailers: bytes) -> None:
    answering(bench, CHUNKED + trailers)
    client = bench.open()
    assert [client.ask()[:2] for _ in range(2)] == [(200, b"{}")] * 2
    recording = recording_of(bench.close(client))
    assert recording.complete, recording.detail


def test_trailers_behind_a_request_are_taken_off_and_hurt_no_other_trial(bench: Bench) -> None:
    client = bench.open()
    data = json.dumps(chat()).encode()
    body = b"%x\r\n%s\r\n0\r\nX-Sum: 1\r\n\r\n" % (len(data), data)
    head = (
        f"POST /t/{client.opened.token}/v1/chat/completions HTTP/1.1\r\nHost: x\r\n"
        f"Authorization: Bearer {client.opened.api_key}\r\n"
        "Transfer-Encoding: chunked\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", bench.proxy.port), PATIENCE_S) as connection:
        connection.sendall(head.encode() + body)
        response = http.client.HTTPResponse(connection)
        response.begin()
        assert json.loads(response.read()) == ANSWER
    recording = recording_of(bench.close(client))
    assert recording.complete, recording.detail
    assert recording.exchanges[0].request.body == {"text": data.decode()}


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET / HTTP/1.1\r\nX: " + b"x" * 2 * HEAD_MOST, b"431"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"400"),
    ],
    ids=["head without end", "handshake"],
)
def test_a_client_that_breaks_the_protocol_is_told_so_and_cut_off(
    bench: Bench, sent: bytes, status: bytes
) -> None:
    with socket.create_connection(("127.0.0.1", bench.proxy.port), PATIENCE_S) as connection:
        connection.sendall(sent)
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
    assert answer.startswith(b"HTTP/1.1 " + status)


def test_header_lines_cannot_be_smuggled_into_an_answer(bench: Bench) -> None:
    """A bare line end in a value is one for some readers, and none for others."""
    head = b"HTTP/1.1 200 O\rX-One: 1\r\nX-A: a\rX-Two: 2\r\nX-B: b\0c\r\nX-C: c\r\n X-Three: 3\r\n"
    answering(bench, head + b"Content-Length: 2\r\n\r\n{}")
    client = bench.open()
    raw = raw_answer(client)
    assert b"X-Two" in raw, "as a part of a value"
    lines = raw.partition(b"\r\n\r\n")[0].replace(b"\r\n", b"\n")
    assert b"\r" not in lines
    assert b"\0" not in lines
    assert {line.partition(b":")[0] for line in lines.split(b"\n")[1:]} == {
        b"X-A", b"X-B", b"X-C", b"Content-Length",
    }  # fmt: skip


def raw_answer(client: Client) -> bytes:
    head = (
        f"POST /t/{client.opened.token}/v1/chat/completions HTTP/1.1\r\nHost: x\r\n"
        f"Authorization: Bearer {client.opened.api_key}\r\n"
        "Connection: close\r\nContent-Length: 2\r\n\r\n{}"
    )
    with socket.create_connection(("127.0.0.1", client.port), PATIENCE_S) as connection:
        connection.sendall(head.encode())
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
    return answer


def test_an_answer_behind_the_answer_is_nobodys(bench: Bench) -> None:
    answering(bench, OK + plain_answer(b'"evil"'))
    client = bench.open()
    assert client.ask()[1] == b"{}"
    answering(bench, OK)
    assert client.ask()[1] == b"{}"
    assert recording_of(bench.close(client)).complete


@pytest.mark.parametrize("declared", [True, False])
def test_a_body_over_the_limit_is_refused_in_a_sentence_that_names_it(
    bench: Bench, declared: bool
) -> None:
    client = bench.open()
    body = b"x" * 200_001
    length = f"Content-Length: {len(body)}" if declared else "Transfer-Encoding: chunked"
    sent = body if declared else b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    head = (
        f"POST /t/{client.opened.token}/v1/chat/completions HTTP/1.1\r\nHost: x\r\n"
        f"Authorization: Bearer {client.opened.api_key}\r\n{length}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", bench.proxy.port), PATIENCE_S) as connection:
        connection.sendall(head.encode())
        if not declared:
            connection.sendall(sent)
        response = http.client.HTTPResponse(connection)
        response.begin()
        words = response.read().decode()
    assert response.status == 413
    assert "The body of this request is over the limit of 200000 bytes." in words
    assert "Start the proxy with a higher body limit" in words
    assert bench.close(client).reason == Gap.TOO_LARGE
    assert bench.upstream.connections == 0


def test_an_answer_over_the_limit_is_refused_in_a_sentence_that_names_it(bench: Bench) -> None:
    answering(bench, HEAD + b"Content-Length: 200001\r\n\r\n")
    client = bench.open()
    status, body, _ = client.ask()
    assert status == 502
    assert b"The body of this answer is over the limit of 200000 bytes." in body
    (exchange,) = recording_of(bench.close(client)).exchanges
    assert exchange.error is ErrorKind.TOO_LARGE
