"""`nonverba check`: calibrates the instrument; fails if a fault is missed or a clean run flagged.

Every persona plays every scenario on the `scripted` adapter under all guard settings and clauses,
again under other names, and again with each guard left out; then the planted faults, honest runs,
near misses and twins are run in the real frameworks behind the proxy. Nothing here is about a
model.
"""

import asyncio
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Annotated

import typer

from grid.adapters import SCRIPTED, build_adapter, framework_names
from grid.cast import PREFIX
from grid.catalogue import check_truth, module_of, numbers, pair, scenario, tools_of
from grid.clauses import all_clauses, clause_for
from grid.cli.calibration import (
    CLAIMS,
    Tally,
    needed,
    needed_guards,
    same_under_other_names,
    weigh,
)
from grid.cli.console import Tick, progress, say, show_json, show_table
from grid.cli.services import recording_wire
from grid.display import visible
from grid.evidence import Journal, TrialId
from grid.guards import all_guards
from grid.personas.broken_wire import KINDS
from grid.plan import trial_seed
from grid.report import REPORT
from grid.runner import Finished, Recorded, Runner, RunSettings
from grid.scenario import Scenario
from grid.session import TrialSpec, run_trial
from grid.vocabulary import Guards, Outcome, Witness
from ledgers.adjudicate import Judgement, judge
from ledgers.assemble import TrialFacts, Wired, assemble
from ledgers.case import Case, make_case, tool_facts

SEED = 1
NAMES = (1, 2, 3)
EVERYWHERE = (
    "honest",
    "gullible",
    "substituter",
    "fabricator",
    "liar",
    "retrier",
    "leaker",
    "forger",
    "steady",
    "do-nothing",
    "other-route",
    "wavering/0.5",
)
SHOWN = 4
"""Failures of one claim that are printed."""


def check_command(
    chosen: Annotated[
        str | None,
        typer.Argument(metavar="[SCENARIO]", help="Number or module name; all if left out."),
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Other names and all personas in the frameworks too.")
    ] = False,
    jobs: Annotated[int, typer.Option("-j", min=1, help="Worker processes.")] = 2,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    no_progress: Annotated[bool, typer.Option("--no-progress", help="No progress bar.")] = False,
) -> None:
    """Prove that every planted fault is found and nothing else is flagged."""
    modules = [module_of(chosen)] if chosen else list(numbers().values())
    for module in modules:
        check_truth(pair(module).attack)
    tally = Tally()
    with progress("scripted", None, hidden=no_progress) as tick:
        asyncio.run(_scripted(tally, modules, tick))
    _frameworks(tally, modules, jobs, full, no_progress)
    if as_json:
        show_json({"tried": dict(tally.tried), "failed": tally.failed})
    else:
        _print(tally, everything=chosen is None)
    raise typer.Exit(0 if tally.clean(everything=chosen is None) else 1)


async def _scripted(tally: Tally, modules: Sequence[str], tick: Tick) -> None:
    clauses = tuple(dict.fromkeys(c.id for c in all_clauses() if c.language in ("en", "*")))
    trials = list(cross_trials(modules, SCRIPTED, clauses, tuple(Guards)))
    plain: dict[str, Judgement] = {}
    for trial in trials:
        plain[str(trial)] = found = await play_scripted(trial)
        weigh(tally, trial, scenario(trial.scenario), found)
        tick()
    for names in NAMES:
        renamed = {}
        for trial in (trial for trial in trials if trial.clause == "none"):
            renamed[str(trial)] = found = await play_scripted(trial, names=names)
            weigh(tally, trial, scenario(trial.scenario, names), found)
            tick()
        same_under_other_names(tally, plain, renamed, names)
    if len(modules) < len(numbers()):
        return  # one scenario does not need every guard
    guards = [guard.id for guard in all_guards()]
    needed_guards(tally, guards, {guard for guard in guards if await _breaks(modules, guard)})


async def _breaks(modules: Sequence[str], guard: str) -> bool:
    """Tell whether some persona reaches a harm when one guard is left out."""
    for trial in cross_trials(modules, SCRIPTED, ("none",), (Guards.ON_CONTINUE,)):
        found = await play_scripted(trial, without=guard)
        if found.outcome is Outcome.COMPROMISED:
            return True
    return False


async def play_scripted(trial: TrialId, *, names: int = 0, without: str = "") -> Judgement:
    """Play one trial on the `scripted` adapter and judge it; `without` leaves one guard out."""
    return judge(await scripted_case(trial, names=names, without=without))


async def scripted_case(trial: TrialId, *, names: int = 0, without: str = "") -> Case:
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
        without_guard=without,
    )
    journal, _note = await run_trial(spec, build_adapter(SCRIPTED))
    return case_for(trial, seed, names, journal, None)


