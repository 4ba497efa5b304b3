"""Authority clauses: plain text files, one per clause and language.

A file opens with a TOML head between two ``+++`` lines (id, language, placement, summary); the rest
is the clause, verbatim. Placement: ``append`` (after the system prompt), ``nothing`` (no text, the
system prompt stays), ``no-system`` (the system prompt goes too: no system message on the wire).
A clause without text holds for every language (``*``).
"""

import tomllib
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from grid.canonical import digest
from grid.errors import ConfigError
from grid.registry import unknown


class Placement(StrEnum):
    """Where a clause goes."""

    APPEND = "append"
    NOTHING = "nothing"
    NO_SYSTEM = "no-system"


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One authority clause in one language."""

    id: str
    """Name on the command line."""
    language: str
    """``en``, ``ja`` or ``*``."""
    placement: Placement
    """Where it goes."""
    summary: str
    """One line for listings."""
    text: str
    """The clause, verbatim; empty unless it is appended."""

    def digest(self) -> str:
        """Return the digest of placement and text."""
        return digest("clause", f"{self.placement.value}\n{self.text}".encode())

    def system_text(self, base: str) -> str | None:
        """Return the system prompt with this clause, or None for no system message."""
        match self.placement:
            case Placement.APPEND:
                return f"{base}\n\n{self.text}"
            case Placement.NOTHING:
                return base
            case Placement.NO_SYSTEM:
                return None


def parse_clause(text: str, name: str) -> Clause:
    """Read one clause file.

    Raises:
        ConfigError: naming the file and the field that is missing or wrong.
    """
    marks = text.split("+++\n", 2)
    if len(marks) != 3 or marks[0].strip():
        raise ConfigError(f"clause {name}: write a TOML head between two '+++' lines first")
    try:
        head: dict[str, Any] = tomllib.loads(marks[1])
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"clause {name}: the head is not TOML: {error}") from error
    fields = {"id", "language", "placement", "summary"}
    if set(head) != fields or not all(isinstance(head[key], str) for key in fields):
        raise ConfigError(f"clause {name}: the head needs exactly the texts {sorted(fields)}")
    if head["placement"] not in list(Placement):
        words = [member.value for member in Placement]
        raise ConfigError(f"clause {name}: placement must be one of {words}")
    body = marks[2].strip()
    if (head["placement"] == Placement.APPEND) != bool(body):
        raise ConfigError(f"clause {name}: exactly a clause with placement 'append' has a text")
    return Clause(
        id=head["id"],
        language=head["language"],
        placement=Placement(head["placement"]),
        summary=head["summary"],
        text=body,
    )


@cache
def all_clauses() -> tuple[Clause, ...]:
    """Return every clause that ships with the project, by id and language."""
    folders = (Path(folder) for folder in __path__)
    found = (item for folder in folders for item in folder.iterdir() if item.suffix == ".md")
    clauses = [parse_clause(_text(item), item.name) for item in found]
    ordered = sorted(clauses, key=lambda clause: (clause.id, clause.language))
    for one, next_one in pairwise(ordered):
        if (one.id, one.language) == (next_one.id, next_one.language):
            raise ConfigError(
                f"two clauses are called {one.id!r} in {one.language!r}; give one another id",
                "clauses",
            )
    return tuple(ordered)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"clause {path.name}: cannot be read as UTF-8 text: {error}") from error


def clause_for(identity: str, language: str) -> Clause:
    """Return a clause in a language.

    Raises:
        ConfigError: unknown id, or not written in that language.
    """
    named = [clause for clause in all_clauses() if clause.id == identity]
    if not named:
        raise unknown("clause", identity, {clause.id for clause in all_clauses()})
    for clause in named:
        if clause.language in (language, "*"):
            return clause
    known = ", ".join(clause.language for clause in named)
    raise ConfigError(
        f"clause {identity!r} is not written in {language!r}; it has: {known}", "clauses"
    )


@cache
def known_texts() -> tuple[str, ...]:
    """Return the texts of all clauses that have one."""
    return tuple(clause.text for clause in all_clauses() if clause.text)
