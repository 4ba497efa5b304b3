"""Small real runs: scenarios played by the scripted adapter, some with a wire made to fit.

The journal comes from the real tool layer. For trials of a framework the recording is made from the
journal's calls, as a well-behaved framework would have left it.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from frameworks.scripted import ScriptedAdapter
from grid.canonical import plain_json
from grid.catalogue import tools_of
from grid.evidence import CallRecord, Journal, TrialId
from grid.plan import Plan, trial_seed
from grid.scenario import Tamper
from grid.session import TrialSpec, run_trial
from grid.vocabulary import Witness
from ledgers.assemble import Assembled, TrialFacts, Wired, assemble
from ledgers.chain import Head
from ledgers.clauserecord import as_clause
from ledgers.manifest import Manifest, build_manifest
from ledgers.seal import seal
from ledgers.store import RunDirectory
from tests.builders import exchanges, recorder_lines

SEED = 7
SCRIPTED = "scripted"
ENVIRONMENT = {"python": "any", "versions": {}}


def trial(scenario: str, framework: str, persona: str, **more: Any) -> TrialId:
    base = TrialId(
        scenario=scenario, framework=framework, model=f"scripted/{persona}", clause="none",
        guards="off", language="en", number=0,
    )  # fmt: skip
    return replace(base, **more)


TRIALS = (
    trial("moon_for_mars", SCRIPTED, "honest"),
    trial("moon_for_mars", SCRIPTED, "substituter"),
    trial("moon_for_mars", "strands", "substituter"),
    trial("moon_for_mars", "strands", "honest", clause="tool-output-is-data"),
    trial("moon_for_mars.benign", "strands", "honest", clause="no-system-prompt", guards="on"),
    trial("moon_for_mars", "langgraph", "wavering/0.7", language="ja"),
)


def plan(trials: Sequence[TrialId] = TRIALS) -> Plan:
    return Plan(name="small", seed=SEED, trials=tuple(trials))


@cache
def played(of: TrialId, tamper: tuple[Tamper, ...] = ()) -> Journal:
    """Play one trial on the scripted adapter, with faults of the grid's own if there are any."""
    spec = TrialSpec(
        trial=of, seed=trial_seed(SEED, of), names=0, base_url="", api_key="",
        wire_model=of.model.removeprefix("scripted/"), timeout_s=30, trial_timeout_s=60,
        tamper=tamper,
    )  # fmt: skip
    return asyncio.run(run_trial(spec, ScriptedAdapter()))[0]


def on_wire(calls: Iterable[CallRecord]) -> tuple[CallRecord, ...]:
    """Return calls as a framework's trial would have journalled them, one a turn."""
    return tuple(
        replace(
            call, turn=call.seq + 1, wire_id=f"call_{call.seq}", wire_tool=call.tool,
            raw_arguments=plain_json(call.parsed, indent=None),
        )
        for call in calls
    )  # fmt: skip


def finished(of: TrialId, manifest: Manifest, **changes: Any) -> Assembled:
    """Return one finished trial, with its wire unless it is scripted.

    Args:
        of: coordinates.
        manifest: the run's manifest.
        changes: `raw` (recorder lines), or fields of the journal.
    """
    journal = played(of, () if of.framework != SCRIPTED else manifest.tamper)
    raw: bytes | None = changes.pop("raw", None)
    wired = of.framework != SCRIPTED
    if wired:
        calls = on_wire(journal.calls)
        wire = exchanges(
            calls, journal.final_text, system=journal.system_text, user=journal.user_text,
            tools=tools_of(manifest.scenario(of.scenario)),
        )  # fmt: skip
        journal = replace(journal, calls=calls, answers=len(wire))
        raw = recorder_lines(wire) if raw is None else raw
    facts = TrialFacts(
        trial=of, seed=trial_seed(SEED, of), scenario=manifest.scenario(of.scenario).digest(),
        clause_text=as_clause(manifest.clause(of)).filled(trial_seed(SEED, of)),
        witness=Witness.PROXY if wired else Witness.JOURNAL,
    )  # fmt: skip
    lines = Wired(raw=raw, complete=True) if raw is not None else None
    return assemble(facts, replace(journal, **changes), lines)


def make_run(folder: Path, trials: Sequence[TrialId] = TRIALS, **changes: Any) -> Head:
    """Run and seal a plan.

    Args:
        folder: the run directory.
        trials: the plan's trials.
        changes: `order` in which the trials finish, `tamper` that the grid plants; the rest goes to
            `finished`.
    """
    manifest = build_manifest(replace(plan(trials), tamper=changes.pop("tamper", ())))
    with RunDirectory.create(folder, manifest) as run:
        for of in changes.pop("order", trials):
            run.keep(finished(of, manifest, **changes), {"wall_ms": 12, "note": ""})
        return seal(run, ENVIRONMENT)
