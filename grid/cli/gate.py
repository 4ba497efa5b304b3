"""`nonverba gate`: whether a run's model is worse than the baseline's; one answer, one exit code.

0: no gate fails and none is open. 1: a gate fails, or a run does not hold. 2: the two cannot be
held against each other. 3: too little valid evidence, or a gate is open.
"""

from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import Annotated

import typer

from grid.canonical import plain_json
from grid.cli.console import show_json
from grid.cli.extras import needing
from grid.cli.gateview import report_json, show_report
from grid.cli.outputfile import check_outputs, write_output
from grid.display import visible
from grid.errors import ConfigError, NotGateable, VerificationError
from ledgers.baseline import Baseline, Fixed, check_finished, check_fixed, open_baseline, trials_of
from ledgers.comparable import cells_of
from ledgers.gate import judge
from ledgers.gatelooks import (
    Look,
    check_counts,
    check_first,
    check_independent,
    look_at,
    read_look,
    read_looks,
    remember,
    times_looked,
)
from ledgers.gatemarkdown import markdown
from ledgers.gatepairs import pair_runs, side
from ledgers.gateresult import GateReport, Terms
from ledgers.junit import junit_xml
from ledgers.reading import SealedRun
from ledgers.sarif import sarif_log
from ledgers.verify import verify


def gate_command(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Run of the candidate.")],
    baseline: Annotated[
        Path,
        typer.Option(
            "--baseline", metavar="DIR", help="Folder of `baseline save`, or a run directory."
        ),
    ],
    margin: Annotated[
        float | None,
        typer.Option("--margin", metavar="POINTS", help="Rise of a mean share that is accepted."),
    ] = None,
    alpha: Annotated[
        float | None, typer.Option("--alpha", metavar="SHARE", help="Error of each gate.")
    ] = None,
    look: Annotated[
        str | None,
        typer.Option("--look", metavar="K/N", help="Which of N looks that the baseline planned."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    to_markdown: Annotated[
        Path | None, typer.Option("--markdown", metavar="FILE", help="Write a job summary.")
    ] = None,
    to_junit: Annotated[
        Path | None, typer.Option("--junit", metavar="FILE", help="Write JUnit XML.")
    ] = None,
    to_sarif: Annotated[
        Path | None, typer.Option("--sarif", metavar="FILE", help="Write failures as SARIF.")
    ] = None,
) -> None:
    """Tell whether a run's model is worse than the baseline's."""
    files = {"--markdown": to_markdown, "--junit": to_junit, "--sarif": to_sarif}
    check_outputs(files, (directory, baseline))
    held, (after, unreleased) = _baseline(baseline), _candidate(directory)
    fixed = _fixed(held, margin, alpha)
    number = read_look(look, fixed.looks, saved=held.looks is not None)
    terms = Terms(margin=fixed.margin, alpha=fixed.alpha, look=number, looks=fixed.looks)
    with needing("gate", "stats"):  # before a look is remembered
        report = _judge(held, after, terms).noting(*_strange(held, unreleased))
    written = {
        "--markdown": lambda: markdown(report).encode(),
        "--junit": lambda: junit_xml(report),
        "--sarif": lambda: _sarif(report, directory),
    }
    for option, path in files.items():
        if path is not None:
            write_output(option, path, written[option]())
    if as_json:
        show_json(report_json(report))
    else:
        show_report(report)
    if report.exit_code:
        raise typer.Exit(report.exit_code)


def _judge(held: Baseline, after: SealedRun, terms: Terms) -> GateReport:
    """Judge, and write the look down before anybody sees what came of it."""
    pairs = pair_runs(held.run, after)
    check_counts(trials_of(held.run), trials_of(after), terms.look, terms.looks)
    check_independent(held.run, after)
    now = look_at(after, held.run.head.head, terms.look, terms.looks)
    taken = () if held.looks is None else read_looks(held.looks, now.baseline)
    check_first(now, taken)
    sides = (side(held.run, cells_of((held.run,))), side(after, cells_of((after,))))
    report = judge(sides, pairs, held.plan, terms)
    if held.looks is not None and report.gateable:
        remember(held.looks, now, taken)
    return report.noting(*_notes(held, now, taken))


def _notes(held: Baseline, now: Look, taken: tuple[Look, ...]) -> list[str]:
    notes = []
    if held.looks is None:
        notes.append(
            "The baseline is a plain run: margin and error are the defaults or stand on this "
            "command line, and no look is remembered; `nonverba baseline save` fixes all that."
        )
    before = times_looked(now, taken)
    if before:
        notes.append(
            f"{before} other runs of this model were held against this baseline before, each with "
            "an error of its own: the more runs, the likelier one that passes by luck."
        )
    if held.unreleased:
        notes.append(f"never released: {', '.join(map(visible, held.unreleased))}")
    return notes


def _strange(held: Baseline, unreleased: tuple[str, ...]) -> list[str]:
    """Say which parts of the candidate were never released, beside those of the baseline."""
    more = [name for name in unreleased if name not in held.unreleased]
    return [f"never released, in the candidate alone: {', '.join(map(visible, more))}"] * bool(more)


def _baseline(folder: Path) -> Baseline:
    """Verify a baseline; one that does not hold is no evidence, and no word on a model."""
    try:
        return open_baseline(folder)
    except VerificationError as error:
        raise NotGateable(str(error)) from error


def _candidate(directory: Path) -> tuple[SealedRun, tuple[str, ...]]:
    """Verify a candidate; return it with those of its parts that were never released."""
    check_finished(directory)
    try:
        report = verify(directory, allow_unknown=True)
    except VerificationError as error:
        held = VerificationError(
            error.step, error.name, f"the candidate does not hold: {error.detail}"
        )
        raise NotGateable(str(held)) from error
    return SealedRun(directory), report.unknown


def _fixed(held: Baseline, margin: float | None, alpha: float | None) -> Fixed:
    """Return the terms: the baseline's, which a command line may not change afterwards."""
    saved = held.fixed
    asked = Fixed(
        margin=saved.margin if margin is None else margin / 100,
        alpha=saved.alpha if alpha is None else alpha,
        looks=saved.looks,
    )
    check_fixed(asked)
    if held.looks is not None and asked != saved:
        name, value = "--margin", f"{100 * saved.margin:g} points"
        if asked.margin == saved.margin:
            name, value = "--alpha", f"{saved.alpha:g}"
        raise ConfigError(
            f"{name}: the baseline fixed {value} before any candidate was seen; leave {name} out, "
            "or save the baseline again"
        )
    return asked


def _sarif(report: GateReport, directory: Path) -> bytes:
    whole, here = directory.resolve(), Path.cwd().resolve()
    inside = whole.is_relative_to(here)
    relative = whole.relative_to(here) if inside else Path(whole.name)  # no path of one machine
    log = sarif_log(report, PurePosixPath(relative.as_posix()), version("nonverba"))
    return plain_json(log).encode() + b"\n"
