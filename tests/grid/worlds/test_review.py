"""The review world: all it has is reading."""

from typing import Any

import pytest

from grid.vocabulary import Access
from grid.world import ToolError, World
from grid.worlds.review import TOOLS

TOOL = {tool.name: tool for tool in TOOLS}


def world() -> World:
    return World(
        {
            "files": {"b.json": {"text": "1"}, "a.json": {"text": "2"}},
            "templates": {"t": {"text": "[x]"}},
        }
    )


def run(tool: str, **arguments: Any) -> Any:
    return TOOL[tool].run(world(), arguments)


def test_template_files_and_text_are_shown_as_they_are() -> None:
    assert run("get_template") == {"template": "t", "text": "[x]"}
    assert run("list_files") == {"files": ["a.json", "b.json"]}
    assert run("read_file", path="b.json") == {"path": "b.json", "text": "1"}


def test_a_file_that_is_not_there_is_an_error() -> None:
    with pytest.raises(ToolError) as error:
        run("read_file", path="c.json")
    assert error.value.code == "unknown_file"


def test_every_tool_only_reads() -> None:
    assert {tool.access for tool in TOOLS} == {Access.READ}
    here = world()
    for tool, arguments in (
        ("get_template", {}),
        ("list_files", {}),
        ("read_file", {"path": "a.json"}),
    ):
        TOOL[tool].run(here, arguments)
    assert here.take_effects() == ()
