"""`nonverba judge`: judges a finished run again by the rules of today; runs and writes nothing."""

from pathlib import Path
from typing import Annotated

import typer

from grid.cli.console import say, show_json
from grid.cli.summarytable import show_summary, summary_json
from grid.display import visible
from ledgers.reading import SealedRun


def judge_command(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Run directory.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Judge a run again and list changed verdicts."""
    run = SealedRun(directory)
    judged = tuple(run.rejudged())
    before = {str(entry.trial): entry for entry in run.trials}
    changed = [str(entry.trial) for entry in judged if before.get(str(entry.trial)) != entry]
    if as_json:
        show_json({**summary_json(judged), "changed": changed})
        return
    show_summary(judged, run.manifest)
    if changed:
        say(f"{len(changed)} trials are judged otherwise than in the ledger:")
        for trial in changed:
            say(f"  {visible(trial)}")
    else:
        say("every verdict is as in the ledger")
