"""`announced`: which announced call is this one, what was never handed over, what comes again."""

from grid.announced import ARGUMENT_LIMIT, NAME_LIMIT, Announced, Announcements
from grid.toolanswer import NOT_HANDED_OVER
from grid.wirecall import WireCall


def wire(name: str, identity: str = "", raw: str = "{}") -> WireCall:
    return WireCall(id=identity, name=name, raw_arguments=raw)


def announced(*calls: WireCall) -> Announcements:
    found = Announcements()
    found.announce(calls, None)
    return found


def taken(of: Announcements, name: str, identity: str | None = None) -> str:
    match = of.match(name, identity)
    return "" if match is None else match.call.id


def test_a_call_is_matched_by_id_then_by_name_in_order_then_by_place() -> None:
    of = announced(wire("a", "1"), wire("b", "2"), wire("b", "3"))
    assert [taken(of, "a", "3"), taken(of, "b"), taken(of, "other"), taken(of, "a")] == [
        "3", "2", "1", "",
    ]  # fmt: skip


def test_answers_are_numbered_and_say_whether_the_model_was_the_one_asked_for() -> None:
    of = announced(wire("a"))
    of.announce((wire("b"),), False)
    match = of.match("b", None)
    assert match is not None
    assert (of.turn, match.turn, match.model_as_requested) == (2, 2, False)


def test_what_is_left_over_is_taken_once_and_recorded_as_never_handed_over() -> None:
    of = announced(wire("a", "1"), wire("b", "2", '{"n": 1}'))
    taken(of, "a")
    (left,) = of.left_over()
    record = left.never_handed_over(7, "rc")
    assert record.error is not None
    assert (record.seq, record.wire_id, record.raw_arguments, record.error.code) == (
        7, "2", '{"n": 1}', NOT_HANDED_OVER,
    )  # fmt: skip
    assert (record.parsed, record.executed, record.delivered) == (None, None, "")
    assert of.left_over() == ()


def test_after_a_restore_the_calls_of_the_last_answer_may_come_again_in_their_order() -> None:
    of = announced(wire("a", "1"), wire("a", "2"), wire("a", "3"))
    assert [taken(of, "a"), taken(of, "a")] == ["1", "2"]
    of.restored()
    assert [taken(of, "a"), taken(of, "a"), taken(of, "a")] == ["1", "2", "3"]


def test_a_call_that_need_not_come_again_is_not_left_over() -> None:
    of = announced(wire("a", "1"), wire("a", "2"))
    taken(of, "a")
    of.restored()
    assert [item.call.id for item in of.left_over()] == ["2"]


def test_a_restore_brings_back_nothing_of_an_earlier_answer() -> None:
    of = announced(wire("a", "1"))
    taken(of, "a")
    of.announce((wire("a", "2"),), None)
    of.restored()
    assert [taken(of, "a"), taken(of, "a")] == ["2", ""]


def test_two_restores_bring_a_call_twice() -> None:
    of = announced(wire("a", "1"))
    for _ in range(3):
        assert taken(of, "a") == "1"
        of.restored()


def test_hostile_names_and_arguments_are_kept_cut_and_clean() -> None:
    odd = Announced(turn=1, place=0, call=wire("n\ud800" * 999, "", "x" * (ARGUMENT_LIMIT + 9)))
    assert len(odd.name) <= 6 * NAME_LIMIT
    assert "\ud800" not in odd.name
    assert len(odd.arguments) == ARGUMENT_LIMIT
