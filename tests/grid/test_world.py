"""The world: rows change only through it, every change is an effect, and the clock is logical."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grid.evidence import Effect, Tables
from grid.world import World, WorldReader, cancel_out, operation_digest

ROW: dict[str, Any] = {"v": 1, "in": {"deep": [1]}}


def world() -> World:
    return World({"t": {"b": ROW, "a": {"v": 2}}})


def test_rows_come_in_key_order_and_an_unknown_table_is_empty() -> None:
    assert list(world().rows("t")) == ["a", "b"]
    assert world().rows("nothing") == {}
    assert world().get("t", "z") is None
    assert world().get("nothing", "a") is None


def test_nothing_that_goes_in_or_comes_out_can_be_changed_from_outside() -> None:
    start: Tables = {"t": {"b": {"in": {"deep": [1]}}}}
    on = World(start)
    row = {"in": {"deep": [5]}}
    on.put("t", "c", row)
    start["t"]["b"]["in"]["deep"].append(2)
    row["in"]["deep"].append(6)
    for out in (on.rows("t"), on.tables()["t"], {"b": on.get("t", "b"), "c": on.get("t", "c")}):
        assert out == {"b": {"in": {"deep": [1]}}, "c": {"in": {"deep": [5]}}}
        out["b"]["in"]["deep"].append(3)  # type: ignore[index]
    assert on.get("t", "b") == {"in": {"deep": [1]}}


def test_each_change_is_an_effect_of_the_call_that_made_it() -> None:
    on = world()
    on.begin_call(4)
    on.put("t", "a", {"v": 3})
    on.put("new", "k", {})
    on.begin_call(6)
    on.drop("t", "b")
    assert on.take_effects() == (
        Effect(seq=0, call=4, table="t", key="a", before={"v": 2}, after={"v": 3}),
        Effect(seq=1, call=4, table="new", key="k", before=None, after={}),
        Effect(seq=2, call=6, table="t", key="b", before=ROW, after=None),
    )
    assert on.take_effects() == ()


def test_an_effect_keeps_the_row_as_it_was_then() -> None:
    on = world()
    row = {"n": [1]}
    on.put("t", "c", row)
    row["n"].append(2)
    on.put("t", "c", row)
    first, second = on.take_effects()
    assert (first.after, second.before, second.after) == ({"n": [1]}, {"n": [1]}, {"n": [1, 2]})


def test_writing_what_is_there_is_no_effect() -> None:
    on = world()
    on.put("t", "b", ROW)
    assert on.take_effects() == ()


def test_dropping_what_is_not_there_is_a_mistake_of_the_tool() -> None:
    with pytest.raises(KeyError):
        world().drop("t", "z")


keys = st.sampled_from("abc")
changes = st.lists(
    st.tuples(st.sampled_from("tu"), keys, st.none() | st.integers(0, 3)), max_size=20
)


@settings(deadline=None)  # a busy machine is no failure
@given(changes)
def test_the_effects_folded_over_the_world_before_give_the_world_after(
    made: list[tuple[str, str, int | None]],
) -> None:
    on = World({"t": {"a": {"v": 0}}, "u": {}})
    folded = on.tables()
    for table, key, value in made:
        if value is not None:
            on.put(table, key, {"v": value})
        elif on.get(table, key) is not None:
            on.drop(table, key)
    for number, effect in enumerate(on.take_effects()):
        assert effect.seq == number
        assert folded[effect.table].get(effect.key) == effect.before != effect.after
        folded[effect.table].pop(effect.key, None)
        if effect.after is not None:
            folded[effect.table][effect.key] = effect.after
    assert folded == on.tables()


def test_only_calls_advance_the_clock() -> None:
    on = world()
    on.put("t", "c", {})
    assert on.clock == 0
    on.begin_call(0)
    on.begin_call(7)
    assert (on.clock, on.call) == (2, 7)


def test_a_reader_sees_changes_and_can_make_none() -> None:
    on = world()
    reader = WorldReader(on._tables, on.clock)
    on.put("t", "c", {"v": 9})
    assert reader.get("t", "c") == {"v": 9}
    assert not {"put", "drop", "approve", "deliver"} & set(dir(reader))


def test_an_approval_keeps_the_operation_as_it_was_shown() -> None:
    on = world()
    on.begin_call(2)
    operation = {"to": "a", "items": [1]}
    identity = on.approve(operation=operation, principal="Mina", granted=False, ttl=5)
    operation["items"] = [2]
    (approval,) = on.approvals
    assert (approval.id, approval.call, approval.expires, approval.granted) == (
        identity, 2, on.clock + 5, False,
    )  # fmt: skip
    assert approval.operation == {"to": "a", "items": [1]}
    assert approval.digest == operation_digest({"items": [1], "to": "a"})
    assert on.approve(operation={}, principal="Mina", granted=True, ttl=0) != identity


def test_a_delivery_keeps_the_operation_as_it_was_delivered() -> None:
    on = world()
    on.begin_call(3)
    operation = {"to": "b"}
    on.deliver(operation=operation, approval="ap-1", principal="Mina")
    operation["to"] = "c"
    (delivery,) = on.deliveries
    assert (delivery.call, delivery.clock, delivery.approval) == (3, 1, "ap-1")
    assert delivery.digest == operation_digest({"to": "b"}) == operation_digest(delivery.operation)


def test_operations_have_one_digest_whatever_the_order_of_their_fields() -> None:
    assert operation_digest({"a": 1, "b": 2}) == operation_digest({"b": 2.0, "a": 1})
    assert operation_digest({"a": 1}) != operation_digest({"a": "1"})


def test_effects_cancel_out_when_every_row_is_as_it_was() -> None:
    world = World({"shelf": {"a": {"n": 1}}})
    world.begin_call(0)
    world.put("shelf", "a", {"n": 2})
    world.put("shelf", "b", {"n": 3})
    assert not cancel_out(world.since_taken())
    world.drop("shelf", "b")
    assert not cancel_out(world.since_taken())
    world.put("shelf", "a", {"n": 1})
    assert cancel_out(world.since_taken())
    assert len(world.take_effects()) == 4
    assert cancel_out(world.since_taken())
