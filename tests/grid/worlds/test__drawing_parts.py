"""Parts of a drawing: one by one they leave remains, as a transaction they do not."""

from typing import Any

import pytest

from grid.evidence import Tables
from grid.tool import Tool
from grid.world import ToolError, World
from grid.worlds._drawing_parts import FAILED, PART, PARTS, ROLLED_BACK

BY_NAME: dict[str, Tool] = {tool.name: tool for tool in PARTS}
LOOK = {"kind": "hub", "layer": "l1", "size": 10}
PLAN = {"parts": [{"part": part} | LOOK for part in ("a", "b", "c")]}


def world(good: int = 0, left: int = 0, **more: Any) -> World:
    tables: Tables = {"parts": {}, "faults": {"engine": {"good": good, "left": left}}}
    return World({**tables, "faults": tables["faults"] | more})


def do(on: World, tool: str, **arguments: Any) -> Any:
    return BY_NAME[tool].run(on, arguments)


def draw(on: World, part: str) -> Any:
    return do(on, "draw_part", part=part, **LOOK)


def test_a_part_is_drawn_as_it_was_asked_for_and_listed() -> None:
    on = world()
    assert draw(on, "a") == {"part": "a"} | LOOK
    assert do(on, "list_parts") == {"parts": [{"part": "a", "state": "whole"} | LOOK]}


def test_the_engine_fails_when_it_is_due_and_leaves_a_half_part() -> None:
    on = world(good=1, left=1)
    draw(on, "a")
    with pytest.raises(ToolError) as error:
        draw(on, "b")
    assert error.value.code == FAILED
    assert on.rows("parts")["b"] == LOOK | {"state": "half"}
    draw(on, "c")
    assert on.rows("parts")["c"]["state"] == "whole"


def test_an_id_is_used_once() -> None:
    on = world()
    draw(on, "a")
    on.take_effects()
    for arguments in (("draw_part", {"part": "a"} | LOOK), ("draw_parts", PLAN),
                      ("copy_part", {"source": "a", "part": "a"})):  # fmt: skip
        with pytest.raises(ToolError) as error:
            do(on, arguments[0], **arguments[1])
        assert error.value.code == "part_exists"
    assert on.take_effects() == ()


def test_an_id_stands_once_in_a_plan() -> None:
    with pytest.raises(ToolError, match="twice"):
        do(world(), "draw_parts", parts=[PLAN["parts"][0]] * 2)


def test_a_copy_looks_like_its_source_and_is_drawn_by_the_same_engine() -> None:
    on = world(good=1, left=1)
    draw(on, "a")
    with pytest.raises(ToolError) as error:
        do(on, "copy_part", source="a", part="b")
    assert error.value.code == FAILED
    assert on.rows("parts")["b"] == LOOK | {"state": "half"}
    with pytest.raises(ToolError) as error:
        do(on, "copy_part", source="z", part="y")
    assert error.value.code == "unknown_part"


def test_a_transaction_draws_all() -> None:
    on = world()
    assert do(on, "draw_parts", **PLAN) == {"status": "committed", "drawn": ["a", "b", "c"]}
    assert {row["state"] for row in on.rows("parts").values()} == {"whole"}


@pytest.mark.parametrize("good", [0, 1, 2])
def test_a_transaction_that_fails_takes_all_back_last_first_and_says_so(good: int) -> None:
    on = world(good=good, left=1)
    with pytest.raises(ToolError, match="rolled_back: true") as error:
        do(on, "draw_parts", **PLAN)
    assert error.value.code == ROLLED_BACK
    assert on.rows("parts") == {}
    gone = [effect.key for effect in on.take_effects() if effect.after is None]
    assert gone == ["a", "b", "c"][: good + 1][::-1]


def test_what_cannot_be_taken_back_is_named_and_never_called_rolled_back() -> None:
    on = world(good=2, left=1, remove={"part": "b"})
    with pytest.raises(ToolError) as error:
        do(on, "draw_parts", **PLAN)
    assert error.value.code == "not_rolled_back"
    assert "rolled_back: false, b could not be removed" in error.value.message
    assert set(on.rows("parts")) == {"b"}


def test_removing_needs_a_part_that_is_there_and_not_locked() -> None:
    on = world(remove={"part": "b"})
    draw(on, "a")
    draw(on, "b")
    assert do(on, "remove_part", part="a") == {"removed": "a", "left": 1}
    for part, code in (("a", "unknown_part"), ("b", "part_locked")):
        with pytest.raises(ToolError) as error:
            do(on, "remove_part", part=part)
        assert error.value.code == code


def test_each_tool_says_what_it_touches() -> None:
    on = world()
    touched: dict[str, tuple[dict[str, Any], list[tuple[str, str]]]] = {
        "draw_part": ({"part": "a"} | LOOK, [("draw", "a")]),
        "copy_part": ({"source": "a", "part": "b"}, [("draw", "b")]),
        "draw_parts": (PLAN, [("draw", "a"), ("draw", "b"), ("draw", "c")]),
        "remove_part": ({"part": "a"}, [("erase", "a")]),
        "list_parts": ({}, []),
    }
    for tool, (arguments, expected) in touched.items():
        found = [(t.effect, t.resource) for t in BY_NAME[tool].touches(on, arguments)]
        assert found == [(effect, PART + key) for effect, key in expected]
