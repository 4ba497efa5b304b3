"""One trial inside a worker: sets up world and tool layer, drives the adapter, keeps the journal.

This is what an adapter is given. It knows the scenario's harm and goal no better than the adapter
does: the run does not know the verdict.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from grid.adapter import Adapter, AgentSession, Asked, Delivered, Ended, ToolSpec, runs_native
from grid.canonical import scrub_text
from grid.catalogue import scenario, tools_of
from grid.clauses import clause_for
from grid.evidence import Journal, SessionStart, TamperedAnswer, TamperedResult, TrialId
from grid.guards import all_guards
from grid.guardsetting import read_setting
from grid.scenario import Tamper, resolve
from grid.system import BASE
from grid.tampering import Tampering, planted_in
from grid.toollayer import LayerSettings, ToolLayer
from grid.vocabulary import Cause, Status
from grid.wirecall import same_model, wire_calls, wire_model

TEXT_LIMIT = 200_000
"""Characters of last words that are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialSpec:
    """What a worker is told about one trial."""

    trial: TrialId
    """Coordinates."""
    seed: str
    """Hex seed."""
    names: int
    """Names seed; 0 outside `check`."""
    base_url: str
    """Base URL of the model API; empty for the `scripted` adapter."""
    api_key: str
    """Virtual key; empty for the `scripted` adapter."""
    wire_model: str
    """Model name on the wire."""
    timeout_s: float
    """Seconds for one model call."""
    trial_timeout_s: float
    """Seconds for the whole trial."""
    tamper: tuple[Tamper, ...] = ()
    """What the run plants on the wire of every trial; where there is one, the proxy does it."""
    sampling: dict[str, Any] = field(default_factory=dict)
    """What goes into each request beside messages and tools, such as a temperature."""


class Session:
    """One trial, as an adapter sees it, session by session."""

    def __init__(self, spec: TrialSpec) -> None:
        """Build the world, the tool layer and the prompts; the first session begins."""
        of = scenario(spec.trial.scenario, spec.names)
        trial = spec.trial
        self.spec = spec
        self.turns = of.turns
        self.user_text: str = self._words(1)
        clause = clause_for(trial.clause, trial.language)
        self.system_text = clause.system_text(BASE[trial.language], spec.seed)
        tools = tools_of(of)
        setting = read_setting(trial.guards)
        self.layer = ToolLayer(
            LayerSettings(
                seed=spec.seed,
                tables=resolve(of.tables, spec.seed),
                tools=tools,
                guards=tuple(guard for guard in all_guards() if setting.asks(guard.id)),
                stops=setting.stops,
                policy=resolve(of.policy, spec.seed),
                user_text=self.user_text,
                turn_limit=of.turn_limit,
                oversight=of.approvals,
                results=clause.results,
                language=trial.language,
            )
        )
        self.tools: tuple[ToolSpec, ...] = self.layer.specs()
        self.base_url = spec.base_url
        self.api_key = spec.api_key
        self.model = spec.wire_model
        self.sampling = spec.sampling
        self.turn_limit = of.turn_limit
        self.timeout_s = spec.timeout_s
        self.answers = 0
        self.tampering = Tampering(planted_in(of, spec.seed, spec.tamper), spec.seed)
        self.tampered: list[TamperedAnswer] = []
        self.injected: list[TamperedResult] = []
        self.starts = [SessionStart(user_text=self.user_text, call=0, turn=0, answers=0)]
        self.overseen = of.approvals.tools if of.approvals else ()
        self.restorable = bool(of.crash_points) or any(turn.rewind for turn in of.turns)
        self.checkpoint: Any = None
        self._crashes = list(of.crash_points)
        self._kept: tuple[int, object] | None = None
        self._after = 0
        self._rewind = self._awaited()

    @property
    def number(self) -> int:
        """Number of the session, from 1."""
        return len(self.starts)

    def next_session(self) -> bool:
        """Begin the next session; False: there is none."""
        if self.number == len(self.turns):
            return False
        layer, kept = self.layer, self._kept
        self.user_text = self._words(self.number + 1)
        layer.begin_session(self.user_text)
        rewound, self.checkpoint = kept if kept is not None else (None, None)
        self.starts.append(
            SessionStart(
                user_text=self.user_text,
                call=len(layer.calls),
                turn=layer.turn,
                answers=self.answers,
                rewound=rewound,
            )
        )
        if rewound is not None:
            layer.restored()
        self._kept, self._rewind = None, self._awaited()
        return True

    def _words(self, number: int) -> str:
        prompt = resolve(self.turns[number - 1].prompt, self.spec.seed)
        words: str = prompt[self.spec.trial.language]
        return words

    def _awaited(self) -> str:
        """Return the tool after whose first result the next session wants to go on, if any."""
        following = self.turns[self.number : self.number + 1]
        return following[0].rewind if following else ""

    @property
    def halted(self) -> bool:
        """A terminal refusal has ended this run."""
        return self.layer.halted

    def model_answered(self, status: int, body: bytes) -> None:
        """Announce the calls of a model answer to the tool layer."""
        self.answers += 1
        if status == 200:  # an error answer announces nothing; its turn counts all the same
            as_requested = same_model(self.model, wire_model(body))
            self.layer.announce(wire_calls(body), as_requested)

    def call(self, *, name: str, arguments: object, call_id: str | None) -> Delivered:
        """Run one tool call; the only door to the world."""
        delivered = self.layer.call(name=name, arguments=arguments, call_id=call_id)
        if delivered.is_error:
            return delivered
        crash = name in self._crashes
        if crash:
            self._crashes.remove(name)
        keep = name == self._rewind and not crash
        if keep:
            self._rewind = ""
            self._after = len(self.layer.calls) - 1
        return replace(delivered, crash=crash, keep=keep)

    def keep(self, checkpoint: object) -> None:
        """Keep an adapter's checkpoint for the next session."""
        self._kept = (self._after, checkpoint)

    def restored(self) -> None:
        """Note in the journal that the agent was sent back."""
        self.layer.restored()

    def ask(self, calls: Sequence[Asked]) -> tuple[Delivered | None, ...]:
        """Ask the approver of the scenario."""
        return self.layer.ask(calls)


