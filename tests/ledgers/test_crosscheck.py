"""Sessions and restores of a journal against its recording."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from grid.errors import StrictError
from grid.evidence import CallRecord, Evidence, Journal, SessionStart
from grid.vocabulary import Status
from ledgers.crosscheck import check_wire
from ledgers.decoded import Decoded, decode
from proxy.wire.exchange import exchange_lines
from tests.builders import call, evidence, exchanges, journal, kept_back, report

CALLS = (call(0), call(1), report(2))
FIRST = SessionStart(user_text="a", call=0, turn=0, answers=0)
SECOND = SessionStart(user_text="b", call=2, turn=2, answers=2)


def wire(*without: int) -> tuple[Decoded, ...]:
    """Return the exchanges of the calls; requests of these numbers show no earlier answer."""
    found = decode(exchange_lines(exchanges(CALLS)))
    return tuple(replace(item, messages=()) if item.n in without else item for item in found)


def native(*calls: CallRecord, **changes: Any) -> Journal:
    return journal(calls or CALLS, native=True, **changes)


def of(said: Journal, *, complete: bool = True) -> Evidence:
    kept = evidence(said)
    assert kept.recording is not None
    return replace(kept, recording=replace(kept.recording, complete=complete))


def check(said: Journal, seen: Sequence[Decoded], *, complete: bool = True) -> None:
    check_wire(of(said, complete=complete), seen)


def refuse(why: str, said: Journal, seen: Sequence[Decoded]) -> None:
    with pytest.raises(StrictError, match=why):
        check(said, seen)


def test_a_recording_that_fits_holds_and_one_that_is_incomplete_or_none_is_not_asked() -> None:
    check(journal(CALLS), wire())
    check(native(), wire())
    check(journal(CALLS), wire()[1:], complete=False)
    check_wire(replace(of(journal(CALLS)), recording=None), wire()[1:])


@pytest.mark.parametrize("gone", [0, 1, 2])
def test_a_complete_recording_has_every_exchange(gone: int) -> None:
    refuse("exchanges are missing", journal(CALLS), wire()[:gone] + wire()[gone + 1 :])


def test_a_session_begins_after_as_many_answers_as_the_recording_has() -> None:
    failing = tuple(replace(item, answered=item.n != 0) for item in wire())
    late = replace(SECOND, turn=1)
    check(journal(CALLS, sessions=(FIRST, SECOND)), wire())
    check(journal(CALLS, sessions=(FIRST, late)), failing)
    refuse("session 2", journal(CALLS, sessions=(FIRST, late)), wire())
    refuse("session 2", journal(CALLS, sessions=(FIRST, SECOND)), failing)


def test_a_native_framework_was_restored_where_it_asks_anew_and_nowhere_else() -> None:
    check(native(restores=(2,)), wire(2))
    for said, seen in (
        (native(), wire(2)),
        (native(restores=(2,)), wire()),
        (native(restores=(1,)), wire(2)),
        (native(restores=(3,)), wire(2)),
        (native(restores=(2, 2)), wire(2)),
    ):
        refuse("restored elsewhere", said, seen)


def test_a_new_session_asks_anew_and_is_no_restore() -> None:
    check(native(sessions=(FIRST, SECOND)), wire(2))


def test_what_was_left_of_an_answer_at_a_restore_is_journalled_after_it() -> None:
    left = (call(0), call(1), kept_back(2), replace(report(3), turn=3))
    left = (*left[:2], replace(left[2], turn=2), left[3])
    check(native(*left, restores=(2,)), wire(2))
    refuse("restored elsewhere", native(*left, restores=(1,)), wire(2))


def test_a_run_that_broke_off_may_have_been_restored_with_no_request_to_show_it() -> None:
    check(native(restores=(3,), status=Status.TIMEOUT), wire())
