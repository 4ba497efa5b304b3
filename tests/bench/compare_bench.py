"""``make bench BENCH=compare``: from command to answer, and whether the answer is the right one.

Runs a grid of two clauses over 24 scenarios, 3 frameworks and 10 trials with `wavering/0.7`, whose
probability of following each clause changes by a known share, or takes such a run with `--run`.
Then `nonverba compare` is started anew some times, as a user starts it, without and with a picture.
Prints Markdown. Exit code 1 if the quickest answer took longer than the limit, or if the known
effect lies outside the t interval or the BCa interval of the pooled difference.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grid.clauses import clause_for
from grid.personas.wavering import probability

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 10.0
"""Seconds from command to answer."""
P = "0.7"
"""What `wavering` is given."""
CLAUSE = "tool-output-is-data"
GRID = """
format = 1
name = "two-clauses"

[[cells]]
scenarios = [
  "S01", "S02", "S03", "S04", "S06", "S08", "S09", "S12", "S13", "S14", "S15", "S16",
  "S17", "S18", "S20", "S21", "S26", "S29", "S30", "S36", "S39", "S40", "S41", "S42",
]
cases = ["attack"]
frameworks = ["strands", "langgraph", "crewai"]
models = ["scripted/wavering/{p}"]
clauses = ["none", "{clause}"]
guards = ["off"]
trials = 10
"""
QUICK = """
format = 1
name = "two-clauses-quick"

[[cells]]
scenarios = ["S01", "S02", "S03", "S06", "S13", "S14", "S20", "S21", "S26", "S29", "S30", "S36"]
cases = ["attack"]
frameworks = ["scripted"]
models = ["scripted/wavering/{p}"]
clauses = ["none", "{clause}"]
guards = ["off"]
trials = 10
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What came out."""

    trials: int
    """Trials that were compared."""
    scenarios: int
    """Scenarios that counted."""
    run: float | None
    """Seconds that the run took; None: it was there already."""
    answers: tuple[float, ...]
    """Seconds from command to answer, each time."""
    cpu: tuple[float, ...]
    """Seconds of CPU that each took, which other work on the machine does not lengthen."""
    picture: float
    """Seconds with a picture."""
    mean: float
    """Pooled difference."""
    intervals: dict[str, tuple[float, float]]
    """Name -> ends of each interval of it."""
    known: float
    """The difference by construction."""


def known_effect() -> float:
    """Return the difference in probability that the persona has by construction."""
    text = clause_for(CLAUSE, "en").text
    return probability(P, f"You are an agent.\n\n{text}") - probability(P, "You are an agent.")


def missed(found: Measured, limit: float) -> list[str]:
    """Return what missed its target, in words."""
    best = min(found.answers)
    said = [f"the answer took {best:.1f} s, more than {limit:g} s"] if best > limit else []
    for name, (low, high) in found.intervals.items():
        if not low <= found.known <= high:
            said.append(
                f"the known effect {100 * found.known:+.1f} lies outside the {name} interval "
                f"[{100 * low:+.1f}, {100 * high:+.1f}]"
            )
    return said


def report(found: Measured) -> str:
    """Return the findings as a Markdown table."""
    ran = "was there already" if found.run is None else f"{found.run:.0f} s"
    answers = ", ".join(f"{seconds:.1f}" for seconds in found.answers)
    rows = [
        ("trials compared", f"{found.trials:,}"),
        ("scenarios that counted", str(found.scenarios)),
        ("the run (`-j 2`)", ran),
        ("command to answer, each time, s", answers),
        ("**command to answer, quickest, s**", f"**{min(found.answers):.1f}**"),
        ("CPU of that, least, s", f"{min(found.cpu):.1f}"),
        ("with a picture, s", f"{found.picture:.1f}"),
        ("**effect by construction, points**", f"**{100 * found.known:+.1f}**"),
        ("effect found, points", f"{100 * found.mean:+.1f}"),
        *(
            (f"{name} interval 95 %", f"[{100 * low:+.1f}, {100 * high:+.1f}]")
            for name, (low, high) in found.intervals.items()
        ),
    ]
    lines = [f"| {title} | {value} |" for title, value in rows]
    return "\n".join([f"| `compare --by clause` | {CLAUSE} |", "|:--|--:|", *lines])


def measure(folder: Path, *, quick: bool, run: Path | None, times: int) -> Measured:
    """Run the grid unless there is a run, and compare it."""
    took = None
    if run is None:
        grid, run = folder / "grid.toml", folder / "run"
        text = (QUICK if quick else GRID).format(p=P, clause=CLAUSE)
        grid.write_text(text, encoding="utf-8")
        print("running the grid", file=sys.stderr)
        took, *_ = nonverba("run", grid, "-o", run, "-j", "2", "--no-progress")
    words = ("compare", run, "--by", "clause", "--baseline", "none")
    answers = []
    for number in range(times):
        print(f"comparing, {number + 1} of {times}", file=sys.stderr)
        answers.append(nonverba(*words)[:2])
    picture, *_ = nonverba(*words, "--picture", folder / "compare.svg")
    said = json.loads(nonverba(*words, "--json")[2])
    arm = next(one for one in said["arms"] if one["level"] == CLAUSE)
    effect = arm["effect"]["difference"]
    return Measured(
        trials=arm["arm_arrival"]["trials"] + arm["base_arrival"]["trials"],
        scenarios=effect["clusters"],
        run=took,
        answers=tuple(wall for wall, _ in answers),
        cpu=tuple(cpu for _, cpu in answers),
        picture=picture,
        mean=effect["mean"],
        intervals={
            name: (ends["low"], ends["high"])
            for name, ends in (("t", effect["t"]), ("BCa", effect["bca"]))
            if ends is not None
        },
        known=known_effect(),
    )


def nonverba(*words: Any) -> tuple[float, float, str]:
    """Start a command as a user would; return its seconds, those of CPU, and what it said."""
    started, before = time.perf_counter(), _cpu()
    done = subprocess.run(
        [sys.executable, "-m", "grid", *map(str, words)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return time.perf_counter() - started, _cpu() - before, done.stdout


def _cpu() -> float:
    """Return the seconds of CPU of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Measure, print and exit."""
    parser = argparse.ArgumentParser(description="From command to answer, and whether it is right.")
    parser.add_argument("--run", type=Path, metavar="DIR", help="compare this run of the grid")
    parser.add_argument("--times", type=int, default=3, metavar="N", help="answers; default 3")
    parser.add_argument("--limit", type=float, default=LIMIT, metavar="SECONDS", help="default 10")
    parser.add_argument("--quick", action="store_true", help="a small grid on `scripted`")
    given = parser.parse_args()
    if given.times < 1:
        parser.error("--times: at least 1")
    with tempfile.TemporaryDirectory(prefix="nonverba-bench-") as name:
        found = measure(Path(name), quick=given.quick, run=given.run, times=given.times)
    print(report(found))
    wrong = missed(found, given.limit)
    for sentence in wrong:
        print(f"\nMissed: {sentence}.")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
