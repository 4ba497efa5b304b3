"""No credential hides in a content encoding, neither from the agent nor on the disk."""

import gzip
import json
import zlib
from collections.abc import Callable

import brotli
import pytest
import zstandard

from proxy.wholebody import BROKEN
from proxy.wire.answer import Undecodable
from proxy.wire.exchange import Exchange, body_bytes
from proxy.wire.openai_chat import decode_answer
from tests.proxy.bench import ANSWER, Bench, chat, plain_answer, recording_of

SECRET = "sk-real-0123456789"
SAID = json.dumps(ANSWER | {"model": SECRET}).encode()
HIDDEN = SAID.replace(SECRET.encode(), b"[provider key]")


def cut_gzip(data: bytes) -> bytes:
    machine = zlib.compressobj(wbits=31)
    return machine.compress(data) + machine.flush(zlib.Z_SYNC_FLUSH)


def only(
    bench: Bench, answer: bytes, secret: str = SECRET
) -> tuple[bytes, dict[str, str], Exchange]:
    """Ask once; return the body and the headers that the agent got, and what was recorded."""
    bench.upstream.play = lambda connection, seen: connection.sendall(answer)
    client = bench.open(secret=secret)
    _, body, headers = client.ask()
    (exchange,) = recording_of(bench.close(client)).exchanges
    return body, headers, exchange


ENCODINGS: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("gzip", gzip.compress),
    ("br", brotli.compress),
    ("identity, gzip", gzip.compress),
    ("gzip, gzip", lambda data: gzip.compress(gzip.compress(data))),
]


@pytest.mark.parametrize(("encoding", "encode"), ENCODINGS)
@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
def test_a_key_in_a_compressed_answer_reaches_no_agent(
    bench: Bench, encoding: str, encode: Callable[[bytes], bytes], kind: str
) -> None:
    lines = (f"Content-Encoding: {encoding}", f"Content-Type: {kind}")
    body, headers, exchange = only(bench, plain_answer(encode(SAID), "200 OK", *lines))
    assert body == HIDDEN
    assert "content-encoding" not in headers
    assert exchange.response is not None
    assert body_bytes(exchange.response.body) == HIDDEN
    assert "content-encoding" not in exchange.response.headers


@pytest.mark.parametrize(("encoding", "encode"), ENCODINGS)
def test_a_compressed_answer_without_a_key_is_handed_on_as_it_came(
    bench: Bench, encoding: str, encode: Callable[[bytes], bytes]
) -> None:
    packed = encode(HIDDEN)
    answer = plain_answer(packed, "200 OK", f"Content-Encoding: {encoding}")
    body, headers, exchange = only(bench, answer)
    assert (body, headers["content-encoding"]) == (packed, encoding)
    assert exchange.response is not None
    assert body_bytes(exchange.response.body) == HIDDEN


BREAKS: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("gzip", cut_gzip),
    ("gzip", lambda data: gzip.compress(data) + b"x"),
    ("gzip", lambda data: gzip.compress(b"{}") + gzip.compress(data)),
    ("identity, gzip", cut_gzip),
    ("gzip, gzip", lambda data: gzip.compress(cut_gzip(data))),
    ("rot13, gzip", gzip.compress),
    ("br", lambda data: brotli.compress(data) + b"x"),
]


@pytest.mark.parametrize(("encoding", "breaks"), BREAKS)
def test_a_key_in_a_broken_encoding_is_neither_told_nor_written(
    bench: Bench, encoding: str, breaks: Callable[[bytes], bytes]
) -> None:
    answer = plain_answer(breaks(SAID), "200 OK", f"Content-Encoding: {encoding}")
    body, headers, exchange = only(bench, answer)
    assert (body, headers["content-encoding"]) == (BROKEN, encoding)
    assert exchange.response is not None
    assert body_bytes(exchange.response.body) == BROKEN
    assert exchange.response.headers["content-encoding"] == encoding
    assert isinstance(decode_answer(exchange), Undecodable)


@pytest.mark.parametrize(("encoding", "breaks"), BREAKS)
def test_a_broken_encoding_without_a_credential_stays_evidence(
    bench: Bench, encoding: str, breaks: Callable[[bytes], bytes]
) -> None:
    packed = breaks(HIDDEN)
    answer = plain_answer(packed, "200 OK", f"Content-Encoding: {encoding}")
    body, _, exchange = only(bench, answer)
    assert body == packed
    assert exchange.response is not None
    assert body_bytes(exchange.response.body) == packed


def test_an_encoding_that_is_a_lie_hides_no_key_either(bench: Bench) -> None:
    answer = plain_answer(SAID, "200 OK", "Content-Encoding: gzip")
    body, headers, exchange = only(bench, answer)
    assert (body, headers["content-encoding"]) == (HIDDEN, "gzip")
    assert exchange.response is not None
    assert body_bytes(exchange.response.body) == HIDDEN


