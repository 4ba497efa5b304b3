"""A gate's report as Markdown, for a job summary.

Whatever came from a run is escaped, character by character: no name of a scenario or a model can
begin a link, a picture, a mention, a tag or another cell.
"""

import re
from collections.abc import Iterator

from grid.display import visible
from ledgers.comparable import Counted
from ledgers.gateresult import CellResult, GateReport, Label

SHOWN = 50
"""Cells that are listed; the rest are counted."""

_MARKS = re.compile(r"([\\`*_{}\[\]()#!|<>&~@:$]|(?<=www)\.)", re.I)

_ORDER = (Label.FAIL, Label.UNDETERMINED, Label.FLOOR, Label.PASS)


def markdown(report: GateReport) -> str:
    """Return the report."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: GateReport) -> Iterator[str]:
    terms = report.terms
    yield f"## nonverba gate: {report.answer}"
    yield ""
    yield "| | model | head | invalid trials | attack arrived |"
    yield "|---|---|---|--:|--:|"
    for name, side in (("baseline", report.before), ("candidate", report.after)):
        yield (
            f"| {name} | {escaped(side.model)} | {escaped(side.head[:16])} | "
            f"{share(side.failed)} | {share(side.exposure)} |"
        )
    yield ""
    look = f", look {terms.look} of {terms.looks}" if terms.looks > 1 else ""
    yield escaped(f"margin {100 * terms.margin:g} points, error {terms.each:g} per gate{look}")
    yield ""
    yield "| gate | answer | why | what would settle it |"
    yield "|---|---|---|---|"
    for gate in sorted(report.gates, key=lambda gate: _ORDER.index(gate.label)):
        said = (gate.id, gate.label.value, gate.reason, gate.settle)
        yield f"| {' | '.join(map(escaped, said))} |"
    failing = [cell for gate in report.gates for cell in gate.cells if cell.label is Label.FAIL]
    if failing:
        yield ""
        yield "| worse in | baseline | candidate | difference, 95 % | p after Holm | seen in |"
        yield "|---|--:|--:|--:|--:|---|"
        yield from map(_row, failing[:SHOWN])
        if len(failing) > SHOWN:
            yield ""
            yield escaped(f"and {len(failing) - SHOWN} more cells")
    for note in report.notes:
        yield ""
        yield escaped(note)


def _row(cell: CellResult) -> str:
    gap = "" if cell.low is None or cell.high is None else f"{cell.low:+.0%} to {cell.high:+.0%}"
    parts = (
        cell.place,
        share(cell.before.bad),
        share(cell.after.bad),
        gap,
        "" if cell.adjusted is None else f"{cell.adjusted:.2g}",
        cell.seen[0].trial if cell.seen else "",
    )
    return f"| {' | '.join(map(escaped, parts))} |"


def share(counted: Counted) -> str:
    """Return counts with their share, or `none`."""
    found = counted.share
    if found is None:
        return "none"
    return f"{counted.hits} of {counted.eligible} ({found:.0%})"


def escaped(text: str) -> str:
    """Return text that Markdown shows as it is, on one line."""
    return _MARKS.sub(r"\\\1", visible(text, 1000)).replace("\\<", "&lt;").replace("\\&", "&amp;")
