"""`resolving`: where a listed name may lead."""

import asyncio
import socket
from pathlib import Path
from typing import Any

import pytest

from proxy.launch import ProxyProcess
from proxy.resolving import CheckedLoop, explain_refusal
from proxy.wire.exchange import ErrorKind
from tests.proxy.bench import Client, FakeUpstream, private_folder, recording_of

LISTED = frozenset({("models.example.com", 443), ("10.0.0.5", 443)})


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("models.example.com", "93.184.215.14"),
        ("models.example.com", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"),
        ("models.example.com", "64:ff9b::5db8:d70e"),
        ("models.example.com", "10.0.0.5"),
        ("models.example.com", "::ffff:10.0.0.5"),
        ("localhost", "127.0.0.1"),
        ("LOCALHOST.", "::1"),
        ("vllm", "172.17.0.2"),
        ("models.lan", "192.168.1.7"),
        ("models.internal", "100.64.0.1"),
        ("models.internal", "fd12::1"),
    ],
)
def test_a_name_leads_to_what_is_public_listed_or_can_be_nothing_else(
    host: str, address: str
) -> None:
    assert explain_refusal(host, address, 443, LISTED) is None


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("models.example.com", "127.0.0.1"),
        ("models.example.com", "10.0.0.6"),
        ("models.example.com", "192.168.1.7"),
        ("models.example.com", "172.16.0.1"),
        ("models.example.com", "100.64.0.1"),
        ("models.example.com", "169.254.169.254"),
        ("models.example.com", "168.63.129.16"),
        ("models.example.com", "0.0.0.0"),  # noqa: S104 - nothing is bound
        ("models.example.com", "224.0.0.1"),
        ("models.example.com", "::1"),
        ("models.example.com", "fe80::1%eth0"),
        ("models.example.com", "fd00:ec2::254"),
        ("models.example.com", "::ffff:127.0.0.1"),
        ("models.example.com", "64:ff9b::7f00:1"),
        ("models.example.com", "2002:7f00:1::"),
        ("internal.example.com", "10.0.0.6"),
        ("notlocalhost.example", "127.0.0.1"),
        ("127.1", "127.0.0.1"),
        ("vllm", "169.254.169.254"),
        ("metadata.internal", "169.254.169.254"),
        ("metadata.internal", "fd00:ec2::254"),
    ],
)
def test_a_name_leads_not_into_the_network_around_us(host: str, address: str) -> None:
    why = explain_refusal(host, address, 443, LISTED)
    assert why is not None
    assert why.startswith(f"{host} leads to {address}")


def test_a_listed_address_is_listed_with_its_port() -> None:
    assert explain_refusal("models.example.com", "10.0.0.5", 443, LISTED) is None
    why = explain_refusal("models.example.com", "10.0.0.5", 80, LISTED)
    assert why is not None
    assert why.endswith("which is not public; if that is meant, list 10.0.0.5:80 as well")


def resolve(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> Any:
    """Resolve a public name on a checked loop, with made-up answers of the name service."""
    answers = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 443)) for address in addresses]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_hints: answers)
    loop = CheckedLoop(LISTED, "denied")
    try:
        return loop.run_until_complete(loop.getaddrinfo("models.example.com", 443))
    finally:
        loop.close()


def test_only_the_addresses_that_may_be_are_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    found = resolve(monkeypatch, "127.0.0.1", "93.184.215.14", "10.0.0.5")
    assert [info[4][0] for info in found] == ["93.184.215.14", "10.0.0.5"]


def test_a_name_that_leads_nowhere_good_does_not_resolve(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OSError, match=r"^denied: models\.example\.com leads to 127"):
        resolve(monkeypatch, "127.0.0.1", "169.254.169.254")


def test_a_connection_goes_to_what_was_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The loop's own way to connect asks here, and nowhere else."""
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda *_args, **_hints: [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 9))],
    )
    loop = CheckedLoop(frozenset(), "denied")
    try:
        with pytest.raises(OSError, match=r"^denied: "):
            loop.run_until_complete(asyncio.open_connection("models.example.com", 9))
    finally:
        loop.close()


@pytest.mark.parametrize("meant", [False, True])
def test_a_listed_name_that_leads_to_this_machine_is_not_connected_to_unless_that_is_listed(
    tmp_path: Path, meant: bool
) -> None:
    """``127.1`` is a name to the proxy, and leads to loopback without any name service."""
    upstream = FakeUpstream()
    name = upstream.address.replace("127.0.0.1", "127.1")
    listed = (name, upstream.address) if meant else (name,)
    with ProxyProcess(mode="record", directory=private_folder(tmp_path), upstreams=listed) as proxy:
        opened = proxy.open_trial("t", upstream=f"http://{name}/v1")
        client = Client(opened, proxy.port)
        status, body, _ = client.ask()
        client.close()
        (exchange,) = recording_of(proxy.close_trial(opened.token)).exchanges
    upstream.close()
    assert status == (200 if meant else 502)
    assert upstream.connections == meant
    assert exchange.error is (None if meant else ErrorKind.DENIED)
    if not meant:
        assert b"127.1 leads to 127.0.0.1, which is not public" in body
