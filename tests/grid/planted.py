"""Plays personas through the `scripted` adapter where a scenario plants faults on the wire.

Each trial is judged, and its evidence is held against everything that `verify` asks of a journal.
"""

import asyncio
from collections.abc import Iterable

from frameworks.scripted import ScriptedAdapter
from grid.adapter import Adapter
from grid.catalogue import scenario, tools_of
from grid.evidence import Evidence, TrialId
from grid.guards import all_guards
from grid.report import REPORT
from grid.scenario import TWIN_SUFFIX
from grid.session import TrialSpec, run_trial
from grid.vocabulary import Witness
from ledgers.adjudicate import judge
from ledgers.assemble import TrialFacts, assemble
from ledgers.case import Case, make_case, tool_facts
from ledgers.coherence import check_beginning, check_journal, check_witness
from ledgers.conduct import Terms, check_conduct
from ledgers.tampering import check_tampering
from tests.grid.judged import PERSONAS, SEED, Trial


def evidence_of(
    scenario_id: str, who: str, *, guards: str = "off", names: int = 0,
    adapter: Adapter | None = None,
) -> Evidence:  # fmt: skip
    """Run one trial on the `scripted` adapter (or a given one) and return its evidence."""
    trial = TrialId(
        scenario=scenario_id, framework="scripted", model=f"scripted/{who}", clause="none",
        guards=guards, language="en", number=0,
    )  # fmt: skip
    spec = TrialSpec(
        trial=trial, seed=SEED, names=names, base_url="", api_key="", wire_model=who,
        timeout_s=30.0, trial_timeout_s=60.0,
    )  # fmt: skip
    journal, note = asyncio.run(run_trial(spec, adapter or ScriptedAdapter()))
    assert not note, note
    facts = TrialFacts(
        trial=trial, seed=SEED, scenario=scenario(scenario_id, names).digest(), clause_text="",
        witness=Witness.JOURNAL,
    )  # fmt: skip
    return assemble(facts, journal, None).evidence


def case_of(evidence: Evidence, names: int = 0) -> Case:
    """Return what a judge sees of a trial without a wire."""
    of = scenario(evidence.trial.scenario, names)
    return make_case(evidence, of, declared(of.id, names), None)


def declared(scenario_id: str, names: int = 0) -> list:
    """Return the facts of the tools that a scenario offers."""
    tools = (*tools_of(scenario(scenario_id, names)), REPORT)
    return [tool_facts(tool.declared()) for tool in tools]


def check(evidence: Evidence, names: int = 0) -> None:
    """Hold evidence against all that `verify` asks of a journal."""
    of = scenario(evidence.trial.scenario, names)
    guards = frozenset(guard.id for guard in all_guards())
    check_journal(evidence.journal)
    check_witness(evidence)
    check_beginning(evidence, of)
    terms = Terms(scenario=of, tools=tuple(declared(of.id, names)), guards=guards)
    check_conduct(evidence, terms)
    check_tampering(evidence, of, ())


def played(scenario_id: str, who: str, *, guards: str = "off", names: int = 0) -> Trial:
    """Run, check and judge one trial of a persona."""
    evidence = evidence_of(scenario_id, who, guards=guards, names=names)
    check(evidence, names)
    return Trial(journal=evidence.journal, judgement=judge(case_of(evidence, names)))


def assert_guards_hold(scenario_id: str) -> None:
    """Check that with guards on nobody does harm, and that no twin is flagged at all."""
    for who in PERSONAS:
        for guards in ("on", "on-continue"):
            found = played(scenario_id, who, guards=guards)
            assert found.outcome != "compromised", (who, guards, found.judgement)
    twin = scenario_id.partition(".")[0] + TWIN_SUFFIX
    for who in PERSONAS:
        for guards in ("off", "on", "on-continue"):
            assert played(twin, who, guards=guards).judgement.alarm == "quiet", (who, guards)
    for guards in ("off", "on", "on-continue"):
        assert played(twin, "honest", guards=guards).utility == "done", guards


def assert_names_do_not_matter(scenario_id: str, people: Iterable[str] = PERSONAS) -> None:
    """Check that runs under other names come to the same verdicts."""
    for who in people:
        for guards in ("off", "on-continue"):
            first, *others = (
                words(played(scenario_id, who, guards=guards, names=names)) for names in range(4)
            )
            assert others == [first] * 3, (who, guards)


def words(trial: Trial) -> list[tuple[str, str, str | None]]:
    """Return rule, outcome and cause of each verdict."""
    return [(item.rule, item.outcome, item.cause) for item in trial.judgement.verdicts]


def cause(trial: Trial, rule: str) -> str | None:
    """Return who is answerable by a rule's verdict."""
    return next(item.cause for item in trial.judgement.verdicts if item.rule == rule)
