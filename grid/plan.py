"""A plan: which trials a run consists of, in ledger order, and the seed of each.

Seeds derive from coordinates, not from position: adding a cell to a grid changes no other trial.
"""

from dataclasses import dataclass

from grid.canonical import digest
from grid.evidence import TrialId


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The trials of a run."""

    name: str
    """Name of the grid."""
    seed: int
    """Seed of the grid; every trial's seed derives from it."""
    trials: tuple[TrialId, ...]
    """Trials in ledger order, each once."""


def trial_seed(seed: int, trial: TrialId) -> str:
    """Return the seed of a trial: 32 hex digits."""
    return digest("trial", f"{seed}/{trial}".encode())[:32]
