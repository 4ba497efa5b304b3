"""Cells and pairs for the gate's tests, made of entries by counts of what came of their trials."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from grid.canonical import digest
from grid.evidence import TrialId
from grid.scenario import TWIN_SUFFIX
from grid.vocabulary import Alarm, ClaimState, Outcome, Status, Utility
from ledgers.adjudicate import Funnel
from ledgers.comparable import Cell, Counted, has_report
from ledgers.entries import TrialEntry
from ledgers.gate import judge
from ledgers.gatepairs import Pair, total
from ledgers.gateplan import planned
from ledgers.gateresult import GateReport, Side, Terms
from ledgers.summary import summarise

OLD, NEW = "real/old", "real/new"
TERMS = Terms(margin=0.05, alpha=0.05)


@dataclass(frozen=True, slots=True, kw_only=True)
class Came:
    """What came of the trials of one cell."""

    trials: int = 20
    """All of them."""
    bad: int = 0
    """Compromised; on a twin, the goal was missed."""
    attempted: int = 0
    """Attempted and refused."""
    unexposed: int = 0
    """The attack never arrived."""
    invalid: int = 0
    """Invalid."""
    false: int = 0
    """Reports that are not so."""


def entries(cell: TrialId, came: Came) -> tuple[TrialEntry, ...]:
    """Return the entries of a cell's trials, the bad ones first."""
    twin = cell.scenario.endswith(TWIN_SUFFIX)
    words = [Outcome.COMPROMISED] * came.bad
    words += [Outcome.ATTEMPTED] * came.attempted + [Outcome.NOT_EXPOSED] * came.unexposed
    words += [Outcome.INVALID] * came.invalid
    words += [Outcome.RESISTED] * (came.trials - len(words))
    return tuple(
        _entry(cell, number, word, twin=twin, false=number < came.false)
        for number, word in enumerate(words)
    )


def _entry(cell: TrialId, number: int, word: Outcome, *, twin: bool, false: bool) -> TrialEntry:
    invalid = word is Outcome.INVALID
    missed = twin and word is Outcome.COMPROMISED
    claim = ClaimState.FALSE if false else ClaimState.SUPPORTED
    trial = TrialId(
        scenario=cell.scenario, framework=cell.framework, model=cell.model, clause=cell.clause,
        guards=cell.guards, language=cell.language, number=number,
    )  # fmt: skip
    return TrialEntry(
        trial=trial, seed="00", scenario="00", evidence=digest("test", str(trial).encode()),
        recording=None, status=Status.COMPLETED, cause=None, verdicts=(),
        outcome=None if twin else word,
        utility=Utility.INVALID if invalid else Utility.NOT_DONE if missed else Utility.DONE,
        alarm=Alarm.QUIET if twin else None,
        claim=ClaimState.INVALID if invalid else claim,
        funnel=Funnel(exposed=True, proposed=False, executed=False, delivered=False,
                      claimed="" if invalid else "done"),
    )  # fmt: skip


def place(scenario: str = "a", **more: Any) -> TrialId:
    """Return where a cell stands."""
    given = {"framework": "strands", "model": OLD, "clause": "none", "guards": "off"} | more
    return TrialId(scenario=scenario, language="en", number=0, **given)


def cell(of: TrialId, came: Came) -> Cell:
    """Return one cell."""
    found = entries(of, came)
    (row,) = summarise(found)
    return Cell(
        scenario=of.scenario, framework=of.framework, model=of.model, clause=of.clause,
        guards=of.guards, language=of.language, digest="00",
        twin=of.scenario.endswith(TWIN_SUFFIX), row=row, reported=sum(map(has_report, found)),
    )  # fmt: skip


def pair(scenario: str, before: Came, after: Came, **more: Any) -> Pair:
    """Return one cell on both sides.

    Args:
        scenario: its id; that of a twin ends in ``.benign``.
        before: what came of the baseline's trials.
        after: what came of the candidate's.
        more: other coordinates.
    """
    old, new = place(scenario, **more, model=OLD), place(scenario, **more, model=NEW)
    return Pair(
        before=cell(old, before), after=cell(new, after),
        entries=tuple(enumerate(entries(new, after), 2)),
    )  # fmt: skip


def many(before: Iterable[int], after: Iterable[int], trials: int = 20) -> tuple[Pair, ...]:
    """Return one attack per pair of counts, guards off."""
    return tuple(
        pair(f"s{number:02}", Came(trials=trials, bad=old), Came(trials=trials, bad=new))
        for number, (old, new) in enumerate(zip(before, after, strict=True))
    )


def sides(pairs: Iterable[Pair]) -> tuple[Side, Side]:
    """Return both sides of pairs."""
    found = tuple(pairs)
    return _side(OLD, [item.before for item in found]), _side(NEW, [item.after for item in found])


def _side(model: str, cells: list[Cell]) -> Side:
    exposure = total(item.exposure for item in cells if item.at_stake)
    return Side(
        model=model, head=model[-1] * 64, failed=total(item.failed for item in cells),
        exposure=exposure or Counted(hits=0, eligible=0),
    )  # fmt: skip


def report(pairs: Iterable[Pair], terms: Terms = TERMS, limited: Iterable[str] = ()) -> GateReport:
    """Return what the gates say; in `limited` scenarios no guard is known to hold."""
    found = tuple(pairs)
    plan = planned([item.before for item in found], limited)
    return judge(sides(found), found, plan, terms)


def answers(found: GateReport) -> dict[str, str]:
    """Return gate -> label."""
    return {gate.id: gate.label.value for gate in found.gates}
