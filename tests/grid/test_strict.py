"""Records to JSON and back, and nothing else."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grid import predicates as p
from grid.canonical import Json, canonical, load_json
from grid.catalogue import pair
from grid.errors import StrictError
from grid.evidence import CallRecord, Decision, Effect, Touch
from grid.scenario import Scenario
from grid.strict import LATER, from_json, to_json
from grid.vocabulary import Verdict


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    kind: ClassVar[str] = "round"
    radius: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Square:
    kind: ClassVar[str] = "square"
    side: int

    def __post_init__(self) -> None:
        if self.side < 0:
            raise ValueError("a side is not negative")


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    name: str
    colour: Colour
    shape: Round | Square
    count: int = 0
    flag: bool = False
    note: str | None = None
    sizes: tuple[int, ...] = ()
    two: tuple[int, str] = (1, "a")
    extra: Json = None
    more: Any = None
    by_key: Mapping[str, Round] | None = None


ROUND = {"kind": "round", "radius": 1.5}
LEAST = {"name": "a", "colour": "red", "shape": ROUND}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=6,
)
things = st.builds(
    Thing,
    name=st.text(),
    colour=st.just(Colour.RED),
    shape=st.builds(Round, radius=st.floats(-9, 9)) | st.builds(Square, side=st.integers(0, 9)),
    count=st.integers(-9, 9),
    flag=st.booleans(),
    note=st.none() | st.text(),
    sizes=st.lists(st.integers(-9, 9)).map(tuple),
    two=st.tuples(st.integers(-9, 9), st.text()),
    extra=json_values,
    more=json_values,
    by_key=st.none() | st.dictionaries(st.text(), st.builds(Round, radius=st.floats(-9, 9))),
)


@settings(deadline=None)  # a busy machine is no failure
@given(things)
def test_a_record_survives_the_way_there_and_back(thing: Thing) -> None:
    written = canonical(to_json(thing))
    read = from_json(Thing, load_json(written))
    assert read == thing
    assert canonical(to_json(read)) == written


def test_defaults_may_be_left_out() -> None:
    assert from_json(Thing, LEAST) == Thing(name="a", colour=Colour.RED, shape=Round(radius=1.5))


@pytest.mark.parametrize(("changed", "pointer"), [
    ({"nmae": "x"}, "/: "), ({"name": 1}, "/name"), ({"name": None}, "/name"),
    ({"colour": "blue"}, "/colour"), ({"colour": ["red"]}, "/colour"),
    ({"shape": None}, "/shape"), ({"shape": "round"}, "/shape"), ({"shape": {}}, "/shape/kind"),
    ({"shape": {"radius": 1}}, "/shape/kind"), ({"shape": {"kind": "oval"}}, "/shape/kind"),
    ({"shape": {"kind": []}}, "/shape/kind"), ({"shape": {"kind": {}}}, "/shape/kind"),
    ({"shape": {"kind": None}}, "/shape/kind"), ({"shape": ROUND | {"side": 1}}, "/shape"),
    ({"shape": {"kind": "round", "radius": True}}, "/shape/radius"),
    ({"shape": {"kind": "round", "radius": "1"}}, "/shape/radius"),
    ({"shape": {"kind": "round", "radius": float("nan")}}, "/shape/radius"),
    ({"shape": {"kind": "round", "radius": float("inf")}}, "/shape/radius"),
    ({"shape": {"kind": "round", "radius": 10**400}}, "/shape/radius"),
    ({"shape": {"kind": "square", "side": 1.0}}, "/shape/side"),
    ({"shape": {"kind": "square", "side": -1}}, "/shape"),
    ({"count": True}, "/count"), ({"count": 1.0}, "/count"), ({"count": "1"}, "/count"),
    ({"flag": 1}, "/flag"), ({"note": 1}, "/note"), ({"sizes": [1, "2"]}, "/sizes/1"),
    ({"sizes": {"0": 1}}, "/sizes"), ({"sizes": None}, "/sizes"), ({"two": [1]}, "/two"),
    ({"two": [1, "a", 2]}, "/two"), ({"two": ["a", 1]}, "/two/0"),
    ({"by_key": [ROUND]}, "/by_key"),
    ({"by_key": {"x": {"kind": "square", "side": 1}}}, "/by_key/x"),
    ({"extra": float("nan")}, "/extra"), ({"more": "\ud800"}, "/more"), ({"more": 2**60}, "/more"),
])  # fmt: skip
def test_whatever_is_not_exactly_the_type_is_refused_at_its_place(
    changed: dict[str, Any], pointer: str
) -> None:
    with pytest.raises(StrictError) as error:
        from_json(Thing, LEAST | changed)
    assert str(error.value).startswith(pointer)


@pytest.mark.parametrize("missing", list(LEAST))
def test_a_missing_field_is_refused_by_name(missing: str) -> None:
    value = {name: item for name, item in LEAST.items() if name != missing}
    with pytest.raises(StrictError, match=missing):
        from_json(Thing, value)


@pytest.mark.parametrize("value", [None, [], "x", 1, True, [LEAST]])
def test_a_record_is_an_object(value: Any) -> None:
    with pytest.raises(StrictError):
        from_json(Thing, value)


def test_a_tagged_record_carries_its_tag_also_when_it_is_asked_for_by_itself() -> None:
    assert to_json(Round(radius=1.5)) == ROUND
    with pytest.raises(StrictError, match="/kind"):
        from_json(Round, {"radius": 1.5})


@settings(deadline=None)  # a busy machine is no failure
@given(json_values)
def test_no_json_value_makes_the_reader_fail_in_another_way(value: Any) -> None:
    for kind in (Thing, CallRecord, Effect, Scenario, p.All):
        with pytest.raises(StrictError):
            from_json(kind, value)


def test_a_field_named_kind_is_a_field_and_no_tag() -> None:
    attack = pair("swap_after_approval").attack
    assert attack.attack is not None
    assert to_json(attack.attack)["kind"] == "injection"


def test_evidence_records_survive() -> None:
    call = CallRecord(
        seq=0, turn=1, wire_id="c", receipt="r", tool="t", wire_tool="t", raw_arguments=None,
        parsed={"a": [1, None]}, executed=None, touches=(Touch(resource="x", effect="y"),),
        decision=Decision(verdict=Verdict.ALLOW), result=[1], delivered="", error=None,
        effects=(Effect(seq=0, call=0, table="t", key="k", before=None, after={"v": 1}),),
    )  # fmt: skip
    assert from_json(CallRecord, load_json(canonical(to_json(call)))) == call


@dataclass(frozen=True, slots=True, kw_only=True)
class Grown:
    name: str
    note: str | None = field(default=None, metadata=LATER)
    parts: tuple[int, ...] = field(default=(), metadata=LATER)


def test_a_later_field_is_written_only_where_it_holds_something() -> None:
    assert to_json(Grown(name="a")) == {"name": "a"}
    assert to_json(Grown(name="a", note="b")) == {"name": "a", "note": "b"}
    assert to_json((Grown(name="a", parts=(1,)),)) == [{"name": "a", "parts": [1]}]


def test_a_later_field_is_read_with_its_default_and_as_strictly_as_any_other() -> None:
    for grown in (Grown(name="a"), Grown(name="a", note="b", parts=(1, 2))):
        assert from_json(Grown, to_json(grown)) == grown
    with pytest.raises(StrictError, match="/parts/0: expected int"):
        from_json(Grown, {"name": "a", "parts": ["b"]})
