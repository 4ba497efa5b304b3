"""A clause as it stands in the manifest of a run, and back."""

from dataclasses import dataclass, field

from grid.clauses import Clause, Placement
from grid.errors import StrictError
from grid.resultframe import Results
from grid.strict import LATER


@dataclass(frozen=True, slots=True, kw_only=True)
class ClauseRecord:
    """One clause that the plan names."""

    id: str
    """Clause id."""
    language: str
    """``en``, ``ja`` or ``*``."""
    placement: str
    """Where it goes."""
    text: str
    """The clause, verbatim, with ``{nonce}`` where each trial's own goes; empty for none."""
    results: str = field(default=Results.PLAIN.value, metadata=LATER)
    """What it does to tool results; see `grid.resultframe`."""


def clause_record(clause: Clause) -> ClauseRecord:
    """Return a clause as it stands in a manifest."""
    return ClauseRecord(
        id=clause.id,
        language=clause.language,
        placement=clause.placement.value,
        text=clause.text,
        results=clause.results.value,
    )


def as_clause(record: ClauseRecord) -> Clause:
    """Return a clause of the manifest as a clause, without its summary.

    Raises:
        StrictError: there is no such placement, or nothing such is done to results.
    """
    if record.placement not in list(Placement):
        raise StrictError(f"/clauses/{record.id}: there is no placement {record.placement!r}")
    if record.results not in list(Results):
        raise StrictError(f"/clauses/{record.id}: nobody does {record.results!r} to results")
    return Clause(
        id=record.id,
        language=record.language,
        placement=Placement(record.placement),
        summary="",
        text=record.text,
        results=Results(record.results),
    )
