"""No credential reaches the disk or a terminal: secrets in every place, then a grep.

The upstream throws back whatever it got, in every usual encoding: in bodies, in headers, in the
words of a status, in streams cut anywhere, in what breaks the protocol.
"""

import base64
import gzip
import http.client
import json
import logging
import secrets
import socket
import subprocess
import sys
import urllib.parse
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from proxy.opentrials import OpenTrials, Policy
from proxy.server import Alarm
from proxy.trial import Opening
from proxy.wire.exchange import body_bytes, exchange_lines
from proxy.wire.partial import read_partial
from tests.proxy.bench import PATIENCE_S, FakeUpstream, Seen, chunk, plain_answer, private_folder

CANARY = "canary-7f3a91c2"
"""Evidence: it goes the same ways as the secrets, and stays."""


def every_form(value: str) -> set[bytes]:
    """Return how a value may be written, made anew and by other means than the code under test."""
    raw = value.encode()
    inside = {base64.b64encode(b"x" * n + raw + b"xyz")[4:-8] for n in range(3)}
    return {
        raw,
        json.dumps(value)[1:-1].encode(),
        json.dumps(value)[1:-1].replace("/", "\\/").encode(),
        urllib.parse.quote(value, safe="").encode(),
        urllib.parse.quote(value).encode(),
        raw.hex().encode(),
        raw.hex().upper().encode(),
        *inside,
        *(text.translate(bytes.maketrans(b"+/", b"-_")) for text in inside),
    }


def found_in(data: bytes, values: dict[str, str]) -> list[str]:
    return [
        f"{name} as {form!r}"
        for name, value in values.items()
        for form in every_form(value)
        if form in data
    ]


def echo(seen: Seen) -> dict[str, str]:
    """Return everything that was sent, in every usual encoding, and a canary."""
    told = json.dumps([seen.line, seen.headers, seen.body.decode("utf-8", "replace")])
    told += " ".join(seen.headers.values())
    raw = told.encode()
    return {
        "plain": told,
        "percent": urllib.parse.quote(told, safe=""),
        "hex": raw.hex(),
        "HEX": raw.hex().upper(),
        **{f"base64-{n}": base64.b64encode(b"x" * n + raw).decode() for n in range(3)},
        **{f"url-{n}": base64.urlsafe_b64encode(b"x" * n + raw).decode() for n in range(3)},
        "canary": CANARY,
    }


def thrown_back(way: str, seen: Seen) -> bytes:
    """Return an answer that holds it all in the way that is asked for."""
    line = " ".join([seen.line, *seen.headers.values()])[:6000]
    body = json.dumps(echo(seen)).encode()
    heads = [f"X-Echo: {line}", f"Retry-After: {line}", f"Content-Type: text/plain; x={line}"]
    events = b"data: " + body + b"\n\ndata: [DONE]\n\n"
    pieces = [events[place : place + 7] for place in range(0, len(events), 7)]
    stream = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked"
    return {
        "body": plain_answer(body),
        "slashes": plain_answer(body.replace(b"/", b"\\/")),
        "error": plain_answer(body, f"401 {line}", *heads, f"Set-Cookie: {line}"),
        "stream": stream.encode() + b"\r\n\r\n" + b"".join(map(chunk, pieces)) + b"0\r\n\r\n",
        "gzip": plain_answer(gzip.compress(body), "200 OK", "Content-Encoding: gzip"),
        "lie": plain_answer(body, "200 OK", "Content-Encoding: gzip"),
        "malformed": f"HTTP/1.1 200 OK\r\nno header but {line}\r\n\r\n".encode(),
        "status": f"HTTP/1.1 {line} OK\r\n\r\n".encode(),
        "length": f"HTTP/1.1 200 OK\r\nContent-Length: {line}\r\n\r\n".encode(),
        "cut": plain_answer(body)[:-10],
    }[way]


def play(connection: socket.socket, seen: Seen) -> bool:
    way = seen.line.partition("?")[0].rpartition("/way-")[2].partition(" ")[0]
    connection.sendall(thrown_back(way, seen))
    return way in WAYS[:6]


