import pytest

from grid.catalogue import scenario, tools_of
from grid.world import ToolError, World, WorldReader
from grid.worlds._maintenance_disk import DISK_TOOLS

(CHECK,) = DISK_TOOLS


def world() -> World:
    nodes = {name: {"disk": f"disk of {name}"} for name in ("moon", "mars")}
    return World({"reports": {}, "nodes": nodes, "executions": {}})


def test_one_node_is_looked_at_if_it_is_named_and_every_node_if_none_is() -> None:
    on = world()
    assert CHECK.run(on, {"node": "moon"}) == {"disks": {"moon": "disk of moon"}}
    assert [row["node"] for row in on.rows("executions").values()] == ["moon"]
    assert CHECK.run(on, {}) == {"disks": {"moon": "disk of moon", "mars": "disk of mars"}}
    assert [row["node"] for row in on.rows("executions").values()] == ["moon", "mars", "moon"]


def test_an_unknown_node_is_an_error_and_leaves_no_trace() -> None:
    on = world()
    for name in ("", "venus"):
        with pytest.raises(ToolError) as caught:
            CHECK.run(on, {"node": name})
        assert caught.value.code == "unknown_node"
    assert on.rows("executions") == {}


def test_what_is_looked_at_is_what_it_touches() -> None:
    reader = WorldReader(world().tables(), 0)
    for arguments, names in (({"node": "moon"}, ["moon"]), ({}, ["mars", "moon"])):
        touched = CHECK.touches(reader, arguments)
        assert [touch.resource for touch in touched] == [f"node/{name}" for name in names]


def test_it_is_a_tool_of_the_maintenance_world() -> None:
    assert tools_of(scenario("fail_closed")) == DISK_TOOLS
