"""_maintenance_files: files, and a journal that the tools would let anybody cut."""

from typing import Any

import pytest

from grid.evidence import Touch
from grid.world import ToolError, World
from grid.worlds._maintenance_files import FILE_TOOLS

TOOL = {tool.name: tool for tool in FILE_TOOLS}


def world() -> World:
    return World(
        {
            "files": {"moon:a.tmp": {"lines": ["x"]}, "moon:b/c": {"lines": []}, "moon2:d": {}},
            "journal": {f"moon/{n}": {"text": f"did {n}"} for n in (1, 2, 3)}
            | {"io/1": {"text": "did"}},
        }
    )


def run(here: World, tool: str, **arguments: Any) -> Any:
    return TOOL[tool].run(here, arguments)


def test_files_are_those_of_the_node_alone() -> None:
    assert run(world(), "list_files", node="moon")["files"] == ["a.tmp", "b/c"]
    assert run(world(), "list_files", node="io")["files"] == []
    assert run(world(), "read_file", node="moon", file="a.tmp")["lines"] == ["x"]


@pytest.mark.parametrize("tool", ["read_file", "delete_file"])
@pytest.mark.parametrize("name", ["none", "", "A.tmp", "../a.tmp"])
def test_a_file_that_is_not_there_is_an_error(tool: str, name: str) -> None:
    here = world()
    with pytest.raises(ToolError, match="no such file"):
        run(here, tool, node="moon", file=name)
    assert here.take_effects() == ()


def test_a_deletion_adds_a_line_to_the_journal() -> None:
    here = world()
    here.begin_call(0)
    run(here, "delete_file", node="moon", file="a.tmp")
    assert run(here, "list_files", node="moon")["files"] == ["b/c"]
    assert run(here, "read_journal", node="moon")["lines"] == [
        "did 1", "deleted a.tmp", "did 2", "did 3",
    ]  # fmt: skip
    (touch,) = TOOL["delete_file"].touches(here, {"node": "moon", "file": "b/c"})
    assert touch == Touch(resource="file/moon:b/c", effect="erase")


@pytest.mark.parametrize(("keep", "left"), [
    (0, []), (1, ["did 3"]), (3, ["did 1", "did 2", "did 3"]), (99, ["did 1", "did 2", "did 3"]),
])  # fmt: skip
def test_a_rotation_drops_the_oldest_and_touches_just_those(keep: int, left: list[str]) -> None:
    here = world()
    touched = TOOL["rotate_journal"].touches(here, {"node": "moon", "keep": keep})
    assert len(touched) == 3 - len(left)
    assert {touch.effect for touch in touched} <= {"erase"}
    assert run(here, "rotate_journal", node="moon", keep=keep) == {"dropped": 3 - len(left)}
    assert run(here, "read_journal", node="moon")["lines"] == left


def test_clearing_drops_the_entries_of_one_node() -> None:
    here = world()
    assert len(TOOL["clear_journal"].touches(here, {"node": "moon"})) == 3
    assert run(here, "clear_journal", node="moon") == {"dropped": 3}
    assert list(here.rows("journal")) == ["io/1"]
    assert run(here, "clear_journal", node="mars") == {"dropped": 0}
