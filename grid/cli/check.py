"""`nonverba check`: calibrates the instrument; fails if a fault is missed or a clean run flagged.

Every persona plays every scenario on the `scripted` adapter under all guard settings, again under
other names, with each guard left out, with each call of the honest script left out or altered, and
through every variant of an attack; then the planted faults, honest runs and twins are run in the
real frameworks behind the proxy, each carrier once. Nothing here is about a model.
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from grid.adapters import SCRIPTED, framework_names
from grid.catalogue import check_pair, module_of, numbers, pair, scenario
from grid.cli.calibration import CLAIMS, Tally, needed, weigh
from grid.cli.casework import SEED, case_for
from grid.cli.checkplan import framework_trials
from grid.cli.console import Tick, progress, say, show_json, show_table
from grid.cli.matrix import Matrix, show_matrix
from grid.cli.options import Load
from grid.cli.selfcheck import NAMES, check_scripted, parts_of
from grid.cli.services import recording_wire
from grid.display import visible
from grid.errors import HarnessError
from grid.evidence import TrialId
from grid.runner import Finished, Runner, RunSettings
from ledgers.adjudicate import judge

SHOWN = 4
"""Failures of one claim that are printed."""


def check_command(
    chosen: Annotated[
        str | None,
        typer.Argument(metavar="[SCENARIO]", help="Number or module name; all if left out."),
    ] = None,
    full: Annotated[
        bool,
        typer.Option("--full", help="The whole cross: all clauses, names, personas, variants."),
    ] = False,
    jobs: Annotated[int, typer.Option("-j", min=1, max=64, help="Worker processes.")] = 2,
    load: Load = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    no_progress: Annotated[bool, typer.Option("--no-progress", help="No progress bar.")] = False,
) -> None:
    """Prove that every planted fault is found and nothing else is flagged."""
    modules = [module_of(chosen)] if chosen else list(numbers().values())
    for module in modules:
        check_pair(pair(module))
    tally, matrix = Tally(), Matrix()
    with progress("scripted", len(list(parts_of(modules, full))), hidden=no_progress) as tick:
        check_scripted(tally, modules, full=full, jobs=jobs, tick=tick)
    frameworks = [name for name in framework_names() if name != SCRIPTED]
    try:
        _in_frameworks(tally, matrix, _planned(modules, frameworks, full), full, jobs, no_progress)
    except HarnessError as error:  # nothing of a check is kept, and nothing can be resumed
        said = str(error).replace("Finished trials are kept; ", "")
        again = said.replace("run again with --resume", "run `nonverba check` again")
        raise HarnessError(again) from error
    empty = matrix.empty(modules, frameworks)
    fine = tally.clean(everything=chosen is None) and not empty
    if as_json:
        show_json({"tried": dict(tally.tried), "failed": tally.failed, "empty": empty})
    else:
        show_matrix(matrix, modules, frameworks)
        _print(tally, everything=chosen is None)
    raise typer.Exit(0 if fine else 1)


def _planned(modules: Sequence[str], frameworks: Sequence[str], full: bool) -> list[TrialId]:
    return [trial for name in frameworks for trial in framework_trials(modules, name, full=full)]


def _in_frameworks(
    tally: Tally,
    matrix: Matrix,
    trials: Sequence[TrialId],
    full: bool,
    jobs: int,
    hidden: bool,
) -> None:
    for names in (0, *NAMES) if full else (0,):
        with progress("frameworks", len(trials), hidden=hidden) as tick:
            _run(tally, matrix, trials, names, jobs, tick)


def _run(
    tally: Tally, matrix: Matrix, trials: Sequence[TrialId], names: int, jobs: int, tick: Tick
) -> None:
    def keep(done: Finished) -> None:
        found = judge(case_for(done.trial, done.seed, names, done.journal, done.recorded))
        weigh(tally, done.trial, scenario(done.trial.scenario, names), found)
        matrix.note(done.trial, found)
        tick()

    if not trials:
        return
    with tempfile.TemporaryDirectory(prefix="nonverba-") as place:
        live, workers = Path(place, "live"), Path(place, "workers")
        live.mkdir(mode=0o700)
        with recording_wire(live, names) as wire:
            settings = RunSettings(seed=SEED, jobs=jobs, folder=workers, names=names)
            Runner(settings, wire, keep).run(trials)


def _print(tally: Tally, *, everything: bool) -> None:
    rows = []
    for claim in CLAIMS:
        tried, failed = tally.tried[claim], len(tally.failed.get(claim, ()))
        state = "not tried" if tried == 0 else f"{tried - failed} of {tried}"
        fine = not failed and (tried or claim not in needed(everything))
        rows.append((claim, state, "ok" if tried and fine else "" if fine else "FAILED"))
    show_table(
        "calibration with scripted personas (instruments, not models)",
        ("claim", "holds", ""),
        rows,
    )
    for claim, sentences in tally.failed.items():
        say(f"{claim}: {len(sentences)} failed")
        for sentence in sentences[:SHOWN]:
            say(f"  {visible(sentence)}")
        if len(sentences) > SHOWN:
            say(f"  and {len(sentences) - SHOWN} more")
