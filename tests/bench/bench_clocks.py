"""What processes cost: their CPU clocks, read from outside and to the nanosecond.

A process clock counts user and system time of all threads, also of those that have ended. Only
Linux lets one process read another one's.
"""

import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

SETTLE_S = 0.002
SETTLE_STEPS = 15
QUIET_MS = 0.05

HERE = os.getpid()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one action cost."""

    wall_ms: float
    """Wall time, until its result was there."""
    cpu_ms: dict[str, float]
    """CPU time by process, until all of them were quiet again."""


def check_system() -> None:
    """Refuse a system without clocks of other processes."""
    if sys.platform != "linux":
        raise SystemExit("make bench reads CPU clocks of other processes; run it on Linux")


def cpu_ms(pid: int) -> float:
    """Return the CPU time of a process: the clock number is made as the C library makes it."""
    return time.clock_gettime_ns((~pid << 3) | 2) / 1e6


def measure(processes: Mapping[str, int], action: Callable[[], object]) -> Cost:
    """Run an action and return what it cost, the work that it leaves behind included."""
    before = _read(processes)
    started = time.perf_counter()
    action()
    wall = time.perf_counter() - started
    watching = time.thread_time()
    after = _settled(processes)
    ours = (time.thread_time() - watching) * 1000  # reading clocks is no part of the action
    return Cost(
        wall_ms=wall * 1000,
        cpu_ms={
            name: after[name] - before[name] - (ours if pid == HERE else 0.0)
            for name, pid in processes.items()
        },
    )


def _read(processes: Mapping[str, int]) -> dict[str, float]:
    return {name: cpu_ms(pid) for name, pid in processes.items()}


def _settled(processes: Mapping[str, int]) -> dict[str, float]:
    """Read the clocks once they stand still, or after `SETTLE_STEPS` short waits."""
    now = _read(processes)
    for _ in range(SETTLE_STEPS):
        time.sleep(SETTLE_S)
        before, now = now, _read(processes)
        others = [name for name, pid in processes.items() if pid != HERE]
        if all(now[name] - before[name] < QUIET_MS for name in others):
            break
    return now
