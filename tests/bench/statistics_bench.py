"""``make bench BENCH=statistics``: whether the tests and intervals of the project keep their word.

Thousands of simulated comparisons, whose outcomes come from the functions by which the persona
`scripted/wavering` plays; the functions under test are those that `compare` and `gate` call. Then
the persona itself is run, and each of its trials must come out as foretold. Prints Markdown tables
and exits with 1 if a target is missed: false positives at a nominal 5 % at most 7 %; the primary
interval (t) covers the truth in 90 to 97 %; what is found of an effect lies within 5 points of what
was promised.
"""

import argparse
import importlib
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from statistics_draws import CLAUSED, EQUAL, OPPOSITE, RARE, Design, Draws, Size
from statistics_gate import Promise, cell_false_alarms, cell_promises, mean_promises
from statistics_persona import agreement

from ledgers.stats.clustered import bca_ends, sign_flip, t_ends
from ledgers.stats.proportion import newcombe

np: Any = importlib.import_module("numpy")

FALSE_POSITIVES = 0.07
COVERED = (0.90, 0.97)
NEAR = 0.05
NONE = 1e-9
"""What is no difference but rounding."""
T_DESIGNS = (OPPOSITE, CLAUSED, RARE)
BCA_DESIGNS = (OPPOSITE, RARE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """All that is simulated and run."""

    size: Size
    """Comparisons, and the most scenarios and trials of one."""
    scenarios: tuple[int, ...]
    """Scenarios of a comparison."""
    trials: tuple[int, ...]
    """Trials of a scenario in an arm, with each of these."""
    gates: tuple[tuple[int, float, float], ...]
    """Scenarios, the margin asked about, and the rise that is to be found."""
    cells: tuple[tuple[int, float], ...]
    """Trials of a cell, and the rate of harm of the one that got worse."""
    played: int
    """Trials of each cell of the real persona."""


USUAL = Work(
    size=Size(comparisons=2_000, scenarios=60, trials=20),
    scenarios=(8, 24, 60),
    trials=(5, 10, 20),
    gates=((8, 0.10, 0.15), (24, 0.07, 0.07), (60, 0.05, 0.05)),
    cells=((10, 0.5), (20, 0.3), (20, 0.5), (30, 0.3), (30, 0.5)),
    played=25,
)
QUICK = Work(
    size=Size(comparisons=20, scenarios=24, trials=20),
    scenarios=(8, 24),
    trials=(5,),
    gates=((8, 0.10, 0.15),),
    cells=((10, 0.5),),
    played=1,
)


class Targets:
    """What was missed."""

    def __init__(self) -> None:
        """Begin with nothing missed."""
        self.missed: list[str] = []

    def judge(self, held: bool, what: str) -> str:
        """Note what was missed; return the mark for its cell."""
        if held:
            return ""
        self.missed.append(what)
        return " **missed**"


def calibration(draws: Draws, targets: Targets, work: Work) -> None:
    """Print false positives and coverage for every size."""
    heads = [
        "scenarios x trials",
        f"false positives, {OPPOSITE.says}: sign-flip",
        "the same, trials pooled",
        *(f"t covers: {design.says}" for design in T_DESIGNS),
        *(f"BCa covers: {design.says}" for design in BCA_DESIGNS),
    ]
    print("| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|")
    for scenarios in work.scenarios:
        for trials in work.trials:
            print("| " + " | ".join(_row(draws, targets, scenarios, trials)) + " |", flush=True)
    scenarios, trials = work.scenarios[-2], work.trials[len(work.trials) // 2]
    size = f"{scenarios} x {trials}"
    share = _false_positives(draws.differences(EQUAL, scenarios, trials))
    mark = targets.judge(share <= FALSE_POSITIVES, f"false positives, {EQUAL.says}, {size}")
    print(f"\nFalse positives of the sign-flip test in A/A, {size}: {share:.1%}{mark}.")


def _row(draws: Draws, targets: Targets, scenarios: int, trials: int) -> list[str]:
    """Return the cells of one size."""
    size = f"{scenarios} x {trials}"
    share = _false_positives(draws.differences(OPPOSITE, scenarios, trials))
    mark = targets.judge(share <= FALSE_POSITIVES, f"false positives, {OPPOSITE.says}, {size}")
    cells = [size, f"{share:.1%}{mark}", f"{_pooled(draws, scenarios, trials):.1%}"]
    for design in T_DESIGNS:
        covered, without = _covered(draws.differences(design, scenarios, trials), design, t_ends)
        held = COVERED[0] <= covered <= COVERED[1]
        mark = targets.judge(held, f"coverage of t, {design.says}, {size}")
        cells.append(f"{covered:.1%}{f' ({without} without)' * bool(without)}{mark}")
    for design in BCA_DESIGNS:
        covered, _ = _covered(draws.differences(design, scenarios, trials), design, bca_ends)
        cells.append(f"{covered:.1%}")
    return cells


def _false_positives(differences: Any) -> float:
    """Return how often the sign-flip test finds what is not there."""
    some = (differences != 0).any(axis=-1)  # all 0: p is 1
    return float((sign_flip(differences[some]) <= 0.05).sum() / len(differences))


def _pooled(draws: Draws, scenarios: int, trials: int) -> float:
    """Return how often an interval of the pooled trials leaves out the true 0."""
    first, second = (arm.sum(axis=-1) for arm in draws.counts(OPPOSITE, scenarios, trials))
    n = scenarios * trials
    found = [newcombe(int(b), n, int(a), n) for a, b in zip(first, second, strict=True)]
    return sum(not one.low <= 0 <= one.high for one in found) / len(found)


def _covered(
    differences: Any, design: Design, ends: Callable[[Any], tuple[Any, Any]]
) -> tuple[float, int]:
    """Return how often an interval, where there is one, holds the truth; how many have none."""
    varied = np.ptp(differences, axis=-1) > NONE
    low, high = ends(differences[varied])
    held = (low <= design.true + NONE) & (design.true - NONE <= high)
    return float(held.mean()), int((~varied).sum())


def promises(draws: Draws, targets: Targets, work: Work) -> None:
    """Print what the gate's rules find, beside what was promised."""
    print("\n| rule | candidate | scenarios or cells x trials | promised | found |")
    print("|---" * 5 + "|")
    found = [*mean_promises(draws, work.gates), *cell_promises(draws, work.cells)]
    for one in found:
        mark = targets.judge(abs(one.found - one.promised) <= NEAR, _named(one))
        print(
            f"| {one.rule} | {one.candidate} | {one.size} | {one.promised:.1%} | "
            f"{one.found:.1%}{mark} |"
        )
    for trials in sorted({trials for trials, _ in work.cells}):
        share = cell_false_alarms(draws, trials)
        mark = targets.judge(share <= FALSE_POSITIVES, f"false alarms of cells, {trials} trials")
        print(
            f"| Boschloo and Holm find any cell | equal | 24 cells x {trials} | at most 5.0% | "
            f"{share:.1%}{mark} |",
            flush=True,
        )


def _named(one: Promise) -> str:
    return f"{one.rule}: {one.candidate}, {one.size}"


def persona(targets: Targets, trials: int) -> None:
    """Print how many trials of the real persona came out as its functions foretell."""
    with tempfile.TemporaryDirectory() as folder:
        same, all_of_them, outcomes = agreement(Path(folder), trials)
    mark = targets.judge(same == all_of_them, "trials of the persona as foretold")
    said = ", ".join(f"{count} {word}" for word, count in outcomes.items())
    print(
        f"\n{same} of {all_of_them} trials of `scripted/wavering` came out as its functions "
        f"foretell from seed and clause ({said}){mark}."
    )


def main() -> None:
    """Simulate, run, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--quick", action="store_true", help="few comparisons: shows that it runs, settles nothing"
    )
    quick = parser.parse_args().quick
    work = QUICK if quick else USUAL
    began = time.process_time()
    targets = Targets()
    draws = Draws(work.size)
    calibration(draws, targets, work)
    promises(draws, targets, work)
    persona(targets, work.played)
    print(
        f"\n{work.size.comparisons} simulated comparisons in each figure, 9,999 resamples; "
        f"{time.process_time() - began:.0f} s of CPU time."
    )
    if targets.missed and not quick:
        print("\nMissed:\n" + "\n".join(f"- {what}" for what in targets.missed))
        sys.exit(1)


if __name__ == "__main__":
    main()
