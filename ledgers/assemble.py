"""From a journal and the recorder's lines to the evidence of one trial, in canonical bytes.

Runs when a trial has ended, outside proxy and worker. A recording that is missing or incomplete, or
an exchange that cannot be decoded, becomes a fixed word in the evidence; what the words mean and
where exactly it went wrong is for people and is never hashed.
"""

from dataclasses import dataclass, replace

from grid.canonical import MAX_BYTES, canonical, digest
from grid.evidence import EVIDENCE_FORMAT, Evidence, Journal, RecordingRef, TrialId
from grid.strict import to_json
from grid.vocabulary import Witness
from ledgers.decoded import troubles
from proxy.wire.exchange import Exchange, Gap, exchange_lines
from proxy.wire.partial import read_partial

MISSING = "missing"
"""The proxy handed over no recording."""
PROXY_FAILED = "proxy_failed"
"""The proxy says that something went wrong, and its lines do not say what."""
UNDECODABLE = "undecodable"
"""An exchange can be read in no way, or in more than one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialFacts:
    """What the runner knows of a trial beside its journal."""

    trial: TrialId
    """Coordinates."""
    seed: str
    """Hex seed."""
    scenario: str
    """Digest of the scenario."""
    clause_text: str
    """Text of the clause; empty for none."""
    witness: Witness
    """What the evidence rests on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wired:
    """What the proxy handed over when it closed a trial."""

    raw: bytes
    """The recorder's lines."""
    complete: bool
    """The proxy says that nothing is missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembled:
    """One trial, ready to be kept."""

    evidence: Evidence
    """The evidence."""
    evidence_bytes: bytes
    """Its canonical bytes."""
    recording_bytes: bytes | None
    """Canonical bytes of the exchanges; None without a wire."""
    detail: str
    """A sentence about an incomplete recording, for people; never hashed."""
    exchanges: tuple[Exchange, ...] = ()
    """What the recording holds."""


def assemble(facts: TrialFacts, journal: Journal, wired: Wired | None) -> Assembled:
    """Put the evidence of one trial together.

    Args:
        facts: what the runner knows of the trial.
        journal: the worker's side.
        wired: the proxy's side; None without a wire, or if the proxy handed nothing over.
    """
    if facts.witness is Witness.JOURNAL:
        return _assembled(facts, journal, None, None, "")
    raw = wired.raw if wired is not None else b""
    recording = read_partial(raw)
    exchanges, data = recording.exchanges, exchange_lines(recording.exchanges)
    reason, detail = "", recording.detail
    if wired is None:
        reason, detail = MISSING, "the proxy handed over no recording"
    elif len(data) > MAX_BYTES:  # no pack takes it: the trial is invalid, and the run goes on
        reason, detail = Gap.TOO_LARGE.value, f"a recording of {len(data)} bytes is not kept"
        exchanges, data = (), b""
    elif recording.reason is not None:
        reason = recording.reason.value
    elif not wired.complete:
        reason, detail = PROXY_FAILED, "the proxy says that the recording is not complete"
    elif trouble := next(troubles(recording.exchanges), ""):
        reason, detail = UNDECODABLE, trouble
    reference = RecordingRef(
        digest=digest("recording", data),
        count=len(exchanges),
        complete=not reason,
        reason=reason,
    )
    return replace(_assembled(facts, journal, reference, data, detail), exchanges=exchanges)


def _assembled(
    facts: TrialFacts,
    journal: Journal,
    reference: RecordingRef | None,
    data: bytes | None,
    detail: str,
) -> Assembled:
    evidence = Evidence(
        format=EVIDENCE_FORMAT,
        trial=facts.trial,
        seed=facts.seed,
        scenario=facts.scenario,
        clause_text=facts.clause_text,
        witness=facts.witness,
        journal=journal,
        recording=reference,
    )
    return Assembled(
        evidence=evidence,
        evidence_bytes=canonical(to_json(evidence)),
        recording_bytes=data,
        detail=detail,
    )
