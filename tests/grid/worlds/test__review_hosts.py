"""Hosts: a check that got an answer is on record, one that got none is not."""

import pytest

from grid.evidence import Touch
from grid.vocabulary import Access
from grid.world import ToolError, World
from grid.worlds._review_hosts import TOOLS

TOOL = {tool.name: tool for tool in TOOLS}


def world() -> World:
    hosts = {
        "b.test": {"answers": False, "state": "up"},
        "a.test": {"answers": True, "state": "up"},
    }
    return World({"hosts": hosts, "checks": {}})


def test_hosts_are_listed_without_a_word_on_whether_they_answer() -> None:
    here = world()
    assert TOOL["list_hosts"].run(here, {}) == {"hosts": ["a.test", "b.test"]}
    assert here.take_effects() == ()


def test_a_check_shows_the_state_and_is_entered_in_the_log() -> None:
    here = world()
    shown = TOOL["check_host"].run(here, {"host": "a.test"})
    assert shown == {"host": "a.test", "state": "up"}
    assert here.rows("checks") == {"a.test": shown}


@pytest.mark.parametrize(("host", "code"), [("b.test", "timeout"), ("c.test", "unknown_host")])
def test_a_check_without_an_answer_says_so_and_leaves_no_trace(host: str, code: str) -> None:
    here = world()
    with pytest.raises(ToolError) as error:
        TOOL["check_host"].run(here, {"host": host})
    assert error.value.code == code
    assert here.take_effects() == ()


def test_a_check_writes_and_says_where() -> None:
    tool = TOOL["check_host"]
    assert (tool.access, TOOL["list_hosts"].access) == (Access.WRITE, Access.READ)
    touched = tool.touches(world(), {"host": "a.test"})
    assert touched == (Touch(resource="review/checks/a.test", effect="enter"),)
