"""From a grid to its finished run: what `nonverba run` and `grid.run` share.

Nothing here prints unless it is asked to, and nothing ends the process: what goes wrong is raised
as one of `grid.errors`, whose sentence the command line prints.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypedDict, Unpack

from grid.adapters import SCRIPTED
from grid.canonical import check_value, plain_json, text_json
from grid.catalogue import check_pair, pair
from grid.cli.execute import check_attributed, execute, is_partial
from grid.cli.services import recording_wire
from grid.cli.upstreams import Endpoints, Upstreams, model_records
from grid.errors import CanonicalError, ConfigError, NotGateable
from grid.extensions import load_entry_points
from grid.gridfile import (
    TABLES,
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
from grid.tamperblocks import idle_faults
from grid.vocabulary import HARM_FAMILIES
from ledgers.manifest import Manifest, build_manifest
from ledgers.reading import SealedRun
from ledgers.released import released
from ledgers.store import RunDirectory, holds_run, is_sealed

RUNS = Path("runs")
"""Where runs are written that were given no folder."""
GRID_LIMIT = 1_000_000
"""Bytes of a grid file."""
MOST_JOBS = 64
GIVEN = "the grid"
"""What a grid is called in sentences that came as a table and not as a file."""


def unsaid(_sentence: str) -> None:
    """Say nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """How a run is carried out; nothing of it changes what comes out."""

    jobs: int = 2
    """Worker processes."""
    resume: bool = False
    """Go on with a run that was stopped; a finished one is returned as it is."""
    progress: bool = False
    """Show progress on standard error."""
    tell: Callable[[str], None] = unsaid
    """Takes sentences for people."""
    endpoints: Endpoints = field(default_factory=Endpoints)
    """Where real models are."""
    around: Callable[[RunDirectory], AbstractContextManager[None]] = lambda _: nullcontext()
    """What stands around the trials; the command puts its way of being stopped there."""


class More(TypedDict, total=False):
    """What a run may be told besides, as the options of the command say it."""

    progress: bool
    """Show progress on standard error."""
    base_url: str
    """Server that speaks OpenAI's protocol, for models that are no local ones."""
    gguf: str | Path
    """Model file behind ``local/<any name>``; without it, weights by name."""
    template: str
    """Chat template for that file; ``own`` for the one in it."""
    threads: int
    """Threads of a local model."""


def run(
    grid: str | Path | Mapping[str, Any],
    *,
    output: str | Path | None = None,
    jobs: int = 2,
    resume: bool = False,
    tell: Callable[[str], None] | None = None,
    **more: Unpack[More],
) -> SealedRun:
    """Run a grid, as `nonverba run` does, and return the finished run.

    The same grid gives the same head here, on the command line and on every machine. The run has
    its trials as `trials`, its head as `head.head`, its folder as `path`; `ledgers.frame` makes a
    DataFrame of it.

    Args:
        grid: a grid file; or the text of one (a `str` with a line break in it); or a table with the
            keys of one, ``cells`` and ``tamper`` as lists of tables.
        output: run directory, new or empty; left out, ``runs/<name of the grid>``.
        jobs: worker processes, from 1 to 64.
        resume: go on with a stopped run of the same grid there, or begin one; a finished one is
            returned as it is.
        tell: takes the sentences that the command would print beside the table, such as which
            scenario cannot be run in which framework; left out, they are not said.
        more: where real models are, and whether to show progress; see `More`.

    Raises:
        ConfigError: the grid, the directory or `jobs` cannot be used; the sentence says what to
            write.
        HarnessError: a process of ours died or something could not be kept (finished trials are
            kept: call again with ``resume=True``), or an agent asked something that no record
            holds.
        NotGateable: the run is there, and not one of its trials is valid.
    """
    if type(jobs) is not int or not 1 <= jobs <= MOST_JOBS:
        raise ConfigError(f"jobs: {jobs!r} is no number of workers; write one from 1 to 64", "jobs")
    load_entry_points()
    endpoints = Endpoints(
        base_url=more.get("base_url", ""),
        gguf=Path(more["gguf"]) if "gguf" in more else None,
        template=more.get("template", ""),
        threads=more.get("threads", 1),
    )
    how = How(
        jobs=jobs,
        resume=resume,
        progress=more.get("progress", False),
        tell=tell or unsaid,
        endpoints=endpoints,
    )
    plan = planned(given_grid(grid), tell=how.tell)
    path = RUNS / plan.name if output is None else Path(output)
    finished = carried_out(path, manifest_of(plan, how.endpoints), how)
    check_attributed(finished.path)
    check_judged(finished)
    return finished


