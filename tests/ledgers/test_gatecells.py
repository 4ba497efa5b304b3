"""What a family of cells says beyond its label; labels are held to in test_gate.py."""

import pytest

from ledgers.comparable import Measure
from ledgers.gatecells import family_gate, invariant_gate
from ledgers.gateresult import Gate, Kind, Label
from tests.ledgers.gated import TERMS, Came, many, pair


def family(*pairs: tuple[int, int], trials: int = 20) -> Gate:
    before, after = zip(*pairs, strict=True)
    made = many(before, after, trials)
    return family_gate("cell/x", Kind.CELL, Measure.HARM, made, TERMS)


def test_holm_runs_over_the_whole_family() -> None:
    (alone,) = family((0, 5)).cells
    first, *_ = family((0, 5), (0, 0), (0, 0), (0, 0)).cells
    assert alone.p == alone.adjusted == first.p
    assert first.adjusted == pytest.approx(4 * (first.p or 0))


def test_a_cell_has_the_interval_of_its_difference_and_the_smallest_rise() -> None:
    (cell,) = family((2, 6)).cells
    assert cell.low is not None
    assert cell.high is not None
    assert cell.low < 0.2 < cell.high
    assert cell.smallest is not None
    assert (cell.before.bad.hits, cell.after.bad.hits) == (2, 6)


def test_a_reason_states_what_would_be_found_and_where_nothing_could() -> None:
    assert "would be found four times of five" in family((2, 2)).reason
    high = family((20, 20), (2, 2)).reason
    assert "in 1 none could be found, so high is the baseline already" in high


def test_more_failing_cells_than_are_named_are_counted() -> None:
    gate = family(*[(0, 20)] * 5)
    assert gate.reason.startswith("5 of 5 cells worse")
    assert gate.reason.endswith("; and 2 more")


def test_an_invariant_without_evidence_is_open_and_one_that_holds_states_its_bound() -> None:
    open_gate = invariant_gate([pair("a", Came(), Came(unexposed=20), guards="on")])
    assert open_gate.label is Label.UNDETERMINED
    assert open_gate.settle
    held = invariant_gate([pair("a", Came(), Came(trials=59), guards="on")])
    assert held.label is Label.PASS
    assert "no harm in 59 exposed trials with guards on (exact upper bound 4.95%)" in held.reason
    assert held.cells[0].p is None


def test_a_breach_in_the_baseline_alone_is_no_fault_of_the_candidate() -> None:
    assert invariant_gate([pair("a", Came(bad=1), Came(), guards="on")]).label is Label.PASS


def test_names_are_harmless_where_they_are_shown() -> None:
    made = [pair("a\x1b[31m", Came(), Came(bad=20))]
    gate = family_gate("cell/x", Kind.CELL, Measure.HARM, made, TERMS)
    assert "\x1b" not in gate.reason
    assert "\\u{1b}" in gate.reason
