"""Which cells a comparison sets side by side: one to one, with all but one coordinate equal.

An arm is one level of the axis: a clause, a model, a framework or a guard setting. Each of its
cells is paired with the cell of the baseline that has the same scenario, and the same of everything
else that is not the axis; a cell without a partner is left out and counted. Refused is what would
set unlike things side by side: arms that share no cell, or a persona that follows the attack with
one probability in the arm and with another one in the baseline.

The framework `scripted` has no wire and is no framework: its cells stand apart where real ones run.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from grid.cast import PREFIX
from grid.display import visible
from grid.errors import ConfigError
from grid.registry import unknown
from ledgers.comparable import Cell, Measure


class Axis(StrEnum):
    """The coordinate whose levels are compared."""

    CLAUSE = "clause"
    MODEL = "model"
    FRAMEWORK = "framework"
    GUARDS = "guards"


COORDINATES = ("framework", "model", "clause", "guards", "language")
"""Coordinates of a cell beside its scenario."""

PLAIN = {Axis.CLAUSE: "none", Axis.GUARDS: "off"}
"""What an axis is compared with unless it is said."""

MOST_NAMED = 12
"""Levels that one sentence lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked."""

    axis: Axis
    """What is compared."""
    measure: Measure = Measure.HARM
    """What it is compared in: harm or followed."""
    baseline: str = ""
    """The level that the others are compared with; empty: the plain one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two cells that differ in the axis alone."""

    arm: Cell
    """That of the arm."""
    base: Cell
    """That of the baseline."""

    @property
    def scenario(self) -> str:
        """Return the scenario; variants of an attack are one scenario, for they share its task."""
        return self.arm.scenario.partition(".")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """The cells of an arm beside those of the baseline."""

    level: str
    """The arm."""
    attacks: tuple[Pair, ...]
    """Pairs that hold an attack."""
    twins: tuple[Pair, ...]
    """Pairs of benign twins."""
    alone: tuple[str, ...]
    """Cells of the arm that have no partner in the baseline, by name."""
    unmet: tuple[str, ...]
    """Cells of the baseline that have no partner in the arm, by name."""


def levels_of(cells: Iterable[Cell], axis: Axis) -> tuple[str, ...]:
    """Return the levels of an axis, in plan order."""
    return tuple(dict.fromkeys(str(getattr(cell, axis)) for cell in cells))


def stand_apart(cells: Sequence[Cell]) -> tuple[tuple[Cell, ...], int]:
    """Return the cells of real frameworks, and how many of `scripted` were left out for them.

    Where nothing but `scripted` ran, its cells are compared among themselves.
    """
    wired = tuple(cell for cell in cells if cell.wired)
    return (wired, len(cells) - len(wired)) if wired else (tuple(cells), 0)


def baseline_of(cells: Sequence[Cell], question: Question) -> str:
    """Return the level that the others are compared with.

    Raises:
        ConfigError: there is one level alone, or the baseline must be named; the levels are listed.
    """
    axis, levels = question.axis, levels_of(cells, question.axis)
    shown = ", ".join(visible(level, 80) for level in levels[:MOST_NAMED])
    if len(levels) < 2:
        raise ConfigError(
            f"nothing to compare by {axis}: there is one alone ({shown or 'none'}); name a run "
            "that has two or more, or another axis with --by"
        )
    if question.baseline:
        if question.baseline not in levels:
            raise unknown(f"{axis} for --baseline", question.baseline, levels)
        return question.baseline
    plain = PLAIN.get(axis)
    if plain in levels:
        return str(plain)
    if plain is None and len(levels) == 2:
        return levels[0]
    why = f"there is no {plain!r} here" if plain else f"there are {len(levels)}"
    raise ConfigError(
        f"by {axis}, name what the others are compared with, since {why}: write --baseline and "
        f"one of: {shown}"
    )


def pair_up(cells: Sequence[Cell], axis: Axis, level: str, baseline: str) -> Pairing:
    """Return the cells of an arm beside those of the baseline.

    Raises:
        ConfigError: they share no cell, or what they share is not the same thing; it says what
            differs and what to do.
    """
    place = _place_without(axis)
    arms = {place(cell): cell for cell in cells if getattr(cell, axis) == level}
    bases = {place(cell): cell for cell in cells if getattr(cell, axis) == baseline}
    alone = [cell for key, cell in arms.items() if key not in bases]
    if axis is not Axis.MODEL:
        _check_personas(level, alone, bases.values())
    pairs = [Pair(arm=cell, base=bases[key]) for key, cell in arms.items() if key in bases]
    if not pairs:
        raise ConfigError(_nothing_shared(axis, level, baseline, (arms.values(), bases.values())))
    for pair in pairs:
        if pair.arm.digest != pair.base.digest:
            raise ConfigError(
                f"the scenario {visible(pair.arm.scenario)} is not the same in {visible(level)} "
                f"and in {visible(baseline)}: run both again with one version of nonverba"
            )
    return Pairing(
        level=level,
        attacks=tuple(pair for pair in pairs if not pair.arm.twin),
        twins=tuple(pair for pair in pairs if pair.arm.twin),
        alone=tuple(cell.name for cell in alone),
        unmet=tuple(cell.name for key, cell in bases.items() if key not in arms),
    )


def _place_without(axis: Axis) -> Callable[[Cell], tuple[str, ...]]:
    names = ("scenario", *(name for name in COORDINATES if name != axis.value))
    return lambda cell: tuple(str(getattr(cell, name)) for name in names)


def _check_personas(level: str, alone: Iterable[Cell], bases: Iterable[Cell]) -> None:
    """Refuse a persona that has another parameter in the arm than in the baseline."""
    known: dict[tuple[str, ...], set[str]] = {}
    for cell in bases:
        known.setdefault(_stage(cell), set()).add(cell.model)
    for cell in alone:
        others = known.get(_stage(cell), set()) if cell.model.startswith(PREFIX) else set()
        if others and cell.model not in others:
            raise ConfigError(
                f"the arm {visible(level)} was played by {visible(cell.model)} and the baseline by "
                f"{_listed(others)}: another parameter is another agent. Run both with the same "
                "one, or compare them with --by model"
            )


def _stage(cell: Cell) -> tuple[str, ...]:
    """Return where a persona plays, whatever its parameter."""
    persona = cell.model.removeprefix(PREFIX).partition("/")[0]
    return (cell.scenario, cell.framework, persona, cell.language)


def _nothing_shared(
    axis: Axis, level: str, baseline: str, sides: tuple[Iterable[Cell], Iterable[Cell]]
) -> str:
    """Say in which coordinates two arms have nothing in common."""
    arm, base = (tuple(side) for side in sides)
    apart = []
    for name in ("scenario", *(name for name in COORDINATES if name != axis.value)):
        mine, other = ({str(getattr(cell, name)) for cell in side} for side in (arm, base))
        if not mine & other:
            apart.append(f"{name} {_listed(mine)} against {_listed(other)}")
    what = "; ".join(apart) or "no scenario stands in both with the same of all else"
    return (
        f"the arm {visible(level)} and the baseline {visible(baseline)} share no cell ({what}): "
        "run both over the same scenarios, frameworks, models, guards and languages"
    )


def _listed(names: Iterable[str]) -> str:
    found = sorted(names)
    more = f" and {len(found) - 3} more" if len(found) > 3 else ""
    return ", ".join(visible(name, 60) for name in found[:3]) + more
