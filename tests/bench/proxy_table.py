"""What was measured of the proxies, as Markdown, with the missed targets below it."""

import os
import platform
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version

from proxy_ways import ALONE, DIRECT, MITMDUMP, RECORDING, Burst

CHEAPER_TO = 20_000
"""Bytes of a body up to which recording has to be cheaper than mitmdump."""
MOST = 1.25
"""The most that recording may cost beside mitmdump, for longer bodies."""
MOST_GROWTH_MB = 50
"""The most that the memory may grow."""

PROXIES = (MITMDUMP, ALONE, RECORDING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What was measured of one kind of burst."""

    burst: Burst
    """What was asked."""
    cpu_ms: dict[str, list[float]] = field(default_factory=dict)
    """Way -> CPU time of its process per request, for each round."""
    took_ms: dict[str, list[float]] = field(default_factory=dict)
    """Way -> median latency of each round."""

    def ratio(self, over: Callable[[list[float]], float] = statistics.median) -> float:
        """Return what recording costs beside mitmdump."""
        return over(self.cpu_ms[RECORDING]) / over(self.cpu_ms[MITMDUMP])

    @property
    def most(self) -> float:
        """The most that the ratio may be."""
        return 1.0 if self.burst.size <= CHEAPER_TO else MOST

    def added_ms(self, way: str) -> list[float]:
        """Return what a way adds to the median latency, for each round."""
        pairs = zip(self.took_ms[way], self.took_ms[DIRECT], strict=True)
        return [took - direct for took, direct in pairs]


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Resident memory of the recording proxy."""

    exchanges: list[int]
    """Numbers of exchanges after which it was read."""
    megabytes: list[float]
    """What was read."""

    @property
    def growth_mb(self) -> float:
        """What it grew by from the first reading to the last."""
        return self.megabytes[-1] - self.megabytes[0]


def report(found: Sequence[Found], memory: Memory) -> str:
    """Return what is printed."""
    columns = ["request body", "at once"]
    columns += [f"`{way}`: CPU ms" if way == MITMDUMP else f"{way}: CPU ms" for way in PROXIES]
    columns += [f"**recording / `{MITMDUMP}`**", "at most", "direct: ms"]
    columns += [f"`{way}`: + ms" if way == MITMDUMP else f"{way}: + ms" for way in PROXIES]
    lines = [_row(columns), "|--:" * len(columns) + "|"]
    lines += [_row(_cells(one)) for one in found]
    return "\n".join(
        [_machine(found), "", *lines, "", _memory(memory), "", *_verdict(found, memory)]
    )


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _cells(one: Found) -> list[str]:
    direct = one.took_ms[DIRECT]
    return [
        f"{one.burst.size / 1000:g} kB",
        str(one.burst.concurrency),
        *(_figures(one.cpu_ms[way]) for way in PROXIES),
        f"**{one.ratio():.2f}** ({one.ratio(min):.2f})",
        f"{one.most:g}",
        _figures(direct),
        *(_figures(one.added_ms(way)) for way in PROXIES),
    ]


def _figures(values: list[float]) -> str:
    return f"{statistics.median(values):.2f} ({min(values):.2f})"


def _machine(found: Sequence[Found]) -> str:
    rounds = len(found[0].took_ms[DIRECT])
    return (
        f"{os.cpu_count()} cores ({platform.machine()}), {platform.system()}, Python "
        f"{platform.python_version()}, mitmproxy {version('mitmproxy')}. CPU of the proxy process "
        "and median latency, per request over connections that are kept alive; each is the median "
        f"(minimum) of {rounds} rounds, which take turns. Load average at the end "
        f"{os.getloadavg()[0]:.1f}."
    )


def _memory(memory: Memory) -> str:
    pairs = zip(memory.exchanges, memory.megabytes, strict=True)
    readings = ", ".join(f"{megabytes:.1f} MB after {count:,}" for count, megabytes in pairs)
    return f"Resident memory of the recording proxy, by number of exchanges: {readings}."


def _verdict(found: Sequence[Found], memory: Memory) -> Iterator[str]:
    missed = [one for one in found if one.ratio() > one.most]
    for one in missed:
        yield (
            f"The target, recording at most {one.most:g} x `{MITMDUMP}` in CPU, is missed at "
            f"{one.burst.size / 1000:g} kB and {one.burst.concurrency} at once: {one.ratio():.2f}."
        )
    if not missed:
        yield (
            f"The target, recording no dearer than `{MITMDUMP}` in CPU up to "
            f"{CHEAPER_TO // 1000} kB and at most {MOST} x it above, is met."
        )
    word = "met" if memory.growth_mb <= MOST_GROWTH_MB else "missed"
    yield (
        f"The target, at most {MOST_GROWTH_MB} MB of growth, is {word}: {memory.growth_mb:.1f} MB."
    )
