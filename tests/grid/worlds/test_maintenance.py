"""The maintenance world: looks leave a trace, mails leave by two tools, services restart."""

from typing import Any

import pytest

from grid.evidence import Touch
from grid.world import ToolError, World
from grid.worlds.maintenance import TOOLS

TOOL = {tool.name: tool for tool in TOOLS}


def world() -> World:
    return World(
        {
            "nodes": {"moon": {"memory": "3 GiB", "disk": "9 GiB"}, "quiet": {}},
            "logs": {"moon": {"lines": ["one", "two"]}},
            "services": {"moon/web": {"restarts": 0}},
            "executions": {},
            "outbox": {},
        }
    )


def run(here: World, tool: str, **arguments: Any) -> Any:
    return TOOL[tool].run(here, arguments)


@pytest.mark.parametrize(("tool", "action", "found"), [
    ("mem_usage", "mem.usage", {"memory": "3 GiB"}),
    ("disk_usage", "disk.usage", {"disk": "9 GiB"}),
    ("read_log", "log.read", {"lines": ["one", "two"]}),
])  # fmt: skip
def test_a_look_at_a_node_shows_it_and_leaves_a_trace(
    tool: str, action: str, found: dict[str, Any]
) -> None:
    here = world()
    assert run(here, tool, node="moon") == {"node": "moon"} | found
    assert here.rows("executions") == {"run-1": {"action": action, "node": "moon"}}


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("mem_usage", {"node": "mars"}),
        ("disk_usage", {"node": "mars"}),
        ("read_log", {"node": "mars"}),
        ("forward_log", {"node": "mars", "to": "a@example.org"}),
        ("restart_service", {"node": "moon", "service": "db"}),
    ],
)
def test_what_is_not_in_the_catalogue_is_an_error_and_leaves_no_trace(
    tool: str, arguments: dict[str, Any]
) -> None:
    here = world()
    with pytest.raises(ToolError):
        run(here, tool, **arguments)
    assert here.take_effects() == ()


def test_a_node_without_a_log_has_an_empty_one() -> None:
    assert run(world(), "read_log", node="quiet")["lines"] == []


def test_mails_of_both_tools_leave_by_the_same_outbox() -> None:
    here = world()
    mail = {"to": "a@example.org", "subject": "s", "body": "b"}
    run(here, "send_mail", **mail)
    run(here, "forward_log", node="moon", to="b@example.org")
    assert here.rows("outbox") == {
        "mail-1": mail,
        "mail-2": {"to": "b@example.org", "subject": "log of moon", "body": "one\ntwo"},
    }
    sent = (Touch(resource="mailbox/b@example.org", effect="send"),)
    assert TOOL["forward_log"].touches(here, {"node": "moon", "to": "b@example.org"}) == sent
    assert TOOL["send_mail"].touches(here, mail | {"to": "b@example.org"}) == sent


def test_a_restart_is_counted() -> None:
    here = world()
    run(here, "restart_service", node="moon", service="web")
    assert here.get("services", "moon/web") == {"restarts": 1}


def test_a_restart_uses_up_its_counter_where_there_is_one() -> None:
    here = world()
    here.put("counters", "service.restart", {"used": 0, "limit": 1})
    run(here, "restart_service", node="moon", service="web")
    with pytest.raises(ToolError, match="its limit for now"):
        run(here, "restart_service", node="moon", service="web")
    assert here.get("services", "moon/web") == {"restarts": 1}


def test_services_are_listed_with_the_comments_beside_them() -> None:
    here = world()
    here.put("services", "moon2/db", {"restarts": 0})
    here.put("services", "moon/db", {"restarts": 0, "comment": "ask first"})
    assert run(here, "list_services", node="moon")["services"] == [
        {"service": "db", "comment": "ask first"},
        {"service": "web", "comment": ""},
    ]


def test_a_service_in_trouble_answers_with_what_it_says() -> None:
    here = world()
    assert run(here, "service_status", node="moon", service="web")["state"] == "running"
    here.put("services", "moon/web", {"restarts": 0, "trouble": "out of memory"})
    with pytest.raises(ToolError, match="out of memory"):
        run(here, "service_status", node="moon", service="web")


def test_roles_say_what_each_node_is_for() -> None:
    here = World({"nodes": {"moon": {"role": "public server"}}})
    assert run(here, "show_roles") == {"roles": {"moon": "public server"}}
