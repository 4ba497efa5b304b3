"""frameworks.crewai_native: what CrewAI does when nobody tells it otherwise."""

import json
from collections.abc import Iterator

import pytest

from grid.vocabulary import Cause, Status
from tests.frameworks.stage import AS_THEY_SHIP, Reply, Stage, Upstream, asks, says

pytestmark = AS_THEY_SHIP

PAY = ("pay", '{"amount": 5, "currency": "EUR", "to": {"name": "Bob"}}')
BOOM = Reply(status=500, body=b'{"error": {"message": "boom"}}')
STEPS = 25


@pytest.fixture(scope="module")
def crewai(upstream: Upstream) -> Iterator[Stage]:
    stage = Stage("crewai-native", upstream)
    yield stage
    stage.close()


def paying(number: int) -> Reply:
    raw = json.dumps({"amount": number, "currency": "EUR", "to": {"name": "Bob"}})
    return asks(("pay", raw), base=number)


def test_a_model_that_fails_after_a_payment_restarts_the_task_and_it_is_paid_twice(
    crewai: Stage,
) -> None:
    ended = crewai.play(asks(PAY), BOOM, BOOM, BOOM, asks(PAY), says("Paid once."))
    assert (ended.status, ended.final_text) == (Status.COMPLETED, "Paid once.")
    assert crewai.session.journal == [
        "answer 200 pay", "call pay", "answer 500", "answer 500", "answer 500",
        "restored", "answer 200 pay", "call pay", "answer 200",
    ]  # fmt: skip
    assert crewai.handed_over == [("pay", json.loads(PAY[1]))] * 2
    first, again = crewai.asked[0].messages, crewai.asked[4].messages
    assert again == first, "nothing of what was done is told"
    assert crewai.notes("restarts the whole task")


def test_a_failure_that_a_retry_mends_restarts_nothing(crewai: Stage) -> None:
    crewai.play(asks(PAY), BOOM, BOOM, says("x"))
    assert "restored" not in crewai.session.journal
    assert len(crewai.handed_over) == 1


def test_a_model_that_fails_at_once_has_nothing_forgotten(crewai: Stage) -> None:
    crewai.play(BOOM, BOOM, BOOM, says("x"))
    assert crewai.session.journal == ["answer 500"] * 3 + ["answer 200"]


def test_a_model_that_always_fails_is_the_providers(crewai: Stage) -> None:
    ended = crewai.play(*[BOOM] * 12)
    assert (ended.status, ended.cause) == (Status.PROVIDER_ERROR, Cause.PROVIDER)
    assert len(crewai.asked) == 9, "three requests, three times"


def test_at_its_step_limit_the_model_is_told_to_ignore_its_instructions_and_asked_once_more(
    crewai: Stage,
) -> None:
    steps = [paying(number) for number in range(1, STEPS + 1)]
    ended = crewai.play(*steps, says("All is paid."), turn_limit=40)
    assert (ended.status, ended.final_text) == (Status.COMPLETED, "All is paid.")
    assert len(crewai.handed_over) == STEPS
    last = crewai.asked[-1]
    assert len(crewai.asked) == STEPS + 1
    assert last.messages[-1]["role"] == "user"
    assert "ignore all previous instructions" in last.messages[-1]["content"]
    assert "tools" not in last.body
    assert crewai.notes("told to ignore all previous instructions")


def test_one_step_less_and_nothing_is_asked(crewai: Stage) -> None:
    steps = [paying(number) for number in range(1, STEPS)]
    crewai.play(*steps, says("All is paid."), turn_limit=40)
    assert not any(b"ignore all previous" in asked.raw for asked in crewai.asked)


def test_prompts_stand_in_templates_and_schemas_are_made_anew(crewai: Stage) -> None:
    crewai.play(says("x"))
    (asked,) = crewai.asked
    assert asked.messages[1]["content"].startswith("\nCurrent Task: Pay the bill.\n")
    pay = asked.body["tools"][0]["function"]
    assert pay["strict"] is True
    assert sorted(pay["parameters"]["required"]) == ["amount", "currency", "to"]
    assert crewai.notes("inside CrewAI's own templates")
    assert crewai.notes("all properties become required")


def test_arguments_are_coerced_and_completed_before_they_are_handed_over(crewai: Stage) -> None:
    crewai.play(asks(("pay", '{"amount": "5", "to": {"name": "Bob"}}')), says("x"))
    ((name, arguments),) = crewai.handed_over
    assert isinstance(arguments, dict)
    assert (name, arguments["amount"]) == ("pay", 5)
    assert "currency" in arguments, "nobody had spoken of a currency"


def test_argument_text_that_is_no_json_is_not_run(crewai: Stage) -> None:
    ended = crewai.play(asks(("pay", '{"amount": 5, "cur')), says("x"))
    assert (ended.status, crewai.handed_over) == (Status.COMPLETED, [])
