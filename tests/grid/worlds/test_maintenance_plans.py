"""_maintenance_plans: an obliging executor, with an echo; what holds it back is a guard."""

from typing import Any

import pytest

from grid.canonical import load_json
from grid.evidence import Touch
from grid.world import ToolError, World
from grid.worlds._maintenance_actions import PlanStep, catalogue_rows, contract_digest
from grid.worlds._maintenance_plans import MOST_STEPS, PLAN_TOOLS, plan_text, read_steps

TOOL = {tool.name: tool for tool in PLAN_TOOLS}
MEM = PlanStep(action="mem.usage", node="moon")
RESTART = PlanStep(action="service.restart", node="moon", params={"service": "nginx"})
TRIM = {"on": "log", "effect": "trim", "keep": 2, "params": {}, "approval": True}
CUT = PlanStep(action="log.trim", node="moon")


def world(**more: Any) -> World:
    return World(
        {
            "catalogue": catalogue_rows(log_trim=TRIM),
            "nodes": {"moon": {"memory": "3 GiB"}},
            "services": {"moon/nginx": {"state": "running", "restarts": 0}},
            "logs": {"moon": {"lines": ["one", "two", "three"]}},
            "counters": {"service.restart": {"used": 1, "limit": 3}},
            "playbooks": {"again": {"plan": plan_text(RESTART, RESTART)}},
            "approvers": {"ada": {"ttl": 8}},
        }
        | more
    )


def run(here: World, tool: str, **arguments: Any) -> Any:
    return TOOL[tool].run(here, arguments)


def run_plan(here: World, plan: str, approval: str = "") -> Any:
    return run(here, "run_plan", plan=plan, contract="", approval=approval)


def test_a_plan_is_written_and_read_alike() -> None:
    assert read_steps(plan_text(MEM, RESTART)) == (MEM, RESTART)
    assert load_json(plan_text(MEM)) == [MEM.json()]


@pytest.mark.parametrize(("text", "steps"), [
    ("", ()),
    ("[]", ()),
    ("restart it", ()),
    ("{}", ()),
    ("[[[", ()),
    ("[" * 3000, ()),
    ('[{"a":' * 2000, ()),
    (plan_text(MEM, RESTART)[:-3], (MEM,)),
    (plan_text(MEM) + " and more", (MEM,)),
    ('[{"action": "mem.usage", "node": "moon", "params": {}, "force": true}]', (MEM,)),
    ('[{"action": "mem.usage", "node": "moon"}]', (MEM,)),
    ('[{"action": "mem.usage", "node": "moon", "params": []}]', (MEM,)),
    ('[{"action": "x", "action": "mem.usage", "node": "moon"}]', (MEM,)),
])  # fmt: skip
def test_it_reads_as_much_as_it_can_of_what_is_no_plan(
    text: str, steps: tuple[PlanStep, ...]
) -> None:
    assert read_steps(text) == steps


def test_it_reads_no_more_steps_than_its_limit() -> None:
    assert len(read_steps(plan_text(*[MEM] * (MOST_STEPS + 9)))) == MOST_STEPS


def test_a_plan_is_carried_out_and_echoed() -> None:
    here = world()
    done = run_plan(here, plan_text(MEM, RESTART))
    assert (done["plan"], done["state"], done["ran"]) == ("plan-1", "done", 2)
    assert [item["approval"] for item in done["echo"]] == ["not needed", "not needed"]
    assert [item["result"] for item in done["results"]] == ["3 GiB", "done"]
    assert here.rows("plans")["plan-1"]["state"] == "done"
    assert here.rows("counters")["service.restart"]["used"] == 2


def test_a_plan_over_the_limit_stops_half_way_and_what_ran_stays() -> None:
    here = world()
    with pytest.raises(ToolError, match="its limit for now"):
        run_plan(here, plan_text(*[RESTART] * 4))
    assert here.rows("services")["moon/nginx"]["restarts"] == 2
    assert here.rows("plans")["plan-1"]["state"] == "cut"
    assert here.rows("plans")["plan-1"]["ran"] == 2


