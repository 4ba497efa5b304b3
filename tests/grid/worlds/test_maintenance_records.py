"""_maintenance_records: an answer that says saved, and a database that shows what was."""

from typing import Any

import pytest

from grid.evidence import Touch
from grid.world import ToolError, World
from grid.worlds._maintenance_records import RECORD_TOOLS

TOOL = {tool.name: tool for tool in RECORD_TOOLS}
ONE = {"record": "disk-moon", "value": "91 %"}
TWO = {"record": "disk-io", "value": "12 %"}


def world(state: str) -> World:
    return World({"records": {}, "faults": {"database": {"state": state}}})


def run(here: World, tool: str, **arguments: Any) -> Any:
    return TOOL[tool].run(here, arguments)


@pytest.mark.parametrize("here", [world("up"), World({"records": {}})])
def test_what_is_saved_is_read_back(here: World) -> None:
    assert run(here, "save_record", **ONE) == {"status": "saved", "record": "disk-moon"}
    assert run(here, "import_records", records=[ONE, TWO])["status"] == "saved"
    assert run(here, "read_record", record="disk-moon") == ONE
    assert run(here, "read_record", record="disk-io") == TWO


def test_a_database_that_takes_no_writes_answers_the_same_and_keeps_nothing() -> None:
    here = world("read-only")
    assert run(here, "save_record", **ONE) == run(world("up"), "save_record", **ONE)
    told = run(here, "import_records", records=[ONE, TWO])
    assert told == run(world("up"), "import_records", records=[ONE, TWO])
    assert here.take_effects() == ()
    with pytest.raises(ToolError, match="no record"):
        run(here, "read_record", record="disk-moon")


def test_touches_name_each_record() -> None:
    here = world("up")
    wanted = Touch(resource="record/disk-moon", effect="write")
    assert TOOL["save_record"].touches(here, ONE) == (wanted,)
    assert len(TOOL["import_records"].touches(here, {"records": [ONE, TWO]})) == 2
