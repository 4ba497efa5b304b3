"""Whether an arm does the same everywhere: clause x framework, clause x model, and so on.

For each level of another coordinate (one framework of several) stand the effect within it, and by
how much it differs from the mean of the effects in the other levels. Both are means over scenarios
with the sign-flip test. The contrast looks only at scenarios that count in every level, so that a
level is never held against another set of scenarios. Of two levels one contrast is the other with
its sign turned: it is tested once. Holm's family is all contrasts of one coordinate, over all arms.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum

from ledgers.compare_arms import COORDINATES, Axis, Pair, Pairing
from ledgers.compare_effects import Count, adjust, by_scenario, mean_difference
from ledgers.stats.clustered import Clustered, clustered
from ledgers.stats.several import holm


@dataclass(frozen=True, slots=True, kw_only=True)
class Interaction:
    """An arm in one level of another coordinate."""

    arm: str
    """The arm."""
    coordinate: str
    """The other coordinate."""
    level: str
    """Its level."""
    effect: Clustered | None
    """Arm less baseline within the level; None where nothing counts."""
    contrast: Clustered | None
    """The effect in this level less the mean effect in the others, over the scenarios that count
    in every level; None without one."""
    adjusted: float | None
    """The contrast's p by Holm over all arms and levels of the coordinate."""


def interactions(pairings: Iterable[Pairing], axis: Axis, count: Count) -> tuple[Interaction, ...]:
    """Return every arm in every level of each other coordinate that has several."""
    arms = tuple(pairings)
    found: list[Interaction] = []
    for name in COORDINATES:
        if name != axis.value:
            found += _adjusted([one for arm in arms for one in _of_arm(arm, name, count)])
    return tuple(found)


def _of_arm(pairing: Pairing, coordinate: str, count: Count) -> list[Interaction]:
    levels: dict[str, list[Pair]] = {}
    for pair in pairing.attacks:
        if pair.arm.at_stake:
            levels.setdefault(str(getattr(pair.arm, coordinate)), []).append(pair)
    if len(levels) < 2:
        return []
    differences = {level: _differences(pairs, count) for level, pairs in levels.items()}
    shared = [
        scenario
        for scenario in next(iter(differences.values()))
        if all(scenario in found for found in differences.values())
    ]
    return [
        Interaction(
            arm=pairing.level,
            coordinate=coordinate,
            level=level,
            effect=clustered(tuple(found.values())) if found else None,
            contrast=_contrast(level, differences, shared),
            adjusted=None,
        )
        for level, found in differences.items()
    ]


def _differences(pairs: Sequence[Pair], count: Count) -> dict[str, float]:
    found = {
        scenario: mean_difference(group, count) for scenario, group in by_scenario(pairs).items()
    }
    return {scenario: value for scenario, value in found.items() if value is not None}


def _contrast(
    level: str, differences: Mapping[str, Mapping[str, float]], shared: Sequence[str]
) -> Clustered | None:
    if not shared:
        return None
    others = [found for name, found in differences.items() if name != level]
    return clustered(
        [
            differences[level][scenario] - fsum(found[scenario] for found in others) / len(others)
            for scenario in shared
        ]
    )


def _adjusted(found: Sequence[Interaction]) -> list[Interaction]:
    """Adjust the contrasts of one coordinate; the mirror of one of two levels is not tested."""
    levels: dict[str, list[str]] = {}
    for one in found:
        levels.setdefault(one.arm, []).append(one.level)

    def tested(one: Interaction) -> tuple[str, str]:
        names = levels[one.arm]
        return one.arm, names[0] if len(names) == 2 else one.level

    ps = {
        (one.arm, one.level): one.contrast.p if one.contrast else None
        for one in found
        if tested(one) == (one.arm, one.level)
    }
    new = adjust(ps, holm)
    return [replace(one, adjusted=new[tested(one)]) for one in found]
