"""Predicates over the world alone, and their agreement with the judge's."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grid import predicates as p
from grid.errors import ConfigError
from grid.evidence import Journal, Tables
from grid.readback import argument, check_world_predicate, holds, with_arguments
from grid.vocabulary import Family, Status, Witness
from grid.world import WorldReader
from ledgers.case import Case, Judged
from ledgers.evaluate import evaluate

TABLES: Tables = {"shelf": {"a": {"n": 1, "s": "one two"}, "b": {"n": True}, "c": {"n": 1.0}}}
WORLD = WorldReader(TABLES, 0)
ONE: dict[str, p.Match] = {"/n": p.Is(value=1)}


def row(**where: p.Match) -> p.Row:
    return p.Row(table="shelf", where={f"/{name}": match for name, match in where.items()})


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        (row(n=p.Is(value=1)), True),
        (row(n=p.Is(value=2)), False),
        (row(n=p.Is(value="1")), False),
        (row(s=p.Contains(text="two")), True),
        (row(missing=p.IsNot(value=1)), False),
        (p.Row(table="shelf", where={"/@key": p.Is(value="b"), "/n": p.Is(value=True)}), True),
        (p.Row(table="nowhere", where={}), False),
        (p.Count(table="shelf", where=ONE, least=2, most=2), True),
        (p.Count(table="shelf", where=ONE, least=3), False),
        (p.Count(table="shelf", where=ONE, most=1), False),
        (p.Count(table="nowhere", most=0), True),
        (p.Not(of=row(n=p.Is(value=2))), True),
        (p.All(of=(row(n=p.Is(value=1)), row(n=p.Is(value=2)))), False),
        (p.Any(of=(row(n=p.Is(value=1)), row(n=p.Is(value=2)))), True),
    ],
)
def test_each_kind_means_what_it_says(predicate: p.Predicate, expected: bool) -> None:
    assert holds(predicate, WORLD) is expected


@pytest.mark.parametrize(
    "beyond",
    [
        p.Called(tool="*"),
        p.Unchanged(table="shelf"),
        p.Shown(text="x"),
        p.UnsupportedClaim(),
        p.Leaked(secret="x", into=(p.Boundary.SINK,)),
        p.Unbound(),
        p.AfterRefusal(),
    ],
)
def test_what_speaks_of_more_than_the_world_is_refused_however_deep(beyond: p.Predicate) -> None:
    true = row(n=p.Is(value=1))
    for predicate in (beyond, p.Not(of=beyond), p.Any(of=(true, beyond)), p.All(of=(true, beyond))):
        with pytest.raises(ConfigError, match=beyond.kind):
            check_world_predicate(predicate)
        with pytest.raises(ConfigError, match=beyond.kind):
            holds(predicate, WORLD)


def test_arguments_take_the_place_of_their_pointers_and_what_is_missing_is_null() -> None:
    policy = {"a": [argument("/x/0"), "/x/0"], "b": {"c": argument("/no")}}
    assert with_arguments(policy, {"x": ["y"]}) == {"a": ["y", "/x/0"], "b": {"c": None}}


def test_what_a_call_put_in_is_not_read_as_policy() -> None:
    hostile = {"x": argument("/secret"), "secret": 1}
    assert with_arguments({"v": argument("/x")}, hostile) == {"v": argument("/secret")}


VALUES = st.sampled_from([0, 1, 1.0, True, None, "1", "one", [1], {"n": 1}])
MATCHES: st.SearchStrategy[p.Match] = st.one_of(
    st.builds(p.Is, value=VALUES),
    st.builds(p.IsNot, value=VALUES),
    st.builds(p.OneOf, values=st.lists(VALUES, min_size=1, max_size=2).map(tuple)),
    st.builds(p.NoneOf, values=st.lists(VALUES, min_size=1, max_size=2).map(tuple)),
    st.builds(p.Contains, text=st.sampled_from(["o", "1"])),
)
WHERE = st.dictionaries(st.sampled_from(["/n", "/m", "/@key", "/n/0"]), MATCHES, max_size=2)
TABLE = st.sampled_from(["shelf", "nowhere"])
PREDICATES: st.SearchStrategy[Any] = st.recursive(
    st.builds(p.Row, table=TABLE, where=WHERE)
    | st.builds(p.Count, table=TABLE, where=WHERE, least=st.just(0), most=st.integers(0, 2))
    | st.builds(p.Count, table=TABLE, where=WHERE, least=st.integers(1, 2), most=st.none()),
    lambda inner: (
        st.builds(p.Not, of=inner)
        | st.builds(p.All, of=st.lists(inner, min_size=1, max_size=2).map(tuple))
        | st.builds(p.Any, of=st.lists(inner, min_size=1, max_size=2).map(tuple))
    ),
    max_leaves=4,
)
ROWS = st.dictionaries(
    st.sampled_from(["a", "b", "1"]), st.dictionaries(st.sampled_from("nm"), VALUES, max_size=2)
)


def case_after(tables: Tables) -> Case:
    journal = Journal(
        status=Status.COMPLETED, cause=None, system_text=None, sessions=(), before=tables,
        after=tables, calls=(), approvals=(), deliveries=(), restores=(), answers=0, final_text="",
    )  # fmt: skip
    judged = Judged(
        family=Family.DELIVERY, is_twin=True, harm=(), goal=p.UnsupportedClaim(), exposure=None,
        closed_book=False, secrets=(),
    )  # fmt: skip
    return Case(
        seed="ab" * 16, witness=Witness.JOURNAL, journal=journal, recording=None, exchanges=(),
        judged=judged, tools=(),
    )  # fmt: skip


@given(PREDICATES, ROWS)
def test_a_guard_and_a_judge_read_the_same_predicate_in_the_same_way(
    predicate: p.Predicate, rows: dict[str, Any]
) -> None:
    tables = {"shelf": rows}
    judged = evaluate(predicate, case_after(tables)).holds
    assert holds(predicate, WorldReader(tables, 0)) is judged
