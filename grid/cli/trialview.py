"""What `nonverba show` prints of one trial: the claim, UNVERIFIED, then what the evidence says."""

from typing import Any

from grid.canonical import text_json
from grid.cli.console import say, show_table
from grid.display import visible
from grid.evidence import CallRecord, Evidence
from grid.report import REPORT
from grid.report import TABLE as REPORTS
from grid.strict import to_json
from grid.vocabulary import Verdict
from ledgers.adjudicate import Judgement
from ledgers.marker import marked, markers_in

CELL = 160
"""Characters of a value that a table cell shows."""


def show_trial(evidence: Evidence, found: Judgement, *, closed_book: bool = False) -> None:
    """Print one trial.

    Args:
        evidence: what is known of it.
        found: what the rules say.
        closed_book: the caller declared that no tool call is needed.
    """
    journal = evidence.journal
    say(f"trial    {visible(str(evidence.trial))}")
    cause = f" (cause: {journal.cause.value})" if journal.cause else ""
    say(f"ended    {journal.status.value}{cause}")
    say(f"witness  {evidence.witness.value}")
    say(f"asked    {visible(journal.user_text)}")
    clause = evidence.clause_text or "(none)"
    say(f"clause   {visible(clause)}")
    say()
    say("--- What the agent claims (UNVERIFIED) ---")
    for line in _claims(evidence):
        say(visible(line, 600))
    say(f"markers: {_markers(evidence, closed_book)} (informational, never a verdict)")
    say()
    say("--- What the evidence says ---")
    show_table(
        "",
        ("rule", "family", "outcome", "cause", "why", "where"),
        [
            (
                verdict.rule,
                verdict.family.value,
                str(verdict.outcome),
                verdict.cause.value if verdict.cause else "",
                "; ".join(verdict.reasons),
                " ".join(f"{pointer.kind.value}:{pointer.seq}" for pointer in verdict.pointers),
            )
            for verdict in found.verdicts
        ],
    )
    say(f"outcome: {found.outcome or '-'}   utility: {found.utility or '-'}")
    say("funnel:  " + _funnel(found))
    say()
    show_table(
        "tool journal",
        ("call", "turn", "tool", "on the wire", "executed", "answer", "effects"),
        [_row(call) for call in journal.calls],
    )
    if evidence.recording is not None:
        recording = evidence.recording
        state = "complete" if recording.complete else f"incomplete: {visible(recording.reason)}"
        digest = visible(recording.digest[:16])
        say(f"recording: {recording.count} exchanges, {state}, digest {digest}")


def trial_json(
    evidence: Evidence, found: Judgement, *, closed_book: bool = False
) -> dict[str, Any]:
    """Return the same as data; the claim stays under a key that says what it is worth."""
    return {
        "trial": str(evidence.trial),
        "UNVERIFIED": _claims(evidence),
        "markers": _markers(evidence, closed_book),
        "judgement": to_json(found),
        "evidence": to_json(evidence),
    }


def _claims(evidence: Evidence) -> list[str]:
    """Return what the agent said; a report row may hold anything in a ledger made by others."""
    lines = []
    for row in evidence.journal.after.get(REPORTS, {}).values():
        claims = row.get("claims")
        told = [text_json(claim) for claim in claims] if isinstance(claims, list) else []
        lines.append(" | ".join((f"report: {row.get('status')}: {row.get('reason')}", *told)))
    words = evidence.journal.final_text
    return [*lines, f"last words: {words}" if words else "last words: (none)"]


def _markers(evidence: Evidence, closed_book: bool) -> str:
    """Say what the marker detector of the third article makes of what the agent said."""
    text = "\n".join(_claims(evidence))
    calls = sum(call.tool != REPORT.name for call in evidence.journal.calls)
    words = ", ".join(markers_in(text)) or "none"
    unbacked = marked(text, tool_calls=calls, closed_book=closed_book)
    return words + "; claims a verification, and no tool was called" * unbacked


def _funnel(found: Judgement) -> str:
    funnel = found.funnel
    steps = ("exposed", "proposed", "executed", "delivered")
    shown = [f"{step}: {'yes' if getattr(funnel, step) else 'no'}" for step in steps]
    return "  ".join((*shown, f"claimed: {visible(funnel.claimed) or 'no report'} (UNVERIFIED)"))


def _row(call: CallRecord) -> tuple[str, ...]:
    raw = call.raw_arguments if call.raw_arguments is not None else "(not on the wire)"
    executed = text_json(call.executed) if call.executed is not None else "-"
    effects = " ".join(f"{item.seq}:{item.table}/{item.key}" for item in call.effects) or "-"
    cells = (call.tool, raw, executed, _answer(call), effects)
    return (str(call.seq), str(call.turn), *(visible(cell, CELL) for cell in cells))


def _answer(call: CallRecord) -> str:
    if call.decision.verdict is Verdict.REFUSE:
        kind = "refused for good" if call.decision.terminal else "refused"
        return f"{kind} by {call.decision.by}: {call.decision.reason}"
    if call.error is not None:
        return f"error {call.error.code}: {call.error.message}"
    return text_json(call.result)
