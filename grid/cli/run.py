"""`nonverba run`: runs a grid, or goes on with one, and shows what happened."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from grid.clauses import own_files
from grid.cli.console import say, show_json, show_table, tell
from grid.cli.execute import check_attributed
from grid.cli.interrupt import program, resumable
from grid.cli.options import (
    BaseUrl,
    Family,
    Frameworks,
    Gguf,
    GuardSettings,
    Languages,
    Load,
    Models,
    NamedClauses,
    Scenarios,
    Template,
    Threads,
)
from grid.cli.runfolder import remove_run
from grid.cli.running import (
    RUNS,
    How,
    carried_out,
    check_judged,
    manifest_of,
    planned,
    wanted_family,
    wanted_grid,
)
from grid.cli.summarytable import show_summary, summary_json
from grid.cli.upstreams import Endpoints
from grid.errors import ConfigError
from grid.extensions import clause_ids
from grid.extensions import loaded as loaded_folders
from grid.plan import Plan
from grid.strict import to_json
from grid.tamperblocks import told
from grid.vocabulary import Outcome
from ledgers.manifest import Manifest
from ledgers.reading import SealedRun
from ledgers.released import unknown_parts


def run_command(
    grid: Annotated[
        Path | None,
        typer.Argument(metavar="[GRID.toml]", help="Grid file; or the demo, or --scenario's own."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Run directory; runs/<name of the grid>.")
    ] = None,
    scenario: Scenarios = None,
    family: Family = None,
    framework: Frameworks = None,
    model: Models = None,
    clause: NamedClauses = None,
    guards: GuardSettings = None,
    lang: Languages = None,
    trials: Annotated[int | None, typer.Option(min=1, help="Repetitions of each cell.")] = None,
    jobs: Annotated[int, typer.Option("-j", "--jobs", min=1, max=64, help="Worker processes.")] = 2,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a stopped run.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Delete the run there first.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the plan only.")] = False,
    fail_on: Annotated[
        Outcome | None, typer.Option("--fail-on", help="Exit 1 if a trial has this outcome.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    no_progress: Annotated[bool, typer.Option("--no-progress", help="No progress bar.")] = False,
    load: Load = None,
    base_url: BaseUrl = "",
    gguf: Gguf = None,
    template: Template = "",
    threads: Threads = 1,
) -> None:
    """Run a grid of trials, record, judge and seal it."""
    axes = {
        "scenarios": scenario,
        "frameworks": framework,
        "models": model,
        "clauses": list(clause_ids(clause or ())),
        "guards": guards,
        "languages": lang,
    }
    plan = planned(wanted_grid(grid, axes, trials), wanted_family(family), tell=tell)
    if dry_run:
        _show_plan(plan, as_json)
        return
    endpoints = Endpoints(base_url=base_url, gguf=gguf, template=template, threads=threads)
    path, shown = output or RUNS / plan.name, not (no_progress or as_json)
    how = How(
        jobs=jobs,
        resume=resume,
        progress=shown,
        tell=tell,
        around=resumable,
        endpoints=endpoints,
    )
    finished = _run(path, manifest_of(plan, endpoints), (resume, force), how)
    _show(finished, as_json)
    check_attributed(path)
    _exit_code(finished, fail_on)


def _show(finished: SealedRun, as_json: bool) -> None:
    if as_json:
        planted = {"tamper": to_json(finished.manifest.tamper)} if finished.manifest.tamper else {}
        show_json({"head": finished.head.head, **planted, **summary_json(finished.trials)})
    else:
        show_summary(finished.trials, finished.manifest)
        _next_steps(finished)


def _run(path: Path, manifest: Manifest, flags: tuple[bool, bool], how: How) -> SealedRun:
    resume, force = flags
    if resume and force:
        raise ConfigError("--resume goes on with a run and --force deletes it; write one of them")
    if force:
        remove_run(path)
    return carried_out(path, manifest, how)


def _show_plan(plan: Plan, as_json: bool) -> None:
    cells = list(dict.fromkeys(str(trial).rpartition("/")[0] for trial in plan.trials))
    if as_json:
        planted = {"tamper": to_json(plan.tamper)} if plan.tamper else {}
        trials = [str(trial) for trial in plan.trials]
        show_json({"name": plan.name, "seed": plan.seed, **planted, "trials": trials})
        return
    show_table(
        f"{plan.name}: {len(cells)} cells, {len(plan.trials)} trials",
        ("cell",),
        [(cell,) for cell in cells],
    )
    for tamper in plan.tamper:
        say(f"planted on the wire of every trial: {told(tamper)}")


def _next_steps(run: SealedRun) -> None:
    shown = next((e for e in run.trials if e.outcome is Outcome.COMPROMISED), run.trials[0])
    say(f"head {run.head.head}  ({run.head.count} entries)")
    say()
    say("Next:")
    unknown = " --allow-unknown" if unknown_parts(run.manifest) else ""
    load = "".join(f" --load {shlex.quote(str(folder))}" for folder in loaded_folders())
    load += "".join(f" --clause {shlex.quote(str(file))}" for file in own_files())
    say(f"  {program()} verify {run.path} --head {run.head.head}{unknown}")
    say(f"  {program()} replay {run.path} -o {run.path}-replayed --force{load}")
    say(f"  {program()} show {run.path} {shown.trial}")


def _exit_code(run: SealedRun, fail_on: Outcome | None) -> None:
    check_judged(run)
    if fail_on is not None and any(entry.outcome is fail_on for entry in run.trials):
        raise typer.Exit(1)