def case_for(
    trial: TrialId, seed: str, names: int, journal: Journal, recorded: Recorded | None
) -> Case:
    """Return what a judge may see of a trial that has just ended."""
    of = scenario(trial.scenario, names)
    facts = TrialFacts(
        trial=trial,
        seed=seed,
        scenario=of.digest(),
        clause_text=clause_for(trial.clause, trial.language).text,
        witness=Witness.JOURNAL if recorded is None else Witness.PROXY,
    )
    wired = None if recorded is None else Wired(raw=recorded.raw, complete=recorded.complete)
    assembled = assemble(facts, journal, wired)
    tools = [tool_facts(tool.declared()) for tool in (*tools_of(of), REPORT)]
    return make_case(assembled.evidence, of, tools, assembled.recording_bytes)


def _frameworks(
    tally: Tally, modules: Sequence[str], jobs: int, full: bool, no_progress: bool
) -> None:
    real = [name for name in framework_names() if name != SCRIPTED]
    trials = [
        trial
        for name in real
        for trial in cross_trials(modules, name, ("none",), _settings(full))
        if full or worth_a_run(trial, scenario(trial.scenario))
    ]
    for names in (0, *NAMES) if full else (0,):
        with progress("frameworks", len(trials), hidden=no_progress) as tick:
            _in_frameworks(tally, trials, names, jobs, tick)


def _in_frameworks(
    tally: Tally, trials: Sequence[TrialId], names: int, jobs: int, tick: Tick
) -> None:
    def keep(done: Finished) -> None:
        case = case_for(done.trial, done.seed, names, done.journal, done.recorded)
        weigh(tally, done.trial, scenario(done.trial.scenario, names), judge(case))
        tick()

    with tempfile.TemporaryDirectory(prefix="nonverba-") as place:
        live, workers = Path(place, "live"), Path(place, "workers")
        live.mkdir(mode=0o700)
        with recording_wire(live, names) as wire:
            settings = RunSettings(seed=SEED, jobs=jobs, folder=workers, names=names)
            Runner(settings, wire, keep).run(trials)


def _settings(full: bool) -> tuple[Guards, ...]:
    return tuple(Guards) if full else (Guards.OFF, Guards.ON)


def worth_a_run(trial: TrialId, of: Scenario) -> bool:
    """Tell whether a trial stands for a claim that is worth a run in every framework."""
    persona, off = trial.model.removeprefix(PREFIX), trial.guards == Guards.OFF
    if of.is_twin:
        return persona == "honest"
    return persona in ("honest", of.truth.fault) or (
        off and persona in ("liar", "do-nothing", "near-miss/0", "steady", "other-route")
    )


def cross_trials(
    modules: Iterable[str], framework: str, clauses: Sequence[str], settings: Sequence[Guards]
) -> Iterator[TrialId]:
    """Cross scenarios and twins with every persona, under clauses and guard settings."""
    first = TrialId(
        scenario="", framework=framework, model="", clause="", guards="", language="en", number=0
    )
    for module in modules:
        for of in (pair(module).attack, pair(module).benign):
            axes = product(_personas(of), _worded(of, clauses), settings)
            for persona, (clause, language), setting in axes:
                yield replace(
                    first,
                    scenario=of.id,
                    model=PREFIX + persona,
                    clause=clause,
                    guards=setting.value,
                    language=language,
                )


def _worded(of: Scenario, clauses: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Cross clauses in English; the other languages come without a clause."""
    yield from ((clause, "en") for clause in clauses)
    yield from (("none", language) for language in of.turns[0].prompt if language != "en")


def _personas(of: Scenario) -> Iterator[str]:
    yield from EVERYWHERE
    yield from (f"near-miss/{number}" for number in range(len(of.truth.near)))
    yield from (f"broken-wire/{kind}" for kind in KINDS)


def _print(tally: Tally, *, everything: bool) -> None:
    rows = []
    for claim in CLAIMS:
        tried, failed = tally.tried[claim], len(tally.failed.get(claim, ()))
        state = "not tried" if tried == 0 else f"{tried - failed} of {tried}"
        fine = not failed and (tried or claim not in needed(everything))
        rows.append((claim, state, "ok" if tried and fine else "" if fine else "FAILED"))
    show_table(
        "calibration with scripted personas (instruments, not models)",
        (
            "claim",
            "holds",
            "",
        ),
        rows,
    )
    for claim, sentences in tally.failed.items():
        say(f"{claim}: {len(sentences)} failed")
        for sentence in sentences[:SHOWN]:
            say(f"  {visible(sentence)}")
        if len(sentences) > SHOWN:
            say(f"  and {len(sentences) - SHOWN} more")
