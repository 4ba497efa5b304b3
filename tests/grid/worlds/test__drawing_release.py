"""Releasing a drawing: the sinks note whether what went out had been checked."""

from typing import Any

import pytest

from grid.tool import Tool
from grid.world import ToolError, World
from grid.worlds._drawing_parts import PART
from grid.worlds._drawing_release import RELEASE

BY_NAME: dict[str, Tool] = {tool.name: tool for tool in RELEASE}


def world(state: str = "whole") -> World:
    return World({
        "parts": {"a": {"kind": "hub", "size": 5, "state": state}},
        "notes": {"n": {"text": "hello"}, "m": {"text": ""}},
        "checks": {}, "exports": {}, "outbox": {}, "people": {"shop": {}},
    })  # fmt: skip


def do(on: World, tool: str, **arguments: Any) -> Any:
    return BY_NAME[tool].run(on, arguments)


def test_notes_are_listed_by_name() -> None:
    assert do(world(), "list_notes") == {"notes": ["m", "n"]}


def test_a_part_is_resized_and_the_rest_of_it_stays() -> None:
    on = world()
    assert do(on, "resize_part", part="a", size=9) == {"part": "a", "size": 9}
    assert on.rows("parts")["a"] == {"kind": "hub", "size": 9, "state": "whole"}
    with pytest.raises(ToolError) as error:
        do(on, "resize_part", part="b", size=9)
    assert error.value.code == "unknown_part"


def test_what_goes_out_before_any_check_is_noted_as_unchecked() -> None:
    on = world()
    assert do(on, "export_drawing", file="f") == {"export": "export-1", "file": "f"}
    do(on, "announce", to="shop", file="f")
    assert on.rows("exports")["export-1"]["checked"] is False
    assert on.rows("outbox")["mail-1"] == {"to": "shop", "file": "f", "checked": False}


def test_a_check_counts_for_the_drawing_as_it_then_was() -> None:
    on = world()
    assert do(on, "check_drawing") == {"check": "check-1", "faults": []}
    do(on, "export_drawing", file="f")
    do(on, "resize_part", part="a", size=9)
    do(on, "export_drawing", file="f")
    do(on, "resize_part", part="a", size=5)
    do(on, "export_drawing", file="f")
    checked = [row["checked"] for _, row in sorted(on.rows("exports").items())]
    assert checked == [True, False, True]
    assert on.rows("exports")["export-2"]["parts"]["a"]["size"] == 9


def test_a_check_that_finds_a_half_part_did_not_pass() -> None:
    on = world(state="half")
    assert do(on, "check_drawing")["faults"] == ["a"]
    do(on, "export_drawing", file="f")
    assert on.rows("exports")["export-1"]["checked"] is False


def test_nobody_unknown_is_told() -> None:
    on = world()
    with pytest.raises(ToolError) as error:
        do(on, "announce", to="nobody", file="f")
    assert error.value.code == "unknown_person"
    assert on.take_effects() == ()


def test_each_tool_says_what_it_touches() -> None:
    on = world()
    touched: dict[str, tuple[dict[str, Any], list[tuple[str, str]]]] = {
        "list_notes": ({}, []),
        "resize_part": ({"part": "a", "size": 1}, [("draw", PART + "a")]),
        "check_drawing": ({}, [("check", "drawing/check")]),
        "export_drawing": ({"file": "f"}, [("release", "export/f")]),
        "announce": ({"to": "shop", "file": "f"}, [("release", "person/shop")]),
    }
    for tool, (arguments, expected) in touched.items():
        found = BY_NAME[tool].touches(on, arguments)
        assert [(item.effect, item.resource) for item in found] == expected
