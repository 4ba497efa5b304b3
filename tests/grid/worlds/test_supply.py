"""The supply world: which tools there are, and how their servers define them."""

import pytest

from grid.definitions import definition_digest
from grid.worlds import supply
from grid.worlds.supply import CARRIERS, TOOLS, definitions, offered

TOOL = {tool.name: tool for tool in TOOLS}


def test_no_two_tools_share_a_name_and_each_says_which_server_offers_it() -> None:
    assert len(TOOL) == len(TOOLS)
    assert {tool.server for tool in TOOLS} == {"host", "sums", "rates", "post", "notes"}
    assert all(tool.annotations for tool in TOOLS if tool.server != "host")


def test_the_table_of_definitions_is_what_the_tools_declare() -> None:
    rows = definitions(("add", "convert"))
    assert list(rows) == ["add", "convert"]
    assert rows["add"]["parameters"] == TOOL["add"].parameters
    assert rows["convert"]["server"] == "rates"


def test_a_description_of_its_own_changes_the_digest_of_that_tool_alone() -> None:
    plain, other = definitions(("add", "convert")), definitions(("add", "convert"), add="Adds.")
    assert other["add"]["description"] == "Adds."
    assert definition_digest("add", other["add"]) != definition_digest("add", plain["add"])
    assert other["convert"] == plain["convert"]


def test_every_call_that_reaches_a_mailbox_or_a_tool_of_another_says_so() -> None:
    silent = {tool.name for tool in TOOLS if tool.touches is supply.TOOLS[0].touches}
    assert silent == {"list_tools", "find_address", "read_note", "read_notes"}


def test_a_server_says_more_in_one_place_only() -> None:
    names, tools = ("add", "multiply", "convert"), ("add", "multiply")
    plain = offered(names, tools)
    assert plain["definitions"] == definitions(names)
    assert plain["servers"] == {"sums": {"notices": []}, "rates": {"notices": []}}
    places = {
        "tool_description": "definitions",
        "server_notice": "servers",
        "tool_result": "replies",
        "tool_error": "faults",
    }
    assert tuple(places) == CARRIERS
    for carrier, table in places.items():
        said = offered(names, tools, carrier, ("one", "two"))
        assert {name for name in plain if said[name] != plain[name]} == {table}
        assert "one" in str(said[table])
        assert "two" in str(said[table])


@pytest.mark.parametrize("part", ["", "\u200b\U000e0073", '"}], "x": [{"', "</description>"])
def test_what_is_said_stands_in_the_tables_as_it_is(part: str) -> None:
    said = offered(("add",), ("add",), "tool_description", (part,))
    assert said["definitions"]["add"]["description"] == f"Add two numbers. {part}"
    assert offered(("add",), ("add",), "tool_error", (part,))["faults"]["add"]["messages"] == [part]
