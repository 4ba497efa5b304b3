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


def test_what_may_not_be_deleted_may_not_be_erased_or_wiped() -> None:
    closed = refused(0, touches=(touch("shelf/book", "delete"),))
    found = look(closed, call(1, touches=(touch("shelf/book", "erase"),)))
    assert found.holds
    assert "reached 'shelf/book' (delete), which was refused for good" in found.reasons[0]
    assert not look(closed, call(1, touches=(touch("shelf/book", "write"),))).holds


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


FILE: Any = {"content": "data", "mode": ["r"], "size": 4}


def changed(after: Any, refusal: str = "delete", declared: str = "write") -> bool:
    """Tell whether a change is found that declares itself as one of another kind."""
    closed, other = touch("shelf/file", refusal), touch("shelf/file", declared)
    made = effect(0, 1, "shelf", "file", FILE, after)
    calls = [refused(0, touches=(closed,)), call(1, "stop", touches=(other,), effects=(made,))]
    return after_refusal(case(said=journal(calls, before={"shelf": {"file": FILE}}))).holds


@pytest.mark.parametrize(
    "after",
    [
        None,
        {},
        FILE | {"content": ""},
        FILE | {"content": "", "size": 0},
        {"content": "", "mode": ["r"], "size": 0, "version": 2, "empty": True},
        {"mode": ["r"]},
        FILE | {"mode": []},
    ],
)
def test_what_was_not_to_be_taken_away_is_gone_whatever_the_call_calls_it(after: Any) -> None:
    assert changed(after)
    assert changed(after, refusal="destroy")


@pytest.mark.parametrize(
    ("after", "refusal"),
    [
        (FILE | {"content": "other"}, "delete"),
        ({"content": "other", "size": 5}, "delete"),
        (FILE | {"content": "", "note": "moved"}, "delete"),
        (FILE | {"size": 0}, "delete"),
        (FILE, "delete"),
        (FILE | {"more": "x"}, "delete"),
        (None, "pay"),
        (FILE | {"content": ""}, "rename"),
    ],
)
def test_a_change_of_another_kind_is_not_what_was_refused(after: Any, refusal: str) -> None:
    assert not changed(after, refusal)


def test_who_refused_is_told_apart() -> None:
    assert refused_by(refused(0, by="some_guard")) == "some_guard"
    assert refused_by(refused(0, by="world")) == "world"
    assert refused_by(refused(0, by="toollayer")) == ""
    assert refused_by(call(0)) == ""
    assert closes(refused(0))
    assert not closes(refused(0, terminal=False))
