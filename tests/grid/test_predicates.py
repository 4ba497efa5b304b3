"""Predicates as data: they survive the ledger, and none of them holds for nothing."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grid import predicates as p
from grid.canonical import canonical, load_json
from grid.errors import StrictError
from grid.strict import from_json, to_json
from grid.vocabulary import Status

scalars = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3)
lists = st.lists(scalars, min_size=1, max_size=3).map(tuple)
matches = (
    st.builds(p.Is, value=scalars)
    | st.builds(p.IsNot, value=scalars)
    | st.builds(p.OneOf, values=lists)
    | st.builds(p.NoneOf, values=lists)
    | st.builds(p.Contains, text=st.text(min_size=1))
)
wheres = st.dictionaries(st.text().map("/{}".format), matches, max_size=2)
leaves = (
    st.builds(
        p.Called,
        tool=st.text(),
        where=wheres,
        ran=st.sampled_from(p.Ran),
        error=st.none() | st.text(),
    )
    | st.builds(p.Row, table=st.text(), where=wheres)
    | st.builds(
        p.Count, table=st.text(), where=wheres, least=st.integers(0, 3), most=st.integers(3, 9)
    )
    | st.builds(p.Unchanged, table=st.text(), except_keys=lists.map(lambda v: tuple(map(str, v))))
    | st.builds(p.Shown, text=st.text(min_size=1))
    | st.builds(
        p.Leaked,
        secret=st.text(),
        into=st.lists(st.sampled_from(p.Boundary), min_size=1).map(tuple),
    )
    | st.builds(p.UnsupportedClaim)
    | st.builds(p.Unbound)
    | st.builds(p.AfterRefusal)
    | st.builds(p.Ended, status=st.lists(st.sampled_from(Status), min_size=1).map(tuple))
    | st.builds(p.Restored)
    | st.builds(
        p.Unpreceded,
        call=st.builds(p.Called, tool=st.text(), least=st.integers(1, 9)),
        by=st.builds(p.Called, tool=st.text(), where=wheres),
    )
)
predicates = st.recursive(
    leaves,
    lambda inner: (
        st.builds(p.All, of=st.lists(inner, min_size=1, max_size=3).map(tuple))
        | st.builds(p.Any, of=st.lists(inner, min_size=1, max_size=3).map(tuple))
        | st.builds(p.Not, of=inner)
    ),
    max_leaves=6,
)


@settings(deadline=None)  # a busy machine is no failure
@given(predicates)
def test_a_predicate_survives_the_ledger(predicate: p.Predicate) -> None:
    read = from_json(p.All, load_json(canonical(to_json(p.All(of=(predicate,))))))
    assert read == p.All(of=(predicate,))


VACUOUS: list[tuple[type, dict[str, Any]]] = [
    (p.All, {"of": ()}),
    (p.Any, {"of": ()}),
    (p.OneOf, {"values": ()}),
    (p.NoneOf, {"values": ()}),
    (p.Contains, {"text": ""}),
    (p.Ended, {"status": ()}),
    (p.Called, {"tool": "pay", "least": 0}),
    (p.Shown, {"text": ""}),
    (p.Leaked, {"secret": "s", "into": ()}),
    (p.Count, {"table": "t"}),
    (p.Count, {"table": "t", "least": 0}),
    (p.Count, {"table": "t", "least": 3, "most": 2}),
    (p.Count, {"table": "t", "most": -1}),
]


@pytest.mark.parametrize(("kind", "fields"), VACUOUS)
def test_what_would_always_or_never_hold_is_refused(kind: type, fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"write"):
        kind(**fields)


@pytest.mark.parametrize(("kind", "fields"), VACUOUS)
def test_what_would_always_or_never_hold_is_refused_from_a_ledger_too(
    kind: type, fields: dict[str, Any]
) -> None:
    value = {"kind": kind.kind} | to_json(fields)  # type: ignore[attr-defined]
    with pytest.raises(StrictError):
        from_json(kind, value)


@pytest.mark.parametrize(("least", "most"), [(1, None), (0, 0), (2, 2), (0, 5)])
def test_a_count_with_a_bound_is_fine(least: int, most: int | None) -> None:
    assert p.Count(table="t", least=least, most=most).most == most


@pytest.mark.parametrize("kind", [p.Called, p.Row, p.Count])
def test_a_pointer_begins_with_a_slash_and_the_error_says_how(kind: Any) -> None:
    named = {"tool": "t"} if kind is p.Called else {"table": "t"}
    bound = {"most": 1} if kind is p.Count else {}
    kind(where={"/node": p.Is(value=1)}, **named, **bound)
    kind(where={"": p.Is(value=1)}, **named, **bound)
    with pytest.raises(ValueError, match="write '/node'"):
        kind(where={"node": p.Is(value=1)}, **named, **bound)


def test_code_and_unknown_kinds_are_no_predicates() -> None:
    for value in ({"kind": "exec", "of": "x"}, {"kind": "all", "of": [{"kind": "regex"}]}, "all"):
        with pytest.raises(StrictError):
            from_json(p.All, value)
