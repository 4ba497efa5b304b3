"""`nonverba export`: for other people's tools, recordings as flows or HAR, verdicts as a table."""

import importlib
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from grid.cli.console import say, tell
from grid.cli.damage import check_readable, lacks
from grid.cli.exporttable import write_csv, write_parquet
from grid.cli.extras import lacking
from grid.cli.outputfile import check_output
from grid.cli.runfolder import find_trial, open_manifest
from grid.errors import CanonicalError, ConfigError, StrictError
from ledgers.packs import INDEX, Pack, read_frame, read_index
from ledgers.reading import frames_by_trial
from ledgers.recordings import Recordings, holds_recordings, read_recordings
from ledgers.store import holds_run
from proxy.wire.exchange import Exchange, read_exchanges

EXPORTER = "proxy.exportflows"
"""Imported when it is needed: it brings mitmproxy, which a core install does not have."""


class Form(StrEnum):
    """What can be exported: recordings as the first two, verdicts as the others."""

    MITM = "mitm"
    HAR = "har"
    PARQUET = "parquet"
    CSV = "csv"


TABLES: Mapping[Form, Callable[[Path, Path], int]] = {
    Form.PARQUET: write_parquet,
    Form.CSV: write_csv,
}
"""What writes a finished run as a table."""


def export_command(
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="Run directory, or folder of `proxy --record`.")
    ],
    to: Annotated[
        Form,
        typer.Option(
            "--to",
            help="Recordings: mitm (mitmproxy's flow file) or har; verdicts: parquet or csv.",
        ),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="File to write; a new one.")],
    trial: Annotated[
        str | None, typer.Option("--trial", help="This trial or session alone; left out, all.")
    ] = None,
    provider: Annotated[
        bool,
        typer.Option("--provider", help="The provider's side of what a planted fault changed."),
    ] = False,
) -> None:
    """Export recorded exchanges as flows or HAR, or a run's verdicts as Parquet or CSV."""
    holds = holds_run(directory) or holds_recordings(directory)
    check_output("-o", output, (directory,) if holds else ())
    if to in TABLES:
        _export_table(directory, to, output, trial is not None or provider)
        return
    base, damaged = "", False
    try:
        if holds_recordings(directory):
            stored = read_recordings(directory)
            base = next(iter(stored.upstreams), "")
            recordings = iter(_sessions(stored, trial))
            damaged = trial is None and bool(stored.damaged)
        else:
            recordings = _trials(directory, trial)
        count = _exporter()(recordings, form=to.value, path=output, provider=provider, base=base)
    except FileExistsError as error:
        raise ConfigError(f"-o: {output} is there already; name a new file") from error
    except (CanonicalError, StrictError) as error:
        raise ConfigError(f"{directory}: {error}; `nonverba verify` names the step") from error
    say(f"{count} exchanges written to {output}")
    if damaged:
        raise typer.Exit(3)


def _export_table(directory: Path, to: Form, output: Path, narrowed: bool) -> None:
    if narrowed:
        raise ConfigError(
            f"--to {to.value} writes a whole run: leave --trial and --provider out, which are "
            "about recordings"
        )
    try:
        count = TABLES[to](directory, output)
    except FileExistsError as error:
        raise ConfigError(f"-o: {output} is there already; name a new file") from error
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(output)) from error  # names the file
    say(f"{count} rows written to {output}")


def _sessions(stored: Recordings, name: str | None) -> list[tuple[str, tuple[Exchange, ...]]]:
    names = [session.record.name for session in stored.sessions]
    check_readable(stored, name, option="--trial")
    if name is not None and name not in names:
        raise ConfigError(f"--trial: no session is called {name!r}; there are {', '.join(names)}")
    wanted = [item for item in stored.sessions if name in (None, item.record.name)]
    for item in wanted:
        if not item.record.complete:
            tell(f"note: the recording of {item.record.name} is {lacks(item.record)}")
    return [(item.record.name, item.exchanges) for item in wanted]


def _trials(directory: Path, name: str | None) -> Iterator[tuple[str, tuple[Exchange, ...]]]:
    manifest = open_manifest(directory)
    only = None if name is None else find_trial(manifest, name)
    path = directory / INDEX
    frames = frames_by_trial(read_index(path.read_bytes())) if path.is_file() else {}
    wanted = [str(trial) for trial in manifest.trials if only in (None, str(trial))]
    recorded = [trial for trial in wanted if Pack.RECORDING in frames.get(trial, {})]
    if not recorded:
        raise ConfigError(
            f"{directory}: nothing is recorded of {only or 'any trial'}; the framework `scripted` "
            "has no wire, and a trial that has not finished has no recording yet"
        )
    return (
        (trial, read_exchanges(read_frame(directory, frames[trial][Pack.RECORDING])))
        for trial in recorded
    )


def _exporter() -> Callable[..., int]:
    try:
        found: Callable[..., int] = importlib.import_module(EXPORTER).export_flows
    except ImportError as error:
        raise lacking("export", "proxy", error) from error
    return found