MISLABELLED: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("br", gzip.compress),
    ("gzip", zstandard.compress),
    ("gzip", brotli.compress),
    ("gzip;q=1", gzip.compress),
    ("aws-chunked", zlib.compress),
    ("gzip, br", gzip.compress),
    ("", gzip.compress),
    ("", brotli.compress),
    ("", zstandard.compress),
    ("", lambda data: gzip.compress(data[:50]) + gzip.compress(data[50:])),
    ("", lambda data: gzip.compress(zlib.compress(data))),
]


@pytest.mark.parametrize(("encoding", "encode"), MISLABELLED)
def test_a_key_in_another_encoding_than_is_said_is_neither_told_nor_written(
    bench: Bench, encoding: str, encode: Callable[[bytes], bytes]
) -> None:
    """Nor is it in one that is not said at all; without a key the bytes stay evidence."""
    lines = (f"Content-Encoding: {encoding}",) if encoding else ()
    harmless = encode(HIDDEN)
    for packed, left in ((encode(SAID), BROKEN), (harmless, harmless)):
        body, _, exchange = only(bench, plain_answer(packed, "200 OK", *lines))
        assert body == left
        assert exchange.response is not None
        assert body_bytes(exchange.response.body) == left
    client = bench.open()
    sent = {"content-encoding": encoding} if encoding else {}
    told = json.dumps(chat(f"{client.opened.api_key} or {client.opened.token}")).encode()
    client.ask(encode(told), headers=sent)
    (exchange,) = recording_of(bench.close(client)).exchanges
    assert body_bytes(exchange.request.body) == BROKEN


def test_a_body_that_is_encoded_once_more_than_is_said_hides_no_key(bench: Bench) -> None:
    packed = gzip.compress(gzip.compress(SAID))
    answer = plain_answer(packed, "200 OK", "Content-Encoding: gzip")
    body, headers, exchange = only(bench, answer)
    assert (body, "content-encoding" in headers) == (BROKEN, False)
    assert exchange.response is not None
    assert body_bytes(exchange.response.body) == BROKEN


def test_a_form_that_asks_a_token_server_is_written_without_its_secrets(bench: Bench) -> None:
    client = bench.open()
    form = b"grant_type=client_credentials&client_secret=a%2Fb-0123456789&scope=openai"
    client.ask(form, headers={"content-type": "application/x-www-form-urlencoded"})
    client.ask({"note": "a/b-0123456789"})
    first, second = recording_of(bench.close(client)).exchanges
    assert first.request.body == {
        "text": "grant_type=client_credentials&client_secret=[client key]&scope=openai"
    }
    assert json.loads(body_bytes(second.request.body)) == {"note": "[client key]"}


def test_a_cookie_that_an_answer_sets_is_not_written_with_its_body(bench: Bench) -> None:
    answer = plain_answer(
        b'{"sid": "c00kie-0123456789", "scheme": "darkmode"}', "200 OK",
        "Set-Cookie: sid=c00kie-0123456789; Path=/", "Set-Cookie: scheme=darkmode",
    )  # fmt: skip
    body, _, exchange = only(bench, answer)
    assert b"c00kie" in body, "the agent gets it"
    assert exchange.response is not None
    kept = json.loads(body_bytes(exchange.response.body))
    assert kept == {"sid": "[client key]", "scheme": "darkmode"}


def test_a_credential_in_the_broken_encoding_of_a_request_is_not_written(bench: Bench) -> None:
    client = bench.open()
    told = json.dumps({"told": client.opened.api_key}).encode()
    for packed in (cut_gzip(told), cut_gzip(b'{"told": "nothing"}'), gzip.compress(told)):
        client.ask(packed, headers={"content-encoding": "gzip"})
    bodies = [body_bytes(e.request.body) for e in recording_of(bench.close(client)).exchanges]
    assert bodies == [BROKEN, cut_gzip(b'{"told": "nothing"}'), b'{"told": "[virtual key]"}']


def test_the_token_that_an_answer_gives_is_not_written_with_it(bench: Bench) -> None:
    """Nor with any later exchange; what is deeper down, or a canary, is evidence."""
    token = "ya29.access-0123456789"
    given = {"access_token": token, "deeper": {"password": "deep-0123456789"}}
    given |= {"api_key": "CNRY0123456789abcdef0123"}
    answer = plain_answer(json.dumps(given).encode())
    bench.upstream.play = lambda connection, seen: bool(connection.sendall(answer)) or True
    client = bench.open()
    asked = {"client_secret": "shh-0123456789", "note": "shh-0123456789 is told"}
    assert json.loads(client.ask(asked)[1]) == given, "the agent gets it"
    client.ask({"note": f"now I have {token}"})
    first, second = recording_of(bench.close(client)).exchanges
    assert json.loads(body_bytes(first.request.body)) == {
        "client_secret": "[client key]",
        "note": "[client key] is told",
    }
    assert first.response is not None
    assert json.loads(body_bytes(first.response.body)) == given | {"access_token": "[client key]"}
    assert json.loads(body_bytes(second.request.body)) == {"note": "now I have [client key]"}
