"""`nonverba replay`: runs frameworks and tools again, with only the model's answers recorded.

A new directory is written; of the original only the plan and the recordings are read before the
new run is sealed. The head must come out the same: a changed tool, world, guard or framework
changes it.

With ``--framework`` the answers recorded from one framework are played to others, matched by turn:
the new run is one of its own, and what is compared is what each trial came to and where the
conversations part. That a framework changes an outcome is a finding, and exits 1.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from grid.canonical import load_json
from grid.cli.console import say, show_json, tell
from grid.cli.crossplan import plan_crossing
from grid.cli.crosstable import crossed_json, crossed_trials, show_crossed
from grid.cli.execute import check_attributed, environment, execute
from grid.cli.interrupt import resumable
from grid.cli.options import Load, OwnClauses
from grid.cli.runfolder import open_manifest, remove_run
from grid.cli.services import ProxyWire, replaying_wire
from grid.cli.spool import Spool, recordings, spool
from grid.display import visible
from grid.errors import CanonicalError, ConfigError, NotGateable, StrictError
from grid.plan import Plan
from ledgers.chain import Head
from ledgers.manifest import Manifest, build_manifest
from ledgers.reading import SealedRun
from ledgers.store import ENVIRONMENT, TIMINGS, RunDirectory, is_sealed, read_timings

NOTED = 3
"""Trials that differ whose notes are printed."""


def replay_command(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Run directory to replay.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="New run directory.")],
    framework: Annotated[
        list[str] | None,
        typer.Option(
            "--framework", help="Play the recorded answers to this framework; may be repeated."
        ),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option("--from", help="Framework whose answers --framework gets, if it has several."),
    ] = None,
    jobs: Annotated[int, typer.Option("-j", "--jobs", min=1, max=64, help="Worker processes.")] = 2,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a replay that was stopped.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Delete the run in the new directory.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    no_progress: Annotated[bool, typer.Option("--no-progress", help="No progress bar.")] = False,
    clause: OwnClauses = None,
    load: Load = None,
) -> None:
    """Replay a run offline and compare the heads, or play its answers to other frameworks."""
    manifest = open_manifest(directory)
    if not is_sealed(directory):
        raise ConfigError(f"{directory} holds no finished run; run it with --resume first")
    if output.resolve().is_relative_to(directory.resolve()):
        raise ConfigError("-o: a replay needs a directory outside the original; name another one")
    if source is not None and not framework:
        raise ConfigError("--from: name the framework to play its answers to with --framework")
    _check_parts(directory, manifest)
    asked = _Asked(output=output, resume=resume, force=force, jobs=jobs, as_json=as_json)
    hidden = no_progress or as_json
    if framework:
        same = _cross(SealedRun(directory), (framework, source), asked, hidden=hidden)
    else:
        same = _again(directory, manifest, asked, hidden=hidden)
    check_attributed(output)
    raise typer.Exit(0 if same else 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """How a replay is to be made."""

    output: Path
    resume: bool
    force: bool
    jobs: int
    as_json: bool


def _again(directory: Path, manifest: Manifest, asked: _Asked, *, hidden: bool) -> bool:
    """Replay strictly; say whether the head came out the same."""
    kept = recordings(directory, manifest.trials)
    head = _run(manifest, asked, lambda live: spool(live, kept), hidden=hidden)
    original = SealedRun(directory).head
    same = head == original
    if asked.as_json:
        show_json({"same": same, "head": head.head, "original": original.head})
    elif same:
        say(f"same head {head.head}  ({head.count} entries)")
    else:
        _explain(directory, asked.output, head.head, original.head)
    return same


def _cross(
    original: SealedRun, wanted: tuple[list[str], str | None], asked: _Asked, *, hidden: bool
) -> bool:
    """Play answers to other frameworks; say whether all came to what was recorded."""
    crossing = plan_crossing(original, *wanted)
    for sentence in crossing.left_out:
        tell(f"note: {sentence}")
    kept = recordings(original.path, map(crossing.origin, crossing.manifest.trials))
    head = _run(
        crossing.manifest, asked, lambda live: spool(live, kept, crossing.origin), hidden=hidden
    )
    found = crossed_trials(original, SealedRun(asked.output), crossing)
    if asked.as_json:
        show_json(
            {"head": head.head, "original": original.head.head, **crossed_json(found, crossing)}
        )
    else:
        numbers = {item.id: item.number for item in crossing.manifest.scenarios}
        show_crossed(found, crossing, numbers)
        say(f"head {head.head}  ({head.count} entries), played from {original.head.head}")
    same = all(item.same for item in found)
    if same and not any(fate.valid for item in found for fate, _ in item.played):
        raise NotGateable("no played trial is valid: `nonverba show` tells why")
    return same


def _run(
    manifest: Manifest, asked: _Asked, spooled: Callable[[Path], Spool], *, hidden: bool
) -> Head:
    """Make the new run, or what is left of it."""
    if asked.resume and is_sealed(asked.output):
        found = SealedRun(asked.output)
        if found.manifest == manifest:
            tell(f"{asked.output} is finished; nothing is left to run.")
            return found.head
    if asked.force:
        remove_run(asked.output)
    make = RunDirectory.resume if asked.resume else RunDirectory.create

    def opener(live: Path, strays: Callable[[str], None]) -> AbstractContextManager[ProxyWire]:
        return replaying_wire(live, spooled(live), manifest.tamper, strays)

    with make(asked.output, manifest) as run, resumable(run):
        return execute(run, opener, jobs=asked.jobs, hidden=hidden)


def _check_parts(directory: Path, manifest: Manifest) -> None:
    """Say so before anything runs when this checkout's scenarios or rules are not the run's."""
    plan = Plan(
        name=manifest.name, seed=manifest.seed, trials=manifest.trials, tamper=manifest.tamper
    )
    try:
        here = replace(build_manifest(plan, models=manifest.models), source=manifest.source)
    except ConfigError as error:
        raise ConfigError(
            f"{directory} was made with something that is not here; if it came from a folder of "
            f"your own, add --load FOLDER, or --clause PATH for a clause: {error}"
        ) from error
    if here != manifest:
        raise ConfigError(
            f"{directory} was made with other scenarios, clauses, guards, tools or rules than this "
            "checkout has, so it cannot come out again. "
            f"It was made with: {_made_with(directory)}"
        )


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
    for trial, note in _notes(output, changed):
        say(f"  {visible(trial)}: {visible(note)}")
    was, now = _made_with(directory), _versions(environment())
    if was != now:
        say(f"it was made with {visible(was)}; this is {now}")


def _notes(output: Path, trials: list[str]) -> list[tuple[str, str]]:
    """Return what was noted of the first trials that differ; a mismatch says which part differs."""
    try:
        timings = read_timings((output / TIMINGS).read_bytes())
    except (OSError, CanonicalError, StrictError) as error:
        tell(f"what was noted of the trials cannot be read: {error}")
        return []
    noted = ((trial, str(timings.get(trial, {}).get("note") or "")) for trial in trials)
    return [(trial, note) for trial, note in noted if note][:NOTED]


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
