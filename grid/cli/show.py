"""`nonverba show`: one trial, the agent's claim beside what the evidence says."""

from pathlib import Path
from typing import Annotated

import typer

from grid.cli.console import show_json
from grid.cli.runfolder import find_trial, kept_trial, open_manifest
from grid.cli.trialview import show_trial, trial_json
from grid.errors import ConfigError
from grid.tamperblocks import told
from ledgers.adjudicate import judge
from ledgers.reading import UNFIT, SealedRun, case_of, first_answers, rules_of
from ledgers.store import is_sealed


def show_command(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Run directory.")],
    trial: Annotated[
        str,
        typer.Argument(metavar="TRIAL", help="Coordinates joined by '/', or a part that fits one."),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show one trial: claim, verdicts, funnel and tool journal."""
    manifest = open_manifest(directory)
    kept = kept_trial(directory, find_trial(manifest, trial))
    try:
        firsts = first_answers(SealedRun(directory).trials) if is_sealed(directory) else None
        found = judge(case_of(kept, manifest, firsts), rules_of(manifest))
    except UNFIT as error:
        raise ConfigError(
            f"the evidence of this trial does not fit together ({type(error).__name__}); "
            f"`nonverba verify {directory}` names the step"
        ) from error
    of = manifest.scenario(kept.evidence.trial.scenario)
    closed = of.closed_book
    if as_json:
        of_wire = kept.recording
        show_json(trial_json(kept.evidence, found, closed_book=closed, recording=of_wire))
    else:
        show_trial(
            kept.evidence,
            found,
            closed_book=closed,
            recording=kept.recording,
            world=of.world,
            planted=[told(tamper) for tamper in manifest.tamper],
        )
