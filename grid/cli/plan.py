"""`nonverba plan`: what a grid will take of each model, and what it can find, before it is run."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from grid.cast import PREFIX
from grid.cli.console import show_json, tell
from grid.cli.options import Load
from grid.cli.planeffect import detectable
from grid.cli.planestimate import Basis, model_plans
from grid.cli.planlike import Like
from grid.cli.planprices import read_prices
from grid.cli.planview import plan_json, show_plan
from grid.cli.running import planned, wanted_family, wanted_grid
from grid.errors import ConfigError
from grid.extensions import clause_ids
from grid.gridfile import GridFile, with_axes
from grid.plan import Plan
from ledgers.reading import SealedRun

STAND_IN = PREFIX + "honest"
"""Takes the place of a model that is no persona while its trials are listed."""
LONGEST_NAME = 200
DAY = 86_400


def plan_command(
    grid: Annotated[
        Path | None,
        typer.Argument(metavar="[GRID.toml]", help="Grid file; or the demo, or --scenario's own."),
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
    model: Annotated[
        list[str] | None,
        typer.Option("--model", help="Any model, a persona or not; may be repeated."),
    ] = None,
    clause: Annotated[
        list[str] | None, typer.Option("--clause", help="Id or .md file; may be repeated.")
    ] = None,
    guards: Annotated[
        list[str] | None, typer.Option("--guards", help="Guard setting; may be repeated.")
    ] = None,
    lang: Annotated[
        list[str] | None, typer.Option("--lang", help="en, ja; may be repeated.")
    ] = None,
    trials: Annotated[int | None, typer.Option(min=1, help="Repetitions of each cell.")] = None,
    jobs: Annotated[int, typer.Option("-j", "--jobs", min=1, max=64, help="Worker processes.")] = 2,
    like: Annotated[
        Path | None,
        typer.Option("--like", metavar="DIR", help="Finished run whose means the estimates take."),
    ] = None,
    prices: Annotated[
        Path | None, typer.Option("--prices", metavar="FILE", help="TOML file with [[price]].")
    ] = None,
    seconds_per_call: Annotated[
        float | None, typer.Option("--seconds-per-call", help="Seconds that one model call takes.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    load: Load = None,
) -> None:
    """Estimate calls, tokens, time and cost of a grid, and the smallest effect it can detect."""
    axes = {
        "scenarios": scenario,
        "frameworks": framework,
        "clauses": list(clause_ids(clause or ())),
        "guards": guards,
        "languages": lang,
    }
    read = wanted_grid(grid, axes, trials)
    plan = _crossed(read, _named(model or ()), wanted_family(family))
    basis = Basis(
        like=Like(SealedRun(like)) if like else None,
        seconds_per_call=_seconds(seconds_per_call),
        jobs=jobs,
        prices=read_prices(prices) if prices else None,
    )
    _show(plan, basis, as_json)


def _show(plan: Plan, basis: Basis, as_json: bool) -> None:
    plans, found = model_plans(plan, basis), detectable(plan)
    if as_json:
        show_json(plan_json(plan, plans, found, basis))
    else:
        show_plan(plan, plans, found, basis)


def _crossed(grid: GridFile, models: Sequence[str], family: str | None) -> Plan:
    """Cross a grid for the models that are named; those that are no personas are let through."""
    if not models:
        return planned(grid, family, tell=tell)
    crossed = tuple(_for_each(grid, models, family))
    trials = dict.fromkeys(trial for plan in crossed for trial in plan.trials)
    return replace(crossed[0], trials=tuple(trials))


def _for_each(grid: GridFile, models: Sequence[str], family: str | None) -> Iterator[Plan]:
    said: list[str] = []
    for model in models:
        persona = model.startswith(PREFIX)
        axes = {"models": (model if persona else STAND_IN,)}
        plan = planned(with_axes(grid, axes), family, tell=said.append)
        trials = plan.trials
        if not persona:
            trials = tuple(replace(trial, model=model) for trial in trials)
        yield replace(plan, trials=trials)
    for sentence in dict.fromkeys(said):
        tell(sentence)


def _named(models: Sequence[str]) -> tuple[str, ...]:
    for model in models:
        if not 0 < len(model) <= LONGEST_NAME or not model.isprintable():
            raise ConfigError("--model: write the id of a model, such as 'scripted/honest'")
    return tuple(dict.fromkeys(models))


def _seconds(value: float | None) -> float | None:
    if value is not None and not 0 <= value <= DAY:  # NaN is in no range
        raise ConfigError(
            f"--seconds-per-call: {value} is no time of one call; write seconds from 0 to {DAY}"
        )
    return value
