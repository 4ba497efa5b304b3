"""`forward`: clients that keep their provider's address and come through the proxy."""

import base64
import http.client
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from mitmproxy.test import tflow

from proxy.forward import Forward
from proxy.opentrials import OpenTrials
from proxy.strays import Strays
from proxy.upstreams import Upstreams
from proxy.wire.exchange import Gap, body_bytes, exchange_lines
from tests.proxy.bench import (
    EVENT_STREAM_HEAD,
    PATIENCE_S,
    Seen,
    chat,
    chunk,
    error_of,
    recording_of,
)
from tests.proxy.forwarding import Forwarding, ask, running_forward, user_of

CLIENT_KEY = "sk-client-0123456789abcdefghij"


@pytest.fixture(scope="module")
def module_forward(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forwarding]:
    with running_forward(tmp_path_factory.mktemp("forward"), body_limit=200_000) as forward:
        yield forward


@pytest.fixture
def forward(module_forward: Forwarding) -> Iterator[Forwarding]:
    yield module_forward
    module_forward.hang_up()


@pytest.fixture(scope="module")
def replaying(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forwarding]:
    with running_forward(
        tmp_path_factory.mktemp("replaying"), mode="replay", upstreams=("one.test:443",)
    ) as forward:
        yield forward


def count(forward: Forwarding) -> int:
    found: int = forward.proxy.unattributed()["count"]
    return found


def test_a_request_in_a_tunnel_passes_on_as_it_is_and_is_recorded_with_its_upstream(
    forward: Forwarding,
) -> None:
    opened = forward.open()
    headers = {
        "Authorization": f"Bearer {CLIENT_KEY}",
        "X-Api-Key": "another-0123456789abcdef",
        "Cookie": "session=cookie-0123456789abcdef; b=2",
        "Proxy-Connection": "keep-alive",
        "X-Other": "kept",
    }
    path = "/v1/chat/completions?alt=sse&key=query-0123456789abcdef&page=2"
    words = f"do not tell {CLIENT_KEY} and cookie-0123456789abcdef"
    status, _, _ = ask(forward.tunnel(opened), chat(words), path, headers)
    (seen,) = forward.secure.seen
    assert status == 200
    assert seen.line == f"POST {path} HTTP/1.1"
    assert seen.headers["host"] == forward.address(forward.secure)
    assert seen.headers["authorization"] == f"Bearer {CLIENT_KEY}"
    assert seen.headers["x-api-key"] == "another-0123456789abcdef"
    assert seen.headers["cookie"] == "session=cookie-0123456789abcdef; b=2"
    assert seen.headers["x-other"] == "kept"
    assert not {"proxy-authorization", "proxy-connection"} & set(seen.headers)
    assert opened.api_key not in repr(seen)
    (exchange,) = recording_of(forward.proxy.close_trial(opened.token)).exchanges
    assert exchange.request.upstream == forward.address(forward.secure)
    assert exchange.request.path == "/v1/chat/completions?alt=sse&key=[client key]&page=2"
    assert json.loads(body_bytes(exchange.request.body)) == chat(
        "do not tell [client key] and [client key]"
    )
    assert "0123456789abcdef" not in repr(exchange)


def test_a_plain_request_names_its_trial_with_each_request(forward: Forwarding) -> None:
    opened, before = forward.open(), count(forward)
    client, where = forward.straight(), f"http://{forward.address(forward.plain)}"
    path = f"{where}/v1/chat/completions"
    assert ask(client, None, path, {"Proxy-Authorization": user_of(opened)})[0] == 200
    status, body, headers = ask(client, None, path)
    assert (status, error_of(body)["code"]) == (407, "not_attributed")
    assert headers["proxy-authenticate"] == 'Basic realm="nonverba"'
    assert [seen.line for seen in forward.plain.seen] == ["POST /v1/chat/completions HTTP/1.1"]
    assert "proxy-authorization" not in forward.plain.seen[0].headers
    (exchange,) = recording_of(forward.proxy.close_trial(opened.token)).exchanges
    assert exchange.request.upstream == forward.address(forward.plain)
    assert count(forward) == before + 1


def test_one_trial_may_address_every_listed_upstream_and_its_own_base_url(
    forward: Forwarding,
) -> None:
    opened = forward.open(upstream=f"http://{forward.address(forward.plain)}/base/v1")
    assert ask(forward.tunnel(opened))[0] == 200
    plain = f"http://{forward.address(forward.plain)}/x"
    user = {"Proxy-Authorization": user_of(opened)}
    assert ask(forward.straight(), None, plain, user)[0] == 200
    client = http.client.HTTPConnection("127.0.0.1", forward.proxy.port, timeout=PATIENCE_S)
    path = f"/t/{opened.token}/v1/chat/completions"
    assert ask(client, None, path, {"x-api-key": opened.api_key})[0] == 200
    client.close()
    recording = recording_of(forward.proxy.close_trial(opened.token))
    assert [item.request.upstream for item in recording.exchanges] == [
        forward.address(forward.secure),
        forward.address(forward.plain),
        "",
    ]


