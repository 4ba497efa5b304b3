"""Real clients, unmodified, recorded in forward mode against servers behind TLS, and replayed."""

import base64
import json
import os
import subprocess
import sys
import urllib.parse
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from proxy.launch import OpenedTrial, ProxyProcess, client_environment
from proxy.wire.answer import Undecodable
from proxy.wire.exchange import Exchange, body_bytes, exchange_lines
from proxy.wire.protocol import decode_answer
from tests.proxy.bench import private_folder, recording_of
from tests.proxy.certificates import TestAuthority
from tests.proxy.providers import (
    ANTHROPIC_KEY,
    AWS_KEY_ID,
    AWS_SECRET,
    AWS_SESSION,
    GEMINI_KEY,
    OPENAI_KEY,
    TEXT,
    Provider,
)

SDKS = Path(__file__).with_name("sdks.py")
NAMES = ("openai", "anthropic", "bedrock", "gemini")
KEYS = {
    "OPENAI_API_KEY": OPENAI_KEY,
    "ANTHROPIC_API_KEY": ANTHROPIC_KEY,
    "GEMINI_API_KEY": GEMINI_KEY,
    "AWS_ACCESS_KEY_ID": AWS_KEY_ID,
    "AWS_SECRET_ACCESS_KEY": AWS_SECRET,
    "AWS_SESSION_TOKEN": AWS_SESSION,
}

type Recorded = tuple[Any, tuple[Exchange, ...]]


