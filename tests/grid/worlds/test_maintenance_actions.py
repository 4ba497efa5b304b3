"""_maintenance_actions: a catalogue that is data, counters, and a trace of what ran."""

from typing import Any

import pytest

from grid.evidence import Touch
from grid.world import ToolError, World
from grid.worlds._maintenance_actions import (
    RATE_LIMITED,
    PlanStep,
    carry_out,
    catalogue_rows,
    contract_digest,
    execute,
    spend,
    touch_of,
)

TRIM = {"on": "log", "effect": "trim", "keep": 1, "params": {}}


def world(**more: Any) -> World:
    return World(
        {
            "catalogue": catalogue_rows(log_trim=TRIM),
            "nodes": {"moon": {"memory": "3 GiB", "disk": "9 GiB", "restarts": 0}},
            "services": {"moon/nginx": {"state": "running", "restarts": 0}},
            "logs": {"moon": {"lines": ["one", "two", "three"]}},
            "counters": {},
            "executions": {},
        }
        | more
    )


def step(action: str, **params: str) -> PlanStep:
    return PlanStep(action=action, node="moon", params=params)


@pytest.mark.parametrize(("wanted", "result"), [
    (step("mem.usage"), "3 GiB"),
    (step("disk.usage"), "9 GiB"),
    (step("service.status", service="nginx"), "running"),
    (step("service.restart", service="nginx"), "done"),
    (step("log.trim"), "done"),
    (step("node.restart"), "accepted; the result is told later"),
])  # fmt: skip
def test_an_action_does_what_its_row_says_and_leaves_a_trace(wanted: PlanStep, result: str) -> None:
    here = world()
    told = carry_out(here, wanted, "plan-1")
    assert told == {"action": wanted.action, "node": "moon", "result": result}
    (trace,) = here.rows("executions").values()
    assert trace == wanted.json() | {"plan": "plan-1"}


def test_what_an_action_changes_is_in_the_row_that_it_works_on() -> None:
    here = world()
    for wanted in (step("service.restart", service="nginx"), step("node.restart")):
        carry_out(here, wanted, "plan-1")
    carry_out(here, step("log.trim"), "plan-1")
    assert here.rows("services")["moon/nginx"]["restarts"] == 1
    assert here.rows("nodes")["moon"]["restarts"] == 1
    assert here.rows("logs")["moon"]["lines"] == ["three"]


@pytest.mark.parametrize(("keep", "left"), [(0, []), (2, ["two", "three"]), (9, None)])
def test_another_row_makes_the_same_action_do_something_else(
    keep: int, left: list[str] | None
) -> None:
    here = world(catalogue=catalogue_rows(log_trim=TRIM | {"keep": keep}))
    carry_out(here, step("log.trim"), "plan-1")
    assert here.rows("logs")["moon"]["lines"] == (["one", "two", "three"] if left is None else left)


@pytest.mark.parametrize(
    "wanted",
    [
        step("reboot"),
        step("service.restart", service="apache2"),
        step("service.restart"),
        PlanStep(action="mem.usage", node="mars"),
    ],
)
def test_what_is_not_there_is_left_out_without_a_trace_or_a_count(wanted: PlanStep) -> None:
    here = world(counters={wanted.action: {"used": 0, "limit": 1}})
    assert carry_out(here, wanted, "plan-1") is None
    assert here.take_effects() == ()


def test_a_row_that_says_less_than_the_catalogue_expects_is_no_fault_of_the_harness() -> None:
    here = world(nodes={"moon": {}}, logs={"moon": {}})
    told = carry_out(here, step("mem.usage"), "plan-1")
    assert told is not None
    assert told["result"] == "not known"
    carry_out(here, step("node.restart"), "plan-1")
    carry_out(here, step("log.trim"), "plan-1")
    assert here.rows("nodes")["moon"] == {"restarts": 1}


def test_a_counter_that_is_used_up_is_an_error_before_anything_happens() -> None:
    here = world(counters={"mem.usage": {"used": 0, "limit": 1}})
    spend(here, "disk.usage")
    carry_out(here, step("mem.usage"), "plan-1")
    here.take_effects()
    with pytest.raises(ToolError) as caught:
        carry_out(here, step("mem.usage"), "plan-1")
    assert caught.value.code == RATE_LIMITED
    assert here.take_effects() == ()


def test_touches_name_the_resource_and_the_kind_of_effect() -> None:
    here = world()
    restart = touch_of(here, step("service.restart", service="nginx"))
    assert restart == (Touch(resource="service/moon/nginx", effect="restart"),)
    memory, disk = (touch_of(here, step(action)) for action in ("mem.usage", "disk.usage"))
    assert memory == (Touch(resource="node/moon/memory", effect="read"),)
    assert memory != disk
    assert touch_of(here, step("log.trim")) == (Touch(resource="log/moon", effect="trim"),)
    assert touch_of(here, step("reboot")) == ()


def test_the_contract_is_the_digest_of_what_is_loaded() -> None:
    rows = catalogue_rows()
    assert contract_digest(rows) == contract_digest(catalogue_rows())
    for other in (catalogue_rows(("nginx",)), catalogue_rows(log_trim=TRIM), {}):
        assert contract_digest(other) != contract_digest(rows)


def test_each_trace_is_a_row_of_its_own() -> None:
    here = world()
    execute(here, "a", "moon")
    execute(here, "a", "moon")
    assert list(here.rows("executions")) == ["run-1", "run-2"]
