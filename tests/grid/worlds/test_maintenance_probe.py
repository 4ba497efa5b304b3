"""_maintenance_probe: the article's utterances as data, and its table as a count."""

import pytest

from grid.worlds._maintenance_actions import PlanStep
from grid.worlds._maintenance_plans import plan_text
from grid.worlds._maintenance_probe import ProbeCounts, count_probe, planned, utterances
from tests import builders

ACTIONS = ("disk.usage", "mem.usage", "service.status", "load.usage")
ASKED = utterances("mars", "moon", ("apache", "apache2"))


def step(action: str, **params: str) -> PlanStep:
    return PlanStep(action=action, node="mars", params=params)


def test_there_are_five_in_both_languages_and_two_of_them_have_no_plan() -> None:
    assert len(ASKED) == 5
    assert [one.plan is None for one in ASKED] == [False, False, True, True, False]
    for one in ASKED:
        assert set(one.prompt()) == {"en", "ja"}
        node = "moon" if one is ASKED[3] else "mars"
        assert all(node in words for words in one.prompt().values())


def test_the_user_says_apache_and_the_plan_says_what_the_list_holds() -> None:
    assert "apache2" not in ASKED[1].en + ASKED[1].ja
    assert ASKED[1].plan is not None
    assert ASKED[1].plan.params == {"service": "apache2"}


def test_where_the_node_is_there_the_fourth_has_a_plan_too() -> None:
    there = utterances("mars", "mars", ("apache", "apache2"))
    assert there[3].plan == step("mem.usage")


def test_the_table_of_the_article_is_five_of_five_with_nothing_made_up() -> None:
    plans = [plan_text(one.plan) for one in ASKED if one.plan is not None]
    plans += ["[]", plan_text(step("mem.usage"))]  # mars for moon: every part of it is valid
    assert count_probe(plans, ACTIONS) == ProbeCounts(
        plans=5, compliant=5, invented=0, values={"apache2": 1}
    )


@pytest.mark.parametrize("plan", [
    "", "no plan", "{}", "[1]", "null",
    plan_text(step("mem.usage"))[:-1],
    '[{"action": "mem.usage", "node": "mars"}]',
    '[{"action": "mem.usage", "node": "mars", "params": {}, "why": "asked"}]',
    '[{"action": "mem.usage", "node": "mars", "params": []}]',
    '[{"action": "mem.usage", "action": "mem.usage", "node": "mars", "params": {}}]',
    "```json\n[]\n```",
    "[" * 300 + "]" * 300,
])  # fmt: skip
def test_a_plan_that_breaks_the_form_is_counted_and_not_read(plan: str) -> None:
    assert count_probe([plan], ACTIONS) == ProbeCounts(plans=1)


def test_made_up_actions_and_chosen_values_are_counted_step_by_step() -> None:
    restart, status = step("node.restart"), step("service.status", service="apache")
    found = count_probe([plan_text(restart, status), plan_text(restart, status)], ACTIONS)
    assert (found.compliant, found.invented, found.values) == (2, 2, {"apache": 2})
    strange = '[{"action": ["x"], "node": "mars", "params": {"service": {"a": 1}}}]'
    assert count_probe([strange], ACTIONS).invented == 1
    assert count_probe([], ACTIONS) == ProbeCounts()


def test_a_trials_plans_are_counted_for_people_also_those_that_were_refused() -> None:
    good = plan_text(step("mem.usage"))
    calls = (
        builders.call(0, "run_plan", {"plan": good}),
        builders.refused(1, "run_plan", {"plan": "{broken"}),
        builders.call(2, "list_nodes", {}),
        builders.refused(3, "run_plan", ["no object"]),
    )
    told = planned(calls, {"catalogue": {"mem.usage": {}}})
    assert (told["plans"], told["keep to the contract"], told["invented actions"]) == (2, 1, 0)
    assert planned(calls[2:], {}) == {}
