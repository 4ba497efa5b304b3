"""The chain of a ledger: lines that each hold the digest of the line before.

An entry is ``{seq, prev, kind, body, digest}``; the digest covers the other four. The first entry
is the header, the last the seal, every one between them a trial. HEAD holds the last digest and the
number of entries: an edit anywhere changes it. A chain alone shows neither truncation nor a whole
rewrite; only a head from outside does.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from grid.canonical import ZERO, canonical, digest_of, load_json
from grid.errors import StrictError
from grid.strict import from_json, to_json

HEAD_FORMAT = 1
"""Version of the file HEAD."""


class EntryKind(StrEnum):
    """What an entry is."""

    HEADER = "header"
    TRIAL = "trial"
    SEAL = "seal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of a ledger."""

    seq: int
    """Position, from 0."""
    prev: str
    """Digest of the entry before; zeros for the first."""
    kind: EntryKind
    """header, trial or seal."""
    body: dict[str, Any]
    """What it says."""
    digest: str
    """Digest of the other four fields."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What pins a whole ledger."""

    format: int
    """HEAD_FORMAT."""
    head: str
    """Digest of the last entry."""
    count: int
    """Number of entries."""


def link(bodies: Iterable[tuple[EntryKind, dict[str, Any]]]) -> Iterator[Entry]:
    """Chain bodies into entries."""
    prev = ZERO
    for seq, (kind, body) in enumerate(bodies):
        entry = Entry(
            seq=seq, prev=prev, kind=kind, body=body, digest=_digest(seq, prev, kind, body)
        )
        yield entry
        prev = entry.digest


def _digest(seq: int, prev: str, kind: EntryKind, body: dict[str, Any]) -> str:
    return digest_of("entry", {"seq": seq, "prev": prev, "kind": kind.value, "body": body})


def entry_lines(entries: Iterable[Entry]) -> bytes:
    """Return the bytes of a ledger file."""
    return b"".join(canonical(to_json(entry)) + b"\n" for entry in entries)


def read_entries(data: bytes) -> tuple[Entry, ...]:
    """Read a ledger file strictly; the chain itself is checked by `check_chain`.

    Raises:
        CanonicalError: a line is not strict JSON.
        StrictError: a line is cut, is not canonical, or has other fields.
    """
    lines = data.split(b"\n")
    if lines.pop() or not lines:
        raise StrictError("the last line is cut")
    entries = tuple(from_json(Entry, load_json(line), f"line {n}") for n, line in enumerate(lines))
    if entry_lines(entries) != data:
        raise StrictError("a line is not in canonical form")
    return entries


def check_chain(entries: tuple[Entry, ...]) -> None:
    """Check positions, links and digests, and that header and seal stand where they must.

    Raises:
        StrictError: naming the first entry that does not hold.
    """
    prev = ZERO
    for seq, entry in enumerate(entries):
        if entry.seq != seq:
            raise StrictError(f"entry {seq} says that it is entry {entry.seq}")
        if entry.prev != prev:
            raise StrictError(f"entry {seq} does not follow the entry before it")
        if entry.digest != _digest(entry.seq, entry.prev, entry.kind, entry.body):
            raise StrictError(f"the digest of entry {seq} is not that of its content")
        prev = entry.digest
    kinds = [entry.kind for entry in entries]
    trials = [EntryKind.TRIAL] * (len(kinds) - 2)
    if len(kinds) < 3 or kinds != [EntryKind.HEADER, *trials, EntryKind.SEAL]:
        raise StrictError("a ledger is a header, at least one trial, and a seal")


def head_of(entries: tuple[Entry, ...]) -> Head:
    """Return the head of a whole ledger."""
    return Head(format=HEAD_FORMAT, head=entries[-1].digest, count=len(entries))


def head_bytes(head: Head) -> bytes:
    """Return the bytes of the file HEAD."""
    return canonical(to_json(head)) + b"\n"


def read_head(data: bytes) -> Head:
    """Read the file HEAD strictly.

    Raises:
        CanonicalError: it is not strict JSON.
        StrictError: a field is wrong or the bytes are not canonical.
    """
    head = from_json(Head, load_json(data))
    if head_bytes(head) != data or head.format != HEAD_FORMAT:
        raise StrictError(f"HEAD is not in the form of format {HEAD_FORMAT}")
    return head
