"""Real processes on loopback: a proxy, and a fake upstream whose every byte a test rules."""

import contextlib
import http.client
import json
import os
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proxy.launch import ClosedTrial, OpenedTrial, ProxyProcess
from proxy.wire.exchange import Recording
from proxy.wire.partial import read_partial

PATIENCE_S = 20.0
"""How long a test waits for something that must happen, before it fails."""

ANSWER = {
    "id": "x",
    "object": "chat.completion",
    "created": 0,
    "model": "fake",
    "choices": [
        {"index": 0, "message": {"role": "assistant", "content": "moon"}, "finish_reason": "stop"}
    ],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}

type PlayOnce = Callable[[socket.socket, "Seen"], bool | None]
"""Answers one request on its connection; True keeps the connection open for the next."""


@dataclass(frozen=True)
class Seen:
    """One request as the upstream got it."""

    line: str
    headers: dict[str, str]
    body: bytes


def plain_answer(body: bytes, status: str = "200 OK", *headers: str) -> bytes:
    """Build a whole HTTP answer."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    if not any(line.lower().startswith("content-type") for line in headers):
        lines.append("Content-Type: application/json")
    return "\r\n".join([*lines, "", ""]).encode() + body


def chunk(data: bytes) -> bytes:
    """Build one chunk of a chunked body."""
    return b"%x\r\n%s\r\n" % (len(data), data)


EVENT_STREAM_HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
)


def answer_plainly(connection: socket.socket, seen: Seen) -> bool:
    """Answer as a well-behaved provider does."""
    connection.sendall(plain_answer(json.dumps(ANSWER).encode()))
    return True


@dataclass
class FakeUpstream:
    """A provider on loopback: keeps what it was asked, and answers as the test says."""

    play: PlayOnce = answer_plainly
    seen: list[Seen] = field(default_factory=list)
    connections: int = 0
    tls: ssl.SSLContext | None = None

    def __post_init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self._listener.getsockname()[1]}"

    @property
    def url(self) -> str:
        """Base URL."""
        return f"http{'' if self.tls is None else 's'}://{self.address}/base/v1"

    def reset(self) -> None:
        """Forget everything."""
        self.play, self.seen, self.connections = answer_plainly, [], 0

    def close(self) -> None:
        """Stop listening and drop every connection."""
        self._listener.close()
        with self._lock:
            for connection in self._open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            with self._lock:
                self._open.add(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        if self.tls is not None:
            try:
                connection = self.tls.wrap_socket(connection, server_side=True)
            except OSError:
                connection.close()
                return
        with connection, connection.makefile("rb") as reader:
            with contextlib.suppress(OSError):
                while (seen := read_request(reader)) is not None:
                    self.seen.append(seen)
                    if not self.play(connection, seen):
                        break
            with self._lock:
                self._open.discard(connection)


def read_request(reader: Any) -> Seen | None:
    """Read one request; None at the end of the connection, and for one that was cut."""
    line = reader.readline().decode("latin-1").strip()
    if not line:
        return None
    headers: dict[str, str] = {}
    while raw := reader.readline().decode("latin-1").strip():
        name, _, value = raw.partition(":")
        headers[name.strip().lower()] = value.strip()
    length = int(headers.get("content-length", "0"))
    body = reader.read(length)
    return Seen(line, headers, body) if len(body) == length else None


@dataclass
class Client:
    """A client of one trial."""

    opened: OpenedTrial
    port: int

    def __post_init__(self) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)

    def ask(self, body: Any = None, **changes: Any) -> tuple[int, bytes, dict[str, str]]:
        """Post a request and return status, body and headers."""
        response = self.start(body, **changes)
        data = response.read()
        return response.status, data, {k.lower(): v for k, v in response.getheaders()}

    def start(
        self,
        body: Any = None,
        *,
        path: str = "/chat/completions",
        key: str | None = None,
        headers: dict[str, str] | None = None,
        token: str | None = None,
    ) -> http.client.HTTPResponse:
        """Post a request and return the response, its body unread."""
        data = body if isinstance(body, bytes) else json.dumps(body or chat()).encode()
        sent = {
            "content-type": "application/json",
            "authorization": f"Bearer {self.opened.api_key if key is None else key}",
        }
        self.connection.request(
            "POST", f"/t/{token or self.opened.token}/v1{path}", data, sent | (headers or {})
        )
        return self.connection.getresponse()

    def close(self) -> None:
        """Hang up."""
        self.connection.close()


def chat(content: str = "to the moon", **more: Any) -> dict[str, Any]:
    """Build a request body."""
    return {"model": "fake", "messages": [{"role": "user", "content": content}]} | more


def error_of(body: bytes) -> dict[str, Any]:
    """Return the error object of an OpenAI-shaped error body."""
    found: dict[str, Any] = json.loads(body)["error"]
    return found


def recording_of(closed: ClosedTrial) -> Recording:
    """Read the partial file of a closed trial."""
    assert closed.file is not None
    return read_partial(closed.file.read_bytes())


@dataclass
class Bench:
    """A proxy process, its folder, and a live and a dead upstream that are both listed."""

    proxy: ProxyProcess
    folder: Path
    upstream: FakeUpstream
    dead: str
    clients: list[Client] = field(default_factory=list)

    def open(self, **more: Any) -> Client:
        """Open a trial at the live upstream and return a client of it."""
        settings = {"upstream": self.upstream.url, "trial": "s/f/m/c/off/en/0"} | more
        opened = self.proxy.open_trial(settings.pop("trial"), **settings)
        self.clients.append(Client(opened, self.proxy.port))
        return self.clients[-1]

    def hang_up(self) -> None:
        """Close every client's connection."""
        for client in self.clients:
            client.close()
        self.clients.clear()

    def close(self, client: Client) -> ClosedTrial:
        """Close a client's trial."""
        return self.proxy.close_trial(client.opened.token)


def private_folder(parent: Path, name: str = "partial") -> Path:
    """Make a folder that the proxy accepts."""
    folder = parent / name
    folder.mkdir(mode=0o700)
    os.chmod(folder, 0o700)
    return folder


@contextlib.contextmanager
def running_bench(parent: Path, mode: str = "record", **more: Any) -> Iterator[Bench]:
    """Run a proxy with a live and a dead upstream."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        dead = f"127.0.0.1:{taken.getsockname()[1]}"
    upstream = FakeUpstream()
    listed = (upstream.address, dead) if mode == "record" else ()
    folder = private_folder(parent)
    proxy = ProxyProcess(mode=mode, directory=folder, upstreams=listed, **more)
    try:
        with proxy:
            bench = Bench(proxy, folder, upstream, f"http://{dead}/v1")
            yield bench
            bench.hang_up()
    finally:
        upstream.close()
