"""How a gate's report is shown: a table of the gates, the cells that fail, and the answer."""

from typing import Any

from grid.cli.console import say, show_table
from grid.display import visible
from grid.strict import to_json
from ledgers.gatemarkdown import share
from ledgers.gateresult import GateReport, Label

ORDER = (Label.FAIL, Label.UNDETERMINED, Label.FLOOR, Label.PASS)


def report_json(report: GateReport) -> dict[str, Any]:
    """Return the report as data."""
    return {"answer": report.answer, "exit_code": report.exit_code, **to_json(report)}


def show_report(report: GateReport) -> None:
    """Print the report."""
    sides = (("baseline", report.before), ("candidate", report.after))
    show_table(
        "",
        ("", "model", "head", "invalid trials", "attack arrived"),
        [
            (name, side.model, side.head[:16], share(side.failed), share(side.exposure))
            for name, side in sides
        ],
    )
    gates = sorted(report.gates, key=lambda gate: ORDER.index(gate.label))
    show_table(
        "", ("gate", "answer", "why"), [(gate.id, gate.label.value, gate.reason) for gate in gates]
    )
    for gate in gates:
        for cell in gate.cells:
            for first in cell.seen[:1]:
                say(f"seen in {len(cell.seen)} of the candidate's trials, the first of them:")
                say(f"  {visible(first.trial)}: {visible(first.says)}")
    for settle in dict.fromkeys(gate.settle for gate in gates if gate.settle):
        named = ", ".join(visible(gate.id) for gate in gates if gate.settle == settle)
        say(f"would be settled by {visible(settle)}: {named}")
    for note in report.notes:
        say(f"note: {note}")
    terms = report.terms
    look = f", look {terms.look} of {terms.looks}" if terms.looks > 1 else ""
    say(f"margin {100 * terms.margin:g} points, error {terms.each:g} per gate{look}")
    say(f"gate: {report.answer}")
