"""A forwarding proxy with upstreams behind TLS, and clients that reach them through it."""

import base64
import contextlib
import http.client
import json
import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from proxy.launch import OpenedTrial, ProxyProcess
from tests.proxy.bench import PATIENCE_S, FakeUpstream, chat, private_folder
from tests.proxy.certificates import TestAuthority

type Answer = tuple[int, bytes, dict[str, str]]


def user_of(opened: OpenedTrial) -> str:
    """Return what a client writes as ``Proxy-Authorization``."""
    pair = f"{opened.token}:{opened.api_key}".encode()
    return "Basic " + base64.b64encode(pair).decode()


@dataclass
class Forwarding:
    """A proxy process that forwards, and its upstreams: behind TLS, plain, and one not listed."""

    proxy: ProxyProcess
    folder: Path
    secure: FakeUpstream
    plain: FakeUpstream
    unlisted: FakeUpstream
    opened: list[http.client.HTTPConnection] = field(default_factory=list)

    def open(self, **more: Any) -> OpenedTrial:
        """Open a trial."""
        return self.proxy.open_trial("s/f/m/c/off/en/0", **more)

    def tunnel(
        self, opened: OpenedTrial | None, host: str = "", user: str | None = None, **more: Any
    ) -> http.client.HTTPSConnection:
        """Return a client that asks for a tunnel with its first request."""
        context = ssl.create_default_context(cafile=str(more.get("trust", self.proxy.authority)))
        assert self.proxy.forward_port is not None
        connection = http.client.HTTPSConnection(
            "127.0.0.1", self.proxy.forward_port, context=context, timeout=PATIENCE_S
        )
        given = user_of(opened) if user is None and opened else user
        headers = {"Proxy-Authorization": given} if given else {}
        name, _, port = (host or self.address(self.secure)).rpartition(":")
        connection.set_tunnel(name, int(port), headers)
        self.opened.append(connection)
        return connection

    def straight(self) -> http.client.HTTPConnection:
        """Return a client of the forward listener without a tunnel."""
        assert self.proxy.forward_port is not None
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.proxy.forward_port, timeout=PATIENCE_S
        )
        self.opened.append(connection)
        return connection

    def raw(self, data: bytes) -> bytes:
        """Send bytes to the forward listener and return all that comes back."""
        assert self.proxy.forward_port is not None
        with socket.create_connection(
            ("127.0.0.1", self.proxy.forward_port), PATIENCE_S
        ) as connection:
            connection.sendall(data)
            answer = b""
            while piece := connection.recv(65536):
                answer += piece
        return answer

    @staticmethod
    def address(upstream: FakeUpstream) -> str:
        """Return the name by which clients address an upstream."""
        return upstream.address.replace("127.0.0.1", "localhost")

    def hang_up(self) -> None:
        """Close every client's connection, and forget what the upstreams were asked."""
        for connection in self.opened:
            connection.close()
        self.opened.clear()
        for upstream in (self.secure, self.plain, self.unlisted):
            upstream.reset()


def ask(
    connection: http.client.HTTPConnection,
    body: Any = None,
    path: str = "/v1/chat/completions",
    headers: dict[str, str] | None = None,
) -> Answer:
    """Post a request and return status, body and headers."""
    data = body if isinstance(body, bytes) else json.dumps(body or chat()).encode()
    connection.request("POST", path, data, {"content-type": "application/json"} | (headers or {}))
    response = connection.getresponse()
    found = response.read()
    return response.status, found, {k.lower(): v for k, v in response.getheaders()}


@contextlib.contextmanager
def running_forward(parent: Path, **more: Any) -> Iterator[Forwarding]:
    """Run a forwarding proxy that trusts the authority of its upstreams."""
    authority = TestAuthority(parent)
    secure = FakeUpstream(tls=authority.server("localhost"))
    plain, unlisted = FakeUpstream(), FakeUpstream()
    listed = tuple(Forwarding.address(upstream) for upstream in (secure, plain))
    settings = {"mode": "record", "upstreams": listed, "forward": True} | more
    folder = private_folder(parent)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(authority.file))
        proxy = ProxyProcess(directory=folder, **settings)
    try:
        with proxy:
            bench = Forwarding(proxy, folder, secure, plain, unlisted)
            yield bench
            bench.hang_up()
    finally:
        for upstream in (secure, plain, unlisted):
            upstream.close()
