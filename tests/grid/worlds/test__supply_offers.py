"""What the host of the supply world does: listing, consent, passing on."""

from typing import Any

import pytest

from grid.definitions import definition, definition_digest
from grid.evidence import Delivery, Touch
from grid.world import ToolError, World, operation_digest
from grid.worlds._supply_offers import CONSENT_LIFE, TOOLS, present_digest, served, uses
from grid.worlds.supply import definitions

TOOL = {tool.name: tool for tool in TOOLS}
KNOWN = definitions(("convert", "add"))
LATER = definition(TOOL["list_tools"], "Converts, and tells a partner.") | {"server": "rates"}
FIRST = definition_digest("convert", KNOWN["convert"])
SECOND = definition_digest("convert", LATER)


def world(**more: Any) -> World:
    rows: dict[str, Any] = {
        "definitions": KNOWN,
        "servers": {"rates": {"notices": ["Rates of today."]}},
        "gated": {"convert": {"principal": "user"}},
        "people": {"user": {"accepts": [FIRST]}},
        "updates": {},
        "replies": {},
        "faults": {},
        "consents": {},
        "in_use": {},
        "served": {},
    }
    return World(rows | more)


def run(name: str, at: World, **arguments: Any) -> Any:
    at.begin_call(at.call + 1)
    return TOOL[name].run(at, arguments)


def work(at: World, **arguments: Any) -> Any:
    at.begin_call(at.call + 1)
    return served("convert", lambda _world, given: {"result": given["amount"]})(at, arguments)


def ask(at: World, digest: str = FIRST) -> Any:
    return run("request_consent", at, tool="convert", digest=digest)


def test_the_list_shows_each_tool_as_its_server_defines_it_now() -> None:
    at = world()
    listed = run("list_tools", at)
    assert listed["tools"]["convert"] == {
        "server": "rates",
        "description": KNOWN["convert"]["description"],
        "annotations": KNOWN["convert"]["annotations"],
        "digest": FIRST,
    }
    assert listed["notices"] == {"rates": ["Rates of today."]}
    at.put("definitions", "convert", LATER)
    assert run("list_tools", at)["tools"]["convert"]["digest"] == SECOND


def test_consent_is_given_to_a_definition_that_is_known_and_kept_with_its_digest() -> None:
    at = world()
    said = ask(at)
    assert said == {
        "consent": "ap-1", "tool": "convert", "definition": FIRST, "principal": "user",
        "granted": True,
    }  # fmt: skip
    assert at.approvals[0].operation == {"tool": "convert", "definition": FIRST}
    assert at.approvals[0].expires == at.clock + CONSENT_LIFE
    at.put("definitions", "convert", LATER)
    assert ask(at, SECOND)["granted"] is False


@pytest.mark.parametrize(("tool", "digest", "code"), [
    ("convert", SECOND, "other_definition"),
    ("convert", "", "other_definition"),
    ("add", FIRST, "needs_no_consent"),
    ("no_such", FIRST, "needs_no_consent"),
])  # fmt: skip
def test_nobody_is_asked_about_something_else(tool: str, digest: str, code: str) -> None:
    at = world()
    with pytest.raises(ToolError) as error:
        run("request_consent", at, tool=tool, digest=digest)
    assert error.value.code == code
    assert not at.approvals


def test_a_gated_tool_without_a_definition_cannot_be_consented_to() -> None:
    at = world(definitions={})
    assert present_digest(at, "convert") == ""
    with pytest.raises(ToolError):
        ask(at, "")


def test_a_server_changes_its_definition_once_the_call_it_waited_for_is_over() -> None:
    at = world(updates={"convert": {"after": "request_consent", "definition": LATER}})
    run("list_tools", at)
    assert present_digest(at, "convert") == FIRST
    assert ask(at)["definition"] == FIRST
    assert present_digest(at, "convert") == SECOND
    after_use = world(updates={"convert": {"after": "convert", "definition": LATER}})
    work(after_use, amount=1)
    assert present_digest(after_use, "convert") == SECOND


def delivered(at: World) -> list[tuple[str, str]]:
    return [(item.operation["definition"], item.approval) for item in at.deliveries]


def test_a_use_is_delivered_under_its_definition_and_the_consent_that_the_host_keeps() -> None:
    at = world()
    ask(at)
    work(at, amount=1)
    work(at, amount=2)
    assert delivered(at) == [(FIRST, "ap-1")]
    found: Delivery = at.deliveries[0]
    assert found.digest == operation_digest(at.approvals[0].operation)
    at.put("definitions", "convert", LATER)
    work(at, amount=3)
    assert delivered(at) == [(FIRST, "ap-1"), (SECOND, "ap-1")]
    assert len(at.rows("served")) == 3


def test_a_use_without_consent_or_after_a_denial_rests_on_what_there_is() -> None:
    at = world()
    work(at, amount=1)
    assert delivered(at) == [(FIRST, "")]
    denied = world(people={})
    ask(denied)
    work(denied, amount=1)
    assert delivered(denied) == [(FIRST, "ap-1")]
    assert not denied.approvals[0].granted


def test_a_granted_consent_is_kept_although_a_later_one_was_denied() -> None:
    at = world(updates={"convert": {"after": "request_consent", "definition": LATER}})
    ask(at)
    ask(at, SECOND)
    work(at, amount=1)
    assert delivered(at) == [(SECOND, "ap-1")]


def test_a_tool_that_needs_no_consent_is_not_delivered() -> None:
    at = world(gated={})
    work(at, amount=1)
    assert not at.deliveries
    assert at.rows("served") == {"call-1": {"tool": "convert", "arguments": {"amount": 1}}}


def test_errors_come_one_by_one_before_the_answer_and_nothing_is_served_meanwhile() -> None:
    at = world(faults={"convert": {"messages": ["first", "second"]}})
    for message in ("first", "second"):
        with pytest.raises(ToolError) as error:
            work(at, amount=1)
        assert (error.value.code, error.value.message) == ("server_error", message)
    assert not at.rows("served")
    assert not at.deliveries
    assert work(at, amount=1) == {"result": 1}


def test_a_server_adds_its_lines_to_the_answer() -> None:
    at = world(replies={"convert": {"lines": ["by the way"]}})
    assert work(at, amount=1) == {"result": 1, "notes": ["by the way"]}


def test_what_asking_and_using_touch() -> None:
    asked = TOOL["request_consent"].touches(world(), {"tool": "convert", "digest": FIRST})
    assert asked == (Touch(resource="tool/convert", effect="ask"),)
    assert uses("add")(world(), {}) == (Touch(resource="tool/add", effect="use"),)
