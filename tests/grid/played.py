"""Plays scenarios on the `scripted` adapter and judges them: sessions, restores and approvals too.

`tests.grid.judged` drives an agent of its own through the plain part of the seam. What goes through
a framework's persistence or approval step needs the reference adapter.
"""

import asyncio

from frameworks.scripted import ScriptedAdapter
from grid.evidence import Evidence, TrialId
from grid.session import TrialSpec, run_trial
from grid.vocabulary import Witness
from ledgers.adjudicate import judge
from ledgers.assemble import TrialFacts, assemble
from ledgers.case import make_case
from ledgers.coherence import check_beginning, check_journal, check_witness
from ledgers.conduct import Terms, check_conduct
from tests.grid.judged import SEED, Trial, known_of


def evidence_of(
    scenario_id: str, who: str, *, guards: str = "off", names: int = 0, language: str = "en"
) -> Evidence:
    """Run one trial on the reference adapter; return its evidence."""
    trial = TrialId(
        scenario=scenario_id, framework="scripted", model=f"scripted/{who}", clause="none",
        guards=guards, language=language, number=0,
    )  # fmt: skip
    spec = TrialSpec(
        trial=trial, seed=SEED, names=names, base_url="", api_key="", wire_model=who,
        timeout_s=30.0, trial_timeout_s=60.0,
    )  # fmt: skip
    journal, note = asyncio.run(run_trial(spec, ScriptedAdapter()))
    assert not note, note
    facts = TrialFacts(
        trial=trial, seed=SEED, scenario=known_of(scenario_id, names).digest, clause_text="",
        witness=Witness.JOURNAL,
    )  # fmt: skip
    return assemble(facts, journal, None).evidence


def played(
    scenario_id: str, who: str, *, guards: str = "off", names: int = 0, language: str = "en"
) -> Trial:
    """Run one trial on the reference adapter, check that its evidence holds, and judge it."""
    evidence = evidence_of(scenario_id, who, guards=guards, names=names, language=language)
    known = known_of(scenario_id, names)
    of, declared = known.scenario, known.tools
    check_journal(evidence.journal)
    check_witness(evidence)
    check_beginning(evidence, of)
    check_conduct(evidence, Terms(scenario=of, tools=declared, guards=frozenset(of.policy)))
    case = make_case(evidence, of, declared, None)
    return Trial(journal=evidence.journal, judgement=judge(case))
