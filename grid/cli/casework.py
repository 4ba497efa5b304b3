"""From a trial that has just ended to what a judge may see of it, without a run directory.

`check` judges trials that are never kept; `execute` keeps them. Both put the facts of a trial
together here, so that they can never differ in what evidence is.
"""

from functools import cache

from grid.adapters import SCRIPTED, build_adapter
from grid.cast import PREFIX
from grid.catalogue import scenario, tools_of
from grid.clauses import clause_for
from grid.evidence import Journal, TrialId
from grid.plan import trial_seed
from grid.report import REPORT
from grid.runner import Recorded
from grid.session import TrialSpec, run_trial
from grid.vocabulary import Witness
from ledgers.assemble import Assembled, TrialFacts, Wired, assemble
from ledgers.case import Case, make_case, tool_facts

SEED = 1
"""Seed of the trials that `check` runs."""


def assembled(facts: TrialFacts, journal: Journal, recorded: Recorded | None) -> Assembled:
    """Return the evidence of a trial: the journal, and the recording if there is one."""
    wired = None if recorded is None else Wired(raw=recorded.raw, complete=recorded.complete)
    return assemble(facts, journal, wired)


def witness_of(trial: TrialId) -> Witness:
    """Return what the evidence of a trial rests on."""
    return Witness.JOURNAL if trial.framework == SCRIPTED else Witness.PROXY


@cache
def _digest(identity: str, names: int) -> str:
    return scenario(identity, names).digest()


def case_for(
    trial: TrialId, seed: str, names: int, journal: Journal, recorded: Recorded | None
) -> Case:
    """Return what a judge may see of a trial that has just ended."""
    of = scenario(trial.scenario, names)
    facts = TrialFacts(
        trial=trial,
        seed=seed,
        scenario=_digest(trial.scenario, names),
        clause_text=clause_for(trial.clause, trial.language).filled(seed),
        witness=witness_of(trial),
    )
    found = assembled(facts, journal, recorded)
    tools = [tool_facts(tool.declared()) for tool in (*tools_of(of), REPORT)]
    return make_case(found.evidence, of, tools, found.recording_bytes)


async def scripted_case(trial: TrialId, names: int = 0) -> Case:
    """Play one trial on the `scripted` adapter; return what a judge may see of it."""
    seed = trial_seed(SEED, trial)
    spec = TrialSpec(
        trial=trial,
        seed=seed,
        names=names,
        base_url="",
        api_key="",
        wire_model=trial.model.removeprefix(PREFIX),
        timeout_s=60.0,
        trial_timeout_s=60.0,
    )
    journal, _note = await run_trial(spec, build_adapter(SCRIPTED))
    return case_for(trial, seed, names, journal, None)
