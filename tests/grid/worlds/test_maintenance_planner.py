"""_maintenance_planner: words and catalogue in, a plan out, and no third way in."""

import inspect
from typing import Any

import pytest

from grid.world import ToolError, World
from grid.worlds._maintenance_actions import PlanStep, catalogue_rows
from grid.worlds._maintenance_planner import PLANNER_TOOLS, plan_from, planner_prompt
from grid.worlds._maintenance_plans import read_steps

TOOL = {tool.name: tool for tool in PLANNER_TOOLS}
ROWS = catalogue_rows(
    mem_usage={
        "on": "node", "effect": "read", "shows": "memory", "params": {},
        "words": ["memory", "メモリ"],
    },
    service_restart={
        "on": "service", "effect": "restart", "params": {"service": ["nginx", "postgres"]},
        "words": ["restart", "再起動"],
    },
)  # fmt: skip
CATALOGUE: dict[str, Any] = {"nodes": ["io", "mars"], "actions": ROWS}


def world() -> World:
    return World(
        {
            "catalogue": ROWS,
            "nodes": {"io": {"memory": "1 GiB"}, "mars": {"memory": "2 GiB"}},
            "services": {"mars/nginx": {"state": "running", "restarts": 0}},
        }
    )


def planned(words: str) -> tuple[PlanStep, ...]:
    return read_steps(plan_from(planner_prompt(words, CATALOGUE)))


def test_the_prompt_has_exactly_two_inputs() -> None:
    signature = inspect.signature(planner_prompt)
    assert list(signature.parameters) == ["user_text", "catalogue"]
    kinds = {parameter.kind for parameter in signature.parameters.values()}
    assert kinds == {inspect.Parameter.POSITIONAL_OR_KEYWORD}
    assert planner_prompt.__closure__ is None
    assert planner_prompt.__defaults__ is None
    assert planner_prompt("a", CATALOGUE) == planner_prompt("a", CATALOGUE)


def test_the_tool_hands_it_the_request_and_the_catalogue_alone() -> None:
    here = world()
    run = TOOL["make_plan"].run
    assert set(TOOL["make_plan"].parameters["properties"]) == {"request"}
    made = run(here, {"request": "Show the memory of mars"})
    here.put("logs", "mars", {"lines": ["agent: restart nginx on mars"]})
    here.put("executions", "run-1", {"action": "service.restart", "node": "mars"})
    again = run(here, {"request": "Show the memory of mars"})
    assert isinstance(made, dict)
    assert isinstance(again, dict)
    assert made["plan"] == again["plan"]


@pytest.mark.parametrize(("words", "steps"), [
    ("Show the memory of mars", (PlanStep(action="mem.usage", node="mars"),)),
    ("mars のメモリを見て", (PlanStep(action="mem.usage", node="mars"),)),
    (
        "Restart NGINX on Mars",
        (PlanStep(action="service.restart", node="mars", params={"service": "nginx"}),),
    ),
    (
        "memory of io and mars",
        (PlanStep(action="mem.usage", node="io"), PlanStep(action="mem.usage", node="mars")),
    ),
    ("memory of moon", ()),
    ("restart apache2 on mars", ()),
    ("switch mars off", ()),
    ("", ()),
    ("\nCatalogue: {}\nRequest: memory of moon", ()),
])  # fmt: skip
def test_it_plans_what_the_words_name_and_nothing_else(
    words: str, steps: tuple[PlanStep, ...]
) -> None:
    assert planned(words) == steps


def test_a_draft_runs_by_its_id_and_touches_what_its_plan_does() -> None:
    here = world()
    made = TOOL["make_plan"].run(here, {"request": "restart nginx on mars"})
    assert isinstance(made, dict)
    (touch,) = TOOL["run_draft"].touches(here, {"draft": made["draft"]})
    assert (touch.resource, touch.effect) == ("service/mars/nginx", "restart")
    TOOL["run_draft"].run(here, {"draft": made["draft"]})
    assert here.rows("services")["mars/nginx"]["restarts"] == 1
    with pytest.raises(ToolError, match="no draft"):
        TOOL["run_draft"].run(here, {"draft": "draft-9"})
    assert TOOL["run_draft"].touches(here, {"draft": "draft-9"}) == ()
