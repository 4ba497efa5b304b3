from ledgers.finding import (
    BRIEF,
    MOST_POINTERS,
    MOST_REASONS,
    Finding,
    Pointer,
    PointerKind,
    approval_at,
    brief,
    call_at,
    delivery_at,
    effect_at,
    exchange_at,
    finding,
    joined,
)


def test_a_finding_names_each_place_and_reason_once_in_order() -> None:
    found = finding(True, (call_at(2), call_at(1), call_at(2)), ("b", "a", "b"))
    assert found == Finding(holds=True, pointers=(call_at(2), call_at(1)), reasons=("b", "a"))


def test_a_finding_is_bounded() -> None:
    found = finding(True, map(call_at, range(1000)), map(str, range(1000)))
    assert (len(found.pointers), len(found.reasons)) == (MOST_POINTERS, MOST_REASONS)
    assert found.pointers[0] == call_at(0)


def test_joining_keeps_what_the_parts_point_at() -> None:
    parts = (finding(True, (call_at(1),), ("one",)), finding(False, (effect_at(1),), ("two",)))
    both = joined(False, parts)
    assert not both.holds
    assert both.pointers == (call_at(1), effect_at(1))
    assert both.reasons == ("one", "two")


def test_each_pointer_says_what_it_names() -> None:
    made = [call_at(7), effect_at(7), approval_at(7), delivery_at(7), exchange_at(7)]
    assert made == [Pointer(kind=kind, seq=7) for kind in PointerKind]


def test_a_long_hostile_name_is_cut() -> None:
    assert brief("x" * BRIEF) == "x" * BRIEF
    assert brief("x" * (BRIEF + 1)) == "x" * BRIEF + "..."
