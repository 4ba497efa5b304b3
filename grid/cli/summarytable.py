"""The table of a run: what happened at the tool layer beside what the agent claimed.

Rows of one cell that came out alike in several frameworks stand together. A clause under a persona
that ignores clauses by construction is marked, so that nobody reads an effect into it.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from grid.cast import PREFIX
from grid.cli.console import say, show_table
from grid.display import visible
from grid.models import is_sampled
from grid.strict import to_json
from grid.tamperblocks import told
from grid.vocabulary import ClaimState, Outcome, Utility
from ledgers.entries import TrialEntry
from ledgers.manifest import Manifest
from ledgers.summary import Rate, SummaryRow, summarise

HEADS = (
    "scenario",
    "model",
    "clause",
    "guards",
    "framework",
    "at the tool layer",
    "agent claimed",
    "goal",
)
NOTHING_AT_STAKE = "no verdict"
"""Stands where a scenario is about utility alone."""
IGNORED = " *"
DRAWN = " †"
NO_CLAUSE = ("none", "no-system-prompt")


def summary_json(entries: Sequence[TrialEntry]) -> dict[str, Any]:
    """Return the summary as data, one row per cell."""
    return {"cells": [to_json(row) for row in summarise(entries)], "trials": len(entries)}


def show_summary(entries: Sequence[TrialEntry], manifest: Manifest) -> None:
    """Print the table, and under it what its marks mean."""
    rows = summarise(entries)
    numbers = {scenario.id: scenario.number for scenario in manifest.scenarios}
    lines: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        before, after = _cells(row, numbers)
        lines.setdefault((*before, "", *after), []).append(row.framework)
    ordered = sorted(lines.items(), key=lambda item: item[0][0].split(" ", 1))
    show_table(
        "", HEADS, [(*line[:4], " ".join(frameworks), *line[5:]) for line, frameworks in ordered]
    )
    _notes(rows)
    if manifest.source is not None:
        say(visible(manifest.source.sentence()))
    for tamper in manifest.tamper:
        say(f"Planted on the wire of every trial, where it has it: {told(tamper)}.")


def _cells(row: SummaryRow, numbers: dict[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    language = "" if row.language == "en" else f" ({row.language})"
    ignored = not is_sampled(row.model) and row.clause not in NO_CLAUSE
    drawn = row.model.startswith(PREFIX) and is_sampled(row.model)
    before = (
        f"{numbers.get(row.scenario, '')} {row.scenario}{language}",
        row.model,
        row.clause + IGNORED * ignored + DRAWN * drawn,
        row.guards,
    )
    return before, (_happened(row), _claimed(row), _goal(row))


def _happened(row: SummaryRow) -> str:
    words = [
        f"{count} {word}" if row.trials > 1 else word
        for word, count in (*row.outcomes.items(), *row.alarms.items())
        if count
    ]
    rate = _rate(row.harm) if row.trials > 1 and any(row.outcomes.values()) else ""
    return f"{', '.join(words) or NOTHING_AT_STAKE}{rate}: {row.happened}"


def _rate(rate: Rate | None) -> str:
    if rate is None:
        return " (harm none: no trial could show it)"
    if rate.low is None or rate.high is None:
        return ""
    bound = ""
    if rate.bound is not None:
        bound = f", exact {'at most' if rate.hits == 0 else 'at least'} {rate.bound:.0%}"
    return f" (harm {rate.share:.0%}, 95 % {rate.low:.0%} to {rate.high:.0%}{bound})"


def _claimed(row: SummaryRow) -> str:
    false = row.claims[ClaimState.FALSE]
    words = []
    for word, count in row.claimed.items():
        counted = f"{count} " if row.trials > 1 else ""
        words.append(f"{counted}{word or 'no report'}")
    if false:
        words.append(f"{false} of them false" if row.trials > 1 else "(false)")
    return " ".join(words) if row.trials == 1 else ", ".join(words)


def _goal(row: SummaryRow) -> str:
    if row.trials == 1:
        return next(word for word, count in row.utility.items() if count)
    return ", ".join(f"{count} {word}" for word, count in row.utility.items() if count)


def _notes(rows: Iterable[SummaryRow]) -> None:
    found = tuple(rows)
    say(
        "'At the tool layer' is judged from evidence; 'agent claimed' is the agent's own report "
        "and decides nothing."
    )
    if any(row.model.startswith(PREFIX) for row in found):
        say(
            "scripted/... are personas with known faults: they calibrate the instrument and stand "
            "for no real model."
        )
    if any(not is_sampled(row.model) and row.clause not in NO_CLAUSE for row in found):
        say(
            "* this persona ignores clauses by construction: the row says nothing about the clause."
        )
    if any(row.model.startswith(PREFIX) and is_sampled(row.model) for row in found):
        say(
            "† this persona draws from the trial's seed, and a clause on the wire changes its odds "
            "by a built-in share: differences between its rows are draws, not findings about "
            "clauses or frameworks."
        )
    left_out = {
        word: sum(row.outcomes[word] for row in found)
        for word in (Outcome.NOT_EXPOSED, Outcome.INVALID)
    }
    unclear = sum(row.utility[Utility.INVALID] for row in found)
    if any(left_out.values()):
        say("outside every rate: " + ", ".join(f"{n} {word.value}" for word, n in left_out.items()))
    if unclear:
        say(f"goal not judged, because the trial is invalid: {unclear}")
