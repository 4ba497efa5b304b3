"""What came of playing one framework's answers to others: outcomes, and where conversations part.

The model said the same in every column, so what differs between them is the frameworks' doing. From
the first divergent turn on a model that had been asked might have answered otherwise; what follows
shows what the framework does with these answers, not what the model would have done.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from grid.cli.console import say, show_table
from grid.cli.crossplan import Crossing
from grid.display import visible
from grid.errors import CanonicalError, ConfigError, StrictError
from grid.evidence import TrialId
from grid.strict import to_json
from ledgers.divergence import Divergence, first_divergence
from ledgers.entries import TrialEntry
from ledgers.reading import Kept, SealedRun
from proxy.wire.exchange import Exchange, Gap, read_exchanges

SHOWN = 12
"""Divergences that are told in full under the table."""
NONE = "none"
"""Stands where two conversations showed the model the same to their end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fate:
    """What a trial came to."""

    framework: str
    """The framework that it was run in."""
    outcome: str | None
    """Outcome; None for a twin."""
    alarm: str | None
    """The twin's alarm; None for an attack."""
    goal: str | None
    """Whether the goal holds."""
    asked: int
    """Answers that the framework got."""

    def words(self) -> str:
        """Return it as a cell of a table."""
        found = (self.outcome, self.alarm, self.goal)
        return ", ".join(word for word in found if word) or "-"

    @property
    def valid(self) -> bool:
        """Something was judged."""
        return any(word not in (None, "invalid") for word in (self.outcome, self.alarm, self.goal))

    def same(self, other: "Fate") -> bool:
        """Tell whether another trial came to the same."""
        return self.words() == other.words()


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossed:
    """One recorded trial and what its answers came to elsewhere."""

    trial: TrialId
    """The recorded trial."""
    recorded: Fate
    """What it came to."""
    played: tuple[tuple[Fate, Divergence | None], ...]
    """What each framework made of its answers, and where it parted; in the order of frameworks."""

    @property
    def same(self) -> bool:
        """It came to the same everywhere."""
        return all(fate.same(self.recorded) for fate, _ in self.played)


def crossed_trials(
    original: SealedRun, played: SealedRun, crossing: Crossing
) -> tuple[Crossed, ...]:
    """Compare a cross-framework replay with the run that its answers come from.

    Raises:
        ConfigError: a recording cannot be read.
    """
    groups: dict[TrialId, list[TrialEntry]] = {}
    for entry in played.trials:
        groups.setdefault(crossing.origin(entry.trial), []).append(entry)
    found = []
    for trial, entries in groups.items():
        before = _exchanges(original.kept(str(trial)))
        found.append(
            Crossed(
                trial=trial,
                recorded=_fate(original.entry(str(trial))),
                played=tuple(
                    (_fate(entry), _divergence(before, played.kept(str(entry.trial))))
                    for entry in entries
                ),
            )
        )
    return tuple(found)


def _fate(entry: TrialEntry) -> Fate:
    return Fate(
        framework=entry.trial.framework,
        outcome=entry.outcome.value if entry.outcome else None,
        alarm=entry.alarm.value if entry.alarm else None,
        goal=entry.utility.value if entry.utility else None,
        asked=entry.recording.count if entry.recording else 0,
    )


def _divergence(before: tuple[Exchange, ...], kept: Kept) -> Divergence | None:
    reference = kept.evidence.recording
    spent = reference is not None and reference.reason == Gap.REPLAY_SPENT
    return first_divergence(before, _exchanges(kept), spent=spent)


def _exchanges(kept: Kept) -> tuple[Exchange, ...]:
    try:
        return read_exchanges(kept.recording or b"")
    except (CanonicalError, StrictError) as error:
        raise ConfigError(
            f"the recording of {kept.evidence.trial} cannot be read: {error}"
        ) from error


def crossed_json(trials: Sequence[Crossed], crossing: Crossing) -> dict[str, Any]:
    """Return the comparison as data."""
    return {
        "same": all(item.same for item in trials),
        "from": crossing.source,
        "to": [*crossing.targets],
        "left_out": [*crossing.left_out],
        "trials": [
            {
                "trial": str(item.trial),
                "recorded": to_json(item.recorded),
                "played": [
                    to_json(fate)
                    | {"same": fate.same(item.recorded), "first_divergence": to_json(parted)}
                    for fate, parted in item.played
                ],
            }
            for item in trials
        ],
    }


def show_crossed(trials: Sequence[Crossed], crossing: Crossing, numbers: dict[str, str]) -> None:
    """Print the table, and under it where conversations part.

    Args:
        trials: the comparison.
        crossing: what was planned.
        numbers: scenario id -> number.
    """
    counted: dict[tuple[str, ...], int] = {}
    for item in trials:
        row = _row(item, crossing, numbers)
        counted[row] = counted.get(row, 0) + 1
    several = any(count > 1 for count in counted.values())
    heads = ["scenario", "model", "clause", "guards", *(["trials"] if several else [])]
    heads += [f"{crossing.source} (recorded)", *crossing.targets]
    rows = [
        (*row[:4], *([str(count)] if several else []), *row[4:]) for row, count in counted.items()
    ]
    show_table("", heads, rows)
    say(
        "Each cell: the outcome, or of a twin its alarm; the goal; and the first turn at which the "
        "framework showed the model something else than was recorded."
    )
    say(
        f"Every framework got the model answers recorded from {visible(crossing.source)}, by turn; "
        "no model was asked. What differs is the framework's doing."
    )
    parted = [*_parted(trials, numbers)]
    for line in parted[:SHOWN]:
        say(line)
    if len(parted) > SHOWN:
        say(f"... and {len(parted) - SHOWN} more divergences; --json has them all")
    every = [fate.same(item.recorded) for item in trials for fate, _ in item.played]
    say(f"{every.count(False)} of {len(every)} played trials came to something else")


def _row(item: Crossed, crossing: Crossing, numbers: dict[str, str]) -> tuple[str, ...]:
    played = {fate.framework: f"{fate.words()} ({_turn(parted)})" for fate, parted in item.played}
    of = item.trial
    before = (_scenario(of, numbers), of.model, of.clause, of.guards, item.recorded.words())
    return (*before, *(played.get(name, "cannot be run") for name in crossing.targets))


def _turn(parted: Divergence | None) -> str:
    return NONE if parted is None else f"turn {parted.turn}"


def _scenario(trial: TrialId, numbers: dict[str, str]) -> str:
    language = "" if trial.language == "en" else f" ({trial.language})"
    return f"{numbers.get(trial.scenario, '')} {trial.scenario}{language}".strip()


def _parted(trials: Sequence[Crossed], numbers: dict[str, str]) -> Iterator[str]:
    """Yield each divergence in a sentence, once for the trials that part alike."""
    told: dict[str, None] = {}
    for item in trials:
        for fate, parted in item.played:
            if parted is None:
                continue
            where = f" at {parted.pointer}" if parted.pointer else ""
            of = f"{_scenario(item.trial, numbers)}, {item.trial.model}, {item.trial.guards}"
            told[
                f"{of}: {fate.framework} parts at turn {parted.turn}, {parted.part}{where}: "
                f"recorded {parted.recorded}, here {parted.shown}"
            ] = None
    yield from (visible(line) for line in told)
