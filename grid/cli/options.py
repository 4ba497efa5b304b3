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

Scenarios = Annotated[
    list[str] | None, typer.Option("--scenario", help="Number or module name; may be repeated.")
]
"""Scenarios to run."""

Family = Annotated[str | None, typer.Option(help="leakage, delivery, binding or refusal.")]
"""Only the scenarios of a family."""

Frameworks = Annotated[list[str] | None, typer.Option("--framework", help="May be repeated.")]
"""Frameworks to run in."""

Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        help="scripted/<persona>, local/<name>, openai/<name> and others (list models), with "
        "parameters after it: local/<name>,temperature=0.7,max_tokens=300; may be repeated.",
    ),
]
"""Models to ask."""

GuardSettings = Annotated[
    list[str] | None,
    typer.Option(
        "--guards", help="off, on, on-continue, all-but:NAME or only:NAME; may be repeated."
    ),
]
"""Guard settings to run under."""

Languages = Annotated[list[str] | None, typer.Option("--lang", help="en, ja; may be repeated.")]
"""Languages to run in."""

BaseUrl = Annotated[
    str,
    typer.Option(
        "--base-url",
        metavar="URL",
        help="Server that speaks OpenAI's protocol, for the models that are no local ones.",
    ),
]
"""Where real models are served."""

Gguf = Annotated[
    Path | None,
    typer.Option(
        "--gguf", metavar="FILE", help="Model file of your own behind the model local/<any name>."
    ),
]
"""A model file of one's own."""

Template = Annotated[
    str,
    typer.Option(
        "--template",
        help="Chat template for --gguf: fenced (asks for tool calls as fenced JSON, the default), "
        "or own for the one in the file.",
    ),
]
"""Its chat template."""

Threads = Annotated[
    int,
    typer.Option(
        "--threads", min=1, max=256, help="Threads of a local model; one where more is running."
    ),
]
"""Threads of a local model."""
