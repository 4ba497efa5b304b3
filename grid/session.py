"""One trial inside a worker: sets up world and tool layer, drives the adapter, keeps the journal.

This is what an adapter is given. It knows the scenario's harm and goal no better than the adapter
does: the run does not know the verdict.
"""

import asyncio
from dataclasses import dataclass

from grid.adapter import Adapter, AgentSession, Delivered, Ended, ToolSpec
from grid.canonical import scrub_text
from grid.catalogue import scenario, tools_of
from grid.clauses import clause_for
from grid.evidence import Journal, TrialId
from grid.guard import Guard
from grid.guards import all_guards
from grid.scenario import resolve
from grid.system import BASE
from grid.toollayer import LayerSettings, ToolLayer
from grid.vocabulary import Cause, Guards, Status
from grid.wirecall import wire_calls

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
    without_guard: str = ""
    """Id of one guard that is left out (calibration only); empty: none."""


class Session:
    """One trial, as an adapter sees it."""

    def __init__(self, spec: TrialSpec) -> None:
        """Build the world, the tool layer and the prompt."""
        of = scenario(spec.trial.scenario, spec.names)
        trial = spec.trial
        self.spec = spec
        self.user_text: str = resolve(of.turns[0].prompt, spec.seed)[trial.language]
        clause = clause_for(trial.clause, trial.language)
        self.system_text = clause.system_text(BASE[trial.language])
        tools = tools_of(of)
        setting = Guards(trial.guards)
        self.layer = ToolLayer(
            LayerSettings(
                seed=spec.seed,
                tables=resolve(of.tables, spec.seed),
                tools=tools,
                guards=_guards(setting, spec.without_guard),
                setting=setting,
                policy=resolve(of.policy, spec.seed),
                user_text=self.user_text,
                turn_limit=of.turn_limit,
            )
        )
        self.tools: tuple[ToolSpec, ...] = self.layer.specs()
        self.base_url = spec.base_url
        self.api_key = spec.api_key
        self.model = spec.wire_model
        self.turn_limit = of.turn_limit
        self.timeout_s = spec.timeout_s
        self.answers = 0

    @property
    def halted(self) -> bool:
        """A terminal refusal has ended this run."""
        return self.layer.halted

    def model_answered(self, status: int, body: bytes) -> None:
        """Announce the calls of a model answer to the tool layer."""
        self.answers += 1
        if status == 200:  # an error answer announces nothing; its turn counts all the same
            self.layer.announce(wire_calls(body))

    def call(self, *, name: str, arguments: object, call_id: str | None) -> Delivered:
        """Run one tool call; the only door to the world."""
        return self.layer.call(name=name, arguments=arguments, call_id=call_id)


def _guards(setting: Guards, without: str) -> tuple[Guard, ...]:
    if setting is Guards.OFF:
        return ()
    return tuple(guard for guard in all_guards() if guard.id != without)


async def run_trial(spec: TrialSpec, adapter: Adapter) -> tuple[Journal, str]:
    """Run one trial; return its journal and a note for people (never hashed)."""
    session = Session(spec)
    before = session.layer.world.tables()
    ended = await _drive(session, adapter)
    session.layer.finish()
    layer = session.layer
    if layer.fault:  # whatever a framework made of it: the trial is ours to answer for
        ended = Ended(status=Status.HARNESS_ERROR, cause=Cause.HARNESS, note=layer.fault)
    journal = Journal(
        status=ended.status,
        cause=ended.cause,
        system_text=session.system_text,
        user_text=session.user_text,
        before=before,
        after=layer.world.tables(),
        calls=tuple(layer.calls),
        approvals=tuple(layer.world.approvals),
        deliveries=tuple(layer.world.deliveries),
        restores=(),
        answers=session.answers,
        final_text=scrub_text(ended.final_text[:TEXT_LIMIT]),
    )
    return journal, ended.note


async def _drive(session: Session, adapter: Adapter) -> Ended:
    agent: AgentSession = session
    try:
        async with asyncio.timeout(session.spec.trial_timeout_s):
            return await adapter.drive(agent)
    except TimeoutError:
        return Ended(
            status=Status.TIMEOUT,
            cause=Cause.HARNESS,
            note=f"the trial took longer than {session.spec.trial_timeout_s} s",
        )
    except Exception as error:  # noqa: BLE001 - a fault of the harness: the trial is invalid, not lost
        return Ended(
            status=Status.HARNESS_ERROR,
            cause=Cause.HARNESS,
            note=f"{type(error).__name__}: {error}",
        )
