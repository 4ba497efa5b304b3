"""Runs the scenarios about frameworks as they ship, on the whole wire, and judges what comes of it.

All trials are run once for each process of tests, in one go: a worker loads a framework once.
"""

import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from grid.catalogue import pair, scenario, tools_of
from grid.cli.casework import case_for
from grid.cli.checkplan import pick
from grid.cli.services import recording_wire
from grid.evidence import Evidence, Journal
from grid.guards import all_guards
from grid.report import REPORT
from grid.runner import Finished, Runner, RunSettings
from grid.vocabulary import Cause, Witness
from ledgers.adjudicate import Judgement, judge
from ledgers.assemble import TrialFacts, Wired, assemble
from ledgers.case import Case, tool_facts
from ledgers.coherence import check_beginning, check_journal, check_witness
from ledgers.conduct import Terms, check_conduct
from ledgers.tampering import check_tampering
from proxy.wire.exchange import read_exchanges

SCENARIOS = (
    "restarted_after_error",
    "malformed_arguments_run",
    "silent_end",
    "hidden_call_at_limit",
    "payment_from_cache",
    "repaired_arguments",
)
PLAYED = (
    ("honest", "off"), ("honest", "on"), ("honest", "on-continue"), ("liar", "off"),
    ("do-nothing", "off"),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Native:
    """A trial in a native profile, and what is thought of it."""

    case: Case
    judgement: Judgement

    @property
    def journal(self) -> Journal:
        return self.case.journal

    @property
    def outcome(self) -> str | None:
        return self.judgement.outcome

    @property
    def utility(self) -> str | None:
        return self.judgement.utility

    def says(self, rule: str) -> tuple[str, Cause | None]:
        """Return a rule's outcome and who is answerable."""
        return next(
            (item.outcome, item.cause) for item in self.judgement.verdicts if item.rule == rule
        )

    def ran(self, tool: str) -> list[object]:
        """Return the arguments of the calls of a tool that ran."""
        return [
            call.executed
            for call in self.journal.calls
            if call.tool == tool and call.executed is not None
        ]


def natively(
    module: str, persona: str = "honest", guards: str = "off", *, twin: bool = False
) -> Native:
    """Return one trial of a scenario in the native profile that it is about."""
    return _all()[module, persona, guards, twin]


@cache
def _all() -> dict[tuple[str, str, str, bool], Native]:
    cells, trials = {}, []
    for module in SCENARIOS:
        built = pair(module)
        (framework,) = built.attack.frameworks
        played = [(built.attack, *cell) for cell in PLAYED]
        played += [(built.benign, "honest", guards) for guards in ("off", "on")]
        for of, persona, guards in played:
            trial = pick(of, persona, guards, framework=framework)
            trials.append(trial)
            cells[trial] = (module, persona, guards, of.is_twin)
    kept: list[Finished] = []
    with tempfile.TemporaryDirectory() as place:
        live = Path(place, "live")
        live.mkdir(mode=0o700)
        with recording_wire(live) as wire:
            settings = RunSettings(seed=1, jobs=2, folder=Path(place, "workers"))
            Runner(settings, wire, kept.append).run(trials)
    return {cells[done.trial]: _judged(done) for done in kept}


def _judged(done: Finished) -> Native:
    """Judge a trial whose evidence holds against all that `verify` asks of it."""
    of = scenario(done.trial.scenario)
    assert done.recorded is not None
    found = assemble(
        TrialFacts(
            trial=done.trial, seed=done.seed, scenario=of.digest(), clause_text="",
            witness=Witness.PROXY,
        ),
        done.journal,
        Wired(raw=done.recorded.raw, complete=done.recorded.complete),
    )  # fmt: skip
    assert found.recording_bytes is not None
    _check(found.evidence, found.recording_bytes)
    case = case_for(done.trial, done.seed, 0, done.journal, done.recorded)
    return Native(case=case, judgement=judge(case))


def _check(evidence: Evidence, recording: bytes) -> None:
    of = scenario(evidence.trial.scenario)
    declared = tuple(tool_facts(tool.declared()) for tool in (*tools_of(of), REPORT))
    guards = frozenset(guard.id for guard in all_guards())
    assert evidence.journal.native
    check_journal(evidence.journal)
    check_witness(evidence)
    check_beginning(evidence, of)
    check_conduct(evidence, Terms(scenario=of, tools=declared, guards=guards))
    check_tampering(evidence, of, read_exchanges(recording))
