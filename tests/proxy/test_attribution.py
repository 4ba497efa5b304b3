import socket
import threading
from typing import cast

import pytest
from mitmproxy.test import tflow

from proxy.attribution import Attribution
from proxy.opentrials import OpenTrials
from proxy.strays import Strays
from tests.proxy.bench import PATIENCE_S, Bench, chat, error_of, recording_of


def test_an_attributed_request_reaches_the_upstream_without_token_and_virtual_key(
    bench: Bench,
) -> None:
    client = bench.open(secret="sk-real-0123456789abcdef")
    headers = {"cookie": "a=b", "accept-encoding": "gzip, br"}
    status, _, _ = client.ask(path="/chat/completions?a=1", headers=headers)
    (seen,) = bench.upstream.seen
    assert status == 200
    assert seen.line == "POST /base/v1/chat/completions?a=1 HTTP/1.1"
    assert seen.headers["authorization"] == "Bearer sk-real-0123456789abcdef"
    assert seen.headers["host"] == bench.upstream.address
    assert seen.headers["accept-encoding"] == "identity"
    everything = repr(seen)
    assert client.opened.token not in everything
    assert client.opened.api_key not in everything
    assert "cookie" not in seen.headers


def test_without_a_real_key_no_authorization_leaves(bench: Bench) -> None:
    bench.open().ask(headers={"x-api-key": "left behind", "api-key": "left behind"})
    assert not {"authorization", "x-api-key", "api-key"} & set(bench.upstream.seen[0].headers)


@pytest.mark.parametrize("place", ["x-api-key", "api-key", "x-goog-api-key", "key"])
def test_the_real_key_is_put_where_the_virtual_one_stood(bench: Bench, place: str) -> None:
    """Providers differ in where they want their key; so do their clients."""
    client = bench.open(secret="sk-real-0123456789abcdef")
    path, headers = "/models/m:generateContent?alt=sse", {}
    if place == "key":
        path += f"&key={client.opened.api_key}"
    else:
        headers[place] = client.opened.api_key
    status, _, _ = client.ask(path=path, key="not this one", headers=headers)
    (seen,) = bench.upstream.seen
    assert status == 200
    assert "authorization" not in seen.headers
    if place == "key":
        assert seen.line.split()[1] == (
            "/base/v1/models/m:generateContent?alt=sse&key=sk-real-0123456789abcdef"
        )
    else:
        assert seen.headers[place] == "sk-real-0123456789abcdef"
    everything = repr(seen)
    assert client.opened.api_key not in everything
    assert everything.count("sk-real") == 1
    (exchange,) = recording_of(bench.close(client)).exchanges
    assert "sk-real" not in repr(exchange)
    virtual = "&key=[virtual key]" if place == "key" else ""
    assert exchange.request.path == f"/models/m:generateContent?alt=sse{virtual}"


@pytest.mark.parametrize("key", ["", "nv-" + "0" * 48, "\xe9" * 40])
def test_a_wrong_key_is_refused_and_not_forwarded(bench: Bench, key: str) -> None:
    client = bench.open()
    status, body, headers = client.ask(key=key)
    assert status == 403
    assert error_of(body)["code"] == "not_attributed"
    assert headers["x-should-retry"] == "false"
    assert bench.upstream.connections == 0
    assert bench.close(client).count == 0


def test_the_key_of_another_trial_is_refused(bench: Bench) -> None:
    client, other = bench.open(), bench.open()
    assert client.ask(key=other.opened.api_key)[0] == 403
    assert bench.upstream.connections == 0


@pytest.mark.parametrize("token", ["0" * 32, "0" * 31, "..", "A" * 32])
def test_an_unknown_token_is_refused(bench: Bench, token: str) -> None:
    assert bench.open().ask(token=token)[0] == 403
    assert bench.upstream.connections == 0


def test_a_closed_trial_is_refused_and_its_requests_are_no_strays(bench: Bench) -> None:
    client = bench.open()
    assert client.ask()[0] == 200
    bench.close(client)
    before = bench.proxy.unattributed()["count"]
    status, body, _ = client.ask()
    assert (status, error_of(body)["code"]) == (403, "trial_closed")
    assert len(bench.upstream.seen) == 1
    assert bench.proxy.unattributed()["count"] == before


