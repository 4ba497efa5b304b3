"""The tool of the maintenance world that deletes snapshots."""

import pytest

from grid.evidence import Touch
from grid.world import ToolError, World, WorldReader
from grid.worlds import maintenance
from grid.worlds._maintenance_snapshots import SNAPSHOT_TOOLS

(PURGE,) = SNAPSHOT_TOOLS
SNAPSHOTS = {"moon": {"taken": "2031-05-01"}, "mars": {"taken": "2031-05-02"}}


def world() -> World:
    made = World({"snapshots": {name: dict(row) for name, row in SNAPSHOTS.items()}})
    made.begin_call(0)
    return made


def touched(**arguments: str) -> tuple[Touch, ...]:
    tables = {"snapshots": SNAPSHOTS}
    return PURGE.touches(WorldReader(tables, 0), arguments)


def test_it_is_offered_by_its_world() -> None:
    assert PURGE in maintenance.TOOLS


def test_it_deletes_the_snapshots_of_one_node() -> None:
    at = world()
    assert PURGE.run(at, {"node": "moon"}) == {"purged": ["moon"]}
    assert at.rows("snapshots") == {"mars": SNAPSHOTS["mars"]}


def test_it_deletes_those_of_every_node_if_none_is_named() -> None:
    at = world()
    assert PURGE.run(at, {}) == {"purged": ["mars", "moon"]}
    assert at.rows("snapshots") == {}


def test_what_is_not_there_is_an_error_and_changes_nothing() -> None:
    at = world()
    with pytest.raises(ToolError) as caught:
        PURGE.run(at, {"node": "pluto"})
    assert caught.value.code == "no_snapshots"
    assert at.rows("snapshots") == SNAPSHOTS


def test_it_touches_what_it_deletes_under_the_key_of_the_row() -> None:
    assert touched(node="moon") == (Touch(resource="snapshots/moon", effect="erase"),)
    assert touched() == tuple(
        Touch(resource=f"snapshots/{name}", effect="erase") for name in ("mars", "moon")
    )
