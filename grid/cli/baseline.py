"""`nonverba baseline save`: keeps a verified run as what candidates are held against."""

from pathlib import Path
from typing import Annotated

import typer

from grid.cli.console import say, show_json
from grid.cli.interrupt import program
from grid.display import visible
from grid.strict import to_json
from ledgers.baseline import ALPHA, MARGIN, BaselineRecord, Fixed, save_baseline

baseline_app = typer.Typer(
    no_args_is_help=True,
    help="Keep a run as the baseline that candidates are held against: baseline save DIR --to "
    "FOLDER [--margin POINTS] [--alpha SHARE] [--looks N] [--allow-unknown] [--force] [--json].",
)


@baseline_app.callback()
def baseline_group() -> None:
    """Keep the group a group, although it has one command."""


@baseline_app.command("save")
def save_command(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Run directory.")],
    to: Annotated[
        Path, typer.Option("--to", metavar="FOLDER", help="Folder of the baseline, to commit.")
    ],
    margin: Annotated[
        float,
        typer.Option("--margin", metavar="POINTS", help="Rise of a mean share that is accepted."),
    ] = 100 * MARGIN,
    alpha: Annotated[
        float, typer.Option("--alpha", metavar="SHARE", help="Error of each gate.")
    ] = ALPHA,
    looks: Annotated[
        int, typer.Option("--looks", metavar="N", help="Looks at a growing run that are planned.")
    ] = 1,
    force: Annotated[bool, typer.Option("--force", help="Replace the baseline there.")] = False,
    allow_unknown: Annotated[
        bool,
        typer.Option("--allow-unknown", help="Accept scenarios and rules that are not released."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Verify a run and keep it, with margin, error and looks fixed before any candidate is seen."""
    fixed = Fixed(margin=margin / 100, alpha=alpha, looks=looks)
    record = save_baseline(directory, to, fixed, force=force, allow_unknown=allow_unknown)
    if as_json:
        show_json(to_json(record))
    else:
        _show(record, to)


def _show(record: BaselineRecord, folder: Path) -> None:
    fixed, counts = record.fixed, sorted(set(record.trials.values()))
    trials = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    say(f"baseline of {visible(record.model)}: {len(record.trials)} cells, {trials} trials each")
    say(f"head {record.head}")
    looks = f", {fixed.looks} looks" if fixed.looks > 1 else ""
    say(
        f"fixed: margin {100 * fixed.margin:g} points, error {fixed.alpha:g} per gate{looks}, "
        f"{len(record.families)} gates"
    )
    say("Commit the folder. Next, for a run of the same grid with another model:")
    say(f"  {program()} gate DIR --baseline {visible(str(folder))}")
