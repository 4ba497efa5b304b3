"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from grid.extensions import load_folders


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
