"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from grid.extensions import load_clauses, load_folders


def _load(folders: list[Path] | None) -> list[Path] | None:
    load_folders(folders or ())
    return folders


Load = Annotated[
    list[Path] | None,
    typer.Option(
        "--load",
        metavar="FOLDER",
        callback=_load,
        is_eager=True,
        help="Folder with scenarios/, worlds/, guards/, clauses/ or frameworks/ of your own; "
        "may be repeated.",
    ),
]
"""Loads folders before anything else of the command is looked at."""


def _load_clauses(paths: list[Path] | None) -> list[Path] | None:
    for path in paths or ():
        load_clauses(path)
    return paths


NamedClauses = Annotated[
    list[str] | None,
    typer.Option("--clause", help="Id, .md file of your own, or folder of such; may be repeated."),
]
"""Names clauses to run; those that are paths are loaded by the command."""

OwnClauses = Annotated[
    list[Path] | None,
    typer.Option(
        "--clause",
        metavar="PATH",
        callback=_load_clauses,
        is_eager=True,
        help="Clause file of your own that the run had, or a folder of such; may be repeated.",
    ),
]
"""Loads clauses of one's own beside those that ship."""
