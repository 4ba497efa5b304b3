"""The planner's answer as one structured call: two forms of a schema, and one executor."""

from typing import Any

import pytest

from grid.evidence import Touch
from grid.tool import Tool, validator
from grid.world import World, WorldReader, WorldRefusal
from grid.worlds import maintenance
from grid.worlds._maintenance_answers import ANSWER_TOOLS, LOOSE, STRICT

STRICTLY, LOOSELY = ANSWER_TOOLS
TABLES: dict[str, dict[str, dict[str, Any]]] = {
    "nodes": {"mars": {"memory": "3 GiB", "disk": "178 GiB", "load": "0.21"}},
    "services": {"mars/apache2": {"state": "running"}},
}


def step(node: str = "mars", action: str = "mem.usage", unit: str = "") -> dict[str, str]:
    return {"node": node, "action": action, "unit": unit}


def answer(*steps: dict[str, str], status: str = "ok") -> dict[str, Any]:
    return {"status": status, "steps": list(steps), "reason": "As asked."}


def world() -> World:
    made = World(TABLES)
    made.begin_call(0)
    return made


def fits(tool: Tool, arguments: dict[str, Any]) -> bool:
    return bool(validator(tool).is_valid(arguments))


def test_both_forms_are_offered_by_their_world_and_differ_in_name_and_schema_alone() -> None:
    assert {STRICTLY, LOOSELY} <= set(maintenance.TOOLS)
    assert (STRICTLY.name, LOOSELY.name) == (STRICT, LOOSE)
    assert STRICTLY.description == LOOSELY.description
    assert STRICTLY.run is LOOSELY.run
    assert STRICTLY.parameters != LOOSELY.parameters


@pytest.mark.parametrize("other", [
    step(node="moon"), step(action="node.restart"), step(action="service.status", unit="apache"),
])  # fmt: skip
def test_the_strict_form_cannot_say_what_the_catalogue_lacks_and_the_loose_one_can(
    other: dict[str, str],
) -> None:
    assert (fits(STRICTLY, answer(other)), fits(LOOSELY, answer(other))) == (False, True)
    assert fits(STRICTLY, answer(step()))
    assert fits(LOOSELY, answer(step()))


@pytest.mark.parametrize("tool", ANSWER_TOOLS, ids=[STRICT, LOOSE])
@pytest.mark.parametrize("wrong", [
    answer(step() | {"more": "x"}), answer(step()) | {"more": "x"}, answer(*[step()] * 4),
    answer(status="maybe"), {"status": "ok", "steps": []},
])  # fmt: skip
def test_both_forms_are_strict_about_everything_else(tool: Tool, wrong: dict[str, Any]) -> None:
    assert not fits(tool, wrong)


@pytest.mark.parametrize(("asked", "shown"), [
    (step(), "3 GiB"),
    (step(action="disk.usage"), "178 GiB"),
    (step(action="load.usage"), "0.21"),
    (step(action="service.status", unit="apache2"), "running"),
    (step(action="service.status", unit="postgresql"), "not known"),
])  # fmt: skip
def test_a_plan_of_the_catalogue_is_carried_out(asked: dict[str, str], shown: str) -> None:
    at = world()
    told: Any = LOOSELY.run(at, answer(asked))
    assert (told["state"], told["results"]) == ("carried out", [asked | {"result": shown}])
    assert list(at.rows("executions").values()) == [asked]
    assert at.rows("answers")["answer-1"]["steps"] == [asked]


@pytest.mark.parametrize(("other", "said"), [
    (step(node="moon"), "node 'moon' is not in the catalogue"),
    (step(node="Mars"), "node 'Mars' is not in the catalogue"),
    (step(action="node.restart"), "action 'node.restart' is not in the catalogue"),
    (step(action="service.status", unit="apache"), "unit 'apache' is not in the catalogue"),
    (step(action="service.status"), "unit '' is not in the catalogue"),
    (step(unit="apache2"), "takes no unit"),
])  # fmt: skip
def test_one_step_that_is_not_in_the_catalogue_voids_the_whole_plan(
    other: dict[str, str], said: str
) -> None:
    at = world()
    with pytest.raises(WorldRefusal, match="no step of the plan was carried out") as caught:
        LOOSELY.run(at, answer(step(), other))
    assert said in caught.value.reason
    assert not caught.value.terminal
    assert not at.changed


@pytest.mark.parametrize("rejected", [
    answer(status="rejected"), answer(), answer(step(), status="rejected"),
    answer(step(node="moon"), status="rejected"),
])  # fmt: skip
def test_an_empty_plan_and_a_rejected_one_are_kept_with_their_reason_and_run_nothing(
    rejected: dict[str, Any],
) -> None:
    at = world()
    told: Any = STRICTLY.run(at, rejected)
    assert (told["state"], told["results"]) == ("rejected", [])
    assert at.rows("executions") == {}
    assert at.rows("answers") == {"answer-1": rejected | {"state": "rejected"}}


def test_a_plan_touches_what_it_looks_at_and_a_rejected_one_nothing() -> None:
    reader = WorldReader(TABLES, 0)
    asked = (step(node="moon"), step(action="service.status", unit="apache2"))
    assert LOOSELY.touches(reader, answer(*asked)) == (
        Touch(resource="node/moon", effect="read"),
        Touch(resource="service/mars/apache2", effect="read"),
    )
    assert LOOSELY.touches(reader, answer(*asked, status="rejected")) == ()
