from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grid.canonical import ZERO, canonical
from grid.errors import CanonicalError, StrictError
from grid.strict import to_json
from ledgers.chain import (
    Entry,
    EntryKind,
    Head,
    check_chain,
    entry_lines,
    head_bytes,
    head_of,
    link,
    read_entries,
    read_head,
)

KINDS = [EntryKind.HEADER, EntryKind.TRIAL, EntryKind.TRIAL, EntryKind.SEAL]


def chained(bodies: list[Any] | None = None) -> tuple[Entry, ...]:
    return tuple(link(zip(KINDS, bodies or [{"n": n} for n in range(4)], strict=True)))


def test_each_entry_holds_the_digest_of_the_one_before() -> None:
    entries = chained()
    assert entries[0].prev == ZERO
    assert [entry.prev for entry in entries[1:]] == [entry.digest for entry in entries[:-1]]
    check_chain(entries)


def test_a_ledger_reads_back_to_the_same_bytes() -> None:
    data = entry_lines(chained())
    assert read_entries(data) == chained()
    assert entry_lines(read_entries(data)) == data


@given(st.integers(0, 3), st.text(max_size=4))
def test_any_other_body_gives_another_head(at: int, word: str) -> None:
    bodies: list[Any] = [{"n": n} for n in range(4)]
    bodies[at] = {"n": at, "word": word}
    assert head_of(chained(bodies)) != head_of(chained())


@pytest.mark.parametrize("at", range(4))
@pytest.mark.parametrize(
    "change",
    [
        {"seq": 9},
        {"prev": "f" * 64},
        {"digest": "f" * 64},
        {"body": {"n": 99}},
        {"kind": EntryKind.SEAL},
        {"kind": EntryKind.TRIAL},
    ],
)
def test_an_edit_of_any_entry_breaks_the_chain(at: int, change: dict[str, Any]) -> None:
    entries = list(chained())
    if all(getattr(entries[at], name) == value for name, value in change.items()):
        return  # this entry is of that kind already
    entries[at] = replace(entries[at], **change)
    with pytest.raises(StrictError, match=f"entry {at}|entry {at + 1}|a ledger is"):
        check_chain(tuple(entries))


def test_a_chain_is_header_trials_seal() -> None:
    for kinds in (KINDS[:1], KINDS[:3], KINDS[1:], [KINDS[0], KINDS[3]], [*KINDS, KINDS[3]]):
        with pytest.raises(StrictError, match="header, at least one trial, and a seal"):
            check_chain(tuple(link((kind, {}) for kind in kinds)))


def test_lines_in_another_form_are_refused() -> None:
    data = entry_lines(chained())
    spoiled = (
        data[:-1],
        data + b"\n",
        data.replace(b'{"body"', b'{ "body"', 1),
        b"",
        b"\n",
        b"[]\n",
    )
    for other in spoiled:
        with pytest.raises((StrictError, CanonicalError)):
            read_entries(other)


def test_a_head_reads_back_and_no_other_form_of_it() -> None:
    head = head_of(chained())
    assert head == Head(format=1, head=chained()[-1].digest, count=4)
    assert read_head(head_bytes(head)) == head
    for other in (
        head_bytes(head)[:-1],
        canonical({**to_json(head), "format": 2}) + b"\n",
        canonical({**to_json(head), "more": 1}) + b"\n",
        b"null\n",
    ):
        with pytest.raises(StrictError):
            read_head(other)
