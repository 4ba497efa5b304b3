import datetime
import ipaddress
import json
import logging
import os
import signal
import ssl
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from grid.errors import ConfigError, HarnessError
from proxy.launch import ProxyProcess
from proxy.opentrials import OpenTrials, Policy
from proxy.server import BODY_MOST, Alarm, _connectable, build_options, read_config
from proxy.trial import Opening
from proxy.wire.exchange import Gap
from proxy.wire.partial import read_partial
from tests.proxy.bench import (
    Bench,
    Client,
    FakeUpstream,
    private_folder,
    recording_of,
    running_bench,
)


def config_file(tmp_path: Path, **changes: Any) -> Path:
    folder = tmp_path / "partial"
    if not folder.exists():
        private_folder(tmp_path)
    fields = {
        "mode": "record",
        "directory": str(folder),
        "upstreams": ["127.0.0.1:9"],
        "record": True,
        "body_limit": 1000,
    }
    path = tmp_path / "config.json"
    path.write_text(json.dumps(fields | changes))
    return path


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"mode": "forward"}, "mode: expected record or replay"),
        ({"mode": "replay"}, "upstreams: empty in replay"),
        ({"upstreams": ["127.0.0.1"]}, "write host:port"),
        ({"body_limit": 0}, "body_limit: 1 to"),
        ({"body_limit": BODY_MOST + 1}, "body_limit: 1 to"),
        ({"more": 1}, "no field"),
        ({"record": "yes"}, "/record: expected bool"),
        ({"listen": "localhost"}, "listen: 'localhost' is no IP address"),
    ],
)
def test_a_configuration_that_cannot_be_used_is_explained(
    tmp_path: Path, changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(ConfigError, match=words):
        read_config(config_file(tmp_path, **changes))


def test_a_folder_that_others_can_read_is_refused(tmp_path: Path) -> None:
    path = config_file(tmp_path)
    (tmp_path / "partial").chmod(0o750)
    with pytest.raises(ConfigError, match="mode 0700"):
        read_config(path)


def test_a_folder_that_is_not_there_is_explained(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match=r"cannot write to .*No such file"):
        read_config(config_file(tmp_path, directory=str(tmp_path / "gone")))


def test_the_listener_is_on_loopback_and_its_target_is_unusable(tmp_path: Path) -> None:
    options = build_options(read_config(config_file(tmp_path)))
    assert options.mode == ["reverse:http://127.0.0.1:1@127.0.0.1:0"]
    assert options.listen_host == "127.0.0.1"
    assert not options.rawtcp
    forwarding = build_options(read_config(config_file(tmp_path, forward=True, listen="::1")))
    assert forwarding.mode == ["reverse:http://127.0.0.1:1@[::1]:0", "regular@[::1]:0"]
    assert not any((forwarding.rawtcp, forwarding.websocket, forwarding.http2))


def test_what_clients_may_address_in_replay_is_nothing_to_connect_to(tmp_path: Path) -> None:
    changes = {"mode": "replay", "forward": True, "upstreams": ["one.test:443"]}
    assert _connectable(read_config(config_file(tmp_path, **changes))) == frozenset()
    changes["mode"] = "record"
    listed = _connectable(read_config(config_file(tmp_path, **changes)))
    assert listed == {("one.test", 443)}


@pytest.mark.skipif(sys.platform != "linux", reason="reads the kernel's table of sockets")
def test_the_port_is_bound_on_loopback_alone(bench: Bench) -> None:
    tables = [Path(f"/proc/{bench.proxy.pid}/net/{name}") for name in ("tcp", "tcp6", "udp")]
    lines = [line.split() for path in tables for line in path.read_text().splitlines()[1:]]
    port = f":{bench.proxy.port:04X}"
    listening = [line[1] for line in lines if line[1].endswith(port) and line[3] in ("0A", "07")]
    assert listening == ["0100007F" + port]


def test_no_certificate_authority_is_made(bench: Bench) -> None:
    client = bench.open()
    client.ask()
    bench.close(client)
    assert {path.suffix for path in bench.folder.iterdir()} == {".jsonl"}


class Raw:
    """A proxy process without `proxy.launch` between it and the test."""

    def __init__(self, path: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "proxy.server", str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={"PYTHONPATH": str(Path(__file__).parents[2])},
        )
        self.ready = self.read()

    def read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found

    def say(self, line: bytes) -> dict[str, Any]:
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()
        return self.read()

    def end(self) -> tuple[int, bytes]:
        """Close standard input and return exit code and last words."""
        _, errors = self.process.communicate(timeout=20)
        return self.process.returncode, errors


def test_the_protocol_is_one_line_for_one_line(tmp_path: Path) -> None:
    """Also: end of standard input ends the process, at once and quietly."""
    raw = Raw(config_file(tmp_path))
    port = raw.ready["port"]
    assert raw.ready == {"ready": True, "port": port, "forward_port": None, "authority": None}
    opening = {
        "do": "open",
        "trial": "t",
        "token": "0" * 32,
        "key": "k" * 32,
        "secret": "",
        "upstream": "http://127.0.0.1:9/v1",
        "replay": None,
    }
    assert raw.say(json.dumps(opening).encode()) == {"ok": True}
    assert "open already" in raw.say(json.dumps(opening).encode())["error"]
    assert (
        "not listed"
        in raw.say(
            json.dumps(opening | {"token": "1" * 32, "upstream": "http://127.0.0.1:10"}).encode()
        )["error"]
    )
    assert "no field" in raw.say(json.dumps(opening | {"x": 1}).encode())["error"]
    assert "JSON" in raw.say(b"no json")["error"]
    assert "no command" in raw.say(b'{"do":"dance"}')["error"]
    answer = raw.say(b'{"do":"close","token":"' + b"0" * 32 + b'","id":7}')
    assert answer == {
        "ok": True,
        "id": 7,
        "count": 0,
        "complete": True,
        "reason": "",
        "detail": "",
        "file": str(tmp_path / "partial" / ("0" * 32 + ".jsonl")),
        "timings": [],
    }
    assert raw.say(b'{"do":"unattributed"}') == {
        "ok": True,
        "count": 0,
        "first": [],
        "unlisted": {},
    }
    assert "no open trial" in raw.say(b'{"do":"close","token":"' + b"0" * 32 + b'"}')["error"]
    assert raw.end() == (0, b"")


def test_stop_ends_the_process(tmp_path: Path) -> None:
    raw = Raw(config_file(tmp_path))
    assert raw.say(b'{"do":"stop"}') == {"ok": True}
    assert raw.end() == (0, b"")


@pytest.mark.parametrize("how", ["stop", "end of input", "signal"])
def test_a_proxy_that_ends_takes_its_authority_with_it(tmp_path: Path, how: str) -> None:
    raw = Raw(config_file(tmp_path, forward=True))
    assert raw.ready["forward_port"] not in (None, raw.ready["port"])
    certificate = Path(raw.ready["authority"])
    assert certificate == tmp_path / "partial" / "authority" / "ca.pem"
    assert certificate.read_bytes().startswith(b"-----BEGIN CERTIFICATE-----")
    if how == "stop":
        raw.say(b'{"do":"stop"}')
    elif how == "signal":
        raw.process.terminate()
        raw.process.wait(20)
    assert raw.end() == (0, b"")
    assert list((tmp_path / "partial").iterdir()) == []


def test_a_start_that_fails_says_why_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match=r"ended \(exit code 3\).*cannot write to .*No such"):
        ProxyProcess(mode="record", directory=tmp_path / "gone", upstreams=())


