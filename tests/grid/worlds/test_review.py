"""The review world: its own tools read and change nothing; no two of its topics share a name."""

from typing import Any

import pytest

from grid.vocabulary import Access
from grid.world import ToolError, World
from grid.worlds.review import TOOLS

TOOL = {tool.name: tool for tool in TOOLS}
READS = ("get_template", "list_files", "read_file")


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


def test_a_file_is_not_shown_while_reading_it_fails() -> None:
    here = World({"files": {"a": {"text": "1"}}, "faults": {"read_file": {"messages": ["no"]}}})
    with pytest.raises(ToolError, match="no"):
        TOOL["read_file"].run(here, {"path": "a"})
    assert TOOL["read_file"].run(here, {"path": "a"}) == {"path": "a", "text": "1"}


def test_the_tools_of_files_and_templates_only_read() -> None:
    assert {TOOL[name].access for name in READS} == {Access.READ}
    here = world()
    for tool, arguments in zip(READS, ({}, {}, {"path": "a.json"}), strict=True):
        TOOL[tool].run(here, arguments)
    assert here.take_effects() == ()


def test_no_two_tools_share_a_name_and_each_takes_nothing_unknown() -> None:
    assert len(TOOL) == len(TOOLS)
    assert all(tool.parameters["additionalProperties"] is False for tool in TOOLS)
