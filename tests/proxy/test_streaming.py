"""Streams of every kind pass on as they come: the upstream goes on only when the client has all."""

import gzip
import http.client
import json
import socket
import threading
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import zstandard
from mitmproxy.test import tflow

from proxy.passage import Passage
from proxy.redaction import Redaction
from proxy.streaming import Hiding, Tee, streams, unmeasure
from proxy.wholebody import BROKEN
from proxy.wire.aws_eventstream import read_messages
from proxy.wire.exchange import ErrorKind, body_bytes
from proxy.wire.lastword import AWS_EVENTS, JSON, JSON_LINES, SERVER_EVENTS
from proxy.wire.partial import RawRequest
from tests.proxy.bench import PATIENCE_S, Bench, Seen, chunk, recording_of
from tests.proxy.test_trial import SECRET, build
from tests.proxy.wire import eventstream

GEMINI = "/models/gemini-pro:streamGenerateContent"
ITEM = json.dumps({"candidates": [{"content": {"parts": [{"text": "月"}]}}]}).encode()

STREAMS = {
    "chat completions": (
        SERVER_EVENTS, "/chat/completions",
        [b'data: {"choices": []}\n\n', b": ping\n\n", b"data: [DONE]\n\n"],
    ),
    "messages": (
        "text/event-stream; charset=utf-8", "/messages",
        [b'event: ping\ndata: {"type": "ping"}\n\n', b'data: {"type": "message_stop"}\n\n'],
    ),
    "a character cut in two": (
        SERVER_EVENTS, "/x", [b"data: \xe6\x9c", b"\x88\n\n", b"data: [DONE]\n\n"]
    ),
    "gemini": (SERVER_EVENTS, f"{GEMINI}?alt=sse", [b"data: " + ITEM + b"\n\n"] * 2),
    "gemini's array": (JSON, GEMINI, [b"[" + ITEM, b",\r\n" + ITEM, b"]"]),
    "gemini's array, quoted": (JSON, GEMINI.replace(":", "%3A"), [b"[" + ITEM, b"]"]),
    "json lines": (JSON_LINES, "/api/chat", [b'{"done": false}\n', b'{"done": true}\n']),
    "converse": (
        AWS_EVENTS, "/model/x/converse-stream",
        [eventstream.start(), eventstream.text("月"), eventstream.stop("end_turn")],
    ),
}  # fmt: skip


def head(kind: str, more: str = "") -> bytes:
    lines = ["HTTP/1.1 200 OK", f"Content-Type: {kind}", "Transfer-Encoding: chunked"]
    return "\r\n".join([*lines, *([more] if more else []), "", ""]).encode()


class Stepwise:
    """An upstream that sends a piece, and the next one only when it is told to."""

    def __init__(self, kind: str, pieces: Sequence[bytes], *, dies: bool = False) -> None:
        self.kind, self.pieces, self.dies = kind, pieces, dies
        self.go_on = threading.Semaphore(0)
        self.left = threading.Event()

    def __call__(self, connection: socket.socket, seen: Seen) -> bool:
        connection.sendall(head(self.kind))
        for piece in self.pieces:
            connection.sendall(chunk(piece))
            if not self.go_on.acquire(timeout=PATIENCE_S):
                return False
            if self.left.is_set():
                return False
        if not self.dies:
            connection.sendall(b"0\r\n\r\n")
        return not self.dies


@pytest.mark.parametrize("what", STREAMS)
def test_each_piece_arrives_before_the_next_is_sent_and_all_are_kept(
    bench: Bench, what: str
) -> None:
    kind, path, pieces = STREAMS[what]
    upstream = bench.upstream.play = Stepwise(kind, pieces)
    client = bench.open(secret=SECRET)
    response = client.start(path=path)
    for piece in pieces:
        assert response.read(len(piece)) == piece, "it was held back"
        upstream.go_on.release()
    assert response.read() == b""
    recording = recording_of(bench.close(client))
    (exchange,) = recording.exchanges
    assert recording.complete
    assert exchange.error is None
    assert exchange.response is not None
    assert body_bytes(exchange.response.body) == b"".join(pieces)


