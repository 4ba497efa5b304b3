"""What the recorder cannot keep, nobody gets: a twin of `proxy.recorder` for its failures."""

import asyncio
import gzip
import http.client
import resource
import shutil
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from mitmproxy.addons.proxyserver import Proxyserver
from mitmproxy.flow import Error
from mitmproxy.http import HTTPFlow
from mitmproxy.test import taddons, tflow

from grid.errors import HarnessError
from proxy.address import parse_upstream
from proxy.partialfile import PartialFile
from proxy.passage import Passage, attach
from proxy.recorder import Recorder
from proxy.trial import Opening, Trial
from proxy.wire.exchange import Gap
from proxy.wire.partial import read_partial
from tests.proxy.bench import (
    EVENT_STREAM_HEAD,
    PATIENCE_S,
    Bench,
    Seen,
    chat,
    chunk,
    error_of,
    plain_answer,
    running_bench,
)

EVENTS = [
    b'data: {"model":"fake","choices":[{"index":0,"delta":{"content":"mo"}}]}\n\n',
    b'data: {"choices":[{"index":0,"delta":{"content":"on"},"finish_reason":"stop"}]}\n\n',
    b"data: [DONE]\n\n",
]


def refused_after_failure(bench: Bench, reason: str, spoil: Callable[[Path], None]) -> str:
    """Spoil a trial's file after one good exchange; return the detail of its failure."""
    client = bench.open()
    assert client.ask()[0] == 200
    spoil(bench.folder / f"{client.opened.token}.jsonl")
    status, body, headers = client.ask()
    assert (status, error_of(body)["code"], headers["x-should-retry"]) == (500, reason, "false")
    assert client.ask()[0] == 403, "nothing more of this trial is forwarded"
    assert len(bench.upstream.seen) == 1
    closed = bench.close(client)
    assert (closed.complete, closed.reason) == (False, reason)
    return closed.detail


def test_a_removed_file_stops_the_trial(bench: Bench) -> None:
    assert "No such file" in refused_after_failure(bench, "recorder_failed", Path.unlink)


def test_a_file_that_somebody_else_changed_stops_the_trial(bench: Bench) -> None:
    def append(path: Path) -> None:
        with path.open("ab") as file:
            file.write(b"\n")

    assert "another process" in refused_after_failure(bench, "recorder_failed", append)


def test_a_removed_folder_stops_the_trial_and_spares_the_next_run(tmp_path: Path) -> None:
    with running_bench(tmp_path) as bench:
        refused_after_failure(bench, "recorder_failed", lambda path: shutil.rmtree(bench.folder))
        with pytest.raises(HarnessError, match="cannot write"):
            bench.open()


@pytest.mark.skipif(sys.platform != "linux", reason="limits of another process need Linux")
def test_a_full_disk_stops_the_trial_with_a_sentence(bench: Bench) -> None:
    """A limit on file sizes cuts a line short, as a full disk does."""
    before = resource.prlimit(bench.proxy.pid, resource.RLIMIT_FSIZE)
    file: list[Path] = []

    def fill(path: Path) -> None:
        file.append(path)
        limit = path.stat().st_size + 40
        resource.prlimit(bench.proxy.pid, resource.RLIMIT_FSIZE, (limit, before[1]))

    try:
        detail = refused_after_failure(bench, "recorder_failed", fill)
    finally:
        resource.prlimit(bench.proxy.pid, resource.RLIMIT_FSIZE, before)
    assert "disk is full" in detail
    recording = read_partial(file[0].read_bytes())
    assert len(recording.exchanges) == 1
    assert (recording.complete, recording.reason) == (False, Gap.CUT_TAIL)
    healthy = bench.open()
    assert healthy.ask()[0] == 200
    assert bench.close(healthy).complete


def test_a_request_over_the_limit_stops_the_trial(bench: Bench) -> None:
    client = bench.open()
    assert client.ask(chat("x" * 200_001))[0] == 413
    closed = bench.close(client)
    assert (closed.complete, closed.reason, closed.count) == (False, "too_large", 0)
    assert bench.upstream.connections == 0


def test_a_stream_over_the_limit_is_cut_and_stops_the_trial(bench: Bench) -> None:
    def play(connection: socket.socket, seen: Seen) -> None:
        connection.sendall(EVENT_STREAM_HEAD)
        while True:  # until the proxy hangs up
            connection.sendall(chunk(b": " + b"x" * 10_000 + b"\n\n"))

    bench.upstream.play = play
    client = bench.open()
    response = client.start(chat(stream=True))
    with pytest.raises((http.client.IncompleteRead, ConnectionError)):
        response.read()
    closed = bench.close(client)
    assert (closed.complete, closed.reason) == (False, "too_large")


