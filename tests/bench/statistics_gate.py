"""What a gate finds, beside what `ledgers.stats.power` promises of it.

Three rules, as `nonverba gate` has them, each over simulated runs of a candidate against a
baseline: the sign-flip test for worse, the one-sided upper bound below a margin (the more cautious
of t and BCa), and Boschloo's test of each cell with Holm's adjustment over the family.
"""

import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from typing import Any

from statistics_draws import Design, Draws

from grid.personas.wavering import probability
from ledgers.stats.clustered import bca_ends, sign_flip, t_ends
from ledgers.stats.power import (
    difference_sd,
    mean_power,
    non_inferiority_power,
    planned_cell_power,
)
from ledgers.stats.proportion import boschloo
from ledgers.stats.several import holm

np: Any = importlib.import_module("numpy")

ALPHA = 0.05
TRIALS = 20
BASELINE, SPREAD, APART = 0.3, 0.2, 0.1
CELLS = 24
CELL_BASELINE = 0.05
BETWEEN = SPREAD / sqrt(3)
"""Standard deviation of what is spread evenly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """A chance that was promised, and how often it came."""

    rule: str
    """Which rule."""
    candidate: str
    """What the candidate is like."""
    size: str
    """Scenarios and trials."""
    promised: float
    """By `ledgers.stats.power`."""
    found: float
    """In the simulated runs."""


def mean_promises(draws: Draws, sizes: tuple[tuple[int, float, float], ...]) -> Iterator[Promise]:
    """Yield what comes of the rules over means.

    Args:
        draws: the draws.
        sizes: scenarios, the margin asked about, and the rise that is to be found.
    """
    for scenarios, margin, rise in sizes:
        size = f"{scenarios} x {TRIALS}"
        for says, shift, apart in (
            ("equal", 0.0, False),
            (f"{100 * margin / 4:.1f} points worse", margin / 4, False),
            ("equal on the mean, scenarios apart", 0.0, True),
        ):
            sd = _sd(shift, apart)
            yield Promise(
                rule=f"bound below {100 * margin:.0f} points",
                candidate=says,
                size=size,
                promised=non_inferiority_power(
                    scenarios=scenarios, sd=sd, margin=margin, difference=shift
                ),
                found=float(
                    stays_below(_differences(draws, scenarios, shift, apart), margin).mean()
                ),
            )
        for apart in (False, True):
            found = sign_flip(_differences(draws, scenarios, rise, apart), "greater") <= ALPHA
            yield Promise(
                rule="sign-flip finds it worse",
                candidate=f"{100 * rise:.0f} points worse" + ", scenarios apart" * apart,
                size=size,
                promised=mean_power(
                    scenarios=scenarios, sd=_sd(rise, apart), difference=rise, alternative="greater"
                ),
                found=float(found.mean()),
            )


def _sd(shift: float, apart: bool) -> float:
    spread = APART if apart else SPREAD
    return difference_sd(
        rate_a=BASELINE,
        rate_b=BASELINE + shift,
        trials=TRIALS,
        between=spread / sqrt(3),
        heterogeneity=spread * sqrt(2 / 3) if apart else 0.0,
    )


def _differences(draws: Draws, scenarios: int, shift: float, apart: bool) -> Any:
    spread = APART if apart else SPREAD
    design = Design(
        says="candidate",
        first=f"{BASELINE},spread={spread}",
        second=f"{BASELINE + shift:.4f},spread={spread}",
        anew=apart,
        true=shift,
    )
    return draws.differences(design, scenarios, TRIALS)


def stays_below(differences: Any, margin: float) -> Any:
    """Return in which comparisons the more cautious bound lies below a margin."""
    level = 1 - 2 * ALPHA
    below = np.ptp(differences, axis=-1) > 0  # without spread there is no bound, and no pass
    told = differences[below]
    below[below] = np.maximum(t_ends(told, level)[1], bca_ends(told, level)[1]) < margin
    return below


def cell_promises(draws: Draws, sizes: tuple[tuple[int, float], ...]) -> Iterator[Promise]:
    """Yield what comes of the rule over cells: one of them got worse, the others are equal.

    Args:
        draws: the draws.
        sizes: trials of a cell, and the rate of harm of the worse one.
    """
    for trials, rate in sizes:
        fails = _failing(draws, trials, rate)
        size = f"{CELLS} cells x {trials}"
        yield Promise(
            rule="Boschloo and Holm find the cell",
            candidate=f"one cell from {CELL_BASELINE:.0%} to {rate:.0%}",
            size=size,
            promised=planned_cell_power(rate, CELL_BASELINE, trials, trials, CELLS),
            found=float(fails[:, 0].mean()),
        )


def cell_false_alarms(draws: Draws, trials: int) -> float:
    """Return how often any cell fails though none got worse."""
    return float(_failing(draws, trials, CELL_BASELINE).any(axis=1).mean())


def _failing(draws: Draws, trials: int, rate: float) -> Any:
    """Return which cells fail: comparison x cell; the first one has the rate given."""
    usual = probability(str(CELL_BASELINE), "")
    worse = probability(f"{CELL_BASELINE},restart_node={rate}", "", tools=("restart_node",))
    assert (usual, worse) == (CELL_BASELINE, rate)
    before, after = draws.cells(([usual] * CELLS, [worse] + [usual] * (CELLS - 1)), trials)
    return failing(before, after, trials)


def failing(before: Any, after: Any, trials: int) -> Any:
    """Return which cells fail: comparison x cell."""
    pairs, place = np.unique(
        np.stack((after, before), axis=-1).reshape(-1, 2), axis=0, return_inverse=True
    )
    ps = np.array([boschloo(int(a), trials, int(b), trials, "greater") for a, b in pairs])
    return np.array([holm(family) for family in ps[place].reshape(after.shape).tolist()]) <= ALPHA