@pytest.mark.parametrize("what", STREAMS)
def test_an_upstream_that_dies_leaves_what_it_sent(bench: Bench, what: str) -> None:
    """Also behind the last word: a stream without its end was not whole on the wire."""
    kind, path, pieces = STREAMS[what]
    upstream = bench.upstream.play = Stepwise(kind, pieces, dies=True)
    client = bench.open()
    response = client.start(path=path)
    for piece in pieces:
        assert response.read(len(piece)) == piece
        upstream.go_on.release()
    with pytest.raises((http.client.IncompleteRead, ConnectionError)):
        response.read()
    (exchange,) = recording_of(bench.close(client)).exchanges
    assert exchange.error is ErrorKind.DISCONNECT
    assert exchange.response is not None
    assert body_bytes(exchange.response.body) == b"".join(pieces)


@pytest.mark.parametrize("what", STREAMS)
def test_a_client_that_leaves_at_the_first_piece_is_recorded_as_such(
    bench: Bench, what: str
) -> None:
    kind, path, pieces = STREAMS[what]
    gone = threading.Event()

    def play(connection: socket.socket, seen: Seen) -> None:
        connection.sendall(head(kind) + chunk(pieces[0]))
        assert connection.recv(1) == b"", "the upstream is told"
        gone.set()

    bench.upstream.play = play
    client = bench.open()
    response = client.start(path=path)
    assert response.read(len(pieces[0])) == pieces[0]
    response.close()
    client.close()
    assert gone.wait(PATIENCE_S)
    recording = recording_of(bench.close(client))
    (exchange,) = recording.exchanges
    assert recording.complete
    assert exchange.error is ErrorKind.CLIENT_LEFT
    assert exchange.response is not None
    assert body_bytes(exchange.response.body) == pieces[0]


LAST_WORDS = {
    "messages": (SERVER_EVENTS, b'event: message_stop\ndata: {"type": "message_stop"}\n\n'),
    "responses": (SERVER_EVENTS, b'data: {"type": "response.completed", "response": {}}\n\n'),
    "gemini": (SERVER_EVENTS, b'data: {"candidates": [{"finishReason": "STOP"}]}\n\n'),
    "an error": (SERVER_EVENTS, b'data: {"error": {"message": "overloaded"}}\n\n'),
    "json lines": (JSON_LINES, b'{"done": true}\n'),
    "converse": (AWS_EVENTS, eventstream.stop("end_turn") + eventstream.counts()),
}


@pytest.mark.parametrize("what", LAST_WORDS)
@pytest.mark.parametrize("ends", [True, False])
def test_a_client_that_leaves_at_the_last_word_has_had_a_whole_answer(
    bench: Bench, what: str, ends: bool
) -> None:
    """Whether the end of the body was there before the client hung up must not show."""
    kind, word = LAST_WORDS[what]
    gone = threading.Event()

    def play(connection: socket.socket, seen: Seen) -> None:
        connection.sendall(head(kind) + chunk(word) + (b"0\r\n\r\n" if ends else b""))
        connection.settimeout(PATIENCE_S)
        connection.recv(1)
        gone.set()

    bench.upstream.play = play
    client = bench.open()
    response = client.start()
    assert response.read(len(word)) == word
    if ends:
        assert response.read() == b""
    response.close()
    client.close()
    if not ends:
        assert gone.wait(PATIENCE_S)
    (exchange,) = recording_of(bench.close(client)).exchanges
    assert exchange.error is None
    assert exchange.response is not None
    assert body_bytes(exchange.response.body) == word


def test_a_stream_that_is_announced_as_too_large_was_seen_by_nobody(bench: Bench) -> None:
    answer = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 200001\r\n\r\n"
    bench.upstream.play = lambda connection, seen: connection.sendall(answer)
    client = bench.open()
    assert client.ask()[0] == 502
    (exchange,) = recording_of(bench.close(client)).exchanges
    assert (exchange.error, exchange.response) == (ErrorKind.TOO_LARGE, None)


