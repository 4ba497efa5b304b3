"""``make bench``: what one trial costs, beside the bare framework and beside our proxy alone.

For each framework three ways to play the same trial (S02 against the scripted model that has its
fault: 4 model calls, 3 tool calls), in rounds, so that noise hits all alike:

(a) the bare framework against the scripted model server: as its documentation wires it, with plain
    functions as tools, one HTTP client, no streaming and no retries; nothing of nonverba;
(b) the same through our proxy with recording off;
(c) the whole of ours: `nonverba run` as it is, from opening the trial to its sealed verdict.

CPU is user and system time of all processes but the scripted model server, which does the same work
in all three and is printed apart. Prints one Markdown table.
"""

import argparse
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench_children import BenchChild
from bench_clocks import HERE, Cost, check_system, measure
from bench_runs import PERSONA, SCENARIO, GatedRun, Services, private, services
from bench_split import SlowRun
from bench_table import Findings, report

from grid.catalogue import scenario
from grid.system import BASE

FRAMEWORKS = ("strands", "langgraph", "crewai")


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much is measured."""

    trials: int
    """Rounds that count."""
    warm_up: int
    """Rounds before them."""


USUAL = Size(trials=60, warm_up=10)
QUICK = Size(trials=2, warm_up=1)


class Bare:
    """Ways (a) and (b): one child, two addresses."""

    def __init__(self, child: BenchChild, shared: Services) -> None:
        """Open one trial for all: what a proxy does once for each trial counts in (c) alone."""
        upstream = shared.models.upstream(scenario=SCENARIO, names=0, seed="5e" * 16)
        opened = shared.passing.open_trial("bench", upstream=upstream)
        prompt = scenario(SCENARIO).turns[0].prompt["en"]
        same = {"system": BASE["en"], "user": prompt, "model": PERSONA}
        self._child = child
        self._direct = same | {"base_url": upstream, "api_key": "none-needed"}
        self._proxied = same | {"base_url": opened.base_url, "api_key": opened.api_key}
        self._processes = {"client": child.pid, "models": shared.models.pid}
        self._proxy = {"proxy": shared.passing.pid}
        self.built_ms = 0.0

    def direct(self) -> Cost:
        """Play one trial in way (a)."""
        return measure(self._processes, lambda: self._ask(self._direct))

    def proxied(self) -> Cost:
        """Play one trial in way (b)."""
        return measure(self._processes | self._proxy, lambda: self._ask(self._proxied))

    def _ask(self, asked: dict[str, Any]) -> None:
        self.built_ms = self._child.ask(asked)["built_ms"]


class Whole:
    """Way (c)."""

    def __init__(self, run: GatedRun, shared: Services) -> None:
        """Take a run whose worker has begun."""
        self._run = run
        self._processes = {
            "client": run.worker(),
            "proxy": shared.recording.pid,
            "runner": HERE,
            "models": shared.models.pid,
        }

    def play(self) -> Cost:
        """Play one trial, all but its sealing."""
        return measure(self._processes, lambda: self._run.advance(1))


def bench(framework: str, size: Size, shared: Services, folder: Path) -> Findings:
    """Measure one framework."""
    found = Findings(framework=framework)
    with ExitStack() as stack:
        child = stack.enter_context(BenchChild("bare_child", framework, folder))
        slow_child = stack.enter_context(BenchChild("split_child", framework, folder))
        run = stack.enter_context(
            GatedRun(
                framework,
                jobs=1,
                trials=1 + size.warm_up + 2 * size.trials,
                services=shared,
                folder=folder / "jobs-1",
            )
        )
        run.advance(1)
        child.ready()
        slow_child.ready()
        bare, whole = Bare(child, shared), Whole(run, shared)
        slow = SlowRun(framework, slow_child, shared)
        ways = [("a", bare.direct), ("b", bare.proxied), ("c", whole.play)]
        for number in range(size.warm_up + size.trials):
            counts = number >= size.warm_up
            for name, play in ways[number % 3 :] + ways[: number % 3]:
                cost = play()
                if counts:
                    found.costs[name].append(cost)
            built, parts = bare.built_ms, slow.trial()
            if counts:
                found.built_ms.append(built)
                found.parts.append(parts)
        found.rates[1], found.sealing = _rate(run, size.trials)
    with GatedRun(
        framework, jobs=2, trials=8 + size.trials, services=shared, folder=folder / "jobs-2"
    ) as run:
        run.advance(2)  # one for each worker, which loads its framework
        run.advance(6)
        found.rates[2], _ = _rate(run, size.trials)
    return found


def _rate(run: GatedRun, trials: int) -> tuple[float, Cost]:
    """Run what is left of a run and seal it; return trials per second, and sealing per trial."""
    started = time.perf_counter()
    run.advance(trials)
    running = time.perf_counter() - started
    cost = measure({"runner": HERE}, run.seal)
    sealing = Cost(
        wall_ms=cost.wall_ms / run.trials,
        cpu_ms={name: ms / run.trials for name, ms in cost.cpu_ms.items()},
    )
    return trials / (running + sealing.wall_ms * trials / 1000), sealing


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="What one trial costs.")
    parser.add_argument("--trials", type=int, metavar="N", help="trials of each kind that count")
    parser.add_argument(
        "--framework", action="append", choices=FRAMEWORKS, help="may be repeated; default: all"
    )
    parser.add_argument("--quick", action="store_true", help="a few trials: figures mean nothing")
    given = parser.parse_args()
    check_system()
    size = QUICK if given.quick else USUAL
    if given.trials is not None:
        if given.trials < 1:
            parser.error("--trials: at least 1")
        size = replace(size, trials=given.trials)
    findings = []
    with tempfile.TemporaryDirectory(prefix="nonverba-bench-") as name:
        folder = Path(name)
        print("starting the proxies and the scripted models", file=sys.stderr)
        with services(folder) as shared:
            for framework in given.framework or FRAMEWORKS:
                print(f"measuring {framework}", file=sys.stderr)
                findings.append(bench(framework, size, shared, private(folder, framework)))
    print(report(findings))


if __name__ == "__main__":
    main()