def given_grid(grid: str | Path | Mapping[str, Any] | None) -> GridFile:
    """Return a grid from its file, its text or its table; None stands for the demo.

    Raises:
        ConfigError: it cannot be read, or is no grid; with the key and what to write instead.
    """
    match grid:
        case None:
            return read_grid(demo_text(), "the demo grid")
        case Path():
            return _from_file(grid)
        case str():
            return read_grid(grid, GIVEN) if "\n" in grid else _from_file(Path(grid))
        case Mapping():
            return _from_table(grid)
    raise ConfigError(
        f"grid: a {type(grid).__name__} is none; give a path, the text of a grid file, or a table"
    )


def wanted_grid(
    path: Path | None, axes: Mapping[str, Sequence[str] | None], trials: int | None
) -> GridFile:
    """Return the grid that is asked for: of a file, of the scenarios named, or the demo's."""
    chosen = {name: tuple(values) for name, values in axes.items() if values}
    asked = chosen.pop("scenarios") if path is None and "scenarios" in chosen else ()
    base = chosen_grid(asked) if asked else given_grid(path)
    return with_axes(base, chosen | {"trials": trials})


def wanted_family(name: str | None) -> str | None:
    """Return the family that is asked for.

    Raises:
        ConfigError: there is none of that name.
    """
    known = [family.value for family in HARM_FAMILIES]
    if name is not None and name not in known:
        raise ConfigError(f"--family: unknown family {name!r}; write one of: {', '.join(known)}")
    return name


def planned(
    grid: GridFile, family: str | None = None, *, tell: Callable[[str], None] = unsaid
) -> Plan:
    """Cross a grid; refuse an own scenario that cannot be judged; tell what is left out."""
    plan = cross(grid, family)
    for module in dict.fromkeys(trial.scenario.partition(".")[0] for trial in plan.trials):
        if module not in released().scenarios:
            check_pair(pair(module))
    for sentence in (*left_out(grid), *idle_guards(plan), *idle_faults(plan)):
        tell(f"note: {sentence}")
    return plan


def manifest_of(plan: Plan, endpoints: Endpoints) -> Manifest:
    """Return the manifest of a plan, with the weights of its local models."""
    models = model_records((trial.model for trial in plan.trials), endpoints)
    return build_manifest(plan, models=models)


def carried_out(path: Path, manifest: Manifest, how: How) -> SealedRun:
    """Run what is left of a planned run in a folder, and seal it.

    Raises:
        ConfigError: the folder holds something else.
        HarnessError: the harness failed; finished trials are kept.
    """
    if how.resume and is_sealed(path):
        how.tell(f"{path} is finished; nothing is left to run.")
        return _same_plan(path, manifest)
    if not how.resume and holds_run(path):
        state = "an unfinished run: add --resume to go on" if is_partial(path) else "a finished run"
        raise ConfigError(f"{path} holds {state}; --force deletes it, -o names another folder")
    begin = RunDirectory.resume if how.resume else RunDirectory.create
    with begin(path, manifest) as opened, how.around(opened):
        waiting = (trial.model for trial in opened.waiting() if trial.framework != SCRIPTED)
        upstreams = Upstreams(waiting, how.endpoints, tell=how.tell)
        opener = partial(recording_wire, tamper=manifest.tamper, upstreams=upstreams)
        execute(
            opened,
            lambda live, strays: opener(live, unattributed=strays),
            jobs=how.jobs,
            hidden=not how.progress,
        )
    return SealedRun(path)


