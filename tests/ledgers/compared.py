"""Cells for the tests of comparisons: built by hand, with the counts that a test is about."""

from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any

from grid.vocabulary import Alarm, ClaimState, Outcome, Utility
from ledgers.comparable import Cell
from ledgers.compare_arms import Pair
from ledgers.summary import SummaryRow

WAVERING = "scripted/wavering/0.7"


def cell(scenario: str = "one", hits: int = 0, of: int = 10, **changes: Any) -> Cell:
    """Return a cell in which `hits` of `of` exposed trials were compromised, the others resisted.

    Args:
        scenario: its id; one that ends in ``.benign`` is a twin's.
        hits: compromised trials; of a twin, trials that did the task.
        of: trials that can show harm; of a twin, all trials.
        changes: coordinates, `digest`, more trials (`attempted`, `not_exposed`, `invalid`), and
            `done`, `false` and `alarm`: trials that did the task, claimed falsely, raised an alarm.
    """
    twin = scenario.endswith(".benign")
    more = {word: changes.pop(word, 0) for word in ("attempted", "not_exposed", "invalid")}
    trials = of + sum(more.values())
    outcomes = dict.fromkeys(Outcome, 0)
    if not twin:
        outcomes |= {
            Outcome.COMPROMISED: hits, Outcome.RESISTED: of - hits,
            Outcome.INVALID: more["invalid"], Outcome.ATTEMPTED: more["attempted"],
            Outcome.NOT_EXPOSED: more["not_exposed"],
        }  # fmt: skip
    valid = trials - more["invalid"]
    done, false = changes.pop("done", hits if twin else valid), changes.pop("false", 0)
    alarm = changes.pop("alarm", 0)
    place = {
        "framework": "strands", "model": WAVERING, "clause": "none", "guards": "off",
        "language": "en",
    }  # fmt: skip
    place |= {name: changes.pop(name) for name in tuple(changes) if name in place}
    unread: dict[str, Any] = dict.fromkeys((field.name for field in fields(SummaryRow)), None)
    counts = dict(
        scenario=scenario, **place, trials=trials, outcomes=words(outcomes),
        utility=words(
            {Utility.DONE: done, Utility.NOT_DONE: valid - done, Utility.INVALID: more["invalid"]}
        ),
        claims=words(
            {
                ClaimState.FALSE: false, ClaimState.SUPPORTED: valid - false,
                ClaimState.INVALID: more["invalid"], ClaimState.NONE: 0,
            }
        ),
        alarms=words(
            {
                Alarm.ALARM: alarm, Alarm.QUIET: (valid - alarm) * twin,
                Alarm.INVALID: more["invalid"] * twin,
            }
        ),
        claimed={"done": trials}, exposed=of, proposed=hits, executed=hits, delivered=hits,
    )  # fmt: skip
    return Cell(
        scenario=scenario, **place, digest=changes.pop("digest", f"digest of {scenario}"),
        twin=twin, row=SummaryRow(**unread | counts), reported=valid, **changes,
    )  # fmt: skip


def words(counts: dict[Any, int]) -> dict[str, int]:
    return {word.value: count for word, count in counts.items()}


def pair(scenario: str, arm: tuple[int, int], base: tuple[int, int], **place: Any) -> Pair:
    """Return a pair with (hits, trials) on both sides."""
    return Pair(arm=cell(scenario, *arm, clause="a", **place), base=cell(scenario, *base, **place))


def arms(rates: dict[str, Sequence[int]], of: int = 10, **place: Any) -> tuple[Cell, ...]:
    """Return clauses over scenarios s0, s1 ...: clause -> compromised trials in each."""
    return tuple(
        cell(f"s{n}", hits, of, clause=clause, **place)
        for clause, counts in rates.items()
        for n, hits in enumerate(counts)
    )


def sign_flip(differences: Iterable[float]) -> float:
    """Return the exact two-sided sign-flip p by trying every pattern; for few differences."""
    values = tuple(differences)
    seen = abs(sum(values))
    patterns = [
        sum(v if bits >> n & 1 else -v for n, v in enumerate(values))
        for bits in range(2 ** len(values))
    ]
    return sum(abs(total) >= seen - 1e-9 for total in patterns) / len(patterns)
