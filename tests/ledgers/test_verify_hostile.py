"""`verify` on whatever bytes and whatever records."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grid.errors import VerificationError
from ledgers.chain import Head
from ledgers.store import (
    ENVIRONMENT,
    HEAD,
    SUMMED,
    TIMINGS,
)
from ledgers.verify import verify
from tests.ledgers.forge import Forged, resum
from tests.ledgers.tampered import (
    HOSTILE,
    Copy,
)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_whatever_happens_to_a_file_is_a_verification_error(
    copy: Copy, spoiled: Path, data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from((*SUMMED, HEAD, TIMINGS)))
    whole = (spoiled / name).read_bytes()
    at = data.draw(st.integers(0, max(0, len(whole) - 1)))
    upto = data.draw(st.integers(at, min(len(whole), at + 40)))
    put = data.draw(st.binary(max_size=40) | st.sampled_from(list(HOSTILE.values())))
    changed = whole[:at] + put + whole[upto:]
    if changed == whole:
        return
    try:
        (spoiled / name).write_bytes(changed)
        with pytest.raises(VerificationError):
            verify(spoiled)
        resum(spoiled)
        if name != ENVIRONMENT:
            with pytest.raises(VerificationError):
                verify(spoiled)
    finally:
        (spoiled / name).write_bytes(whole)
        resum(spoiled)


@pytest.fixture
def spoiled(copy: Copy) -> Path:
    return copy()


def places(value: Any, place: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Return the place of every part of a JSON value."""
    parts = value.items() if isinstance(value, dict) else enumerate(value)
    found: list[tuple[str | int, ...]] = []
    for key, item in parts:
        found.append((*place, key))
        if isinstance(item, dict | list):
            found += places(item, (*place, key))
    return found


KEYS = st.text(max_size=6)
LEAVES = st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(max_size=9)
VALUES = LEAVES | st.lists(LEAVES, max_size=2) | st.dictionaries(KEYS, LEAVES, max_size=2)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_whatever_stands_in_a_record_is_a_verification_error_or_a_record_that_holds(
    sealed: tuple[Path, Head], spoiled: Path, data: st.DataObject
) -> None:
    forged = Forged(sealed[0])
    forged.folder = spoiled
    target = data.draw(st.sampled_from([forged.manifest, *forged.evidence, *forged.entries]))
    *parents, last = data.draw(st.sampled_from(places(target)))
    within = target
    for part in parents:
        within = within[part]
    within[last] = data.draw(VALUES)
    try:
        folder = forged.write()
    except (KeyError, TypeError, AttributeError):
        return  # no attacker can write what the forger cannot name
    with suppress(VerificationError):  # anything else that is raised fails the test
        verify(folder, sealed[1].head)
