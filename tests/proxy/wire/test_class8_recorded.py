"""Class 8 through a real proxy: what the recorder keeps of a body reads as the body itself."""

import gzip
import json
import socket
import zlib
from collections.abc import Callable, Sequence

import brotli
import pytest
import zstandard

from proxy.wire.answer import Assistant, Undecodable
from proxy.wire.exchange import Exchange
from proxy.wire.protocol import decode_answer
from tests.proxy.bench import EVENT_STREAM_HEAD, Bench, Seen, chunk, plain_answer, recording_of
from tests.proxy.wire.dialects import DIALECTS, Dialect, Said, in_halves_at, shape

SAID = Said(text="月🍣" * 9, calls=(("c1", "pay", '{"宛先": "髙橋🍣", "n": 1.0}'),))


def _bare_deflate(data: bytes) -> bytes:
    machine = zlib.compressobj(wbits=-15)
    return machine.compress(data) + machine.flush()


ENCODINGS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "gzip": ("gzip", gzip.compress),
    "x-gzip": ("X-GZip", gzip.compress),
    "br": ("br", brotli.compress),
    "zstd": ("zstd", zstandard.compress),
    "deflate": ("deflate", zlib.compress),
    "deflate without a head": ("deflate", _bare_deflate),
    "identity": ("identity", bytes),
}

every_dialect = pytest.mark.parametrize("dialect", DIALECTS, ids=str)


def serve(bench: Bench, whole: bytes) -> None:
    def play(connection: socket.socket, seen: Seen) -> None:
        connection.sendall(whole)

    bench.upstream.play = play


def recorded(bench: Bench, dialect: Dialect, whole: bytes) -> tuple[bytes, Exchange]:
    """Return what the client got and what was recorded of it."""
    serve(bench, whole)
    client = bench.open()
    _, got, _ = client.ask(b"{}", path=dialect.path.removeprefix("/v1"))
    recording = recording_of(bench.close(client))
    assert recording.complete
    (exchange,) = recording.exchanges
    return got, exchange


def streamed(pieces: Sequence[bytes], *headers: str) -> bytes:
    more = "".join(f"{line}\r\n" for line in headers).encode()
    head = EVENT_STREAM_HEAD.removesuffix(b"\r\n") + more + b"\r\n"
    return head + b"".join(chunk(piece) for piece in pieces) + b"0\r\n\r\n"


@every_dialect
@pytest.mark.parametrize("name", ENCODINGS)
def test_a_compressed_answer_reads_as_a_plain_one_whole_and_streamed(
    bench: Bench, dialect: Dialect, name: str
) -> None:
    encoding, pack = ENCODINGS[name]
    header = f"Content-Encoding: {encoding}"
    whole = pack(dialect.whole(SAID))
    stream = pack(b"".join(dialect.stream(SAID, list)))
    pieces = [stream[at : at + 7] for at in range(0, len(stream), 7)]
    for sent, answer in (
        (whole, plain_answer(whole, "200 OK", header)),
        (stream, streamed(pieces, header)),
    ):
        got, exchange = recorded(bench, dialect, answer)
        assert got == sent, "the client gets the bytes that the provider sent"
        found = decode_answer(exchange)
        assert isinstance(found, Assistant), found
        assert (shape(found), found.findings) == (SAID, ())


@every_dialect
def test_a_border_between_any_two_bytes_changes_nothing(bench: Bench, dialect: Dialect) -> None:
    """C57: each byte is a chunk of its own, so every character is cut at every offset."""
    body = b"".join(dialect.stream(SAID, in_halves_at(3)))
    raw = json.dumps("月🍣")[1:-1].encode()
    body = body.replace(raw, "月🍣".encode())
    pieces = [body[at : at + 1] for at in range(len(body))]
    for cut in ([body], pieces):
        got, exchange = recorded(bench, dialect, streamed(cut))
        assert got == body
        assert exchange.response is not None
        assert exchange.response.body == {"text": body.decode()}
        found = decode_answer(exchange)
        assert isinstance(found, Assistant)
        assert shape(found) == SAID


@every_dialect
@pytest.mark.parametrize("lie", ["plain called gzip", "gzip called br", "gzip called plain", "cut"])
def test_a_body_that_is_not_what_its_header_says_is_undecodable(
    bench: Bench, dialect: Dialect, lie: str
) -> None:
    """A client that believes the header reads nothing, so nobody may read an answer here."""
    whole = dialect.whole(SAID)
    body, encoding = {
        "plain called gzip": (whole, "gzip"),
        "gzip called br": (gzip.compress(whole), "br"),
        "gzip called plain": (gzip.compress(whole), "identity"),
        "cut": (gzip.compress(whole)[:-9], "gzip"),
    }[lie]
    got, exchange = recorded(
        bench, dialect, plain_answer(body, "200 OK", f"Content-Encoding: {encoding}")
    )
    assert got == body
    found = decode_answer(exchange)
    assert isinstance(found, Undecodable)
    assert "content encoding" in found.reason or "not JSON" in found.reason
