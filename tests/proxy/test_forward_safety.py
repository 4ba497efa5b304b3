"""`forward`: what no client reaches through it, whatever it sends."""

import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from proxy.wire.exchange import ErrorKind
from tests.proxy.bench import (
    PATIENCE_S,
    FakeUpstream,
    Seen,
    error_of,
    plain_answer,
    recording_of,
)
from tests.proxy.certificates import TestAuthority
from tests.proxy.forwarding import Forwarding, ask, running_forward, user_of


@pytest.fixture(scope="module")
def module_forward(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forwarding]:
    with running_forward(tmp_path_factory.mktemp("forward"), body_limit=200_000) as forward:
        yield forward


@pytest.fixture
def forward(module_forward: Forwarding) -> Iterator[Forwarding]:
    yield module_forward
    module_forward.hang_up()


def count(forward: Forwarding) -> int:
    found: int = forward.proxy.unattributed()["count"]
    return found


@pytest.mark.parametrize("host", ["unlisted", "169.254.169.254:443", "one.test:443"])
def test_a_tunnel_to_an_address_that_is_not_listed_is_refused_before_any_connection(
    forward: Forwarding, host: str
) -> None:
    opened, before = forward.open(), count(forward)
    target = forward.address(forward.unlisted) if host == "unlisted" else host
    with pytest.raises(OSError, match="Tunnel connection failed: 403"):
        ask(forward.tunnel(opened, target))
    status, body, _ = ask(
        forward.straight(), None, f"http://{target}/x", {"Proxy-Authorization": user_of(opened)}
    )
    assert (status, error_of(body)["code"]) == (403, "not_listed")
    assert target in error_of(body)["message"]
    assert forward.unlisted.connections == 0
    assert forward.proxy.unattributed()["unlisted"][target] == 2
    assert count(forward) == before, "it belongs to a trial"
    assert forward.proxy.close_trial(opened.token).complete


def test_a_host_that_is_not_where_the_tunnel_leads_is_refused(forward: Forwarding) -> None:
    """One server may stand for many names: its own is the only one that was listed."""
    opened, where = forward.open(), forward.address(forward.secure)
    client = forward.tunnel(opened)
    for host in ("one.test", "localhost", f"{where},one.test"):
        status, body, _ = ask(client, headers={"Host": host})
        assert (status, error_of(body)["code"]) == (403, "other_host")
    assert ask(client, None, f"https://{where}/x")[0] == 200, "the absolute form of the same place"
    assert ask(client, None, "https://one.test/x")[0] == 403
    assert [seen.line for seen in forward.secure.seen] == ["POST /x HTTP/1.1"]


def test_another_name_in_the_handshake_changes_neither_side(forward: Forwarding) -> None:
    opened = forward.open()
    trusting = ssl.create_default_context(cafile=str(forward.proxy.authority))
    trusting.check_hostname = False
    with (
        connected(forward, opened) as raw,
        trusting.wrap_socket(raw, server_hostname="one.test") as client,
    ):
        shown = client.getpeercert()
        assert shown is not None
        assert shown["subjectAltName"] == (("DNS", "localhost"),)
        where = forward.address(forward.secure)
        client.sendall(f"GET /x HTTP/1.1\r\nHost: {where}\r\n\r\n".encode())
        assert client.recv(65536).startswith(b"HTTP/1.1 200 ")


def connected(forward: Forwarding, opened: object, target: str = "") -> socket.socket:
    """Return the raw inside of a tunnel."""
    where = target or forward.address(forward.secure)
    assert forward.proxy.forward_port is not None
    raw = socket.create_connection(("127.0.0.1", forward.proxy.forward_port), PATIENCE_S)
    user = user_of(opened)  # type: ignore[arg-type]
    raw.sendall(f"CONNECT {where} HTTP/1.1\r\nProxy-Authorization: {user}\r\n\r\n".encode())
    assert raw.recv(65536).startswith(b"HTTP/1.1 200 ")
    return raw


def test_an_upstream_with_the_certificate_of_another_host_is_not_spoken_to(tmp_path: Path) -> None:
    other = FakeUpstream(tls=TestAuthority(tmp_path).server("one.test"))
    (tmp_path / "more").mkdir()
    with running_forward(tmp_path / "more", upstreams=(Forwarding.address(other),)) as forward:
        opened = forward.open()
        assert ask(forward.tunnel(opened, forward.address(other)))[0] == 502
        (exchange,) = recording_of(forward.proxy.close_trial(opened.token)).exchanges
    assert (exchange.error, other.seen) == (ErrorKind.REFUSED, [])
    other.close()