def check_judged(run: SealedRun) -> None:
    """See that something can be said of a run.

    Raises:
        NotGateable: not one of its trials is valid.
    """
    outcomes = [entry.outcome for entry in run.trials if entry.outcome is not None]
    utilities = [entry.utility for entry in run.trials]
    if all(word == "invalid" for word in (*outcomes, *utilities)):
        raise NotGateable("no trial is valid: `nonverba show` tells why; there is nothing to judge")


def _same_plan(path: Path, manifest: Manifest) -> SealedRun:
    found = SealedRun(path)
    if found.manifest != manifest:
        raise ConfigError(
            f"{path} holds a finished run of another plan; name another folder with -o"
        )
    return found


def _from_file(path: Path) -> GridFile:
    try:
        with path.open("rb") as file:
            data = file.read(GRID_LIMIT + 1)
    except (OSError, ValueError) as error:  # a path with a null character is a ValueError
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise ConfigError(f"GRID: cannot read {path}: {why}") from error
    if len(data) > GRID_LIMIT:
        raise ConfigError(f"GRID: {path} is over {GRID_LIMIT} bytes; that is no grid file")
    try:
        return read_grid(data.decode(), str(path), path.parent)
    except UnicodeDecodeError as error:
        raise ConfigError(f"GRID: {path} is not UTF-8 text: {error}") from error


def _from_table(table: Mapping[str, Any]) -> GridFile:
    """Read a table through the text that it would be as a file: there is one way to read a grid."""
    data = _plain(table, GIVEN)
    lines = [("# a table", "")]  # what is written, and where in the table it stands
    for key in sorted(data, key=lambda key: key in TABLES):
        blocks = data[key]
        if key not in TABLES or not _are_tables(blocks):
            lines.append((f"{_key(key)} = {_toml(blocks)}", f", {key}"))
            continue
        for number, block in enumerate(blocks):
            place = f", {key}[{number}]"
            lines.append((f"[[{key}]]", place))
            lines += [(f"{_key(name)} = {_toml(item)}", place) for name, item in block.items()]
    try:
        return read_grid("\n".join(line for line, _ in lines), GIVEN)
    except ConfigError as error:
        raise ConfigError(
            _placed(str(error), [place for _, place in lines]), error.field
        ) from error


def _plain(value: Any, place: str) -> Any:
    """Return a table as plain JSON values; NaN and whatever a file cannot hold is refused."""
    match value:
        case Mapping():
            for key in value:
                if not isinstance(key, str):
                    raise ConfigError(f"{place}: the key {key!r} is no text; write a name")
            return {key: _plain(item, f"{place}, {key}") for key, item in value.items()}
        case list() | tuple():
            return [_plain(item, f"{place}[{n}]") for n, item in enumerate(value)]
        case None:
            raise ConfigError(f"{place}: a grid file knows no None; leave the key out")
    try:
        check_value(value)
    except CanonicalError as error:
        raise ConfigError(f"{place}: {error}; write what a grid file can hold") from error
    return value


def _are_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _placed(sentence: str, places: list[str]) -> str:
    """Name the place in the table instead of the line in a text that nobody has seen."""
    head, _, rest = sentence.removeprefix(f"{GIVEN}, line ").partition(":")
    known = sentence.startswith(f"{GIVEN}, line ") and head.isdigit() and int(head) <= len(places)
    return f"{GIVEN}{places[int(head) - 1]}:{rest}" if known else sentence


def _key(name: str) -> str:
    """Write a key bare where it can be: sentences find its line by that."""
    return name if re.fullmatch("[A-Za-z0-9_-]+", name) else _toml(name)


def _toml(value: Any) -> str:
    """Write a JSON value as TOML does."""
    match value:
        case str():
            return plain_json(value, indent=None).replace("\x7f", "\\u007f")
        case list():
            return "[" + ", ".join(map(_toml, value)) + "]"
        case dict():
            parts = (f"{_key(key)} = {_toml(item)}" for key, item in value.items())
            return "{" + ", ".join(parts) + "}"
    return text_json(value)