WAYS = [
    "body", "slashes", "error", "stream", "gzip", "lie", "malformed", "status", "length", "cut",
]  # fmt: skip


@dataclass
class Process:
    """A proxy process, everything that it says kept."""

    folder: Path
    said: bytes = b""
    secrets: dict[str, str] = field(default_factory=dict)

    def start(self, upstream: str) -> dict[str, Any]:
        config = self.folder / "config.json"
        partial = private_folder(self.folder)
        fields = {"mode": "record", "directory": str(partial), "upstreams": [upstream]}
        config.write_text(
            json.dumps(fields | {"record": True, "body_limit": 1_000_000, "forward": True})
        )
        self.errors = (self.folder / "stderr.txt").open("wb")
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "proxy.server", str(config)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            env={"PYTHONPATH": str(Path(__file__).parents[2])},
        )
        return self.read()

    def read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        self.said += line
        found: dict[str, Any] = json.loads(line)
        return found

    def tell(self, **command: Any) -> dict[str, Any]:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(command).encode() + b"\n")
        self.process.stdin.flush()
        return self.read()

    def end(self) -> None:
        rest, _ = self.process.communicate(timeout=PATIENCE_S)
        self.said += rest
        self.errors.close()

    def written(self) -> dict[str, bytes]:
        """Return every file that there is, and what was said, by name."""
        (self.folder / "config.json").unlink()
        files = [path for path in self.folder.rglob("*") if path.is_file()]
        return {str(path): path.read_bytes() for path in files} | {"stdout": self.said}


@pytest.fixture
def upstream() -> Iterator[FakeUpstream]:
    found = FakeUpstream(play=play)
    yield found
    found.close()


