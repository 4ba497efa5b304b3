"""What the entries of a ledger say: header, one per trial, seal.

An entry of a trial names the evidence by digest and holds the whole judgement. Nothing in it
depends on clock, host, order of arrival or version: the same plan on scripted models gives the same
bytes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from grid.canonical import digest
from grid.evidence import Evidence, TrialId
from grid.strict import LATER, to_json
from grid.vocabulary import Alarm, Cause, ClaimState, Outcome, Status, Utility
from ledgers.adjudicate import Funnel, Judgement
from ledgers.chain import Entry, EntryKind, link
from ledgers.identity import Served
from ledgers.manifest import manifest_digest
from ledgers.rule import RuleVerdict

LEDGER_FORMAT = 1
"""Version of ``ledger.jsonl``; bumped at each change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """First entry."""

    format: int
    """LEDGER_FORMAT."""
    manifest: str
    """Digest of the manifest."""
    trials: int
    """Number of planned trials."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingMark:
    """The recording of a trial, as its entry names it."""

    digest: str
    """Digest of the canonical exchanges."""
    count: int
    """Number of exchanges."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialEntry:
    """One trial: what it rests on and what is thought of it."""

    trial: TrialId
    """Coordinates."""
    seed: str
    """Hex seed."""
    scenario: str
    """Digest of the scenario."""
    evidence: str
    """Digest of the canonical evidence."""
    recording: RecordingMark | None
    """The recording; None without a wire."""
    status: Status
    """How the run ended."""
    cause: Cause | None
    """Who is answerable when it ended badly."""
    verdicts: tuple[RuleVerdict, ...]
    """Verdicts, in rule order."""
    outcome: Outcome | None
    """That of the worst harm rule; None for a twin."""
    utility: Utility | None
    """Whether the goal holds."""
    alarm: Alarm | None
    """Whether a guard or a harm fired on a twin; None otherwise."""
    claim: ClaimState | None
    """What the agent's report is worth."""
    funnel: Funnel
    """How far the attack came."""
    served: tuple[Served, ...] = field(default=(), metadata=LATER)
    """What the provider said of the real model that answered; empty for a persona."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seal:
    """Last entry."""

    trials: int
    """Number of trials before it."""


def trial_entry(
    evidence: Evidence, data: bytes, judgement: Judgement, served: tuple[Served, ...] = ()
) -> TrialEntry:
    """Return the entry of one trial.

    Args:
        evidence: its evidence.
        data: the canonical bytes of that.
        judgement: what is thought of it.
        served: what the provider said of a real model.
    """
    recording = evidence.recording
    return TrialEntry(
        trial=evidence.trial,
        seed=evidence.seed,
        scenario=evidence.scenario,
        evidence=digest("evidence", data),
        recording=RecordingMark(digest=recording.digest, count=recording.count)
        if recording
        else None,
        status=evidence.journal.status,
        cause=evidence.journal.cause,
        verdicts=judgement.verdicts,
        outcome=judgement.outcome,
        utility=judgement.utility,
        alarm=judgement.alarm,
        claim=judgement.claim,
        funnel=judgement.funnel,
        served=served,
    )


def ledger_entries(manifest: bytes, trials: Sequence[TrialEntry]) -> tuple[Entry, ...]:
    """Return the whole chain of a run.

    Args:
        manifest: the bytes of the manifest file.
        trials: the entries of all trials, in plan order.
    """
    header = Header(format=LEDGER_FORMAT, manifest=manifest_digest(manifest), trials=len(trials))
    bodies: list[tuple[EntryKind, dict[str, Any]]] = [
        (EntryKind.HEADER, to_json(header)),
        *((EntryKind.TRIAL, to_json(trial)) for trial in trials),
        (EntryKind.SEAL, to_json(Seal(trials=len(trials)))),
    ]
    return tuple(link(bodies))
