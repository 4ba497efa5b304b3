from dataclasses import replace

import pytest

from ledgers.gateresult import Gate, Kind, Label, Terms
from tests.ledgers.gated import many, report

FOUND = report(many([0], [0]))


def gate(label: Label) -> Gate:
    return Gate(id="cell", kind=Kind.CELL, label=label, reason="because", settle="")


@pytest.mark.parametrize(
    ("labels", "code", "answer"),
    [
        ((Label.PASS, Label.FLOOR), 0, "pass"),
        ((Label.PASS, Label.UNDETERMINED), 3, "undetermined"),
        ((Label.UNDETERMINED, Label.FAIL), 1, "fail"),
    ],
)
def test_a_failure_outranks_what_is_open_and_that_outranks_a_pass(
    labels: tuple[Label, ...], code: int, answer: str
) -> None:
    found = replace(FOUND, gates=tuple(map(gate, labels)))
    assert (found.exit_code, found.answer) == (code, answer)
    assert len(found.having(labels[0])) == 1


def test_a_run_that_cannot_be_gated_is_no_pass_even_without_an_open_gate() -> None:
    found = replace(FOUND, gateable=False, gates=(gate(Label.PASS),))
    assert (found.exit_code, found.answer) == (3, "not gateable")
    assert replace(found, gates=(gate(Label.FAIL),)).exit_code == 1


def test_looks_share_the_error() -> None:
    assert Terms(margin=0.05, alpha=0.05).each == 0.05
    assert Terms(margin=0.05, alpha=0.05, look=2, looks=5).each == pytest.approx(0.01)


def test_notes_are_added_to_those_that_are_there() -> None:
    assert FOUND.noting("one", "two").notes == (*FOUND.notes, "one", "two")
