"""ledgers.clauserecord: a clause of a manifest is the clause that it was made of."""

import pytest

from grid.clauses import all_clauses
from grid.errors import StrictError
from ledgers.clauserecord import ClauseRecord, as_clause, clause_record


def test_every_clause_comes_back_but_for_its_summary() -> None:
    found = all_clauses()
    assert found
    for clause in found:
        assert as_clause(clause_record(clause)).digest() == clause.digest()


def test_a_placement_or_a_frame_that_nobody_knows_is_refused() -> None:
    record = ClauseRecord(id="x", language="en", placement="shout", text="")
    with pytest.raises(StrictError, match="no placement 'shout'"):
        as_clause(record)
    record = ClauseRecord(id="x", language="en", placement="append", text="", results="shout")
    with pytest.raises(StrictError, match="nobody does 'shout'"):
        as_clause(record)