def test_a_client_that_does_not_trust_the_authority_asks_nothing(
    forward: Forwarding, tmp_path: Path
) -> None:
    opened, before = forward.open(), count(forward)
    with pytest.raises(ssl.SSLCertVerificationError):
        ask(forward.tunnel(opened, trust=TestAuthority(tmp_path).file))
    assert forward.secure.connections == 0
    closed = forward.proxy.close_trial(opened.token)
    assert (closed.count, closed.complete, count(forward)) == (0, True, before)


@pytest.mark.parametrize("data", [b"SSH-2.0-x\r\n\r\n", b"\0\1\2\3\r\n\r\n", b"EHLO x\r\n\r\n"])
def test_what_is_no_http_passes_no_tunnel(forward: Forwarding, data: bytes) -> None:
    opened = forward.open()
    with connected(forward, opened, forward.address(forward.plain)) as raw:
        raw.sendall(data)
        assert raw.recv(65536).startswith(b"HTTP/1.1 400 ")
    assert forward.plain.connections == 0


def test_a_tunnel_leads_into_no_other(forward: Forwarding) -> None:
    opened, other = forward.open(), forward.address(forward.unlisted)
    with connected(forward, opened, forward.address(forward.plain)) as raw:
        user = user_of(opened)
        raw.sendall(f"CONNECT {other} HTTP/1.1\r\nProxy-Authorization: {user}\r\n\r\n".encode())
        assert raw.recv(65536).startswith(b"HTTP/1.1 400 ")
    assert forward.unlisted.connections == 0


def test_a_handshake_outside_of_a_tunnel_is_refused_and_hurts_nobody_else(
    forward: Forwarding,
) -> None:
    """Also on the reverse listener: a client with ``https`` in its base URL."""
    asked, go_on = threading.Event(), threading.Event()

    def play(connection: socket.socket, _seen: Seen) -> None:
        asked.set()
        assert go_on.wait(PATIENCE_S)
        connection.sendall(plain_answer(b"{}"))

    forward.secure.play = play
    opened = forward.open()
    asking = threading.Thread(target=ask, args=(forward.tunnel(opened),))
    asking.start()
    assert asked.wait(PATIENCE_S)
    context = ssl.create_default_context(cafile=str(forward.proxy.authority))
    for port in (forward.proxy.port, forward.proxy.forward_port):
        with (
            socket.create_connection(("127.0.0.1", port), PATIENCE_S) as raw,
            pytest.raises(ssl.SSLError, match="WRONG_VERSION_NUMBER"),
        ):
            context.wrap_socket(raw, server_hostname="localhost")
    go_on.set()
    asking.join()
    assert forward.proxy.close_trial(opened.token).complete


def test_a_client_that_speaks_http_2_is_answered_in_http_1(forward: Forwarding) -> None:
    opened = forward.open()
    context = ssl.create_default_context(cafile=str(forward.proxy.authority))
    context.set_alpn_protocols(["h2", "http/1.1"])
    with (
        connected(forward, opened) as raw,
        context.wrap_socket(raw, server_hostname="localhost") as client,
    ):
        assert client.selected_alpn_protocol() == "http/1.1"


def test_a_redirect_is_the_clients_to_follow_and_leads_nowhere_unlisted(
    forward: Forwarding,
) -> None:
    away = f"http://{forward.address(forward.unlisted)}/x"
    answer = plain_answer(b"", "307 Temporary Redirect", f"Location: {away}", "Alt-Svc: h3=x")
    forward.secure.play = lambda connection, seen: connection.sendall(answer)
    opened = forward.open()
    status, _, headers = ask(forward.tunnel(opened))
    assert (status, headers["location"]) == (307, away)
    assert "alt-svc" not in headers
    assert len(forward.secure.seen) == 1
    followed = ask(forward.straight(), None, away, {"Proxy-Authorization": user_of(opened)})
    assert followed[0] == 403
    assert forward.unlisted.connections == 0


def test_a_websocket_is_refused_in_words(forward: Forwarding) -> None:
    headers = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
    status, body, _ = ask(forward.tunnel(forward.open()), headers=headers)
    assert (status, error_of(body)["code"]) == (501, "no_upgrade")
    assert forward.secure.connections == 0
