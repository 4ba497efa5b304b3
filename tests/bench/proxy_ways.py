"""The four ways to the same upstream: straight, through mitmdump, and through our proxy twice.

Each way is one process that is up for the whole run; a burst goes over it from the same client.
"""

import contextlib
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from bench_children import BenchChild
from bench_clocks import Cost, measure

from proxy.launch import ProxyProcess

HERE = Path(__file__).resolve().parent
PATH = "/chat/completions"
PATIENCE_S = 60.0

DIRECT = "direct"
MITMDUMP = "mitmdump -q"
ALONE = "proxy alone"
RECORDING = "recording"


@dataclass(frozen=True, slots=True, kw_only=True)
class Burst:
    """What is asked at once."""

    size: int
    """Bytes of a request body."""
    concurrency: int
    """Requests under way at the same time."""
    requests: int
    """Number of requests."""


class Way(Protocol):
    """One way to the upstream."""

    pid: int
    """Process whose CPU is counted; 0 for none."""

    def open(self) -> tuple[str, str]:
        """Return base URL and key for a burst."""

    def close(self) -> None:
        """Undo what was opened."""


class Straight:
    """No proxy."""

    pid = 0

    def __init__(self, address: str) -> None:
        """Keep the upstream's address."""
        self._address = address

    def open(self) -> tuple[str, str]:
        """Return the upstream itself."""
        return f"http://{self._address}/v1", "none-needed"

    def close(self) -> None:
        """Do nothing."""


class Mitmdump:
    """``mitmdump -q`` without add-ons, in reverse mode."""

    def __init__(self, address: str, folder: Path) -> None:
        """Start it and wait until it listens."""
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
        command = [str(Path(sys.executable).with_name("mitmdump")), "-q", "-p", str(port)]
        command += ["--listen-host", "127.0.0.1", "--mode", f"reverse:http://{address}"]
        self._process = subprocess.Popen([*command, "--set", f"confdir={folder}"])
        self._url = f"http://127.0.0.1:{port}/v1"
        self.pid = self._process.pid
        end = time.monotonic() + PATIENCE_S
        while not _listens(port):
            if self._process.poll() is not None or time.monotonic() > end:
                raise SystemExit("mitmdump does not listen")
            time.sleep(0.1)

    def open(self) -> tuple[str, str]:
        """Return its address."""
        return self._url, "none-needed"

    def close(self) -> None:
        """Do nothing."""

    def kill(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()


class Ours:
    """Our proxy; each burst is a trial of its own, opened and closed outside of the measurement."""

    def __init__(self, proxy: ProxyProcess, upstream: str) -> None:
        """Keep a running proxy."""
        self._proxy = proxy
        self._upstream = upstream
        self.pid = proxy.pid
        self._token = ""

    def open(self) -> tuple[str, str]:
        """Open a trial."""
        opened = self._proxy.open_trial("bench", upstream=self._upstream)
        self._token = opened.token
        return opened.base_url, opened.api_key

    def close(self) -> None:
        """Close the trial and remove what was recorded of it."""
        closed = self._proxy.close_trial(self._token)
        if closed.file is not None:
            if not closed.complete:
                raise SystemExit(f"a recording is not complete: {closed.detail}")
            closed.file.unlink()

    def resident_kb(self) -> int:
        """Return the resident memory of the process, in kB."""
        status = Path(f"/proc/{self.pid}/status").read_text("ascii")
        found = re.search(r"^VmRSS:\s+(\d+) kB$", status, re.MULTILINE)
        if found is None:
            raise SystemExit(f"the memory of process {self.pid} cannot be read")
        return int(found[1])


def _listens(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """All ways, and the client that goes them."""

    client: BenchChild
    """Sends the requests."""
    ways: dict[str, Way]
    """Name -> way."""

    def go(self, name: str, burst: Burst) -> tuple[list[float], Cost]:
        """Go one way; return the latencies, in milliseconds, and what its process was busy for."""
        way = self.ways[name]
        url, key = way.open()
        asked: dict[str, Any] = {
            "url": url + PATH,
            "key": key,
            "size": burst.size,
            "concurrency": burst.concurrency,
            "requests": burst.requests,
        }
        took: list[float] = []
        pids = {"proxy": way.pid} if way.pid else {}
        cost = measure(pids, lambda: took.extend(self.client.ask(asked)["took_ms"]))
        way.close()
        return took, cost


@contextlib.contextmanager
def all_ways(folder: Path) -> Iterator[Ways]:
    """Start everything, and end it."""
    with contextlib.ExitStack() as stack:
        upstream = subprocess.Popen(
            [sys.executable, str(HERE / "proxy_upstream.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        stack.callback(upstream.wait)
        stack.callback(upstream.kill)
        if upstream.stdout is None:
            raise SystemExit("the upstream has no pipe")
        address = f"127.0.0.1:{int(upstream.stdout.readline())}"
        mitmdump = Mitmdump(address, _private(folder, "mitmdump"))
        stack.callback(mitmdump.kill)
        ours = {
            name: stack.enter_context(
                ProxyProcess(
                    mode="record",
                    directory=_private(folder, name.replace(" ", "-")),
                    upstreams=(address,),
                    record=name == RECORDING,
                )
            )
            for name in (ALONE, RECORDING)
        }
        client = stack.enter_context(BenchChild("proxy_load", "", folder))
        client.ready()
        ways: dict[str, Way] = {DIRECT: Straight(address), MITMDUMP: mitmdump}
        ways |= {name: Ours(proxy, f"http://{address}/v1") for name, proxy in ours.items()}
        yield Ways(client=client, ways=ways)


def _private(folder: Path, name: str) -> Path:
    path = folder / name
    path.mkdir(mode=0o700)
    return path