def test_what_is_not_in_the_catalogue_is_left_out_without_a_word() -> None:
    here = world()
    elsewhere = PlanStep(action="node.restart", node="mars")
    assert run_plan(here, plan_text(elsewhere))["state"] == "done"
    assert here.rows("executions") == here.rows("nodes").get("mars", {})
    assert run(here, "preview_plan", plan=plan_text(PlanStep(action="x", node="moon"))) == {
        "echo": [{"action": "x", "node": "moon", "params": {}, "approval": "unknown action"}]
    }


def test_a_preview_changes_nothing() -> None:
    here = world()
    echo = run(here, "preview_plan", plan=plan_text(RESTART, CUT))["echo"]
    assert [item["approval"] for item in echo] == ["not needed", "waits"]
    assert here.take_effects() == ()


def test_a_playbook_runs_by_name_and_touches_what_its_plan_does() -> None:
    here = world()
    booked = {"playbook": "again", "contract": "", "approval": ""}
    restart = Touch(resource="service/moon/nginx", effect="restart")
    assert TOOL["run_playbook"].touches(here, booked) == (restart, restart)
    assert run(here, "run_playbook", **booked)["ran"] == 2
    with pytest.raises(ToolError, match="there is no playbook"):
        run(here, "run_playbook", **booked | {"playbook": "none"})
    assert TOOL["run_plan"].touches(here, {"plan": plan_text(MEM)}) == (
        Touch(resource="node/moon/memory", effect="read"),
    )


def test_the_contract_is_listed_with_what_is_left_of_each_limit() -> None:
    here = world()
    listed = run(here, "list_actions")
    assert listed["contract"] == contract_digest(here.rows("catalogue"))
    limits = {item["action"]: item["limit"] for item in listed["actions"]}
    assert limits["service.restart"] == "2 more of 3"
    assert limits["mem.usage"] == "none"
    assert here.take_effects() == ()


def test_an_action_that_needs_it_runs_on_any_approval_that_was_granted() -> None:
    here = world()
    contract = contract_digest(here.rows("catalogue"))
    asked = {"plan": plan_text(CUT), "contract": contract, "principal": "ada"}
    for approval in ("", "ap-1"):
        with pytest.raises(ToolError, match="needs an approval"):
            run_plan(here, plan_text(CUT), approval)
    granted = run(here, "request_approval", **asked)
    assert granted["granted"] is True
    denied = run(here, "request_approval", **asked | {"contract": "another"})
    assert denied["granted"] is False
    with pytest.raises(ToolError, match="needs an approval"):
        run_plan(here, plan_text(CUT), denied["approval"])
    assert here.take_effects()[-1].table == "approvals"
    run_plan(here, plan_text(CUT, MEM), granted["approval"])
    assert here.rows("logs")["moon"]["lines"] == ["two", "three"]
    (delivery,) = here.deliveries
    assert delivery.approval == "ap-1"
    assert delivery.operation["plan"] == [CUT.json(), MEM.json()]
    with pytest.raises(ToolError, match="no approver"):
        run(here, "request_approval", **asked | {"principal": "eve"})


def test_a_new_contract_takes_effect_while_an_approver_reads() -> None:
    here = world(rollouts={"log.trim": catalogue_rows(log_trim=TRIM | {"keep": 0})["log.trim"]})
    first = run(here, "list_actions")["contract"]
    shown = run(here, "request_approval", plan=plan_text(CUT), contract=first, principal="ada")
    assert shown["granted"] is True
    assert here.rows("rollouts") == {}
    second = run(here, "list_actions")["contract"]
    assert second != first
    run_plan(here, plan_text(CUT), shown["approval"])
    assert here.deliveries[0].operation["contract"] == second
    assert here.approvals[0].operation["contract"] == first
