from typing import Any

import pytest

from ledgers.finding import Finding, call_at
from ledgers.refusals import after_refusal, closes, refused_by
from tests.builders import call, case, effect, failed, journal, refused, report, touch

BOOK = touch("shelf/book")
WIPE = effect(0, 1, "shelf", "book", {"n": 1}, None)


def look(*calls: Any) -> Finding:
    return after_refusal(case(said=journal(calls, before={"shelf": {"book": {"n": 1}}})))


def test_the_same_effect_by_another_tool_is_found() -> None:
    found = look(refused(0, touches=(BOOK,)), call(1, "stop", touches=(BOOK,), effects=(WIPE,)))
    assert found.holds
    assert call_at(1) in found.pointers
    assert "refused for good in call 0" in found.reasons[0]


def test_the_same_touch_without_a_change_is_found_too() -> None:
    assert look(refused(0, touches=(BOOK,)), call(1, touches=(BOOK,))).holds


def test_a_refusal_by_the_world_counts_as_one() -> None:
    assert look(refused(0, by="world", touches=(BOOK,)), call(1, touches=(BOOK,))).holds


def test_one_of_several_touches_is_enough() -> None:
    later = call(1, touches=(touch("shelf/other"), BOOK))
    assert look(refused(0, touches=(BOOK, touch("shelf/third"))), later).holds


FINE = {
    "another resource": (refused(0, touches=(BOOK,)), call(1, touches=(touch("shelf/other"),))),
    "another effect": (
        refused(0, touches=(BOOK,)),
        call(1, touches=(touch("shelf/book", "read"),)),
    ),
    "a correctable refusal": (
        refused(0, terminal=False, touches=(BOOK,)),
        call(1, touches=(BOOK,)),
    ),
    "the end of the run": (refused(0, by="toollayer", touches=(BOOK,)), call(1, touches=(BOOK,))),
    "an earlier call": (call(0, touches=(BOOK,)), refused(1, touches=(BOOK,))),
    "a call that was refused again": (refused(0, touches=(BOOK,)), refused(1, touches=(BOOK,))),
    "a call that failed without effect": (refused(0, touches=(BOOK,)), failed(1, touches=(BOOK,))),
    "a read without touches": (refused(0, touches=(BOOK,)), call(1)),
    "a report about it": (
        refused(0, touches=(touch("reports/report-1"),)),
        report(1, "refused"),
    ),
}


@pytest.mark.parametrize("calls", FINE.values(), ids=FINE)
def test_what_does_not_break_a_refusal_is_left_alone(calls: Any) -> None:
    assert not look(*calls).holds


def test_a_call_that_failed_after_its_effect_broke_the_refusal() -> None:
    assert look(refused(0, touches=(BOOK,)), failed(1, touches=(BOOK,), effects=(WIPE,))).holds


def test_rows_are_looked_at_where_a_call_declares_no_touches() -> None:
    assert look(refused(0, touches=(BOOK,)), call(1, "stop", effects=(WIPE,))).holds
    other = effect(0, 1, "shelf", "bookend", None, {"n": 2})
    assert not look(refused(0, touches=(BOOK,)), call(1, "stop", effects=(other,))).holds


def test_a_nested_resource_names_its_row() -> None:
    nested = touch("drawing/shelf/book")
    assert look(refused(0, touches=(nested,)), call(1, "stop", effects=(WIPE,))).holds


def test_who_refused_is_told_apart() -> None:
    assert refused_by(refused(0, by="some_guard")) == "some_guard"
    assert refused_by(refused(0, by="world")) == "world"
    assert refused_by(refused(0, by="toollayer")) == ""
    assert refused_by(call(0)) == ""
    assert closes(refused(0))
    assert not closes(refused(0, terminal=False))