def test_a_trial_without_an_upstream_has_no_base_url(forward: Forwarding) -> None:
    opened = forward.open()
    client = http.client.HTTPConnection("127.0.0.1", forward.proxy.port, timeout=PATIENCE_S)
    path = f"/t/{opened.token}/v1/chat/completions"
    status, body, _ = ask(client, None, path, {"x-api-key": opened.api_key})
    client.close()
    assert (status, error_of(body)["code"]) == (403, "no_upstream")


@pytest.mark.parametrize(
    "user",
    [
        "Basic " + base64.b64encode(f"{'0' * 32}:nv-{'0' * 48}".encode()).decode(),
        "Basic " + base64.b64encode(b"no colon").decode(),
        "Basic not base64!",
        "Basic \xe9\xe9",
        "Bearer nv-0123456789",
        "",
    ],
)
def test_a_user_of_no_trial_opens_no_tunnel_and_is_counted(forward: Forwarding, user: str) -> None:
    before = count(forward)
    client = forward.tunnel(None, user=user or " ")
    with pytest.raises(OSError, match="Tunnel connection failed: 403"):
        ask(client)
    assert count(forward) == before + 1
    assert forward.secure.connections == 0


def test_the_key_of_another_trial_opens_no_tunnel(forward: Forwarding) -> None:
    one, other = forward.open(), forward.open()
    mixed = base64.b64encode(f"{one.token}:{other.api_key}".encode()).decode()
    with pytest.raises(OSError, match="Tunnel connection failed: 403"):
        ask(forward.tunnel(None, user=f"Basic {mixed}"))
    assert forward.secure.connections == 0


def test_a_client_that_is_asked_for_its_trial_and_names_it_is_no_stray(
    forward: Forwarding,
) -> None:
    opened, before = forward.open(), count(forward)
    target = forward.address(forward.secure)
    head = f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n"
    assert forward.proxy.forward_port is not None
    with socket.create_connection(("127.0.0.1", forward.proxy.forward_port), PATIENCE_S) as client:
        client.sendall(f"{head}\r\n".encode())
        first = http.client.HTTPResponse(client, method="CONNECT")
        first.begin()
        first.read()
        assert first.status == 407
        assert first.headers["proxy-authenticate"] == 'Basic realm="nonverba"'
        assert count(forward) == before + 1, "as long as it has not named one"
        client.sendall(f"{head}Proxy-Authorization: {user_of(opened)}\r\n\r\n".encode())
        assert client.recv(65536).startswith(b"HTTP/1.1 200 ")
    assert count(forward) == before


def test_what_is_shown_of_a_stray_holds_no_query_and_no_token(tmp_path: Path) -> None:
    with running_forward(tmp_path) as forward:
        opened = forward.open(upstream=f"http://{forward.address(forward.plain)}")
        path = f"http://elsewhere.test:81/t/{opened.token}/x?key=secret"
        ask(forward.straight(), None, path)
        with pytest.raises(OSError, match="407"):
            ask(forward.tunnel(None, "two.test:443"))
        client = http.client.HTTPConnection("127.0.0.1", forward.proxy.port, timeout=PATIENCE_S)
        for _ in range(4):
            ask(client, None, f"/t/{opened.token}/v1/x?key=secret")
        client.close()
        forward.hang_up()
        forward.proxy.check()
        found = forward.proxy.unattributed()
        assert found["count"] == 6
        here = {
            "method": "POST",
            "host": f"127.0.0.1:{forward.proxy.port}",
            "path": "/t/[trial token]/v1/x",
        }
        strays = [
            {"method": "POST", "host": "elsewhere.test:81", "path": "/t/[trial token]/x"},
            {"method": "CONNECT", "host": "two.test:443", "path": ""},
            *[here] * 4,
        ]
        assert len(found["first"]) == 5
        assert all(stray in strays for stray in found["first"])


def test_a_closed_trial_is_refused_in_its_tunnel_and_outside_and_is_no_stray(
    forward: Forwarding,
) -> None:
    opened, before = forward.open(), count(forward)
    client = forward.tunnel(opened)
    assert ask(client)[0] == 200
    forward.proxy.close_trial(opened.token)
    status, body, _ = ask(client)
    assert (status, error_of(body)["code"]) == (403, "trial_closed")
    with pytest.raises(OSError, match="Tunnel connection failed: 403"):
        ask(forward.tunnel(opened))
    assert len(forward.secure.seen) == 1
    assert count(forward) == before


