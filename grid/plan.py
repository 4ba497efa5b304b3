"""A plan: which trials a run consists of, in ledger order, and the seed of each.

Seeds derive from coordinates, not from position: adding a cell to a grid changes no other trial.
"""

from dataclasses import dataclass, replace

from grid.canonical import digest
from grid.evidence import TrialId
from grid.scenario import Tamper


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The trials of a run."""

    name: str
    """Name of the grid."""
    seed: int
    """Seed of the grid; every trial's seed derives from it."""
    trials: tuple[TrialId, ...]
    """Trials in ledger order, each once."""
    tamper: tuple[Tamper, ...] = ()
    """What is planted on the wire of every trial, beside what its scenario plants."""


def trial_seed(seed: int, trial: TrialId, source: str = "") -> str:
    """Return the seed of a trial: 32 hex digits.

    Args:
        seed: seed of the plan.
        trial: coordinates.
        source: framework whose model answers are played to the trial; empty for none. They cite
            receipts and canaries, so the trial has the seed of the one that they were recorded in.
    """
    of = replace(trial, framework=source) if source else trial
    return digest("trial", f"{seed}/{of}".encode())[:32]
