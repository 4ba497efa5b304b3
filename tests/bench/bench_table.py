"""The figures as one Markdown table, with the machine above it and the missed targets below it."""

import os
import platform
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version

from bench_clocks import Cost
from bench_split import (
    ASSEMBLING,
    CONSTRUCTION,
    FRAMEWORK,
    LINES,
    OPENING,
    OPENING_PROXY,
    TOOL_LAYER,
)

TARGET = 1.2
"""The most that (c) may cost beside (b)."""

DISTRIBUTIONS = {
    "strands": ("strands-agents",),
    "langgraph": ("langgraph", "langchain", "langchain-openai"),
    "crewai": ("crewai",),
}
SHARED_DISTRIBUTIONS = ("openai", "httpx", "mitmproxy")


@dataclass(slots=True, kw_only=True)
class Findings:
    """What was measured of one framework."""

    framework: str
    """Its name."""
    costs: dict[str, list[Cost]] = field(default_factory=lambda: {"a": [], "b": [], "c": []})
    """Way -> cost of each trial; (c) without sealing."""
    built_ms: list[float] = field(default_factory=list)
    """CPU of construction in the bare framework, of each trial."""
    parts: list[dict[str, float]] = field(default_factory=list)
    """CPU of (c) by part, of each trial run step by step."""
    sealing: Cost = field(default_factory=lambda: Cost(wall_ms=0.0, cpu_ms={}))
    """Sealing, per trial."""
    rates: dict[int, float] = field(default_factory=dict)
    """Jobs -> trials per second, sealing included."""

    def cpu(self, way: str, over: Callable[[list[float]], float]) -> float:
        """Return the CPU time of one trial without the scripted models, sealing included."""
        sums = [
            sum(ms for name, ms in cost.cpu_ms.items() if name != "models")
            for cost in self.costs[way]
        ]
        return over(sums) + (sum(self.sealing.cpu_ms.values()) if way == "c" else 0.0)

    def of(self, way: str, process: str) -> float:
        """Return the median CPU time of one process."""
        return statistics.median(cost.cpu_ms[process] for cost in self.costs[way])

    def wall(self, way: str, over: Callable[[list[float]], float]) -> float:
        """Return the wall time of one trial, sealing included."""
        found = over([cost.wall_ms for cost in self.costs[way]])
        return found + (self.sealing.wall_ms if way == "c" else 0.0)

    def part(self, name: str) -> float:
        """Return the median CPU time of one part of (c)."""
        return statistics.median(parts[name] for parts in self.parts)

    def ratio(self, over: str, under: str) -> float:
        """Return a ratio of median CPU times."""
        return self.cpu(over, statistics.median) / self.cpu(under, statistics.median)

    def split(self) -> dict[str, float]:
        """Return the CPU time of (c) by part; together they are all of it."""
        wire = self.of("c", "proxy") - self.of("b", "proxy") - self.part(OPENING_PROXY)
        parts = {
            CONSTRUCTION: self.part(CONSTRUCTION),
            FRAMEWORK: self.part(FRAMEWORK),
            TOOL_LAYER: self.part(TOOL_LAYER),
            "proxy without recording": self.of("b", "proxy"),
            "recording: proxy with less proxy without": wire,
            "opening and closing the trial on the wire": self.part(OPENING)
            + self.part(OPENING_PROXY),
            LINES: self.part(LINES),
            ASSEMBLING: self.part(ASSEMBLING),
            "sealing: reading back, judging, chaining": sum(self.sealing.cpu_ms.values()),
        }
        rest = self.cpu("c", statistics.median) - sum(parts.values())
        return parts | {"keeping in the packs, threads, what no stopwatch saw": rest}


def report(findings: Sequence[Findings]) -> str:
    """Return what is printed."""
    names = [found.framework for found in findings]
    head = [
        "| one trial: 4 model calls, 3 tool calls | " + " | ".join(names) + " |",
        "|:--|" + "--:|" * len(names),
    ]
    lines = [_row(title, cells) for title, cells in _rows(findings)]
    return "\n".join([_machine(findings), "", *head, *lines, "", *_verdict(findings)])


def _row(title: str, cells: Iterable[str]) -> str:
    return f"| {title} | " + " | ".join(cells) + " |"


def _rows(findings: Sequence[Findings]) -> Iterable[tuple[str, list[str]]]:
    titles = {
        "a": "(a) bare framework",
        "b": "(b) bare framework + our proxy, recording off",
        "c": "(c) the whole of ours",
    }
    for way, title in titles.items():
        yield (
            f"{title}: CPU ms",
            [f"{f.cpu(way, statistics.median):.1f} ({f.cpu(way, min):.1f})" for f in findings],
        )
    for way, title in titles.items():
        yield (
            f"{title}: wall ms",
            [f"{f.wall(way, statistics.median):.1f} ({f.wall(way, min):.1f})" for f in findings],
        )
    ratios = [f"**{f.ratio('c', 'b'):.2f}**" for f in findings]
    yield f"**(c) / (b), CPU; at most {TARGET}**", ratios
    yield "(b) / (a), CPU", [f"{f.ratio('b', 'a'):.2f}" for f in findings]
    yield (
        "scripted models, CPU ms in (a), (b), (c); in no ratio",
        [", ".join(f"{f.of(way, 'models'):.1f}" for way in titles) for f in findings],
    )
    yield "(a): construction, CPU ms", [f"{statistics.median(f.built_ms):.1f}" for f in findings]
    splits = [f.split() for f in findings]
    for part in splits[0]:
        yield f"(c): {part}, CPU ms", [f"{split[part]:.1f}" for split in splits]
    for jobs in (1, 2):
        yield f"trials per second at `-j {jobs}`", [f"{f.rates[jobs]:.1f}" for f in findings]


def _machine(findings: Sequence[Findings]) -> str:
    counts = sorted({len(found.costs["a"]) for found in findings})
    wanted = [name for found in findings for name in DISTRIBUTIONS[found.framework]]
    versions = ", ".join(f"{name} {version(name)}" for name in (*wanted, *SHARED_DISTRIBUTIONS))
    load = os.getloadavg()[0]
    return (
        f"{os.cpu_count()} cores ({platform.machine()}), {platform.system()}, Python "
        f"{platform.python_version()}, {versions}. Median (minimum) of "
        f"{' and '.join(map(str, counts))} trials; load average at the end {load:.1f}."
    )


def _verdict(findings: Sequence[Findings]) -> list[str]:
    missed = [found for found in findings if found.ratio("c", "b") > TARGET]
    if not missed:
        return [f"The target, (c) at most {TARGET} x (b) in CPU, is met."]
    return [
        f"The target, (c) at most {TARGET} x (b) in CPU, is missed by {found.framework}: "
        f"{found.ratio('c', 'b'):.2f}, "
        f"{found.cpu('c', statistics.median) - TARGET * found.cpu('b', statistics.median):.1f} ms"
        " of CPU too much."
        for found in missed
    ]