def test_an_answer_that_is_no_stream_is_held_until_it_is_on_the_disk() -> None:
    for path, kind, length in (
        ("/chat/completions", JSON, None),
        ("/models/x:generateContent", JSON, None),
        (GEMINI, JSON, "10"),
        (f"/x?y={GEMINI}", JSON, None),
        (GEMINI, "text/html", None),
    ):
        response = tflow.tresp(headers=((b"content-type", kind.encode()),))
        if length:
            response.headers["content-length"] = length
        assert not streams(path, response), (path, kind)


def teed(tmp_path: Path, pieces: Sequence[bytes], kind: str = SERVER_EVENTS, **more: str) -> bytes:
    """Return what a client gets of a stream, its end included; the copy must be the stream."""
    trial, _ = build(tmp_path)
    flow = tflow.tflow(resp=tflow.tresp(headers=((b"content-type", kind.encode()),)))
    assert flow.response is not None
    flow.response.headers.update(more)
    passage = Passage(trial=trial, suffix="/x", chunks=[])
    passage.number = trial.asked(RawRequest(method="POST", path="/x", headers={}, body=b""))
    tee = Tee(flow, passage, 1000)
    got = b"".join(part for piece in (*pieces, b"") if isinstance(part := tee(piece), bytes))
    assert passage.chunks is not None
    assert b"".join(passage.chunks) == b"".join(pieces)
    return got


SAID = f'data: {{"said": "{SECRET}"}}\n\n'.encode()
HIDDEN = b'data: {"said": "[provider key]"}\n\n'


def test_an_echoed_key_reaches_no_agent_however_a_stream_is_cut(tmp_path: Path) -> None:
    for number, cut in enumerate(range(len(SAID) + 1)):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert teed(folder, [SAID[:cut], SAID[cut:]]) == HIDDEN
    folder = tmp_path / "bytes"
    folder.mkdir()
    assert teed(folder, [bytes([one]) for one in SAID]) == HIDDEN


def test_what_only_begins_like_a_key_arrives_in_the_end(tmp_path: Path) -> None:
    assert teed(tmp_path, [b"data: sk-sk-0123", b"4\n\n", b"data: sk-012"]) == (
        b"data: sk-sk-01234\n\ndata: sk-012"
    )


FRAMES = [eventstream.start(), eventstream.text(f"it is {SECRET}"), eventstream.text("月")]
HIDDEN_FRAMES = [FRAMES[0], eventstream.text("it is [provider key]"), FRAMES[2]]


def test_a_message_with_an_echoed_key_gets_checksums_that_fit_however_it_is_cut(
    tmp_path: Path,
) -> None:
    said = b"".join(FRAMES)
    for number, cut in enumerate(range(0, len(said) + 1, 7)):
        folder = tmp_path / str(number)
        folder.mkdir()
        got = teed(folder, [said[:cut], said[cut:]], AWS_EVENTS)
        assert got == b"".join(HIDDEN_FRAMES)
        assert len(list(read_messages(got))) == len(FRAMES)
    folder = tmp_path / "damaged"
    folder.mkdir()
    damaged = [FRAMES[0], b"?" + FRAMES[1][1:90], FRAMES[1][90:]]
    assert SECRET.encode() not in teed(folder, damaged, AWS_EVENTS), "no message, but no key either"


