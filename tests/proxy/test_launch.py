"""`launch`: the proxy and the scripted models as the runner sees them."""

import http.client
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from grid.errors import HarnessError
from proxy.launch import OpenedTrial, ProxyProcess, client_environment
from tests.proxy.bench import PATIENCE_S, Bench, private_folder, recording_of
from tests.proxy.forwarding import Forwarding, running_forward

PARENT = """
import sys, time
from pathlib import Path
from proxy.launch import ProxyProcess, ScriptedModels
models = ScriptedModels()
proxy = ProxyProcess(mode="record", directory=Path(sys.argv[1]), upstreams=(models.address,))
print(models.pid, proxy.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waits for processes of others")
def test_no_child_outlives_a_runner_that_is_killed(tmp_path: Path) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(private_folder(tmp_path))],
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
    )
    with parent:
        assert parent.stdout is not None
        pids = [int(word) for word in parent.stdout.readline().split()]
        watched = [os.pidfd_open(pid) for pid in pids]
        parent.send_signal(signal.SIGKILL)
    assert len(watched) == 2
    for descriptor in watched:
        ended, _, _ = select.select([descriptor], [], [], PATIENCE_S)
        os.close(descriptor)
        assert ended, "a child outlived its runner"


def test_a_refusal_is_one_sentence(bench: Bench) -> None:
    with pytest.raises(HarnessError, match=r"the recording proxy refused: upstream: .*not listed"):
        bench.open(upstream="http://127.0.0.1:1/v1")


def test_hundreds_of_trials_open_and_close_on_one_proxy(bench: Bench) -> None:
    opened = [bench.open(trial=f"t/{n}") for n in range(300)]
    assert len({client.opened.token for client in opened}) == 300
    assert all(bench.close(client).complete for client in opened)


def test_what_nobody_asked_for_is_not_there(bench: Bench) -> None:
    opened = bench.open(more=()).opened
    assert (bench.proxy.forward_port, bench.proxy.authority) == (None, None)
    assert (opened.proxy_url, opened.more_urls) == (None, ())
    assert bench.proxy.warning == ""


def test_a_trial_has_further_base_urls_each_with_its_own_real_key(bench: Bench) -> None:
    elsewhere = bench.upstream.url.replace("/base/v1", "/other")
    secrets = ("sk-one-0123456789", "sk-two-0123456789")
    more = [(elsewhere, secrets[1]), (elsewhere, "")]
    client = bench.open(secret=secrets[0], more=more)
    places = (client.opened.base_url, *client.opened.more_urls)
    for place in places:
        path = place.partition(f":{bench.proxy.port}")[2]
        client.connection.request(
            "POST",
            f"{path}/v1/messages",
            f"an agent that has found out {' and '.join(secrets)}".encode(),
            {"x-api-key": client.opened.api_key},
        )
        assert client.connection.getresponse().read()
    assert [seen.line.split()[1] for seen in bench.upstream.seen] == [
        "/base/v1/v1/messages",
        "/other/v1/messages",
        "/other/v1/messages",
    ]
    assert [seen.headers.get("x-api-key") for seen in bench.upstream.seen] == [*secrets, None]
    closed = bench.close(client)
    assert closed.file is not None
    assert not any(secret.encode() in closed.file.read_bytes() for secret in secrets)
    assert [item.request.upstream for item in recording_of(closed).exchanges] == [
        "",
        bench.upstream.address,
        bench.upstream.address,
    ]


def test_closing_tells_when_each_exchange_was_asked_and_ended(bench: Bench) -> None:
    client = bench.open()
    client.ask()
    client.ask()
    timings = bench.close(client).timings
    assert len(timings) == 2
    for asked, first, ended in timings:
        assert asked is not None
        assert first is not None
        assert ended is not None
        assert 0 <= asked <= first <= ended


def test_a_probe_of_ours_and_a_connection_that_says_nothing_are_no_strays(bench: Bench) -> None:
    before = bench.proxy.unattributed()["count"]
    for _ in range(3):
        bench.proxy.check()
    socket.create_connection(("127.0.0.1", bench.proxy.port), PATIENCE_S).close()
    client = bench.open()
    assert client.ask(key="nv-another")[0] == 403
    assert bench.proxy.unattributed()["count"] == before + 1


@pytest.fixture(scope="module")
def forward(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forwarding]:
    with running_forward(tmp_path_factory.mktemp("forward"), listen="127.0.0.2") as forward:
        yield forward


def test_it_listens_where_it_is_told_to_and_is_reached_there(forward: Forwarding) -> None:
    opened = forward.open(upstream=f"http://{forward.address(forward.plain)}")
    forward.proxy.check()
    assert forward.proxy.host == "127.0.0.2"
    assert opened.base_url.startswith(f"http://127.0.0.2:{forward.proxy.port}/t/")
    user = f"{opened.token}:{opened.api_key}"
    assert opened.proxy_url == f"http://{user}@127.0.0.2:{forward.proxy.forward_port}"
    for port in (forward.proxy.port, forward.proxy.forward_port):
        with pytest.raises(ConnectionRefusedError):
            http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S).connect()
    assert forward.proxy.warning == "", "that is this machine's own"


def test_an_open_address_is_warned_of_in_a_sentence(tmp_path: Path) -> None:
    everywhere = "0.0.0.0"  # noqa: S104 - what is warned of
    with ProxyProcess(
        mode="record", directory=private_folder(tmp_path), upstreams=(), listen=everywhere
    ) as proxy:
        proxy.check()
        assert proxy.host == "127.0.0.1"
        assert proxy.warning.startswith("warning: the proxy listens on 0.0.0.0, where other")


def test_the_variables_for_a_client_bring_it_to_the_proxy(tmp_path: Path) -> None:
    opened = OpenedTrial(token="t", base_url="b", api_key="k", proxy_url="http://t:k@127.0.0.1:9")
    certificate = tmp_path / "ca.pem"
    found = client_environment(opened, certificate)
    assert found["HTTPS_PROXY"] == found["https_proxy"] == opened.proxy_url
    assert not {"HTTP_PROXY", "http_proxy"} & set(found)
    plain = client_environment(opened, certificate, plain=True)
    assert plain["HTTP_PROXY"] == plain["http_proxy"] == opened.proxy_url
    trusting = {"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "AWS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"}
    assert {name for name, value in found.items() if value == str(certificate)} == trusting


@pytest.mark.parametrize("how", ["stop", "kill", "killed by others"])
def test_nothing_is_left_of_its_authority_however_it_ends(tmp_path: Path, how: str) -> None:
    folder = private_folder(tmp_path)
    proxy = ProxyProcess(mode="record", directory=folder, upstreams=(), forward=True)
    assert proxy.authority is not None
    assert proxy.authority.exists()
    if how == "stop":
        proxy.stop()
    elif how == "kill":
        proxy.kill()
    else:
        os.kill(proxy.pid, signal.SIGKILL)
        with pytest.raises(HarnessError, match="exit code -9"):
            proxy.unattributed()
        proxy.stop()
    assert list(folder.iterdir()) == []