def test_a_small_body_that_grows_over_the_limit_stops_the_trial(bench: Bench) -> None:
    bomb = plain_answer(gzip.compress(bytes(10_000_000)), "200 OK", "Content-Encoding: gzip")
    bench.upstream.play = lambda connection, seen: connection.sendall(bomb)
    client = bench.open()
    status, body, _ = client.ask()
    assert (status, error_of(body)["code"]) == (500, "too_large")
    assert not bench.close(client).complete


def test_a_request_that_is_never_whole_stops_the_trial(bench: Bench) -> None:
    client = bench.open()
    head = (
        f"POST /t/{client.opened.token}/v1/chat/completions HTTP/1.1\r\nHost: x\r\n"
        f"Authorization: Bearer {client.opened.api_key}\r\nContent-Length: 100\r\n"
        "Expect: 100-continue\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", bench.proxy.port), PATIENCE_S) as connection:
        connection.sendall(head.encode())
        assert connection.recv(1000).startswith(b"HTTP/1.1 100 "), "the request is attributed"
        connection.sendall(b"only this")
    closed = bench.close(client)
    assert (closed.complete, closed.reason, closed.count) == (False, "request_cut", 0)
    assert bench.upstream.connections == 0


def test_without_recording_a_trial_is_never_complete(tmp_path: Path) -> None:
    with running_bench(tmp_path, record=False) as bench:
        client = bench.open()
        assert client.ask()[0] == 200
        closed = bench.close(client)
        assert (closed.count, closed.complete, closed.file) == (1, False, None)
        assert closed.reason == "not_recorded"
        assert not list(bench.folder.iterdir())


class BrokenFile(PartialFile):
    """Fails from the given line on, with something that nobody thought of."""

    lines = 0
    good = 1

    def append(self, event: object) -> None:
        self.lines += 1
        if self.lines > self.good:
            raise RuntimeError("boom")


def attributed(tmp_path: Path, good: int) -> tuple[HTTPFlow, Trial]:
    opening = Opening(
        trial="t",
        token="0" * 32,
        key="nv-" + "0" * 48,
        upstream="http://127.0.0.1:1",
        secret="",
        replay=None,
    )
    file = BrokenFile(tmp_path / "x.jsonl")
    file.good = good
    trial = Trial(opening, parse_upstream(opening.upstream), file, None)
    flow = tflow.tflow()
    flow.live = True
    attach(flow, Passage(trial=trial, suffix="/chat/completions"))
    return flow, trial


def test_an_exception_in_the_request_hook_stops_the_trial(tmp_path: Path) -> None:
    flow, trial = attributed(tmp_path, good=1)
    Recorder(1000).request(flow)
    assert trial.failure is Gap.INTERNAL_ERROR
    assert flow.response is not None
    assert flow.response.status_code == 500


@pytest.mark.parametrize("status", [100, 101, 1000])
def test_what_is_no_final_answer_stops_the_trial(tmp_path: Path, status: int) -> None:
    """A client would take a 100 as the answer, or wait for ever; `proxy.layers` lets none pass."""
    flow, trial = attributed(tmp_path, good=2)
    recorder = Recorder(1000)
    recorder.request(flow)
    flow.response = tflow.tresp(status_code=status)
    recorder.responseheaders(flow)
    assert trial.failure is Gap.INTERNAL_ERROR
    assert flow.response.status_code == 500


def test_an_exception_in_the_response_hook_withholds_the_answer(tmp_path: Path) -> None:
    flow, trial = attributed(tmp_path, good=2)
    recorder = Recorder(1000)
    recorder.request(flow)
    flow.response = tflow.tresp(content=b"the answer")
    recorder.responseheaders(flow)
    recorder.response(flow)
    assert trial.failure is Gap.INTERNAL_ERROR
    assert flow.response.status_code == 500
    assert b"the answer" not in (flow.response.content or b"")
    assert trial.in_flight == 0


def test_an_exception_at_the_end_of_a_stream_kills_it(tmp_path: Path) -> None:
    async def run() -> None:
        with taddons.context(Proxyserver()):
            flow, trial = attributed(tmp_path, good=2)
            recorder = Recorder(1000)
            recorder.request(flow)
            flow.response = tflow.tresp(headers=((b"content-type", b"text/event-stream"),))
            recorder.responseheaders(flow)
            assert flow.response.stream(b"data: 1\n\n") == b"data: 1\n\n"
            recorder.response(flow)
            assert trial.failure is Gap.INTERNAL_ERROR
            assert flow.error is not None
            assert flow.error.msg == Error.KILLED_MESSAGE
            assert flow.response.stream(b"data: 2\n\n") == [], "nothing more is passed on"

    asyncio.run(run())
