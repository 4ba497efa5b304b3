"""What `nonverba show` prints of one trial: the claim, UNVERIFIED, then what the evidence says.

What happened beside the calls stands above the tool journal: sessions, restores, approvals,
deliveries, and both versions of each model answer that a planted fault changed on its way.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from grid.canonical import text_json
from grid.catalogue import WORLDS
from grid.cli.console import say, show_table
from grid.cli.odd import odd_lines
from grid.display import visible
from grid.evidence import CallRecord, Evidence, Journal
from grid.registry import load, module_names
from grid.report import REPORT
from grid.report import TABLE as REPORTS
from grid.strict import to_json
from grid.tampering import OK
from grid.vocabulary import Verdict
from grid.wirecall import wire_calls, wire_model
from ledgers.adjudicate import Judgement
from ledgers.conversation import text_of
from ledgers.marker import marked, markers_in
from ledgers.oddities import Oddity, oddities
from ledgers.reading import UNFIT
from proxy.wire.answer import Asked
from proxy.wire.exchange import Exchange, Response, body_bytes, read_exchanges
from proxy.wire.protocol import decode_request

BODY = 1200
"""Characters of a model answer that a table cell shows."""
CELL = 160
"""Characters of a value that a table cell shows."""


def show_trial(
    evidence: Evidence,
    found: Judgement,
    *,
    closed_book: bool = False,
    recording: bytes | None = None,
    world: str = "",
    planted: Sequence[str] = (),
) -> None:
    """Print one trial.

    Args:
        evidence: what is known of it.
        found: what the rules say.
        closed_book: the caller declared that no tool call is needed.
        recording: canonical bytes of its recording, where there is one.
        world: name of its world; empty: nothing informational is asked of it.
        planted: what the run plants on the wire of every trial, in words.

    Raises:
        StrictError: the recording does not read.
        CanonicalError: the recording is not strict JSON.
    """
    journal = evidence.journal
    _show_head(evidence, planted)
    say("--- What the agent claims (UNVERIFIED) ---")
    for line in _claims(evidence):
        say(visible(line, 600))
    say(f"markers: {_markers(evidence, closed_book)} (informational, never a verdict)")
    say()
    say("--- What the evidence says ---")
    _show_verdicts(found)
    for name, value in _informational(evidence, world).items():
        say(f"{name}: {visible(str(value), CELL)} (informational, never a verdict)")
    for line in _course(journal):
        say(visible(line))
    _show_approvals(journal)
    _show_planted(evidence, recording)
    show_table(
        "tool journal",
        ("call", "turn", "tool", "on the wire", "executed", "answer", "effects"),
        [_row(call) for call in journal.calls],
    )
    _show_recording(evidence)
    for line in odd_lines(_odd(recording)):
        say(line)


def _show_verdicts(found: Judgement) -> None:
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


def _show_recording(evidence: Evidence) -> None:
    if evidence.recording is not None:
        kept = evidence.recording
        state = "complete" if kept.complete else f"incomplete: {visible(kept.reason)}"
        digest = visible(kept.digest[:16])
        say(f"recording: {kept.count} exchanges, {state}, digest {digest}")


def _odd(recording: bytes | None) -> tuple[Oddity, ...]:
    return oddities(read_exchanges(recording or b""))


def _informational(evidence: Evidence, world: str) -> dict[str, Any]:
    """Return what a world counts of a trial for people; evidence made by others may fit nothing."""
    if world not in module_names(WORLDS):
        return {}
    count = getattr(load(WORLDS, world, "world"), "INFORMATIONAL", None)
    if count is None:
        return {}
    try:
        told: dict[str, Any] = count(evidence.journal.calls, evidence.journal.before)
    except UNFIT:
        return {}
    return told


def _show_head(evidence: Evidence, planted: Sequence[str]) -> None:
    journal = evidence.journal
    say(f"trial    {visible(str(evidence.trial))}")
    cause = f" (cause: {journal.cause.value})" if journal.cause else ""
    say(f"ended    {journal.status.value}{cause}")
    say(f"witness  {evidence.witness.value}")
    if journal.native:
        say("profile  native: the framework ran with its own defaults, templates and retries")
    for fault in planted:
        say(f"tampered by the run itself: {fault}")
    say(f"asked    {visible(journal.sessions[0].user_text if journal.sessions else '')}")
    clause = evidence.clause_text or "(none)"
    say(f"clause   {visible(clause)}")
    say()


def trial_json(
    evidence: Evidence,
    found: Judgement,
    *,
    closed_book: bool = False,
    recording: bytes | None = None,
) -> dict[str, Any]:
    """Return the same as data; the claim stays under a key that says what it is worth."""
    return {
        "trial": str(evidence.trial),
        "UNVERIFIED": _claims(evidence),
        "markers": _markers(evidence, closed_book),
        "judgement": to_json(found),
        "oddities": len(_odd(recording)),
        "evidence": to_json(evidence),
    }


def _course(journal: Journal) -> Iterator[str]:
    """Yield what happened between the calls, in sentences."""
    for number, start in enumerate(journal.sessions[1:], 2):
        where = (
            "in a new conversation"
            if start.rewound is None
            else f"from the conversation as it was right after call {start.rewound}"
        )
        yield (
            f"session {number} begins {_before(journal, start.call)}, {where}: {start.user_text}"
        )
    begun = {start.call for start in journal.sessions if start.rewound is not None}
    for call in journal.restores:
        if call not in begun:
            yield f"the agent was restored from a checkpoint {_before(journal, call)}"


def _before(journal: Journal, call: int) -> str:
    """Return a place between calls in words."""
    return f"before call {call}" if call < len(journal.calls) else "after the last call"


def _show_approvals(journal: Journal) -> None:
    rows = [
        (
            item.id,
            "before any" if item.call < 0 else str(item.call),
            item.principal,
            ("approved" if item.granted else "denied")
            + ("" if item.told in (None, item.granted) else " (the other word reached the agent)"),
            visible(text_json(item.operation), CELL),
        )
        for item in journal.approvals
    ]
    if rows:
        show_table("approvals", ("id", "call", "who", "decision", "operation shown"), rows)
    sent = [
        (
            str(item.call),
            item.approval or "(none)",
            item.principal or "-",
            visible(text_json(item.operation), CELL),
        )
        for item in journal.deliveries
    ]
    if sent:
        heads = ("call", "under approval", "on whose word", "operation that reached the sink")
        show_table("deliveries", heads, sent)


def _show_planted(evidence: Evidence, recording: bytes | None) -> None:
    """Show each answer that a planted fault changed: what the provider sent, what came."""
    rows: Sequence[tuple[str, str, str]] = [
        (str(item.number), item.sent, _arrived(item.status, item.received, cut=item.cut))
        for item in evidence.journal.tampered
    ]
    rows = rows or [_changed(each) for each in read_exchanges(recording or b"") if each.sent]
    cells = [(number, visible(_said(sent), BODY), visible(got, BODY)) for number, sent, got in rows]
    if cells:
        heads = ("answer", "as the provider sent it", "as the agent got it")
        show_table("model answers changed on their way (planted fault)", heads, cells)
    told = [*_told(evidence.journal), *_told_on_wire(recording)]
    if told:
        heads = ("call", "as the tool layer gave it", "as the model got it")
        shown = [(call, visible(gave, BODY), visible(got, BODY)) for call, gave, got in told]
        show_table("tool results changed on their way (planted fault)", heads, shown)


def _told(journal: Journal) -> Iterator[tuple[str, str, str]]:
    for item in journal.injected:
        for call in journal.calls[item.call : item.call + 1]:
            yield str(item.call), call.delivered, item.received


def _told_on_wire(recording: bytes | None) -> dict[tuple[str, str, str], None]:
    """Return each tool message that was changed, once: a request repeats those before it."""
    changed = [each for each in read_exchanges(recording or b"") if each.got is not None]
    pairs = (
        (asked, got)
        for each in changed
        for asked, got in zip(
            _messages(each), _messages(replace(each, request=each.forwarded)), strict=False
        )
    )
    return {
        (str(asked.get("tool_call_id")), _content(asked), _content(got)): None
        for asked, got in pairs
        if asked != got
    }


def _messages(exchange: Exchange) -> list[dict[str, Any]]:
    asked = decode_request(exchange)
    return list(asked.messages) if isinstance(asked, Asked) else []


def _content(message: dict[str, Any]) -> str:
    content = text_of(message.get("content"))
    return text_json(message.get("content")) if content is None else content


def _changed(exchange: Exchange) -> tuple[str, str, str]:
    got, sent = exchange.response, exchange.sent
    arrived = _arrived(got.status, _text(got), cut=exchange.error is not None) if got else "nothing"
    return str(exchange.n + 1), _text(sent) if sent else "", arrived


def _text(response: Response) -> str:
    return body_bytes(response.body).decode("utf-8", "replace")


def _arrived(status: int, body: str, *, cut: bool) -> str:
    """Return a body with what else the agent saw of its answer."""
    told = f"status {status}: " if status != OK else ""
    return told + (body if cut else _said(body)) + " (then the connection broke)" * cut


def _said(body: str) -> str:
    """Return model and calls of a whole completion, which is all that differs; else the body."""
    calls = wire_calls(body.encode())
    told = ", ".join(f"{call.name} {call.raw_arguments}" for call in calls)
    return f"model {wire_model(body.encode()) or '(not named)'}: {told}" if calls else body


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
