"""frameworks.langgraph: what is LangGraph's and LangChain's own, beside the contract."""

from collections.abc import Iterator

import langchain_openai.chat_models.base as langchain_openai
import openai
import pytest
from langgraph import errors

from frameworks._run import meaning
from frameworks.langgraph import FOREIGN
from grid.vocabulary import Status
from tests.frameworks.stage import Stage, Upstream, asks, classes_of, says, subclasses


@pytest.fixture(scope="module")
def langgraph(upstream: Upstream) -> Iterator[Stage]:
    stage = Stage("langgraph", upstream)
    yield stage
    stage.close()


def test_every_exception_of_langgraph_has_a_status() -> None:
    crash = Status.FRAMEWORK_ERROR
    assert {kind.__name__: meaning(FOREIGN, kind) for kind in classes_of(errors)} == {
        "EmptyInputError": crash,
        "GraphBubbleUp": crash,
        "GraphDrained": crash,
        "GraphInterrupt": crash,
        "GraphRecursionError": Status.TURN_LIMIT,
        "InvalidUpdateError": crash,
        "NodeCancelledError": crash,
        "NodeInterrupt": crash,
        "NodeTimeoutError": crash,
        "ParentCommand": crash,
        "TaskNotFound": crash,
        "UnknownInterruptError": crash,
    }


def test_every_error_of_the_model_client_is_the_providers_but_a_refusal_in_words() -> None:
    wrapped = {kind.__name__: meaning(FOREIGN, kind) for kind in classes_of(langchain_openai)}
    crashes = {name for name, status in wrapped.items() if status is Status.FRAMEWORK_ERROR}
    assert crashes == {"OpenAIRefusalError"}  # for structured output only, which is never asked for
    assert set(wrapped.values()) == {Status.FRAMEWORK_ERROR, Status.PROVIDER_ERROR}
    kinds = subclasses(openai.APIError)
    assert {meaning(FOREIGN, kind) for kind in kinds} == {Status.PROVIDER_ERROR}


def test_a_malformed_call_beside_a_sound_one_does_not_end_the_run(langgraph: Stage) -> None:
    ended = langgraph.play(asks(("pay", "{bad"), ("look", "{}")), says("x"))
    assert ended.status is Status.COMPLETED
    assert langgraph.handed_over == [("look", {})]
    echoed = langgraph.history("assistant")[0]["tool_calls"]
    assert [call["function"] for call in echoed] == [
        {"name": "look", "arguments": "{}"},
        {"name": "pay", "arguments": "{bad"},
    ]
    assert [message["content"] for message in langgraph.history("tool")] == [
        "Tool call pay with id call-0 could not be executed - "
        "arguments were malformed or truncated.",
        "ran look",
    ]
    assert langgraph.notes("in the history the invalid call stands last")


def test_the_order_of_many_calls_is_the_same_every_time(langgraph: Stage) -> None:
    sent = [("pay", {"n": place}) for place in range(12)]
    for _ in range(5):
        langgraph.play(asks(*[("pay", f'{{"n": {place}}}') for place in range(12)]), says("x"))
        assert langgraph.handed_over == sent