def test_killed_at_any_instant_it_leaves_what_was_recorded(tmp_path: Path) -> None:
    with running_bench(tmp_path) as bench:
        client = bench.open()
        assert [client.ask()[0] for _ in range(3)] == [200] * 3
        os.kill(bench.proxy.pid, signal.SIGKILL)
        with pytest.raises(HarnessError, match=r"the recording proxy ended \(exit code -9\)"):
            bench.close(client)
        file = bench.folder / f"{client.opened.token}.jsonl"
    recording = read_partial(file.read_bytes())
    assert len(recording.exchanges) == 3
    assert (recording.complete, recording.reason) == (False, Gap.NOT_CLOSED)


def test_an_error_of_mitmproxy_itself_fails_what_is_under_way(
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
    for token in ("0" * 32, "1" * 32):
        trials.open(
            Opening(
                trial="t",
                token=token,
                key="k" * 32,
                upstream="http://127.0.0.1:9",
                secret="",
                replay=None,
            )
        )
    busy, idle = (trials.find(token) for token in ("0" * 32, "1" * 32))
    assert busy is not None
    assert idle is not None
    busy.begin()
    record = logging.LogRecord("x", logging.ERROR, "", 0, "mitmproxy has crashed!", (), None)
    Alarm(trials).emit(record)
    assert busy.failure is Gap.INTERNAL_ERROR
    assert idle.failure is None
    assert "crashed" in capsys.readouterr().err


def self_signed(folder: Path) -> Path:
    """Make a key and a certificate for 127.0.0.1 in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "upstream of a test")])
    now = datetime.datetime.now(datetime.UTC)
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .sign(key, hashes.SHA256())
    )
    path = folder / "certificate.pem"
    path.write_bytes(
        certificate.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return path


@pytest.mark.parametrize("trusted", [True, False])
def test_an_upstream_behind_tls_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trusted: bool
) -> None:
    certificate = self_signed(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    upstream = FakeUpstream(tls=context)
    if trusted:
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    else:
        monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    folder = private_folder(tmp_path)
    with ProxyProcess(mode="record", directory=folder, upstreams=(upstream.address,)) as proxy:
        opened = proxy.open_trial("t", upstream=upstream.url, secret="sk-0123456789abcdef")
        client = Client(opened, proxy.port)
        assert client.ask()[0] == (200 if trusted else 502)
        client.close()
        (exchange,) = recording_of(proxy.close_trial(opened.token)).exchanges
    assert exchange.error == (None if trusted else "refused")
    keys = [seen.headers["authorization"] for seen in upstream.seen]
    assert keys == (["Bearer sk-0123456789abcdef"] if trusted else [])
    upstream.close()
