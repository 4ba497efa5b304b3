"""`nonverba run`: runs a grid, or goes on with one, and shows what happened."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from grid.catalogue import check_pair, pair
from grid.cli.console import say, show_json, show_table, tell
from grid.cli.execute import check_attributed, execute, is_partial
from grid.cli.interrupt import program, resumable
from grid.cli.options import Load
from grid.cli.runfolder import remove_run
from grid.cli.services import recording_wire
from grid.cli.summarytable import show_summary, summary_json
from grid.errors import ConfigError, NotGateable
from grid.extensions import loaded as loaded_folders
from grid.gridfile import (
    GridFile,
    chosen_grid,
    cross,
    demo_text,
    idle_guards,
    left_out,
    read_grid,
    with_axes,
)
from grid.plan import Plan
from grid.strict import to_json
from grid.tamperblocks import idle_faults, told
from grid.vocabulary import HARM_FAMILIES, Outcome
from ledgers.manifest import Manifest, build_manifest
from ledgers.reading import SealedRun
from ledgers.released import released, unknown_parts
from ledgers.store import RunDirectory, holds_run, is_sealed

RUNS = Path("runs")
GRID_LIMIT = 1_000_000
"""Bytes of a grid file."""


def run_command(
    grid: Annotated[
        Path | None,
        typer.Argument(metavar="[GRID.toml]", help="Grid file; or the demo, or --scenario's own."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Run directory; runs/<name of the grid>.")
    ] = None,
    scenario: Annotated[
        list[str] | None, typer.Option("--scenario", help="Number or module name; may be repeated.")
    ] = None,
    family: Annotated[
        str | None, typer.Option(help="leakage, delivery, binding or refusal.")
    ] = None,
    framework: Annotated[
        list[str] | None, typer.Option("--framework", help="May be repeated.")
    ] = None,
    model: Annotated[list[str] | None, typer.Option("--model", help="May be repeated.")] = None,
    clause: Annotated[list[str] | None, typer.Option("--clause", help="May be repeated.")] = None,
    guards: Annotated[
        list[str] | None,
        typer.Option(
            "--guards", help="off, on, on-continue, all-but:NAME or only:NAME; may be repeated."
        ),
    ] = None,
    lang: Annotated[
        list[str] | None, typer.Option("--lang", help="en, ja; may be repeated.")
    ] = None,
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
) -> None:
    """Run a grid of trials, record, judge and seal it."""
    axes = {
        "scenarios": scenario,
        "frameworks": framework,
        "models": model,
        "clauses": clause,
        "guards": guards,
        "languages": lang,
    }
    plan = _plan(_wanted(grid, axes, trials), _family(family))
    if dry_run:
        _show_plan(plan, as_json)
        return
    path, hidden = output or RUNS / plan.name, no_progress or as_json
    finished = _run(path, build_manifest(plan), (resume, force), jobs, hidden)
    _show(finished, as_json)
    check_attributed(path)
    _exit_code(finished, fail_on)


def _wanted(
    path: Path | None, axes: Mapping[str, list[str] | None], trials: int | None
) -> GridFile:
    """Return the grid that is asked for: of a file, of the scenarios named, or the demo's."""
    chosen = {name: tuple(values) for name, values in axes.items() if values}
    asked = chosen.pop("scenarios") if path is None and "scenarios" in chosen else ()
    base = chosen_grid(asked) if asked else _grid(path)
    return with_axes(base, chosen | {"trials": trials})


def _plan(grid: GridFile, family: str | None) -> Plan:
    """Cross a grid; refuse an own scenario that cannot be judged; say what is left out."""
    plan = cross(grid, family)
    for module in dict.fromkeys(trial.scenario.partition(".")[0] for trial in plan.trials):
        if module not in released().scenarios:
            check_pair(pair(module))
    for sentence in (*left_out(grid), *idle_guards(plan), *idle_faults(plan)):
        tell(f"note: {sentence}")
    return plan


def _show(finished: SealedRun, as_json: bool) -> None:
    if as_json:
        planted = {"tamper": to_json(finished.manifest.tamper)} if finished.manifest.tamper else {}
        show_json({"head": finished.head.head, **planted, **summary_json(finished.trials)})
    else:
        show_summary(finished.trials, finished.manifest)
        _next_steps(finished)


def _run(
    path: Path, manifest: Manifest, flags: tuple[bool, bool], jobs: int, hidden: bool
) -> SealedRun:
    resume, force = flags
    if resume and force:
        raise ConfigError("--resume goes on with a run and --force deletes it; write one of them")
    if force:
        remove_run(path)
    if resume and is_sealed(path):
        tell(f"{path} is finished; nothing is left to run.")
        found = SealedRun(path)
        if found.manifest != manifest:
            raise ConfigError(
                f"{path} holds a finished run of another plan; name another folder with -o"
            )
        return found
    if not resume and holds_run(path):
        state = "an unfinished run: add --resume to go on" if is_partial(path) else "a finished run"
        raise ConfigError(f"{path} holds {state}; --force deletes it, -o names another folder")
    opened = RunDirectory.resume(path, manifest) if resume else RunDirectory.create(path, manifest)
    with opened as run, resumable(run):
        opener = partial(recording_wire, tamper=manifest.tamper)
        execute(
            run, lambda live, strays: opener(live, unattributed=strays), jobs=jobs, hidden=hidden
        )
    return SealedRun(path)


def _grid(path: Path | None) -> GridFile:
    if path is None:
        return read_grid(demo_text(), "the demo grid")
    try:
        with path.open("rb") as file:
            data = file.read(GRID_LIMIT + 1)
    except OSError as error:
        raise ConfigError(f"GRID: cannot read {path}: {error.strerror}") from error
    if len(data) > GRID_LIMIT:
        raise ConfigError(f"GRID: {path} is over {GRID_LIMIT} bytes; that is no grid file")
    try:
        return read_grid(data.decode(), str(path))
    except UnicodeDecodeError as error:
        raise ConfigError(f"GRID: {path} is not UTF-8 text: {error}") from error


def _family(name: str | None) -> str | None:
    known = [family.value for family in HARM_FAMILIES]
    if name is not None and name not in known:
        raise ConfigError(f"--family: unknown family {name!r}; write one of: {', '.join(known)}")
    return name


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
    load = "".join(f" --load {folder}" for folder in loaded_folders())
    say(f"  {program()} verify {run.path} --head {run.head.head}{unknown}")
    say(f"  {program()} replay {run.path} -o {run.path}-replayed --force{load}")
    say(f"  {program()} show {run.path} {shown.trial}")


def _exit_code(run: SealedRun, fail_on: Outcome | None) -> None:
    outcomes = [entry.outcome for entry in run.trials if entry.outcome is not None]
    utilities = [entry.utility for entry in run.trials]
    if all(word == "invalid" for word in (*outcomes, *utilities)):
        raise NotGateable("no trial is valid: `nonverba show` tells why; there is nothing to judge")
    if fail_on is not None and fail_on in outcomes:
        raise typer.Exit(1)
