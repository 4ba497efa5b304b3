"""Authority clauses: plain text files, one per clause and language.

A file opens with a TOML head between two ``+++`` lines: id, language, placement, summary, and if it
wants, results. The rest is the clause, verbatim. Placement: ``append`` (after the system prompt),
``nothing`` (no text, the system prompt stays), ``no-system`` (the system prompt goes too: no system
message on the wire). A clause without text holds for every language (``*``).

``results`` says what the clause does to tool results besides (see `grid.resultframe`): ``plain``,
when left out; ``marked``, and then ``{nonce}`` in the text is filled in for each trial; or
``task-again``. A text that promises marks stands there with the marks, or not at all.

A file of one's own may do without the head: then its name is the id, ``.en`` or ``.ja`` before
``.md`` the language, and the whole file the text.
"""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

from grid.canonical import digest
from grid.display import visible
from grid.errors import ConfigError
from grid.registry import unknown
from grid.resultframe import NONCE, NONCE_LENGTH, Results, nonce_for
from grid.system import BASE

ANY = "*"
"""Language of a clause that holds for every one."""
SUFFIX = ".md"
LONGEST = 20_000
"""Characters of a clause: a system prompt is no book."""
LONGEST_SUMMARY = 80
"""Characters of a text that stand in for a summary that nobody wrote."""

LONGEST_ID = 100
"""Characters of an id: it stands in the name of every trial."""

_ID = re.compile(r"\w[\w.-]*")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_HEAD = ("id", "language", "placement", "summary")
_MARK = "+++\n"


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
    """The clause, as written; empty unless it is appended."""
    results: Results = Results.PLAIN
    """What it does to tool results."""

    def digest(self) -> str:
        """Return the digest of placement and text, and of what is done to results, if it is."""
        done = "" if self.results is Results.PLAIN else f" {self.results.value}"
        return digest("clause", f"{self.placement.value}{done}\n{self.text}".encode())

    def filled(self, seed: str) -> str:
        """Return the text as a trial's agent gets it: with the nonce of that trial, if any."""
        if self.results is not Results.MARKED:
            return self.text
        return self.text.replace(NONCE, nonce_for(seed))

    def system_text(self, base: str, seed: str = "") -> str | None:
        """Return the system prompt with this clause, or None for no system message.

        Args:
            base: the common system prompt.
            seed: hex seed of the trial; only a clause with marks has a use for it.
        """
        match self.placement:
            case Placement.APPEND:
                return f"{base}\n\n{self.filled(seed)}"
            case Placement.NOTHING:
                return base
            case Placement.NO_SYSTEM:
                return None


def parse_clause(text: str, name: str) -> Clause:
    """Read one clause file.

    Raises:
        ConfigError: naming the file and the field that is missing or wrong.
    """
    marks = text.split(_MARK, 2)
    if len(marks) != 3 or marks[0].strip():
        raise _wrong(name, "write a TOML head between two '+++' lines first")
    try:
        head: dict[str, Any] = tomllib.loads(marks[1])
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise _wrong(name, f"the head is not TOML: {error}") from error
    results = head.pop("results", Results.PLAIN.value)
    if set(head) != {*_HEAD} or not all(isinstance(head[key], str) for key in _HEAD):
        raise _wrong(
            name, f"the head needs exactly the texts {sorted(_HEAD)}, and may have 'results'"
        )
    for key, value, known in (
        ("placement", head["placement"], list(Placement)),
        ("results", results, list(Results)),
        ("language", head["language"], [*BASE, ANY]),
    ):
        if value not in known:
            raise _wrong(name, f"{key} must be one of {[str(word) for word in known]}")
    return _checked(
        Clause(
            id=head["id"],
            language=head["language"],
            placement=Placement(head["placement"]),
            summary=head["summary"],
            text=marks[2].strip(),
            results=Results(results),
        ),
        name,
    )


def own_clause(text: str, name: str) -> Clause:
    """Read a clause file of one's own, which may be Markdown without a head.

    Raises:
        ConfigError: naming the file and what is wrong with it.
    """
    if text.lstrip().startswith(_MARK.strip()):
        return parse_clause(text.lstrip(), name)
    body = text.strip()
    if not body:
        raise _wrong(name, "it is empty; write the sentence that goes into the system prompt")
    stem = name.removesuffix(SUFFIX)
    identity, _, language = stem.rpartition(".")
    if not identity or language not in BASE:
        identity, language = stem, ANY
    first = body.splitlines()[0]
    short = first if len(first) <= LONGEST_SUMMARY else f"{first[: LONGEST_SUMMARY - 3]}..."
    return _checked(
        Clause(
            id=identity, language=language, placement=Placement.APPEND, summary=short, text=body
        ),
        name,
    )


