"""The proxy is killed under load, at instants nobody chose: what clients had is on the disk."""

import http.client
import json
import os
import random
import signal
import socket
import threading
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from grid.errors import HarnessError
from grid.vocabulary import Cause, Status
from ledgers.validity import invalidity
from proxy.wire.exchange import Exchange, Gap, body_bytes
from proxy.wire.partial import read_partial
from tests.builders import case, journal
from tests.proxy.bench import (
    EVENT_STREAM_HEAD,
    PATIENCE_S,
    Bench,
    Client,
    Seen,
    chunk,
    plain_answer,
    running_bench,
)

TRIALS = 4
CONNECTIONS = 2
MOST = 400


def play(connection: socket.socket, seen: Seen) -> bool:
    """Answer a number with bytes that fit no other one: whole, or as a stream in small pieces."""
    number = json.loads(seen.body)["number"]
    body = f"data: {number} {'月' * (number % 5 * 1500)}\n\ndata: [DONE]\n\n".encode()
    if number % 2:
        connection.sendall(plain_answer(body))
    else:
        pieces = [body[place : place + 2000] for place in range(0, len(body), 2000)]
        connection.sendall(EVENT_STREAM_HEAD + b"".join(map(chunk, pieces)) + b"0\r\n\r\n")
    return True


@dataclass
class Load:
    """Clients that ask one question after the other until the proxy is gone."""

    bench: Bench
    enough: int
    received: dict[str, dict[int, bytes]] = field(default_factory=dict)
    count: int = 0

    def __post_init__(self) -> None:
        self.lock = threading.Lock()
        self.now = threading.Event()
        trials = [self.bench.open(trial=f"t/{n}") for n in range(TRIALS)]
        self.received = {client.opened.token: {} for client in trials}
        self.threads = [
            threading.Thread(target=self.ask, args=(Client(trial.opened, trial.port), connection))
            for trial in trials
            for connection in range(CONNECTIONS)
        ]

    def ask(self, client: Client, connection: int) -> None:
        try:
            for number in range(connection * MOST, (connection + 1) * MOST):
                status, body, _ = client.ask({"number": number})
                assert status == 200
                with self.lock:
                    self.received[client.opened.token][number] = body
                    self.count += 1
                    if self.count >= self.enough:
                        self.now.set()
        except (OSError, http.client.HTTPException):
            self.now.set()
        finally:
            client.close()

    def until_killed(self) -> None:
        for thread in self.threads:
            thread.start()
        assert self.now.wait(PATIENCE_S)
        os.kill(self.bench.proxy.pid, signal.SIGKILL)
        for thread in self.threads:
            thread.join(PATIENCE_S)
            assert not thread.is_alive()


def numbered(exchange: Exchange) -> tuple[int, bytes]:
    assert exchange.response is not None
    number: int = json.loads(body_bytes(exchange.request.body))["number"]
    return number, body_bytes(exchange.response.body)


@pytest.mark.parametrize("seed", range(6))
def test_killed_at_any_instant_it_loses_no_more_than_what_was_under_way(
    tmp_path: Path, seed: int
) -> None:
    enough = random.Random(seed).randrange(1, 200)  # noqa: S311 - when to kill, no secret
    with running_bench(tmp_path) as bench:
        bench.upstream.play = play
        load = Load(bench, enough)
        load.until_killed()
        with pytest.raises(HarnessError, match=r"exit code -9.*--resume"):
            bench.proxy.open_trial("t", upstream=bench.upstream.url)
        raws = {path.stem: path.read_bytes() for path in bench.folder.iterdir()}
    assert raws.keys() == load.received.keys()
    assert load.count >= enough
    for token, received in load.received.items():
        recording = read_partial(raws[token])
        kept = dict(numbered(exchange) for exchange in recording.exchanges)
        assert received.items() <= kept.items(), "what a client had in full is on the disk"
        assert len(kept) - len(received) <= CONNECTIONS
        assert raws[token].count(b'{"event": "request"') - len(kept) <= CONNECTIONS
        assert not recording.complete
        assert recording.reason in (Gap.NOT_CLOSED, Gap.CUT_TAIL)


@pytest.mark.parametrize("status", [Status.COMPLETED, Status.PROVIDER_ERROR])
def test_the_trial_that_was_under_way_is_invalid_by_our_own_fault(
    tmp_path: Path, status: Status
) -> None:
    """Whatever the agent made of a proxy that was gone: to it, the provider had failed."""
    with running_bench(tmp_path) as bench:
        bench.upstream.play = lambda connection, seen: os.kill(bench.proxy.pid, signal.SIGKILL)
        client = bench.open()
        with pytest.raises((http.client.HTTPException, ConnectionError)):
            client.ask()
        (file,) = bench.folder.iterdir()
    raw = file.read_bytes()
    assert read_partial(raw).exchanges == ()
    found = invalidity(case(said=journal(status=status), wire=raw))
    assert found is not None
    assert (found.cause, found.reason) == (Cause.HARNESS, "the recording is incomplete: not_closed")
