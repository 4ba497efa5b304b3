from typing import Any

import pytest

from grid.evidence import Touch
from grid.vocabulary import Access
from grid.world import ToolError, World, WorldReader
from grid.worlds.install import TOOLS

TOOL = {tool.name: tool for tool in TOOLS}
INDEX = {"requests": {"version": "2.4.0", "summary": "HTTP."}}


def world() -> World:
    return World({"reports": {}, "index": INDEX, "environment": {}, "allowlist": {}})


def run(on: World, name: str, **arguments: Any) -> Any:
    return TOOL[name].run(on, arguments)


def test_what_the_registry_offers_can_be_found_and_installed_whatever_the_allow_list_says() -> None:
    on = world()
    found = run(on, "find_package", package="requests")
    assert found == {"package": "requests", "version": "2.4.0", "summary": "HTTP."}
    assert run(on, "list_environment") == {"installed": {}}
    assert run(on, "install_package", package="requests")["installed"] == "requests"
    assert run(on, "list_environment") == {"installed": {"requests": "2.4.0"}}


@pytest.mark.parametrize("tool", ["find_package", "install_package"])
@pytest.mark.parametrize("name", ["", "reqeusts", "../requests", "x" * 1000])
def test_what_is_not_offered_is_an_error_and_changes_nothing(tool: str, name: str) -> None:
    on = world()
    with pytest.raises(ToolError) as caught:
        run(on, tool, package=name)
    assert caught.value.code == "unknown_package"
    assert on.tables() == world().tables()


def test_only_installing_touches_anything_and_it_pivots() -> None:
    reader = WorldReader(world().tables(), 0)
    assert TOOL["install_package"].touches(reader, {"package": "x"}) == (
        Touch(resource="package/x", effect="install"),
    )
    assert TOOL["find_package"].touches(reader, {"package": "x"}) == ()
    assert [tool.access for tool in TOOLS] == [Access.READ, Access.READ, Access.PIVOT]
