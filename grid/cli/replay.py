"""`nonverba replay`: runs frameworks and tools again, with only the model's answers recorded.

A new directory is written; of the original only the plan and the recordings are read before the
new run is sealed. The head must come out the same: a changed tool, world, guard or framework
changes it.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Annotated

import typer

from grid.canonical import digest, load_json
from grid.cli.console import say, show_json, tell
from grid.cli.execute import environment, execute
from grid.cli.interrupt import resumable
from grid.cli.options import Load
from grid.cli.runfolder import open_manifest, remove_run
from grid.cli.services import ProxyWire, replaying_wire
from grid.display import visible
from grid.errors import CanonicalError, ConfigError
from grid.evidence import TrialId
from grid.plan import Plan
from ledgers.manifest import Manifest, build_manifest
from ledgers.packs import INDEX, Pack, read_frame, read_index
from ledgers.reading import SealedRun, frames_by_trial
from ledgers.store import ENVIRONMENT, RunDirectory, is_sealed


def replay_command(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Run directory to replay.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="New run directory.")],
    jobs: Annotated[int, typer.Option("-j", "--jobs", min=1, max=64, help="Worker processes.")] = 2,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a replay that was stopped.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Delete the run in the new directory.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    no_progress: Annotated[bool, typer.Option("--no-progress", help="No progress bar.")] = False,
    load: Load = None,
) -> None:
    """Replay a run offline and compare the heads."""
    manifest = open_manifest(directory)
    if not is_sealed(directory):
        raise ConfigError(f"{directory} holds no finished run; run it with --resume first")
    if output.resolve().is_relative_to(directory.resolve()):
        raise ConfigError("-o: a replay needs a directory outside the original; name another one")
    _check_parts(directory, manifest)
    if force:
        remove_run(output)
    opened = (
        RunDirectory.resume(output, manifest) if resume else RunDirectory.create(output, manifest)
    )
    with opened as run:
        recordings = _recordings(directory, manifest)

        def opener(live: Path) -> AbstractContextManager[ProxyWire]:
            return replaying_wire(live, _spool(live, recordings))

        with resumable(run):
            head = execute(run, opener, jobs=jobs, hidden=no_progress or as_json)
    original = SealedRun(directory).head
    same = head == original
    if as_json:
        show_json({"same": same, "head": head.head, "original": original.head})
    elif same:
        say(f"same head {head.head}  ({head.count} entries)")
    else:
        _explain(directory, output, head.head, original.head)
    raise typer.Exit(0 if same else 1)


def _check_parts(directory: Path, manifest: Manifest) -> None:
    """Say so before anything runs when this checkout's scenarios or rules are not the run's."""
    plan = Plan(name=manifest.name, seed=manifest.seed, trials=manifest.trials)
    try:
        here = build_manifest(plan)
    except ConfigError as error:
        raise ConfigError(
            f"{directory} was made with something that is not here; if it came from a folder of "
            f"your own, add --load FOLDER: {error}"
        ) from error
    if here != manifest:
        raise ConfigError(
            f"{directory} was made with other scenarios, clauses, guards, tools or rules than this "
            "checkout has, so its head cannot come out again. "
            f"It was made with: {_made_with(directory)}"
        )


def _recordings(directory: Path, manifest: Manifest) -> dict[str, bytes]:
    frames = frames_by_trial(read_index((directory / INDEX).read_bytes()))
    return {
        str(trial): read_frame(directory, frames[str(trial)][Pack.RECORDING])
        for trial in manifest.trials
        if Pack.RECORDING in frames.get(str(trial), {})
    }


def _spool(live: Path, recordings: dict[str, bytes]) -> Callable[[TrialId], Path | None]:
    """Return what writes a trial's recording where the proxy can read it, when it is asked for."""

    def spooled(trial: TrialId) -> Path | None:
        path = live / (digest("file", str(trial).encode())[:32] + ".replay")
        path.write_bytes(recordings.get(str(trial), b""))
        return path

    return spooled


def _explain(directory: Path, output: Path, head: str, original: str) -> None:
    say(f"another head {head}")
    say(f"original was {original}")
    old = {str(entry.trial): entry for entry in SealedRun(directory).trials}
    changed = [
        str(entry.trial) for entry in SealedRun(output).trials if old.get(str(entry.trial)) != entry
    ]
    say(
        f"{len(changed)} trials differ, the first of them {visible(changed[0]) if changed else '-'}"
    )
    was, now = _made_with(directory), _versions(environment())
    if was != now:
        say(f"it was made with {visible(was)}; this is {now}")


def _made_with(directory: Path) -> str:
    try:
        return _versions(load_json((directory / ENVIRONMENT).read_bytes()))
    except (OSError, CanonicalError) as error:
        tell(f"the versions it was made with cannot be read: {error}")
        return "unknown versions"


def _versions(said: object) -> str:
    if not isinstance(said, dict) or not isinstance(said.get("versions"), dict):
        return "unknown versions"
    pairs = [("python", said.get("python")), *said["versions"].items()]
    return ", ".join(f"{name} {number}" for name, number in pairs)
