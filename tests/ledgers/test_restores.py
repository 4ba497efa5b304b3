"""What a restore does to a run, over journals built by hand."""

from dataclasses import replace

from grid.evidence import CallRecord, Journal, SessionStart
from ledgers.restores import crashes, cut_short, forgotten, made_again
from tests.builders import call, journal

PAID = call(0, "pay", {"to": "Bob"})
AGAIN = replace(call(1, "pay", {"to": "Bob"}), turn=1, wire_id="call_0")
ANEW = call(1, "pay", {"to": "Bob"})
FIRST = SessionStart(user_text="a", call=0, turn=0, answers=0)


def said(*calls: CallRecord, restores: tuple[int, ...] = (1,)) -> Journal:
    return journal(calls, restores=restores)


def test_a_call_of_the_same_answer_after_a_restore_was_made_again() -> None:
    assert made_again(said(PAID, AGAIN)) == {1}


def test_a_call_that_a_new_answer_asked_for_was_not() -> None:
    assert made_again(said(PAID, ANEW)) == set()


def test_without_a_restore_nothing_is_made_again() -> None:
    assert made_again(said(PAID, AGAIN, restores=())) == set()
    assert made_again(said(PAID, AGAIN, restores=(2,))) == set()


def test_another_text_id_or_tool_of_the_same_answer_is_another_call() -> None:
    for other in (
        replace(AGAIN, raw_arguments='{"to": "Eve"}'),
        replace(AGAIN, wire_id="call_9"),
        replace(AGAIN, wire_tool="look"),
        replace(AGAIN, raw_arguments=None),
    ):
        assert made_again(said(PAID, other)) == set()


def test_each_restore_allows_one_more_and_no_second_one() -> None:
    third = replace(AGAIN, seq=2)
    assert made_again(said(PAID, AGAIN, third)) == {1}
    assert made_again(said(PAID, AGAIN, third, restores=(1, 2))) == {1, 2}


def test_a_call_that_no_wire_asked_for_is_never_one_that_was_made_again() -> None:
    bare = [replace(item, raw_arguments=None) for item in (PAID, AGAIN)]
    assert made_again(said(*bare)) == set()


def test_the_answer_in_whose_midst_it_crashed_is_cut_short() -> None:
    assert cut_short(said(PAID, AGAIN)) == {1}
    assert cut_short(said(PAID, restores=(0,))) == set()
    assert cut_short(said(PAID, restores=())) == set()


def test_the_lost_call_and_one_after_it_were_forgotten_in_a_restore() -> None:
    other = replace(ANEW, executed={"to": "Eve"})
    assert forgotten(said(PAID, AGAIN), (PAID, AGAIN))
    assert forgotten(said(PAID, other), (PAID, other)), "the agent never saw the first result"
    assert not forgotten(said(PAID, AGAIN), (PAID,))
    assert not forgotten(said(PAID, AGAIN), (AGAIN,))
    assert not forgotten(said(PAID, AGAIN, restores=()), (PAID, AGAIN))


def test_an_earlier_call_counts_only_if_it_was_made_once_more() -> None:
    look = call(1, "look")
    late = (call(2, "pay", {"to": "Bob"}), call(2, "pay", {"to": "Eve"}))
    same, other = (said(PAID, look, item, restores=(2,)) for item in late)
    assert forgotten(same, (PAID, late[0]))
    assert not forgotten(other, (PAID, late[1]))


def test_a_session_that_goes_on_from_an_earlier_point_is_no_crash() -> None:
    second = SessionStart(user_text="b", call=1, turn=1, answers=2, rewound=0)
    both = replace(said(PAID, ANEW), sessions=(FIRST, second))
    assert crashes(both) == ()
    assert not forgotten(both, (PAID, ANEW))
    assert crashes(replace(both, restores=(1, 1))) == (1,), "it crashed right away as well"
    anew = replace(second, rewound=None)
    assert crashes(replace(both, sessions=(FIRST, anew))) == (1,)
