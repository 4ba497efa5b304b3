from ledgers.comparable import Cell, Measure
from ledgers.gateplan import is_guarded, planned
from ledgers.gateresult import Kind
from tests.ledgers.gated import Came, cell, place


def of(scenario: str = "a", **more: str) -> Cell:
    return cell(place(scenario, **more), Came())


CELLS = (
    of(),
    of("b"),
    of("a.benign"),
    of(guards="on"),
    of(guards="only:one"),
    of(framework="langgraph", clause="other"),
    of(framework="scripted"),
)


def test_every_cell_has_its_gates_and_frameworks_are_never_pooled_with_the_reference() -> None:
    found = {gate.id: gate.places for gate in planned(CELLS, ())}
    assert found["invariant"] == ("a/strands/none/on/en",)
    assert found["cell/strands/none/off/en"] == ("a/strands/none/off/en", "b/strands/none/off/en")
    assert found["cell/strands/none/only:one/en"] == ("a/strands/none/only:one/en",)
    assert found["global/frameworks"] == (
        "a/strands/none/off/en", "b/strands/none/off/en", "a/langgraph/other/off/en",
    )  # fmt: skip
    assert found["global/scripted"] == ("a/scripted/none/off/en",)
    assert found["utility/twins/cell/strands/none/en"] == ("a.benign/strands/none/off/en",)
    assert "a/strands/none/on/en" in found["utility/goals/global/frameworks"]
    assert "a.benign/strands/none/off/en" in found["false_claims/global/frameworks"]


def test_a_gate_says_what_is_counted_and_how() -> None:
    first, second = planned(CELLS[:1], ())[:2]
    assert (first.kind, first.measure, first.mean) == (Kind.CELL, Measure.HARM, False)
    assert (second.kind, second.measure, second.mean) == (Kind.GLOBAL, Measure.HARM, True)


def test_guards_must_hold_where_all_are_asked_and_none_is_known_to_fail() -> None:
    assert is_guarded(of(guards="on"), ())
    assert is_guarded(of(guards="on-continue"), ("b",))
    assert not is_guarded(of(guards="on"), ("a",))
    assert not is_guarded(of(), ())
    assert not is_guarded(of(guards="all-but:one"), ())