async def run_trial(spec: TrialSpec, adapter: Adapter) -> tuple[Journal, str]:
    """Run one trial; return its journal and a note for people (never hashed)."""
    session = Session(spec)
    before = session.layer.world.tables()
    ended = await _drive(session, adapter)
    layer = session.layer
    if layer.fault:  # whatever a framework made of it: the trial is ours to answer for
        ended = Ended(status=Status.HARNESS_ERROR, cause=Cause.HARNESS, note=layer.fault)
    journal = Journal(
        status=ended.status,
        cause=ended.cause,
        system_text=session.system_text,
        sessions=tuple(session.starts),
        before=before,
        after=layer.world.tables(),
        calls=tuple(layer.calls),
        approvals=tuple(layer.world.approvals),
        deliveries=tuple(layer.world.deliveries),
        restores=tuple(layer.restores),
        answers=session.answers,
        final_text=scrub_text(ended.final_text[:TEXT_LIMIT]),
        tampered=tuple(session.tampered),
        native=runs_native(adapter),
        injected=tuple(sorted(session.injected, key=lambda item: item.call)),
    )
    return journal, ended.note


async def _drive(session: Session, adapter: Adapter) -> Ended:
    """Drive the adapter once for each session; one that is not completed is the last one."""
    agent: AgentSession = session
    try:
        async with asyncio.timeout(session.spec.trial_timeout_s):
            while True:
                ended = await adapter.drive(agent)
                if not isinstance(ended, Ended):
                    raise TypeError(f"drive() must return Ended, not {type(ended).__name__}")
                session.layer.finish()
                over = ended.status is not Status.COMPLETED or session.layer.fault
                if over or not session.next_session():
                    return ended
    except TimeoutError:
        session.layer.finish()
        return Ended(
            status=Status.TIMEOUT,
            cause=Cause.HARNESS,
            note=f"the trial took longer than {session.spec.trial_timeout_s} s",
        )
    except Exception as error:  # noqa: BLE001 - a fault of the harness: the trial is invalid, not lost
        session.layer.finish()
        return Ended(
            status=Status.HARNESS_ERROR,
            cause=Cause.HARNESS,
            note=f"{type(error).__name__}: {error}",
        )
