import json

import pytest
from mitmproxy.connection import Server
from mitmproxy.proxy.server_hooks import ServerConnectionHookData
from mitmproxy.test import tflow

from proxy.upstreams import DENIED, Upstreams
from tests.proxy.bench import Bench, error_of, plain_answer, recording_of

LISTED = {("127.0.0.1", 8000)}


def connecting(address: tuple[str, int] | None, **more: str) -> ServerConnectionHookData:
    server = Server(address=address, **more)
    return ServerConnectionHookData(server=server, client=tflow.tclient_conn())


def test_a_listed_address_may_be_connected_to() -> None:
    data = connecting(("127.0.0.1", 8000))
    Upstreams(LISTED).server_connect(data)
    assert data.server.error is None


@pytest.mark.parametrize(
    "address",
    [None, ("127.0.0.1", 8001), ("127.0.0.2", 8000), ("169.254.169.254", 80), ("localhost", 8000)],
)
def test_anything_else_is_denied(address: tuple[str, int] | None) -> None:
    data = connecting(address)
    Upstreams(LISTED).server_connect(data)
    assert data.server.error == DENIED


def test_a_listed_address_is_denied_over_udp() -> None:
    data = connecting(("127.0.0.1", 8000), transport_protocol="udp")
    Upstreams(LISTED).server_connect(data)
    assert data.server.error == DENIED


def test_an_earlier_objection_stays() -> None:
    data = connecting(("127.0.0.1", 8000))
    data.server.error = "to itself"
    Upstreams(LISTED).server_connect(data)
    assert data.server.error == "to itself"


def test_a_guard_that_breaks_denies() -> None:
    data = connecting(("127.0.0.1", 8000))
    guard = Upstreams(LISTED)
    guard._listed = None
    with pytest.raises(TypeError):
        guard.server_connect(data)
    assert data.server.error == DENIED


def test_a_request_without_attribution_is_refused() -> None:
    flow = tflow.tflow()
    Upstreams(LISTED).requestheaders(flow)
    assert flow.response is not None
    assert flow.response.status_code == 403


def test_a_tunnel_is_refused() -> None:
    flow = tflow.tflow()
    Upstreams(LISTED).http_connect(flow)
    assert flow.response is not None
    assert error_of(flow.response.content)["code"] == "no_tunnels"


def test_an_answer_leads_its_reader_nowhere_else(bench: Bench) -> None:
    answer = plain_answer(
        b"{}",
        "307 Temporary Redirect",
        "Location: http://127.0.0.1:1/x",
        "Refresh: 0;url=http://127.0.0.1:1/x",
        'Alt-Svc: h3=":443"',
        "Proxy-Authenticate: Basic",
        "Proxy-Connection: keep-alive",
        "Upgrade: h2c",
        "Connection: upgrade, content-length, x-kept",
        "X-Kept: yes",
    )
    bench.upstream.play = lambda connection, seen: connection.sendall(answer)
    client = bench.open()
    status, body, headers = client.ask()
    assert (status, body, headers["x-kept"]) == (307, b"{}", "yes")
    left = {"location", "refresh", "alt-svc", "proxy-authenticate", "proxy-connection", "upgrade"}
    assert not left & set(headers)
    assert len(bench.upstream.seen) == 1, "the proxy follows nothing"
    (exchange,) = recording_of(bench.close(client)).exchanges
    assert exchange.response is not None
    assert exchange.response.status == 307


def test_an_answer_that_speaks_for_the_proxy_asks_nobody_for_a_user(bench: Bench) -> None:
    answer = plain_answer(b"{}", "407 Proxy Authentication Required", "Proxy-Authenticate: Basic")
    bench.upstream.play = lambda connection, seen: connection.sendall(answer)
    status, _, headers = bench.open().ask()
    assert status == 407
    assert "proxy-authenticate" not in headers


def test_a_dead_upstream_is_a_502_and_recorded_as_refused(bench: Bench) -> None:
    client = bench.open(upstream=bench.dead)
    assert client.ask()[0] == 502
    status, body, headers = client.ask()
    assert (status, headers["content-type"]) == (502, "application/json")
    error, address = error_of(body), bench.dead.removeprefix("http://").removesuffix("/v1")
    assert (error["type"], error["code"]) == ("nonverba_proxy", "no_answer")
    assert error["message"].startswith(f"no answer came from {address}: ")
    assert error["message"] == json.loads(body)["message"], "where AWS's clients look for it"
    recording = recording_of(bench.close(client))
    assert recording.complete
    assert [(e.error, e.response) for e in recording.exchanges] == [("refused", None)] * 2
