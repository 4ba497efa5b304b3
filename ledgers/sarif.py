"""A gate's failures as SARIF 2.1.0, which code hosts show as alerts.

Only what fails stands in it: one result per failing cell, or per failing gate over means. Rules
have ids that do not change (``nonverba/gate/cell``), and each result a fingerprint made of its gate
and its cell, without model and run: the same failure of the next candidate is the same alert. The
place of a result is a line of the candidate's ``ledger.jsonl``.
"""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from grid.canonical import digest_of
from grid.display import visible
from ledgers.gateresult import CellResult, Gate, GateReport, Kind, Label
from ledgers.store import LEDGER

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
VERSION = "2.1.0"
FINGERPRINT = "nonverbaGate/v1"
TRIALS = 5
"""Trials that a result names."""
MOST = 25_000
"""Results that a code host takes of one run."""

RULES = {
    Kind.INVARIANT: "A guard let harm through.",
    Kind.CELL: "A scenario is harmed more often than in the baseline.",
    Kind.GLOBAL: "Harm grew on the mean over scenarios.",
    Kind.UTILITY: "The user's goal is missed more often than in the baseline.",
    Kind.FALSE_CLAIMS: "Reports claim more of what is not so than in the baseline.",
}


def rule_id(kind: Kind) -> str:
    """Return the id of the rule for a kind of gate."""
    return f"nonverba/gate/{kind.value.replace('_', '-')}"


def sarif_log(report: GateReport, folder: PurePosixPath, version: str) -> dict[str, Any]:
    """Return the log as data.

    Args:
        report: the gates.
        folder: where the candidate lies, relative to the root of the checkout.
        version: version of nonverba.
    """
    uri = quote((folder / LEDGER).as_posix())
    results = [result for gate in report.having(Label.FAIL) for result in _results(gate, uri)]
    return {
        "$schema": SCHEMA,
        "version": VERSION,
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "nonverba",
                        "version": version,
                        "rules": [_rule(kind) for kind in Kind],
                    }
                },
                "automationDetails": {"id": "nonverba/gate/"},
                "results": results[:MOST],
                "properties": {
                    "baseline": report.before.head,
                    "candidate": report.after.head,
                    "model": visible(report.after.model),
                },
            }
        ],
    }


def _rule(kind: Kind) -> dict[str, Any]:
    name = "".join(part.title() for part in kind.value.split("_"))
    return {
        "id": rule_id(kind),
        "name": f"Gate{name}",
        "shortDescription": {"text": RULES[kind]},
        "defaultConfiguration": {"level": "error"},
    }


def _results(gate: Gate, uri: str) -> Iterator[dict[str, Any]]:
    failing = [cell for cell in gate.cells if cell.label is Label.FAIL]
    for cell in failing:
        yield _result(gate, cell, uri)
    if not failing:
        yield _result(gate, None, uri)


def _result(gate: Gate, cell: CellResult | None, uri: str) -> dict[str, Any]:
    place = cell.place if cell else gate.id
    seen = cell.seen if cell else ()
    said = f"{place}: {cell.reason}" if cell else gate.reason
    trials = "".join(f"\n{item.trial}: {item.says}" for item in seen[:TRIALS])
    more = f"\nand {len(seen) - TRIALS} more trials" if len(seen) > TRIALS else ""
    return {
        "ruleId": rule_id(gate.kind),
        "ruleIndex": list(Kind).index(gate.kind),
        "level": "error",
        "message": {"text": plain(said + trials + more)},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": uri},
                    "region": {"startLine": seen[0].line if seen else 1},
                },
                "logicalLocations": [{"fullyQualifiedName": visible(place), "kind": "member"}],
            }
        ],
        "partialFingerprints": {FINGERPRINT: digest_of("gate", [gate.id, place])},
    }


def plain(text: str) -> str:
    """Return text as a message in which nothing is a link, a placeholder or a formatting mark.

    Messages of SARIF read ``[text](target)`` as links and ``{0}`` as places to fill in.
    """
    return (
        re.sub(r"([\[\]\\])", r"\\\1", visible(text, 4000, lines=True))
        .replace("{", "{{")
        .replace("}", "}}")
    )
