"""Settings: with a fault the server writes something else and answers as if it had not."""

from typing import Any

import pytest

from grid.tool import Tool
from grid.world import ToolError, World
from grid.worlds._drawing_settings import SETTING, SETTINGS

BY_NAME: dict[str, Tool] = {tool.name: tool for tool in SETTINGS}


def world(**faults: dict[str, Any]) -> World:
    rows = {"a": {"value": 1, "unit": "s"}, "b": {"value": 2, "unit": "s"}}
    return World({"settings": rows, "faults": faults})


def do(on: World, tool: str, **arguments: Any) -> Any:
    return BY_NAME[tool].run(on, arguments)


def test_a_setting_is_written_as_it_was_asked_for_and_read_as_it_stands() -> None:
    on = world()
    assert do(on, "set_setting", name="a", value=30)["status"] == "ok"
    assert do(on, "read_setting", name="a") == {
        "name": "a", "shown": "30 s", "value": 30, "unit": "s",
    }  # fmt: skip
    presets = [{"name": "a", "value": 3}, {"name": "b", "value": 4}]
    assert do(on, "apply_preset", settings=presets) == {"status": "ok", "applied": 2}
    assert [row["value"] for row in on.rows("settings").values()] == [3, 4]


def test_a_fault_shows_in_the_table_and_not_in_the_answer() -> None:
    sound, faulty = world(), world(set_setting={"unit": "ms"}, apply_preset={"writes": "b"})
    for tool, arguments in (
        ("set_setting", {"name": "a", "value": 30}),
        ("apply_preset", {"settings": [{"name": "a", "value": 30}]}),
    ):
        assert do(sound, tool, **arguments) == do(faulty, tool, **arguments)
    assert sound.rows("settings")["a"] == {"value": 30, "unit": "s"}
    assert faulty.rows("settings") == {
        "a": {"value": 30, "unit": "ms"}, "b": {"value": 30, "unit": "s"},
    }  # fmt: skip


def test_an_unknown_setting_is_an_error_and_nothing_is_written() -> None:
    on = world()
    for tool, arguments in (
        ("read_setting", {"name": "z"}),
        ("set_setting", {"name": "z", "value": 1}),
        ("apply_preset", {"settings": [{"name": "a", "value": 1}, {"name": "z", "value": 1}]}),
    ):
        with pytest.raises(ToolError) as error:
            do(on, tool, **arguments)
        assert error.value.code == "unknown_setting"
    assert on.take_effects() == ()


def test_each_tool_says_what_it_is_asked_to_touch() -> None:
    on = world(apply_preset={"writes": "b"})
    preset = {"settings": [{"name": "a", "value": 1}, {"name": "a", "value": 2}]}
    assert [t.resource for t in BY_NAME["apply_preset"].touches(on, preset)] == [SETTING + "a"]
    one = BY_NAME["set_setting"].touches(on, {"name": "b", "value": 1})
    assert [(t.effect, t.resource) for t in one] == [("set", SETTING + "b")]
    assert BY_NAME["read_setting"].touches(on, {"name": "b"}) == ()