def test_a_message_with_an_echoed_key_is_recorded_as_the_agent_got_it(bench: Bench) -> None:
    answer = head(AWS_EVENTS) + b"".join(map(chunk, FRAMES)) + b"0\r\n\r\n"
    bench.upstream.play = lambda connection, seen: connection.sendall(answer)
    client = bench.open(secret=SECRET)
    assert client.ask(path="/model/x/converse-stream")[1] == b"".join(HIDDEN_FRAMES)
    (exchange,) = recording_of(bench.close(client)).exchanges
    assert exchange.response is not None
    assert body_bytes(exchange.response.body) == b"".join(HIDDEN_FRAMES)


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress, zstandard.compress])
def test_a_stream_that_is_compressed_without_saying_so_tells_no_key(
    tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    for number, (said, got) in enumerate([(SAID, BROKEN), (HIDDEN, pack(HIDDEN))]):
        folder = tmp_path / str(number)
        folder.mkdir()
        packed = pack(said)
        assert teed(folder, [packed[:9], packed[9:]]) == got


LONGER = f"{SECRET}-and-more"
OTHER = f"{SECRET[-4:]}-other-key"


def test_a_key_that_begins_like_another_hides_no_part_of_it(tmp_path: Path) -> None:
    """Nor does one that begins as another ends."""
    redaction = Redaction(secrets=(SECRET, LONGER, OTHER), key="k" * 32, token="0" * 32)
    for said, got in (
        (f"a {LONGER} b", b"a [provider key] b"),
        (f"a {SECRET} b", b"a [provider key] b"),
        (f"a {SECRET}-and-more", b"a [provider key]"),
        (f"a {SECRET}-and-mor", b"a [provider key]-and-mor"),
        (f"a {OTHER}{SECRET}", b"a [provider key][provider key]"),
    ):
        assert redaction.without_secret(said.encode()) == got
        for cut in range(len(said) + 1):
            hiding = Hiding(redaction, 1000, framed=False)
            pieces = (said[:cut].encode(), said[cut:].encode())
            told = b"".join(hiding.passed(piece) for piece in pieces if piece)
            assert told + hiding.passed(b"") == got, (said, cut)


@pytest.mark.parametrize("asked", ["HTTP/1.1", "HTTP/1.0"])
def test_a_promised_length_is_taken_off_and_the_key_hidden(tmp_path: Path, asked: str) -> None:
    response = tflow.tresp(headers=((b"content-length", b"9"),))
    unmeasure(response, asked)
    chunked = {"transfer-encoding": "chunked"} if asked == "HTTP/1.1" else {}
    assert dict(response.headers) == chunked
    assert teed(tmp_path, [SAID], **{"content-length": str(len(SAID))}) == HIDDEN


@pytest.mark.parametrize("secret", [SECRET, ""])
def test_a_stream_of_a_promised_length_passes_on_as_it_comes_without_its_key(
    bench: Bench, secret: str
) -> None:
    """Without a key to hide nothing is changed of it."""
    begun = threading.Event()

    def play(connection: socket.socket, seen: Seen) -> bool:
        length = f"Content-Length: {2 * len(SAID)}"
        connection.sendall(head(SERVER_EVENTS, length).replace(b"Transfer-Enc", b"X-Enc") + SAID)
        assert begun.wait(PATIENCE_S), "the first event was held back"
        connection.sendall(SAID)
        return True

    bench.upstream.play = play
    client, got = bench.open(secret=secret), HIDDEN if secret else SAID
    for _ in range(2):
        response = client.start()
        assert response.read(len(got)) == got
        begun.set()
        assert response.read() == got
        length = None if secret else str(2 * len(SAID))
        assert response.getheader("content-length") == length
    first, second = recording_of(bench.close(client)).exchanges
    assert first.response == second.response
    assert first.response is not None
    assert body_bytes(first.response.body) == got * 2


def test_an_echoed_key_is_neither_told_nor_recorded(bench: Bench) -> None:
    """Also where a whole chunk is held back: an empty one would be the end of the body."""
    place = SAID.index(SECRET.encode())
    pieces = [SAID[:place], SAID[place : place + 4], SAID[place + 4 : place + 8], SAID[place + 8 :]]
    bench.upstream.play = lambda connection, seen: connection.sendall(
        head(SERVER_EVENTS) + b"".join(map(chunk, pieces)) + b"0\r\n\r\n"
    )
    client = bench.open(secret=SECRET)
    assert client.ask()[1] == HIDDEN
    (exchange,) = recording_of(bench.close(client)).exchanges
    assert exchange.response is not None
    assert body_bytes(exchange.response.body) == HIDDEN
