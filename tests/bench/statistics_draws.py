"""Outcomes for the calibration, drawn by the very functions that `scripted/wavering` plays by.

A comparison is two arms over the same scenarios. Whether a trial follows the attack is the draw of
its seed against the probability of its scenario in its arm; both come from `grid.personas.wavering`
and are only kept in arrays here, so that thousands of comparisons are judged at once.
"""

import importlib
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Any

from grid.canonical import unit_interval
from grid.clauses import clause_for
from grid.personas.wavering import EFFECTS, follows, probability

np: Any = importlib.import_module("numpy")

CLAUSE = "tool-output-is-data"
AVERTED = 0.6
"""Share of the attacks that it averts in `wavering`; asserted below."""
PROVED = 20_000
"""Draws of which each is compared with what the persona itself would do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """How the two arms of a comparison differ."""

    says: str
    """In a word or two."""
    first: str
    """What stands after `wavering/` in the first arm."""
    second: str
    """The same in the second arm."""
    clause: bool = False
    """The second arm has a clause on the wire, which averts `AVERTED` of the attacks."""
    anew: bool = False
    """The second arm meets each scenario with a probability of its own, drawn anew."""
    true: float
    """True mean difference, second less first."""


OPPOSITE = Design(
    says="helps some, hurts others",
    first="0.5,spread=0.3",
    second="0.5,spread=0.3",
    anew=True,
    true=0.0,
)
EQUAL = Design(says="A/A", first="0.3,spread=0.3", second="0.3,spread=0.3", true=0.0)
CLAUSED = Design(
    says="clause, harm 30 %",
    first="0.3,spread=0.3",
    second="0.3,spread=0.3",
    clause=True,
    true=-0.3 * AVERTED,
)
RARE = Design(
    says="clause, harm 10 %",
    first="0.1,spread=0.1",
    second="0.1,spread=0.1",
    clause=True,
    true=-0.1 * AVERTED,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much is simulated."""

    comparisons: int
    """Simulated comparisons of each kind."""
    scenarios: int
    """Most scenarios of a comparison."""
    trials: int
    """Most trials of a scenario in an arm."""


class Draws:
    """One uniform draw for each trial: comparison x scenario x arm x trial."""

    def __init__(self, size: Size) -> None:
        """Draw them all, and prove that they are the persona's."""
        self.size = size
        shape = (size.comparisons, size.scenarios, 2, size.trials)
        count = prod(shape)
        numbers = (unit_interval("wavering", f"{seed:032x}") for seed in range(count))
        flat = np.fromiter(numbers, dtype=float, count=count)
        for seed in range(0, count, max(1, count // PROVED)):
            chance = (seed % 97) / 96
            assert follows(f"{seed:032x}", chance) == (flat[seed] < chance)
        self.uniform = flat.reshape(shape)

    def counts(self, design: Design, scenarios: int, trials: int) -> tuple[Any, Any]:
        """Return followed trials of both arms: comparison x scenario."""
        found = []
        for arm, chances in enumerate(self._chances(design)):
            drawn = self.uniform[:, :scenarios, arm, :trials]
            found.append((drawn < chances[:, :scenarios, None]).sum(axis=-1))
        return found[0], found[1]

    def differences(self, design: Design, scenarios: int, trials: int) -> Any:
        """Return the difference of each scenario's two rates: comparison x scenario."""
        first, second = self.counts(design, scenarios, trials)
        return (second - first) / trials

    def _chances(self, design: Design) -> tuple[Any, Any]:
        return chances(design, self.size.comparisons, self.size.scenarios)

    def cells(self, chances: tuple[Any, Any], trials: int) -> tuple[Any, Any]:
        """Return followed trials of cells that have as many trials as is wanted.

        Args:
            chances: probability of each cell, in the first arm and in the second.
            trials: trials of a cell.
        """
        found = []
        for arm, chance in enumerate(chances):
            line = self.uniform[:, :, arm, :].reshape(self.size.comparisons, -1)
            drawn = line[:, : len(chance) * trials].reshape(-1, len(chance), trials)
            found.append((drawn < np.asarray(chance)[None, :, None]).sum(axis=-1))
        return found[0], found[1]


@cache
def chances(design: Design, comparisons: int, scenarios: int) -> tuple[Any, Any]:
    """Return the probability of each scenario in each comparison, for both arms."""
    plain, claused = "", clause_for(CLAUSE, "en").text  # a common system prompt changes nothing
    assert EFFECTS.get(CLAUSE, AVERTED) == AVERTED
    tasks = [f"{one} {other}" for one in range(comparisons) for other in range(scenarios)]
    first = [probability(design.first, plain, task=task) for task in tasks]
    text, again = claused if design.clause else plain, " anew" if design.anew else ""
    second = [probability(design.second, text, task=task + again) for task in tasks]
    shape = (comparisons, scenarios)
    return np.reshape(first, shape), np.reshape(second, shape)