def run(
    proxy: ProxyProcess, opened: OpenedTrial, name: str, port: int, home: Path, *more: str
) -> Any:
    """Run a client in a process of its own, which only its environment brings to the proxy."""
    assert proxy.authority is not None
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONUTF8": "1"}
    process = subprocess.run(
        [sys.executable, str(SDKS), name, f"https://localhost:{port}", *more],
        env=environment | KEYS | client_environment(opened, proxy.authority),
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert process.returncode == 0, process.stderr.decode()[-2000:]
    return json.loads(process.stdout)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def provider(home: Path) -> Iterator[Provider]:
    """The servers, which are down when the recording is made."""
    found = Provider(TestAuthority(home).server("localhost"))
    yield found
    found.close()


def run_all(
    proxy: ProxyProcess, port: int, home: Path, replay: dict[str, Path] | None = None
) -> dict[str, Recorded]:
    """Run every client at the same time, each in a trial of its own."""

    def one(name: str) -> Recorded:
        opened = proxy.open_trial(name, replay=replay[name] if replay else None)
        said = run(proxy, opened, name, port, home)
        closed = proxy.close_trial(opened.token)
        assert closed.complete, closed.detail
        return said, recording_of(closed).exchanges

    with ThreadPoolExecutor(len(NAMES)) as pool:
        found = dict(zip(NAMES, pool.map(one, NAMES), strict=True))
    assert proxy.unattributed() == {"count": 0, "first": [], "unlisted": {}}
    return found


@pytest.fixture(scope="module")
def recorded(provider: Provider, home: Path) -> dict[str, Recorded]:
    """What each client made of the answers, and what was recorded of it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(home / "trusted.pem"))
        proxy = ProxyProcess(
            mode="record",
            directory=private_folder(home),
            upstreams=(provider.address,),
            forward=True,
        )
    with proxy:
        found = run_all(proxy, provider.port, home)
    provider.close()
    return found


@pytest.fixture(scope="module")
def replayed(recorded: dict[str, Recorded], provider: Provider, home: Path) -> dict[str, Recorded]:
    """The same with the servers down, and nothing listed that could be connected to."""
    files = {name: home / f"{name}.jsonl" for name in NAMES}
    for name, file in files.items():
        file.write_bytes(exchange_lines(recorded[name][1]))
    asked = len(provider.asked)
    folder = private_folder(home, "again")
    with ProxyProcess(mode="replay", directory=folder, upstreams=(), forward=True) as proxy:
        found = run_all(proxy, provider.port, home, files)
    assert len(provider.asked) == asked
    return found


@pytest.mark.parametrize("name", NAMES)
def test_a_real_client_is_recorded_whole_and_as_a_stream(
    recorded: dict[str, Recorded], provider: Provider, name: str
) -> None:
    said, exchanges = recorded[name]
    assert len(exchanges) == 2
    for exchange in exchanges:
        assert exchange.request.upstream == provider.address
        assert exchange.error is None
        assert exchange.response is not None
        assert exchange.response.status == 200
    whole, stream = (json.dumps(part, ensure_ascii=False) for part in said[:2])
    assert TEXT in whole
    assert TEXT[-6:-1] in stream
    assert exchanges[1].response is not None
    kind = exchanges[1].response.headers["content-type"]
    assert kind.partition(";")[0].endswith(("event-stream", "amazon.eventstream"))


@pytest.mark.parametrize("name", NAMES)
def test_it_is_replayed_with_the_servers_down_and_understands_the_same(
    recorded: dict[str, Recorded], replayed: dict[str, Recorded], name: str
) -> None:
    assert replayed[name][0] == recorded[name][0]
    assert exchange_lines(replayed[name][1]) == exchange_lines(recorded[name][1])


def test_their_own_credentials_passed_on_and_are_in_no_file(
    recorded: dict[str, Recorded], provider: Provider, home: Path
) -> None:
    """The servers have checked keys and signature; what never left the client is not in there."""
    assert recorded
    given = [asked.headers.get("authorization", "") for asked in provider.asked]
    signatures = [text.rpartition("=")[2] for text in given if text.startswith("AWS4-")]
    assert len(signatures) == 2
    secrets = [value for name, value in KEYS.items() if name != "AWS_SECRET_ACCESS_KEY"]
    files = list((home / "partial").iterdir())
    assert len(files) == len(NAMES)
    for data in (file.read_bytes() for file in files):
        for secret in (*secrets, *signatures):
            for form in (secret, urllib.parse.quote(secret, ""), secret.encode().hex()):
                assert form.encode() not in data
            assert base64.b64encode(secret.encode())[:-4] not in data


FAILURES = {
    "openai": ["openai", "InternalServerError"],
    "anthropic": ["anthropic", "InternalServerError"],
    "bedrock": ["botocore", "ClientError"],
    "gemini": ["google", "ServerError"],
}


def test_without_an_answer_each_client_raises_its_own_error_with_our_words(
    recorded: dict[str, Recorded], provider: Provider, home: Path
) -> None:
    """When the server is down, and when that is replayed; no decoder takes it for an answer."""
    assert recorded, "the servers are down"
    down = {"directory": private_folder(home, "down"), "upstreams": (provider.address,)}
    with ProxyProcess(mode="record", forward=True, **down) as proxy:
        first = fail_all(proxy, provider.port, home)
    files = {name: home / f"{name}-down.jsonl" for name in NAMES}
    for name, file in files.items():
        file.write_bytes(exchange_lines(first[name][1]))
    folder = private_folder(home, "down-again")
    with ProxyProcess(mode="replay", directory=folder, upstreams=(), forward=True) as proxy:
        again = fail_all(proxy, provider.port, home, files)
    for name, kind in FAILURES.items():
        for words, (error, exchanges) in (
            (f"no answer came from {provider.address}", first[name]),
            ("the recorded upstream gave no answer: refused", again[name]),
        ):
            assert error[:2] == kind
            assert words in error[2]
            assert {(one.error, one.response) for one in exchanges} == {("refused", None)}
            assert isinstance(decode_answer(exchanges[0]), Undecodable)
        assert exchange_lines(again[name][1]) == exchange_lines(first[name][1])


def fail_all(
    proxy: ProxyProcess, port: int, home: Path, replay: dict[str, Path] | None = None
) -> dict[str, Recorded]:
    """Run every client at the same time; return the error of each."""

    def one(name: str) -> Recorded:
        opened = proxy.open_trial(name, replay=replay[name] if replay else None)
        error = run(proxy, opened, name, port, home, "fails")
        closed = proxy.close_trial(opened.token)
        assert closed.complete, closed.detail
        return error, recording_of(closed).exchanges

    with ThreadPoolExecutor(len(NAMES)) as pool:
        return dict(zip(NAMES, pool.map(one, NAMES), strict=True))


def test_the_words_of_the_prompt_were_seen(recorded: dict[str, Recorded]) -> None:
    for _, exchanges in recorded.values():
        for exchange in exchanges:
            asked = json.loads(body_bytes(exchange.request.body))
            assert "at the moon? 🍣" in json.dumps(asked, ensure_ascii=False)
