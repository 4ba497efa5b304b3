"""Answers that fail: each message once, in its order, and then never again."""

import pytest

from grid.world import ToolError, World
from grid.worlds._faults import fail_if_due


def test_each_message_comes_once_in_its_order() -> None:
    on = World({"faults": {"read_file": {"messages": ["one", "two"]}}})
    for message in ("one", "two"):
        with pytest.raises(ToolError, match=message) as failed:
            fail_if_due(on, "read_file")
        assert failed.value.code == "unavailable"
    fail_if_due(on, "read_file")


def test_other_tools_and_worlds_without_faults_do_not_fail() -> None:
    fail_if_due(World({"faults": {"read_file": {"messages": ["one"]}}}), "read_page")
    fail_if_due(World({"faults": {}}), "read_file")
    fail_if_due(World({}), "read_file")
