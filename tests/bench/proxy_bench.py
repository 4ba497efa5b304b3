"""``make bench``: what one request costs straight, through mitmdump, and through our proxy.

Four ways to one fake upstream, from one client, over connections that are kept alive: without a
proxy; through ``mitmdump -q`` in reverse mode without add-ons; through our proxy with recording
off; through our proxy as it is. In rounds that take turns, so that noise hits all alike.

CPU is user and system time of the proxy process, read from outside. Last comes the memory of the
recording proxy after some and after very many exchanges. Prints one Markdown table.
"""

import argparse
import statistics
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from bench_clocks import check_system
from proxy_table import Found, Memory, report
from proxy_ways import RECORDING, Burst, Ours, Ways, all_ways

SIZES = (2_000, 20_000, 200_000)
CONCURRENCY = (1, 8, 64)
MEMORY_SIZE = 20_000
MEMORY_CONCURRENCY = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much is measured."""

    rounds: int
    """Rounds that count."""
    requests: int
    """Requests of a burst; fewer of the longest bodies."""
    memory: tuple[int, ...]
    """Numbers of exchanges after which memory is read."""
    trial: int
    """Exchanges of one trial while memory is watched."""


USUAL = Size(rounds=7, requests=192, memory=(1_000, 20_000), trial=500)
QUICK = Size(rounds=1, requests=4, memory=(20, 60), trial=20)


def bench(size: Size, ways: Ways) -> list[Found]:
    """Measure every size of body at every concurrency."""
    found = []
    for body in SIZES:
        for at_once in CONCURRENCY:
            print(f"measuring {body} bytes, {at_once} at once", file=sys.stderr)
            requests = max(size.requests // (2 if body == max(SIZES) else 1), 1)
            burst = Burst(size=body, concurrency=at_once, requests=max(requests, at_once))
            found.append(_measured(size.rounds, burst, ways))
    return found


def _measured(rounds: int, burst: Burst, ways: Ways) -> Found:
    names = [*ways.ways]
    one = Found(
        burst=burst, cpu_ms={name: [] for name in names}, took_ms={name: [] for name in names}
    )
    for number in range(rounds + 1):  # the first makes the connections and does not count
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            took, cost = ways.go(name, burst)
            if number:
                one.took_ms[name].append(statistics.median(took))
                one.cpu_ms[name].append(cost.cpu_ms.get("proxy", 0.0) / burst.requests)
    return one


def watch_memory(size: Size, ways: Ways) -> Memory:
    """Record exchanges, trial after trial, and read the proxy's memory."""
    print("watching memory", file=sys.stderr)
    ours = ways.ways[RECORDING]
    if not isinstance(ours, Ours):
        raise SystemExit("the recording proxy is not ours")
    read: list[float] = []
    done = 0
    for count in size.memory:
        while done < count:
            requests = min(size.trial, count - done)
            burst = Burst(size=MEMORY_SIZE, concurrency=MEMORY_CONCURRENCY, requests=requests)
            ways.go(RECORDING, burst)
            done += requests
        read.append(ours.resident_kb() / 1000)
    return Memory(exchanges=[*size.memory], megabytes=read)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="What one request costs.")
    parser.add_argument("--rounds", type=int, metavar="N", help="rounds that count")
    parser.add_argument("--quick", action="store_true", help="a few requests: figures mean nothing")
    given = parser.parse_args()
    check_system()
    size = QUICK if given.quick else USUAL
    if given.rounds is not None:
        if given.rounds < 1:
            parser.error("--rounds: at least 1")
        size = replace(size, rounds=given.rounds)
    with tempfile.TemporaryDirectory(prefix="nonverba-bench-") as name:
        print("starting the proxies", file=sys.stderr)
        with all_ways(Path(name)) as ways:
            memory = watch_memory(size, ways)
            found = bench(size, ways)
    print(report(found, memory))


if __name__ == "__main__":
    main()