def test_what_belongs_to_no_trial_is_counted(bench: Bench) -> None:
    client, before = bench.open(), bench.proxy.unattributed()["count"]
    client.ask(token="0" * 32)
    client.ask(key="nv-" + "0" * 48)
    client.connection.request("GET", "/v1/models?key=secret")
    client.connection.getresponse().read()
    assert bench.proxy.unattributed()["count"] == before + 3
    assert "secret" not in repr(bench.proxy.unattributed())
    assert bench.close(client).complete


def test_a_place_without_an_upstream_is_refused_and_says_so(bench: Bench) -> None:
    client = bench.open()
    client.connection.request(
        "POST", f"/t/{client.opened.token}/u1/x", b"{}", {"x-api-key": client.opened.api_key}
    )
    response = client.connection.getresponse()
    assert (response.status, error_of(response.read())["code"]) == (403, "no_upstream")


@pytest.mark.parametrize(
    "path", ["/../admin", "/%2e%2e/admin", "/a/./b", "/a\\..\\b", "/..%2fadmin", "/a%5c..%5cb"]
)
def test_a_path_that_climbs_is_refused(bench: Bench, path: str) -> None:
    status, body, _ = bench.open().ask(path=path)
    assert (status, error_of(body)["code"]) == (403, "path_refused")
    assert bench.upstream.connections == 0


def raw(bench: Bench, data: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", bench.proxy.port), PATIENCE_S) as connection:
        connection.sendall(data)
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
    return answer


def test_the_absolute_form_is_refused_even_with_token_and_key(bench: Bench) -> None:
    opened = bench.open().opened
    for host in ("192.0.2.1", bench.upstream.address):
        head = (
            f"GET http://{host}/t/{opened.token}/v1/models HTTP/1.1\r\nHost: {host}\r\n"
            f"Authorization: Bearer {opened.api_key}\r\nConnection: close\r\n\r\n"
        )
        assert raw(bench, head.encode()).startswith(b"HTTP/1.1 403 ")
    assert bench.upstream.connections == 0


def test_a_foreign_host_header_changes_nothing(bench: Bench) -> None:
    client = bench.open()
    assert client.ask(headers={"host": "192.0.2.1"})[0] == 200
    assert bench.upstream.seen[0].headers["host"] == bench.upstream.address


def test_tunnels_and_other_protocols_are_refused(bench: Bench) -> None:
    address = bench.upstream.address
    connect = raw(bench, f"CONNECT {address} HTTP/1.1\r\nHost: {address}\r\n\r\n".encode())
    assert connect.startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 403 "))
    preface = raw(bench, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
    assert not preface.startswith((b"HTTP/1.1 2", b"\x00\x00"))
    assert b" 200 " not in raw(bench, b"\x05\x01\x00\r\n\r\n")
    assert bench.upstream.connections == 0


def test_many_trials_at_once_are_kept_apart(bench: Bench) -> None:
    """Eight threads ask twelve times each; every recording holds its own words alone."""
    clients = [bench.open(trial=f"trial/{n}") for n in range(8)]

    def ask(n: int) -> None:
        for turn in range(12):
            assert clients[n].ask(chat(f"words of {n}, turn {turn}"))[0] == 200

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for n, client in enumerate(clients):
        recording = recording_of(bench.close(client))
        assert recording.complete
        assert len(recording.exchanges) == 12
        for turn, exchange in enumerate(recording.exchanges):
            assert f"words of {n}, turn {turn}" in exchange.request.body["text"]


def test_a_failure_inside_attribution_refuses_the_request() -> None:
    class Broken:
        def find(self, token: str) -> None:
            raise RuntimeError("boom")

    flow = tflow.tflow()
    flow.request.path = "/t/" + "0" * 32 + "/v1/x"
    flow.request.authority = ""
    Attribution(cast(OpenTrials, Broken()), Strays()).requestheaders(flow)
    assert flow.response is not None
    assert flow.response.status_code == 500
