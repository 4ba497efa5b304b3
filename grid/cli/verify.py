"""`nonverba verify`: whether a run directory holds, step by step, from its files alone."""

from pathlib import Path
from typing import Annotated

import typer

from grid.cli.console import say, show_json
from grid.cli.execute import is_partial
from grid.cli.runfolder import open_manifest
from grid.display import visible
from grid.errors import ConfigError, VerificationError
from grid.tamperblocks import told
from ledgers.verify import verify

HEX = 64


def verify_command(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Run directory.")],
    head: Annotated[
        str | None, typer.Option("--head", help="Head from elsewhere: an article, a README, CI.")
    ] = None,
    allow_unknown: Annotated[
        bool,
        typer.Option("--allow-unknown", help="Accept scenarios and rules that are not released."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Verify a run, down to every verdict; a failure names the step and exits 1."""
    if head is not None and (len(head) != HEX or set(head) - set("0123456789abcdef")):
        raise ConfigError("--head: write the 64 hex digits that `nonverba run` printed as the head")
    if not directory.is_dir():
        raise ConfigError(f"DIR: {directory} is no folder; name a run directory")
    if is_partial(directory):
        raise ConfigError(f"DIR: {directory} holds an unfinished run; run it with --resume first")
    try:
        report = verify(directory, head, allow_unknown=allow_unknown)
    except VerificationError as error:
        if as_json:
            show_json(
                {"verified": False, "step": error.step, "name": error.name, "detail": error.detail}
            )
            raise typer.Exit(1) from error
        raise
    if as_json:
        show_json(
            {
                "verified": True,
                "head": report.head,
                "trials": report.trials,
                "pinned": head is not None,
            }
        )
        return
    say(f"verified: {report.trials} trials, every verdict recomputed")
    say(f"head {visible(report.head)}")
    manifest = open_manifest(directory)
    if manifest.source is not None:
        say(visible(manifest.source.sentence()))
    for tamper in manifest.tamper:
        say(f"Planted on the wire of every trial, where it has it: {told(tamper)}.")
    say("environment.json (versions) and timings.jsonl are not covered by the head.")
    if head is None:
        say(
            "No head from elsewhere was given (--head): a chain that was rewritten as a whole, or "
            "cut and sealed again, would look the same."
        )