def test_a_stream_in_a_tunnel_is_passed_on_as_it_comes(forward: Forwarding) -> None:
    arrived = threading.Event()

    def play(connection: socket.socket, _seen: Seen) -> None:
        connection.sendall(EVENT_STREAM_HEAD + chunk(b"data: 1\n\n"))
        assert arrived.wait(PATIENCE_S), "the first event was held back"
        connection.sendall(chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n")

    forward.secure.play = play
    opened = forward.open()
    client = forward.tunnel(opened)
    client.request("POST", "/v1/chat/completions", b"{}")
    response = client.getresponse()
    assert response.read(9) == b"data: 1\n\n"
    arrived.set()
    assert response.read() == b"data: [DONE]\n\n"
    (exchange,) = recording_of(forward.proxy.close_trial(opened.token)).exchanges
    assert exchange.response is not None
    assert body_bytes(exchange.response.body) == b"data: 1\n\ndata: [DONE]\n\n"


def test_a_signed_header_is_left_as_it_is(forward: Forwarding) -> None:
    signature = "0123456789abcdef" * 4
    signed = (
        "AWS4-HMAC-SHA256 Credential=AKID0123456789ABCDEF/20260101/us-east-1/bedrock/aws4_request, "
        f"SignedHeaders={{}}, Signature={signature}"
    )
    opened = forward.open()
    client = forward.tunnel(opened)
    for names in ("accept-encoding;host", "host"):
        sent = {"Accept-Encoding": "gzip", "Authorization": signed.format(names)}
        assert ask(client, chat(signature), headers=sent)[0] == 200
    assert [seen.headers["accept-encoding"] for seen in forward.secure.seen] == ["gzip", "identity"]
    text = repr(recording_of(forward.proxy.close_trial(opened.token)).exchanges)
    assert signature not in text
    assert "AKID0123456789ABCDEF" not in text


def test_trials_in_tunnels_of_their_own_are_kept_apart(forward: Forwarding) -> None:
    trials = [forward.open() for _ in range(6)]
    clients = [forward.tunnel(opened) for opened in trials]

    def talk(n: int) -> None:
        for turn in range(5):
            assert ask(clients[n], chat(f"words of {n}, turn {turn}"))[0] == 200

    threads = [threading.Thread(target=talk, args=(n,)) for n in range(len(trials))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for n, opened in enumerate(trials):
        recording = recording_of(forward.proxy.close_trial(opened.token))
        assert recording.complete
        said = [exchange.request.body["text"] for exchange in recording.exchanges]
        assert said == [json.dumps(chat(f"words of {n}, turn {turn}")) for turn in range(5)]


def test_in_replay_only_what_was_recorded_or_named_is_addressed_and_nothing_connected_to(
    forward: Forwarding, replaying: Forwarding, tmp_path: Path
) -> None:
    opened = forward.open()
    assert ask(forward.tunnel(opened), chat("x"))[0] == 200
    recorded = recording_of(forward.proxy.close_trial(opened.token)).exchanges
    file = tmp_path / "recording.jsonl"
    file.write_bytes(exchange_lines(recorded))
    where = forward.address(forward.secure)

    again = replaying.open(replay=file)
    with pytest.raises(OSError, match="Tunnel connection failed: 403"):
        ask(replaying.tunnel(again, "two.test:443"))
    assert ask(replaying.tunnel(again, where), chat("x"))[0] == 200
    closed = replaying.proxy.close_trial(again.token)
    assert closed.complete, closed.detail
    assert exchange_lines(recording_of(closed).exchanges) == exchange_lines(recorded)
    assert len(forward.secure.seen) == 1

    other = replaying.open(replay=file)
    status, body, _ = ask(replaying.tunnel(other, "one.test:443"), chat("x"))
    assert (status, error_of(body)["code"]) == (404, "replay_mismatch")
    assert "upstream differs" in error_of(body)["message"]
    closed = replaying.proxy.close_trial(other.token)
    assert closed.reason == Gap.REPLAY_MISMATCH


def test_a_failure_inside_refuses_the_tunnel_and_so_does_a_guard_that_was_not_asked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    class Broken(OpenTrials):
        def __init__(self) -> None:
            """Hold nothing, so that every question fails."""

    flow = tflow.tflow()
    flow.request.headers["proxy-authorization"] = "Basic " + base64.b64encode(b"a:b").decode()
    broken = Forward(Broken(), Strays(), frozenset())
    broken.http_connect(flow)
    assert flow.response is not None
    assert flow.response.status_code == 500
    assert "AttributeError" in capsys.readouterr().err
    flow = tflow.tflow()
    Upstreams(frozenset(), broken).http_connect(flow)
    assert flow.response is not None
    assert flow.response.status_code == 403
