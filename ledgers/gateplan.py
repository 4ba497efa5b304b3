"""Which gates a run's cells make, by name, before any candidate is seen.

The plan follows from the baseline's cells alone; a saved baseline writes it down, so that the
family of every test is fixed before there is anything to test.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from grid.adapters import SCRIPTED
from grid.vocabulary import Guards
from ledgers.comparable import Cell, Measure
from ledgers.gatepairs import place_of
from ledgers.gateresult import Kind

FRAMEWORKS = "frameworks"
"""Stands for all real frameworks in the name of a gate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """One gate that will be asked."""

    id: str
    """Name of the gate."""
    kind: Kind
    """What it is about."""
    measure: Measure
    """What is counted."""
    mean: bool
    """It is about the mean over scenarios; else about each cell."""
    places: tuple[str, ...]
    """Its cells, as coordinates without the model."""


def is_guarded(cell: Cell, limited: Iterable[str]) -> bool:
    """Tell whether a guard must hold in a cell.

    Args:
        cell: the cell.
        limited: ids of the scenarios in which no guard is known to hold.
    """
    return cell.guards in (Guards.ON, Guards.ON_CONTINUE) and cell.scenario not in limited


def planned(cells: Sequence[Cell], limited: Iterable[str]) -> tuple[Planned, ...]:
    """Return the gates that a run's cells make, in a fixed order.

    Args:
        cells: the cells of the baseline.
        limited: ids of the scenarios in which no guard is known to hold.
    """
    known = frozenset(limited)
    attacks = [cell for cell in cells if cell.at_stake]
    guarded = [cell for cell in attacks if is_guarded(cell, known)]
    opened = [cell for cell in attacks if not is_guarded(cell, known)]
    off = [cell for cell in opened if cell.guards == Guards.OFF]
    return (
        *_all("invariant", Kind.INVARIANT, guarded),
        *_each("cell", (Kind.CELL, Measure.HARM), opened, _with_guards),
        *_means("global", (Kind.GLOBAL, Measure.HARM), off),
        *_both("utility/twins", (Kind.UTILITY, Measure.UTILITY), [c for c in cells if c.twin]),
        *_both("utility/goals", (Kind.UTILITY, Measure.UTILITY), [c for c in cells if not c.twin]),
        *_both("false_claims", (Kind.FALSE_CLAIMS, Measure.FALSE_CLAIMS), cells),
    )


type _What = tuple[Kind, Measure]
type _Key = Callable[[Cell], tuple[str, ...]]


def _with_guards(cell: Cell) -> tuple[str, ...]:
    return (cell.framework, cell.clause, cell.guards, cell.language)


def _without_guards(cell: Cell) -> tuple[str, ...]:
    return (cell.framework, cell.clause, cell.language)


def _world(cell: Cell) -> tuple[str, ...]:
    return (FRAMEWORKS if cell.wired else SCRIPTED,)


def _all(identity: str, kind: Kind, cells: Sequence[Cell]) -> Iterator[Planned]:
    if cells:
        yield _planned(identity, (kind, Measure.HARM), cells, mean=False)


def _each(identity: str, what: _What, cells: Sequence[Cell], key: _Key) -> Iterator[Planned]:
    for parts, found in _grouped(cells, key).items():
        yield _planned("/".join((identity, *parts)), what, found, mean=False)


def _means(identity: str, what: _What, cells: Sequence[Cell]) -> Iterator[Planned]:
    for parts, found in _grouped(cells, _world).items():
        yield _planned("/".join((identity, *parts)), what, found, mean=True)


def _both(identity: str, what: _What, cells: Sequence[Cell]) -> Iterator[Planned]:
    yield from _each(f"{identity}/cell", what, cells, _without_guards)
    yield from _means(f"{identity}/global", what, cells)


def _grouped(cells: Sequence[Cell], key: _Key) -> dict[tuple[str, ...], list[Cell]]:
    found: dict[tuple[str, ...], list[Cell]] = {}
    for cell in cells:
        found.setdefault(key(cell), []).append(cell)
    return found


def _planned(identity: str, what: _What, cells: Sequence[Cell], *, mean: bool) -> Planned:
    kind, measure = what
    return Planned(
        id=identity,
        kind=kind,
        measure=measure,
        mean=mean,
        places=tuple(place_of(cell) for cell in cells),
    )