def ask(port: int, target: str, headers: dict[str, str], body: str) -> None:
    """Ask once; what comes back is the agent's, and none of our business here."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    data = json.dumps({"messages": [{"role": "user", "content": body}]}).encode()
    with suppress(http.client.HTTPException, ConnectionError):
        connection.request("POST", target, data, {"content-type": "application/json"} | headers)
        connection.getresponse().read()
    connection.close()


def made_up() -> dict[str, str]:
    """Make a credential for each place."""
    return {
        "provider key": f'sk-"real"/{secrets.token_urlsafe(24)}+=',
        "virtual key": "nv-" + secrets.token_hex(24),
        "token": secrets.token_hex(16),
        "bearer": f"sk-proj-{secrets.token_urlsafe(60)}",
        "x-api-key": f"sk-ant-{secrets.token_urlsafe(40)}",
        "x-goog-api-key": f"AIza{secrets.token_urlsafe(26)}",
        "custom header": f"hdr/{secrets.token_hex(12)}=",
        "cookie": f"session+{secrets.token_hex(12)}/",
        "access key id": "ASIA" + secrets.token_hex(8).upper(),
        "signature": secrets.token_hex(32),
        "session token": base64.b64encode(secrets.token_bytes(300)).decode(),
        "query key": f"AIza{secrets.token_urlsafe(26)}",
        "query token": f"tok {secrets.token_urlsafe(20)}/+=",
    }


def of_client(values: dict[str, str]) -> tuple[dict[str, str], str]:
    """Return the headers and the query in which a client brings its own along."""
    quoted = urllib.parse.quote(values["query token"], safe="")
    headers = {
        "x-api-key": values["x-api-key"],
        "x-goog-api-key": values["x-goog-api-key"],
        "x-litellm-api-key": values["custom header"],
        "cookie": f"lang=en; sid={values['cookie']}",
        "x-amz-security-token": values["session token"],
    }
    return headers, f"?key={values['query key']}&access_token={quoted}&alt=sse"


def signed(values: dict[str, str]) -> str:
    return (
        f"AWS4-HMAC-SHA256 Credential={values['access key id']}/20260101/us-east-1/bedrock/"
        f"aws4_request, SignedHeaders=host;x-amz-date, Signature={values['signature']}"
    )


def test_no_credential_of_any_kind_is_written_or_said_anywhere(
    tmp_path: Path, upstream: FakeUpstream
) -> None:
    proxy, values = Process(tmp_path), made_up()
    ready = proxy.start(upstream.address)
    key, token = values["virtual key"], values["token"]
    opened = {"do": "open", "trial": "t", "upstream": f"http://{upstream.address}/v1"}
    opened |= {"token": token, "key": key, "secret": values["provider key"], "replay": None}
    assert proxy.tell(**opened) == {"ok": True}
    assert proxy.tell(**opened)["ok"] is False, "a command that is refused is told about, too"
    headers, query = of_client(values)
    user = base64.b64encode(f"{token}:{key}".encode()).decode()
    for way in WAYS:
        told = f"{CANARY} {key} at /t/{token}/v1"
        path = f"/t/{token}/v1/way-{way}"
        ask(ready["port"], path, headers | {"authorization": f"Bearer {key}"}, told)
        ask(ready["port"], path + query, headers | {"authorization": f"Bearer {key}"}, told)
        target = f"http://{upstream.address}/v1/way-{way}{query}"
        for given in (f"Bearer {values['bearer']}", signed(values)):
            ask(
                ready["forward_port"], target,
                headers | {"authorization": given, "proxy-authorization": f"Basic {user}"},
                f"{told} {given}",
            )  # fmt: skip
    ask(ready["port"], f"/t/{secrets.token_hex(16)}/v1/x{query}", headers, "a stray")
    assert proxy.tell(do="unattributed")["ok"]
    closed = proxy.tell(do="close", token=token)
    proxy.end()
    assert closed["count"] == 4 * len(WAYS), closed
    assert closed["complete"], closed

    written = proxy.written()
    recording = read_partial(Path(closed["file"]).read_bytes())
    written["recording"] = exchange_lines(recording.exchanges)
    for name, data in written.items():
        # The token alone opens nothing; it names the file, so the closing answer holds it.
        looked_for = {k: v for k, v in values.items() if k != "token" or name != "stdout"}
        assert not found_in(data, looked_for), name
    assert {"recording", "stdout", str(tmp_path / "stderr.txt")} <= written.keys()
    shown = written["recording"]
    for placeholder in ("[provider key]", "[virtual key]", "[trial token]", "[client key]"):
        assert placeholder.encode() in shown
    kept = [e for e in recording.exchanges if e.response is not None]
    assert len(kept) >= 4 * 6
    for exchange in recording.exchanges:
        assert CANARY.encode() in body_bytes(exchange.request.body), "a canary is evidence"


def test_the_grep_finds_what_it_is_there_to_find() -> None:
    for name, value in made_up().items():
        for form in (
            value.encode(),
            json.dumps({"x": value}).encode(),
            urllib.parse.quote(f"a={value}", safe="").encode(),
            f"key {value}".encode().hex().encode(),
            *(base64.b64encode(b"x" * n + value.encode() + b" more") for n in range(3)),
        ):
            assert found_in(b"before " + form + b" behind", {name: value}), (name, form)
        assert not found_in(b"nothing of the kind", {name: value})


def test_what_mitmproxy_says_of_an_error_of_its_own_holds_no_credential(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trials = OpenTrials(
        Policy(
            directory=private_folder(tmp_path),
            listed=frozenset({("127.0.0.1", 9)}),
            replaying=False,
            recording=True,
        )
    )
    opening = Opening(
        trial="t", token="0" * 32, key="k" * 32, upstream="http://127.0.0.1:9", secret="s" * 40,
        replay=None,
    )  # fmt: skip
    trials.open(opening)
    trial = trials.find("0" * 32)
    assert trial is not None
    trial.begin()
    words = "x" * 470 + "s" * 40
    Alarm(trials).emit(logging.LogRecord("x", logging.ERROR, "", 0, words, (), None))
    said = capsys.readouterr().err + trial.detail
    assert "[prov" in said
    assert "sss" not in said, "also where the sentence is cut"