def _checked(clause: Clause, name: str) -> Clause:
    """Refuse what could never be run, or would not do what it says."""
    if not _ID.fullmatch(clause.id):
        raise _wrong(
            name, f"its id {clause.id!r} must be letters, digits, '-', '_' and '.', such as 'mine'"
        )
    if len(clause.id) > LONGEST_ID or visible(clause.id) != clause.id:
        raise _wrong(name, f"its id must have at most {LONGEST_ID} characters, none of them unseen")
    if clause.placement is not Placement.APPEND and clause.text:
        raise _wrong(name, "only a clause with placement 'append' has a text; leave it out")
    if clause.placement is Placement.APPEND and not any(map(_is_read, clause.text)):
        raise _wrong(
            name, "it has no text that can be read; write what goes into the system prompt"
        )
    control = _CONTROL.search(clause.text)
    if control:
        raise _wrong(
            name,
            f"its text holds the control character {control[0]!r}, which is no text; leave it out",
        )
    if len(clause.text) > LONGEST:
        raise _wrong(name, f"its text is over {LONGEST} characters; that is no clause")
    named, marked = NONCE in clause.text, clause.results is Results.MARKED
    if marked and clause.text and not named:
        raise _wrong(name, f"its results are marked, so its text must name the marks with {NONCE}")
    if named and not marked:
        raise _wrong(
            name, f'{NONCE} in its text is filled in only with results = "marked" in the head'
        )
    return clause


def _is_read(character: str) -> bool:
    return character.isprintable() and not character.isspace() and visible(character) == character


def _wrong(name: str, why: str) -> ConfigError:
    return ConfigError(f"clause {name}: {why}", "clauses")


@cache
def own_files() -> list[Path]:
    """Return the single clause files that were loaded, in order (one list per process)."""
    return []


@cache
def shipped() -> tuple[Clause, ...]:
    """Return the clauses of the project itself, by id and language."""
    return _ordered(parse_clause(_text(item), item.name) for item in _files(Path(__file__).parent))


@cache
def all_clauses() -> tuple[Clause, ...]:
    """Return every clause: the project's, and those that were loaded, by id and language."""
    home = Path(__file__).parent
    folders = [Path(folder) for folder in __path__ if Path(folder) != home]
    files = [*(item for folder in folders for item in _files(folder)), *own_files()]
    return _ordered((*shipped(), *(read_own(item) for item in files)))


def read_own(path: Path) -> Clause:
    """Read one file of one's own.

    Raises:
        ConfigError: it cannot be read, or holds no clause.
    """
    return own_clause(_text(path), path.name)


def _files(folder: Path) -> list[Path]:
    return [item for item in folder.iterdir() if item.suffix == SUFFIX]


def _ordered(clauses: Iterable[Clause]) -> tuple[Clause, ...]:
    """Sort clauses; refuse two that could be meant by one name."""
    ordered = sorted(clauses, key=lambda clause: (clause.id, clause.language))
    for one, other in pairwise(ordered):
        same = one.language == other.language or ANY in (one.language, other.language)
        if one.id == other.id and same:
            raise ConfigError(
                f"two clauses are called {one.id!r} in {other.language!r}; give one another id",
                "clauses",
            )
    return tuple(ordered)


def _text(path: Path) -> str:
    try:
        with path.open(encoding="utf-8-sig") as file:
            text = file.read(2 * LONGEST + 1)
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise _wrong(path.name, f"cannot be read as UTF-8 text: {why}") from error
    if len(text) > 2 * LONGEST:
        raise _wrong(path.name, f"it is over {2 * LONGEST} characters; that is no clause")
    return text


def clause_for(identity: str, language: str) -> Clause:
    """Return a clause in a language.

    Raises:
        ConfigError: unknown id, or not written in that language.
    """
    named = [clause for clause in all_clauses() if clause.id == identity]
    if not named:
        raise unknown("clause", identity, {clause.id for clause in all_clauses()})
    for clause in named:
        if clause.language in (language, ANY):
            return clause
    known = ", ".join(clause.language for clause in named)
    raise ConfigError(
        f"clause {identity!r} is not written in {language!r}; it has: {known}", "clauses"
    )


def clauses_by_id() -> dict[str, tuple[Clause, ...]]:
    """Return id -> the clause in each of its languages."""
    grouped = groupby(all_clauses(), key=lambda clause: clause.id)
    return {identity: tuple(found) for identity, found in grouped}


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], Clause], ...]:
    """Return what each clause with a text looks like in a system prompt, the longest first."""
    nonce = f"[0-9a-f]{{{NONCE_LENGTH}}}"
    found = [
        (re.compile(re.escape(clause.text).replace(re.escape(NONCE), nonce)), clause)
        for clause in sorted(all_clauses(), key=lambda clause: -len(clause.text))
        if clause.text
    ]
    return tuple(found)


def clause_in(system_text: str) -> Clause | None:
    """Return the clause whose text stands in a system prompt, whatever its nonce is; None: none.

    Of several, that is the one with the longest text: one may stand inside another.
    """
    fits = (clause for pattern, clause in _patterns() if pattern.search(system_text))
    return next(fits, None)


def forget() -> None:
    """Let go of the lists that were made before something was loaded."""
    all_clauses.cache_clear()
    _patterns.cache_clear()
