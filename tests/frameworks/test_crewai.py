"""frameworks.crewai: what is CrewAI's own, beside the contract."""

from collections.abc import Iterator
from importlib import import_module

import openai
import pytest
from crewai.core.providers import human_input
from crewai.events import event_context
from crewai.events.event_bus import crewai_event_bus
from crewai.llms import retry

from frameworks._run import meaning
from frameworks.crewai import FOREIGN
from grid.adapter import Delivered
from grid.vocabulary import Cause, Status
from tests.frameworks.stage import (
    Call,
    Reply,
    Stage,
    Upstream,
    asks,
    classes_of,
    says,
    subclasses,
)

pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning:crewai[.]agents[.]agent_builder[.]base_agent"
)


@pytest.fixture(scope="module")
def crewai(upstream: Upstream) -> Iterator[Stage]:
    stage = Stage("crewai", upstream)
    yield stage
    stage.close()


RAISING = tuple(
    import_module(f"crewai.{name}")
    for name in (
        "agents.parser",
        "events.event_context",
        "hooks.dispatch",
        "hooks.llm_hooks",
        "llms.base_llm",
        "tools.structured_tool",
        "tools.tool_failure",
        "utilities.exceptions.context_window_exceeding_exception",
    )
)
"""Modules whose exceptions can come out of a run."""

SETTINGS = (
    human_input._provider,
    event_context._event_context_config,
    event_context._event_id_stack,
    retry._active_llm_rate_limit_retry,
)


def test_every_exception_of_crewai_has_a_status() -> None:
    kinds = [kind for module in RAISING for kind in classes_of(module)]
    crash = Status.FRAMEWORK_ERROR
    assert {kind.__name__: meaning(FOREIGN, kind) for kind in kinds} == {
        "EmptyStackError": crash,
        "EventPairingError": crash,
        "HookAborted": crash,
        "LLMCallBlockedError": crash,
        "LLMContextLengthExceededError": Status.PROVIDER_ERROR,
        "LegacyHookBlocked": crash,
        "OutputParserError": crash,
        "StackDepthExceededError": crash,
        "ToolExecutionFailedError": crash,
        "ToolUsageLimitExceededError": crash,
    }
    assert meaning(FOREIGN, ConnectionError) is Status.PROVIDER_ERROR
    assert {meaning(FOREIGN, kind) for kind in subclasses(openai.APIError)} == {
        Status.PROVIDER_ERROR
    }


def test_what_failed_stands_in_the_note_and_not_our_wrapping_of_it(crewai: Stage) -> None:
    ended = crewai.play(Reply(status=429, body=b'{"error": {"message": "slow down"}}'))
    assert ended.note.startswith("RateLimitError: ")
    assert "slow down" in ended.note


@pytest.mark.parametrize(
    ("sent", "handed_over"), [("Pay", "pay"), ("no such", "no_such"), ("LOOK!", "look")]
)
def test_names_are_changed_before_they_are_looked_up(
    crewai: Stage, sent: str, handed_over: str
) -> None:
    crewai.play(asks((sent, '{"amount": 1}'), base=4), says("x"))
    assert crewai.session.calls == [
        Call(name=handed_over, arguments={"amount": 1}, call_id="call-4")
    ]
    echoed = crewai.history("assistant")[0]["tool_calls"][0]
    assert (echoed["id"], echoed["function"]["name"]) == ("call-4", handed_over)
    assert crewai.notes("tool names are changed to lower case")


def test_argument_text_that_is_not_json_gets_an_error_in_other_words(crewai: Stage) -> None:
    crewai.play(asks(("pay", "{bad"), ("look", "{}")), says("x"))
    error, result = (message["content"] for message in crewai.history("tool"))
    assert error.startswith("Error: Failed to parse tool arguments as JSON: ")
    assert error.endswith("Please provide valid JSON arguments for the 'pay' tool.")
    assert result == "ran look"
    assert crewai.history("assistant")[0]["tool_calls"][0]["function"]["arguments"] == "{bad"
    assert crewai.notes("an error in the words of CrewAI and of Python's JSON reader")


def test_the_fifth_call_with_the_same_result_ends_the_run(crewai: Stage) -> None:
    ended = crewai.play(*[asks(("look", "{}"), base=place) for place in range(7)])
    assert (ended.status, ended.cause) == (Status.FRAMEWORK_ERROR, Cause.FRAMEWORK)
    assert len(crewai.session.calls) == 5
    assert crewai.notes("the fifth call with the same tool, arguments and result ends the run")


def test_calls_whose_results_differ_may_be_repeated(crewai: Stage) -> None:
    receipts = iter(range(7))
    ended = crewai.play(
        *[asks(("look", "{}"), base=place) for place in range(7)],
        says("x"),
        deliver=lambda call: Delivered(text=f"rc-{next(receipts)}", is_error=False, halt=False),
    )
    assert ended.status is Status.COMPLETED


def test_a_terminal_refusal_is_reported_to_crewai_as_a_failed_tool(crewai: Stage) -> None:
    ended = crewai.play(
        asks(("pay", "{}")),
        deliver=lambda call: Delivered(text="never", is_error=True, halt=True),
    )
    assert ended.note == "ToolExecutionFailedError: Tool 'pay' failed: never"


def test_no_setting_of_crewais_stays_in_the_workers_context(crewai: Stage) -> None:
    async def left_over() -> list[object]:
        return [setting.get() for setting in SETTINGS]

    untouched = crewai.run(left_over())
    crewai.play(asks(("look", "{}")), Reply(status=500))
    assert crewai.run(left_over()) == untouched


def test_a_hundred_failed_runs_leave_nothing_behind(crewai: Stage) -> None:
    for _ in range(110):  # CrewAI gives up at a hundred events that were never closed
        assert crewai.play(Reply(status=500)).status is Status.PROVIDER_ERROR
    assert crewai.play(says("x")).status is Status.COMPLETED


def test_nobody_listens_on_the_event_bus_while_the_adapter_is_open(upstream: Upstream) -> None:
    def listeners() -> int:
        bus = crewai_event_bus
        return len(bus._sync_handlers) + len(bus._async_handlers)

    stage = Stage("crewai", upstream)
    stage.play(asks(("look", "{}")), says("x"))
    assert listeners() == 0
    before = listeners()
    stage.close()
    assert listeners() >= before
