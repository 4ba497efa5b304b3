from typing import Any

import pytest

from proxy.wire.pairing import PairedBy, pair_results


def turn(*ids: Any) -> dict[str, Any]:
    calls = [{"id": one, "function": {"name": "get_weather", "arguments": "{}"}} for one in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def result(identity: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": identity, "content": "sunny"}


def shapes(*messages: dict[str, Any]) -> list[tuple[int, int | None, int | None, str]]:
    found = pair_results([{"role": "user", "content": "x"}, *messages])
    return [(one.message, one.turn, one.call, one.by) for one in found]


def test_results_are_paired_by_an_id_that_is_theirs_alone() -> None:
    assert shapes(turn("a", "b"), result("b"), result("a")) == [
        (2, 1, 1, "id"),
        (3, 1, 0, "id"),
    ]


def test_two_calls_without_id_are_ambiguous_and_nothing_is_dropped() -> None:
    """C59: both ids empty, results perhaps in another order."""
    assert shapes(turn("", ""), result(""), result("")) == [
        (2, 1, None, "ambiguous"),
        (3, 1, None, "ambiguous"),
    ]


@pytest.mark.parametrize("identity", ["", None, "get_weather", "generated"])
def test_one_call_and_one_result_belong_together(identity: Any) -> None:
    """C59: the call has no id or a generated one, the result has the tool's name."""
    assert shapes(turn(identity), result("get_weather"))[0][2] == 0


def test_an_id_that_comes_again_in_a_later_turn_means_that_turn() -> None:
    """C59: id `get_weather` in turns 1 and 3."""
    messages = (
        turn("get_weather"),
        result("get_weather"),
        turn("get_weather"),
        result("get_weather"),
    )
    assert shapes(*messages) == [(2, 1, 0, "id"), (4, 3, 0, "id")]


def test_a_repeated_id_within_a_turn_is_ambiguous() -> None:
    assert {shape[3] for shape in shapes(turn("a", "a"), result("a"), result("a"))} == {"ambiguous"}
    assert shapes(turn("a", "b"), result("a"), result("a"))[0][3] == "ambiguous"


def test_a_result_without_a_call_is_paired_with_nothing() -> None:
    assert shapes(result("a")) == [(1, None, None, PairedBy.NOTHING)]
    assert shapes({"role": "assistant", "content": "x"}, result("a"))[0][3] == "nothing"


@pytest.mark.parametrize("calls", [5, "ab", {"a": 1}, True, [5, None, "x"], [{}], [{"id": [1]}]])
def test_calls_of_any_shape_are_no_reason_to_fail(calls: Any) -> None:
    said = {"role": "assistant", "tool_calls": calls}
    (found,) = shapes(said, result([1]))
    assert found[3] in (PairedBy.NOTHING, PairedBy.ORDER, PairedBy.AMBIGUOUS)


def test_very_many_results_in_one_turn_are_paired_one_by_one() -> None:
    many = [str(number) for number in range(20_000)]
    found = shapes(turn(*many), *map(result, reversed(many)))
    assert [shape[2] for shape in found] == [*range(19_999, -1, -1)]
