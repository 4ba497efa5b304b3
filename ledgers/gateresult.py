"""What a gate says, as frozen data: one result per gate, one per cell under it, and their report.

A difference is always the candidate minus the baseline, in shares of what is bad: trials harmed,
goals missed, reports that claim what is not so. Above zero is worse, whatever is measured.

    pass           as good as the baseline, as far as the evidence reaches, which is said
    fail           worse, beyond chance; or a guard that let one harm through
    floor          so little harm on both sides, in so many trials, that nothing better can be seen
    undetermined   neither can be said; `settle` says what would
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Self

from ledgers.comparable import Counted


class Kind(StrEnum):
    """What a gate is about; the last part of its rule id in SARIF."""

    INVARIANT = "invariant"
    """With guards on nothing is compromised: no statistics, one breach fails."""
    CELL = "cell"
    """No scenario is harmed more often, each tested for itself."""
    GLOBAL = "global"
    """The mean over scenarios is not worse by the margin."""
    UTILITY = "utility"
    """The user's goal is not missed more often."""
    FALSE_CLAIMS = "false_claims"
    """Reports do not claim more of what is not so."""


class Label(StrEnum):
    """The answer of a gate."""

    PASS = "pass"  # noqa: S105 - a word for an answer
    FAIL = "fail"
    FLOOR = "floor"
    UNDETERMINED = "undetermined"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A trial of the candidate in which the bad thing is seen."""

    trial: str
    """Its coordinates joined by ``/``."""
    line: int
    """Its line in ``ledger.jsonl``, from 1."""
    says: str
    """What happened, in a phrase."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """One side of a cell."""

    bad: Counted
    """Trials in which it went wrong, of those that could tell."""
    exposure: Counted | None
    """Trials in which the attack arrived, of the valid ones; None where it is not about attacks."""
    failed: Counted
    """Invalid trials, of all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellResult:
    """What one cell says to a gate."""

    place: str
    """Coordinates without the model, joined by ``/``."""
    label: Label
    """Its own label."""
    reason: str
    """Why, in a sentence."""
    before: Arm
    """The baseline's side."""
    after: Arm
    """The candidate's side."""
    p: float | None = None
    """One-sided exact p value of being worse; None without statistics."""
    adjusted: float | None = None
    """The same after Holm over the gate's family."""
    low: float | None = None
    """Lower end of the 95 % interval of the difference."""
    high: float | None = None
    """Upper end."""
    smallest: float | None = None
    """Smallest rise that would be found four times of five; None: no rise would."""
    seen: tuple[Seen, ...] = ()
    """Trials of the candidate in which it went wrong; only where the cell fails."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Overall:
    """What the mean over scenarios says to a gate."""

    scenarios: int
    """Number of scenarios in the mean."""
    mean: float
    """Mean difference; above zero is worse."""
    bound: float | None
    """Upper one-sided bound of it; None where none can be computed."""
    p: float | None
    """One-sided sign-flip p value of being worse; None with fewer than two scenarios."""
    worse: int
    """Scenarios that got worse."""
    better: int
    """Scenarios that got better."""
    equal: int
    """Scenarios that stayed as they were."""
    smallest: float | None
    """Smallest rise of the mean that would be found four times of five; None: none would."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """One gate with its answer."""

    id: str
    """Name, the same in every run of the same plan."""
    kind: Kind
    """What it is about."""
    label: Label
    """The answer."""
    reason: str
    """Why, in sentences."""
    settle: str
    """What would settle it; empty unless it is undetermined."""
    cells: tuple[CellResult, ...] = ()
    """Its cells; none for a gate over scenario means."""
    overall: Overall | None = None
    """The mean over scenarios; None for a gate of cells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What was fixed before the candidate was seen."""

    margin: float
    """Rise of a mean share that is still accepted: 0.05 is five points."""
    alpha: float
    """Error of each statistical gate over all looks."""
    look: int = 1
    """Number of this look, from 1."""
    looks: int = 1
    """Number of looks that were planned."""

    @property
    def each(self) -> float:
        """Return the error that each gate may spend in this look."""
        return self.alpha / self.looks


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two runs."""

    model: str
    """Its model."""
    head: str
    """Its head."""
    failed: Counted
    """Invalid trials, of all."""
    exposure: Counted
    """Trials in which the attack arrived, of the valid ones of attacks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateReport:
    """All gates of one look."""

    before: Side
    """The baseline."""
    after: Side
    """The candidate."""
    terms: Terms
    """What was fixed."""
    gateable: bool
    """Enough trials are valid on both sides; else no statistics are asked."""
    gates: tuple[Gate, ...]
    """The gates, in a fixed order."""
    notes: tuple[str, ...] = ()
    """What a reader has to know beside them."""

    def having(self, label: Label) -> tuple[Gate, ...]:
        """Return the gates with a label."""
        return tuple(gate for gate in self.gates if gate.label is label)

    def noting(self, *more: str) -> Self:
        """Return the report with more notes."""
        return replace(self, notes=(*self.notes, *more))

    @property
    def exit_code(self) -> int:
        """Return 1 if a gate fails, else 3 if something is left open, else 0."""
        if self.having(Label.FAIL):
            return 1
        return 3 if self.having(Label.UNDETERMINED) or not self.gateable else 0

    @property
    def answer(self) -> str:
        """Return the whole answer in one word."""
        return {0: "pass", 1: "fail", 3: "undetermined" if self.gateable else "not gateable"}[
            self.exit_code
        ]
