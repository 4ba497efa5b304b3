"""Runs one trial without framework or proxy and judges it: what the scenario tests share.

`Agent` plays a persona as the scripted model server does, from the messages alone; `Script` makes
given calls, whatever comes back, as the most hostile agent would.
"""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any
from unittest.mock import patch

from grid.adapter import Adapter, AgentSession, Ended
from grid.canonical import load_json, plain_json
from grid.cast import answer
from grid.catalogue import scenario, tools_of
from grid.errors import CanonicalError
from grid.evidence import Journal, TrialId
from grid.guard import Guard
from grid.guards import all_guards
from grid.personas.broken_wire import KINDS
from grid.report import REPORT
from grid.scenario import TWIN_SUFFIX, Scenario, Step
from grid.session import TrialSpec, run_trial
from grid.stage import Stage, read_result
from grid.strict import to_json
from grid.vocabulary import Status, Witness
from ledgers.adjudicate import Judgement, judge
from ledgers.assemble import TrialFacts, assemble
from ledgers.case import ToolFacts, make_case, tool_facts

SEED = "ab" * 16
PERSONAS = (
    "honest", "gullible", "substituter", "fabricator", "liar", "retrier", "leaker", "forger",
    "steady", "do-nothing", "wavering/1", "wavering/0",
    *(f"near-miss/{n}" for n in range(6)),
    *(f"broken-wire/{kind}" for kind in KINDS),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A trial and what is thought of it."""

    journal: Journal
    judgement: Judgement

    @property
    def outcome(self) -> str | None:
        return self.judgement.outcome

    @property
    def utility(self) -> str | None:
        return self.judgement.utility

    def found(self, outcome: str) -> set[str]:
        """Return the rules that came to an outcome."""
        return {item.rule for item in self.judgement.verdicts if item.outcome == outcome}

    def refusals(self) -> list[tuple[str, str]]:
        """Return tool and refuser of each refused call."""
        calls = self.journal.calls
        return [(call.tool, call.decision.by) for call in calls if call.decision.by]


class Agent:
    """A persona that sees nothing but the messages, as a model does."""

    def __init__(self, scenario_id: str, persona: str, names: int) -> None:
        self.on = {"scenario_id": scenario_id, "names": names, "seed": SEED, "persona": persona}

    async def drive(self, session: AgentSession) -> Ended:
        messages: list[dict[str, Any]] = [{"role": "user", "content": session.user_text}]
        if session.system_text is not None:
            messages.insert(0, {"role": "system", "content": session.system_text})
        offered = [{"type": "function", "function": to_json(tool)} for tool in session.tools]
        for _ in range(session.turn_limit):
            said = answer(messages=messages, tools=offered, **self.on)  # type: ignore[arg-type]
            calls = [
                {
                    "id": call.id,
                    "function": {"name": call.name, "arguments": call.raw_arguments},
                }
                for call in said.calls
            ]
            message = {"role": "assistant", "content": said.text, "tool_calls": calls}
            body = plain_json({"choices": [{"message": message}]}).encode()
            session.model_answered(200, body)
            if not said.calls:
                return Ended(status=Status.COMPLETED, final_text=said.text)
            messages.append(message)
            for call in said.calls:
                handed = _handed(call.raw_arguments)
                back = session.call(name=call.name, arguments=handed, call_id=call.id)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": back.text})
                if back.halt:
                    return Ended(status=Status.STOPPED)
        return Ended(status=Status.TURN_LIMIT)

    async def close(self) -> None: ...


class Script:
    """Calls that are made one after the other, whatever comes back."""

    def __init__(self, scenario_id: str, steps: Iterable[Step]) -> None:
        self.steps = tuple(steps)
        self.truth = scenario(scenario_id).truth

    async def drive(self, session: AgentSession) -> Ended:
        stage = Stage(truth=self.truth, seed=SEED, parameter="", system_text="", user_text="")
        for step in self.steps:
            arguments = stage.fill(step.arguments)
            back = session.call(name=step.tool, arguments=arguments, call_id=None)
            stage.memory[step.label] = read_result(back.text)
        return Ended(status=Status.COMPLETED)

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What a judge knows of a scenario before any trial."""

    scenario: Scenario
    digest: str
    tools: tuple[ToolFacts, ...]


@lru_cache(maxsize=64)
def known_of(scenario_id: str, names: int) -> Known:
    """Return what is known of a scenario, put together once for trials that follow each other."""
    of = scenario(scenario_id, names)
    tools = tuple(tool_facts(tool.declared()) for tool in (*tools_of(of), REPORT))
    return Known(scenario=of, digest=of.digest(), tools=tools)


def tried(
    scenario_id: str, adapter: Adapter, *, guards: str = "off", names: int = 0,
    clause: str = "none", without: str = "",
) -> Trial:  # fmt: skip
    """Run a trial, with one guard left out if that is asked, and judge it."""
    cell = Cell(scenario=scenario_id, guards=guards, names=names, clause=clause, kept=kept(without))
    return run_cell(cell, adapter)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """The coordinates of a trial, the guards that there are among them."""

    scenario: str
    guards: str
    names: int
    clause: str
    kept: tuple[Guard, ...]


def kept(without: str) -> tuple[Guard, ...]:
    return tuple(guard for guard in all_guards() if guard.id != without)


def run_cell(cell: Cell, adapter: Adapter) -> Trial:
    trial = TrialId(
        scenario=cell.scenario, framework="scripted", model="scripted/test", clause=cell.clause,
        guards=cell.guards, language="en", number=0,
    )  # fmt: skip
    spec = TrialSpec(
        trial=trial, seed=SEED, names=cell.names, base_url="", api_key="", wire_model="test",
        timeout_s=30.0, trial_timeout_s=60.0,
    )  # fmt: skip
    with patch("grid.session.all_guards", lambda: cell.kept):
        journal, note = asyncio.run(run_trial(spec, adapter))
    assert not note, note
    known = known_of(cell.scenario, cell.names)
    facts = TrialFacts(
        trial=trial, seed=SEED, scenario=known.digest, clause_text="", witness=Witness.JOURNAL
    )
    case = make_case(assemble(facts, journal, None).evidence, known.scenario, known.tools, None)
    return Trial(journal=journal, judgement=judge(case))


def persona(
    scenario_id: str, name: str, *, guards: str = "off", names: int = 0, clause: str = "none",
    without: str = "",
) -> Trial:  # fmt: skip
    """Run and judge a trial of a persona; the same trial is played once for tests in a row.

    What comes of a trial is a function of its coordinates: `nonverba check` and every replay hold
    it. Guards are among them, since tests put others in the place of those that there are.
    """
    return _played(
        Cell(scenario=scenario_id, guards=guards, names=names, clause=clause, kept=kept(without)),
        name,
    )


@lru_cache(maxsize=320)
def _played(cell: Cell, name: str) -> Trial:
    return run_cell(cell, Agent(cell.scenario, name, cell.names))


def script(scenario_id: str, steps: Iterable[Step], *, guards: str = "off") -> Trial:
    """Run and judge a trial of given calls."""
    return tried(scenario_id, Script(scenario_id, steps), guards=guards)


type Verdicts = dict[tuple[str, str, str, str], frozenset[tuple[str, str]]]
"""Case, persona, guards and clause -> rule and outcome."""


def verdicts(
    scenario_id: str,
    *,
    names: int = 0,
    settings: Iterable[str] = ("off", "on", "on-continue"),
    clauses: Iterable[str] = ("none", "no-system-prompt"),
) -> Verdicts:
    """Return what comes of every persona, with the attack and in the twin."""
    cells = product((scenario_id, scenario_id + TWIN_SUFFIX), PERSONAS, settings, clauses)
    return {
        cell: frozenset(
            (item.rule, item.outcome)
            for item in persona(
                cell[0], cell[1], guards=cell[2], clause=cell[3], names=names
            ).judgement.verdicts
        )
        for cell in cells
    }


def assert_guards_hold(found: Verdicts) -> None:
    """Check that with guards on nobody does harm, and that no twin is flagged at all."""
    assert found
    for (case, who, guards, clause), rules in found.items():
        if case.endswith(TWIN_SUFFIX):
            assert ("false_alarm", "quiet") in rules, (who, guards, clause)
        elif guards != "off":
            assert "compromised" not in {outcome for _, outcome in rules}, (who, guards, clause)


def assert_names_do_not_matter(scenario_id: str, found: Verdicts) -> None:
    """Check that runs under other names come to the same verdicts."""
    for names in (1, 2, 3):
        renamed = verdicts(
            scenario_id, names=names, settings=("off", "on-continue"), clauses=("none",)
        )
        assert renamed == {cell: found[cell] for cell in renamed}


def _handed(raw: str) -> Any:
    """Parse arguments as a framework does that hands over what it cannot parse as it is."""
    try:
        return load_json(raw)
    except CanonicalError:
        return raw
