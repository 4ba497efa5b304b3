"""Evidence: all that is known of one trial, and nothing that is thought of it.

Written by the worker (journal) and completed by the runner (recording); read by ``ledgers``.
No clock, host, port, version or exception text stands here, so equal runs give equal bytes.
"""

from dataclasses import dataclass, field
from typing import Any

from grid.strict import LATER
from grid.vocabulary import Cause, Status, Verdict, Witness

EVIDENCE_FORMAT = 1

type Tables = dict[str, dict[str, Any]]
"""table -> key -> row (a JSON object)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialId:
    """Coordinates of one trial; joined by ``/`` they are its name everywhere."""

    scenario: str
    """Scenario id; the benign twin's ends in ``.benign``."""
    framework: str
    """Adapter name."""
    model: str
    """Model id, such as ``scripted/honest``."""
    clause: str
    """Clause id."""
    guards: str
    """Guard setting."""
    language: str
    """``en`` or ``ja``."""
    number: int
    """Repetition, from 0."""

    def __str__(self) -> str:
        """Return the coordinates joined by ``/``."""
        parts = (self.scenario, self.framework, self.model, self.clause, self.guards)
        return "/".join((*parts, self.language, str(self.number)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Touch:
    """A kind of effect on a resource; what terminal refusals are matched by."""

    resource: str
    """Resource id, such as ``drawing/circle/c3``."""
    effect: str
    """Kind of effect, such as ``erase``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Answer of a guard, of the world or of the tool layer to one call."""

    verdict: Verdict
    """allow or refuse."""
    by: str = ""
    """Guard id, ``world`` or ``toollayer``."""
    reason: str = ""
    """Why, in a sentence."""
    terminal: bool = False
    """Outside the user's authority: no second route is allowed."""
    next: str = ""
    """The next step allowed."""
    actionable: bool = False
    """The agent can put it right by itself: what `next` says leads to the user's goal."""
    rolled_back: bool = False
    """The call had begun to change something, and all of it was taken back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallError:
    """Why a call did not succeed."""

    code: str
    """unknown_tool, malformed_arguments, invalid_arguments, not_handed_over, harness_fault, or the
    tool's own."""
    message: str
    """A sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """One change of one row."""

    seq: int
    """Position in the trial, from 0."""
    call: int
    """`seq` of the call that made it."""
    table: str
    """Table name."""
    key: str
    """Row key."""
    before: dict[str, Any] | None
    """Row before; None: it was not there."""
    after: dict[str, Any] | None
    """Row after; None: it is gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRecord:
    """One tool call, with its arguments in three forms, because frameworks alter them."""

    seq: int
    """Position in the journal, from 0."""
    turn: int
    """Number of the model answer that asked for it, from 1; 0 without a wire."""
    wire_id: str
    """Provider's id of the call, as announced on the wire; empty without a wire."""
    receipt: str
    """Id that the tool layer issued and showed to the agent."""
    tool: str
    """Tool name as the framework handed it over."""
    wire_tool: str
    """Tool name as announced on the wire; empty if no announced call fits."""
    raw_arguments: str | None
    """Argument text as announced on the wire; None if no announced call fits."""
    parsed: Any
    """What the framework handed over; None if it handed nothing over."""
    executed: Any
    """Arguments that the tool ran with; None if it did not run."""
    touches: tuple[Touch, ...]
    """What the call would affect, resolved against the world before it ran."""
    decision: Decision
    """Allowed, or refused by whom and why."""
    result: Any
    """What the tool returned; None if it did not run or failed."""
    delivered: str
    """Text that went back to the agent; empty if nothing did."""
    error: CallError | None
    """Why it did not succeed."""
    effects: tuple[Effect, ...]
    """Changes it made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStart:
    """Where one session of a trial begins: a message of the user's."""

    user_text: str
    """The user's words."""
    call: int
    """Number of calls before it."""
    turn: int
    """Number of model answers before it that can hold calls: the first one of this session is one
    more."""
    answers: int
    """Number of model answers before it, errors among them."""
    rewound: int | None = None
    """`seq` of the call right after whose result the conversation of the session before goes on;
    None: the conversation is a new one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """An operation that a principal approved or denied."""

    id: str
    """Approval id."""
    call: int
    """`seq` of the call that asked for it; where a framework's approval step asked, of the last
    call before (-1: there was none)."""
    operation: dict[str, Any]
    """The operation as shown to the principal."""
    digest: str
    """Digest of the canonical operation."""
    principal: str
    """Who decided."""
    granted: bool
    """The decision."""
    expires: int
    """Logical clock after which it is void."""
    told: bool | None = None
    """What the framework's approval step was told in place of `granted`, where it asked: another
    answer is one that came to the wrong question. None: a tool asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """An operation that reached its sink and that the policy wants approved."""

    call: int
    """`seq` of the call that delivered it."""
    operation: dict[str, Any]
    """The operation as delivered."""
    digest: str
    """Digest of the canonical operation."""
    approval: str
    """Approval id that it was delivered under; empty: none."""
    principal: str
    """On whose approval it claims to rest."""
    clock: int
    """Logical clock at delivery."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingRef:
    """The wire recording of a trial, by digest."""

    digest: str
    """Digest of the canonical exchanges."""
    count: int
    """Number of exchanges."""
    complete: bool
    """Every request has its answer and the recorder never failed."""
    reason: str = ""
    """Why it is not complete: one of the recorder's fixed words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TamperedAnswer:
    """A model answer that a planted fault changed, where no wire recorded it."""

    number: int
    """Number of the answer in its trial, from 1."""
    sent: str
    """Body as the provider sent it."""
    status: int
    """HTTP status as the agent got it."""
    received: str
    """Body as the agent got it."""
    cut: bool
    """The body broke off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TamperedResult:
    """A tool result that a planted fault changed on its way to the model, without a wire.

    The tool layer's own text stands with its call.
    """

    call: int
    """`seq` of the call that it answers."""
    received: str
    """Text as the model got it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Journal:
    """What the worker knows of a trial: the tool layer's side."""

    status: Status
    """How the run ended."""
    cause: Cause | None
    """Who is answerable when it ended badly."""
    system_text: str | None
    """System prompt with the clause, as handed to the framework."""
    sessions: tuple[SessionStart, ...]
    """The sessions that were begun, in order."""
    before: Tables
    """World before."""
    after: Tables
    """World after."""
    calls: tuple[CallRecord, ...]
    """Every call, in order."""
    approvals: tuple[Approval, ...]
    """Approvals, in order."""
    deliveries: tuple[Delivery, ...]
    """Deliveries, in order."""
    restores: tuple[int, ...]
    """`seq` of the first call after each checkpoint restore; a session that goes on from an earlier
    point of the conversation is one."""
    answers: int
    """Model answers that the adapter's client saw."""
    final_text: str
    """The agent's last words: UNVERIFIED."""
    tampered: tuple[TamperedAnswer, ...] = ()
    """Without a wire: the answers that a planted fault changed. With one, the recording holds both
    versions of each, and nothing stands here."""
    native: bool = False
    """The framework ran with its own defaults: prompt templates, schemas, retries and limits of its
    own. What it tells the model is then its way of working; what it makes of calls is not."""
    injected: tuple[TamperedResult, ...] = field(default=(), metadata=LATER)
    """Without a wire: the tool results that a planted fault changed. With one, the recording holds
    both versions of each request, and nothing stands here."""

    @property
    def user_text(self) -> str:
        """The user's words in all sessions, a line break between them."""
        return "\n".join(start.user_text for start in self.sessions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """All that is known of one trial."""

    format: int
    """EVIDENCE_FORMAT."""
    trial: TrialId
    """Coordinates."""
    seed: str
    """Hex seed of the trial; canaries derive from it."""
    scenario: str
    """Digest of the scenario."""
    clause_text: str
    """Text of the clause; empty for none."""
    witness: Witness
    """What the evidence rests on."""
    journal: Journal
    """The tool layer's side."""
    recording: RecordingRef | None
    """The wire's side; None for witness `journal`."""
