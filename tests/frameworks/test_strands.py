"""frameworks.strands: what is Strands' own, beside the contract."""

from collections.abc import Iterator

import openai
import pytest
from strands.types import exceptions

from frameworks._run import meaning
from frameworks.strands import FOREIGN
from grid.vocabulary import Status
from tests.frameworks.stage import Stage, Upstream, asks, classes_of, says, subclasses


@pytest.fixture(scope="module")
def strands(upstream: Upstream) -> Iterator[Stage]:
    stage = Stage("strands", upstream)
    yield stage
    stage.close()


def test_every_exception_of_strands_has_a_status() -> None:
    crash = Status.FRAMEWORK_ERROR
    assert {kind.__name__: meaning(FOREIGN, kind) for kind in classes_of(exceptions)} == {
        "AggregateMemoryError": crash,
        "CheckpointException": crash,
        "ConcurrencyException": crash,
        "ContextWindowOverflowException": Status.PROVIDER_ERROR,
        "EventLoopException": crash,
        "IdempotencyAbortedError": crash,
        "MCPClientInitializationError": crash,
        "MaxTokensReachedException": Status.COMPLETED,
        "ModelThrottledException": Status.PROVIDER_ERROR,
        "ProviderTokenCountError": crash,
        "SessionException": crash,
        "SnapshotException": crash,
        "StorageError": crash,
        "StructuredOutputException": crash,
        "ToolProviderException": crash,
    }


def test_every_error_of_the_openai_client_is_the_providers() -> None:
    kinds = subclasses(openai.APIError)
    assert len(kinds) > 10
    assert {meaning(FOREIGN, kind) for kind in kinds} == {Status.PROVIDER_ERROR}


def test_argument_text_that_is_not_json_goes_back_as_an_empty_object(strands: Stage) -> None:
    for raw in ("{bad", ""):
        strands.play(asks(("pay", raw)), says("x"))
        echoed = strands.history("assistant")[0]["tool_calls"][0]["function"]
        assert echoed == {"name": "pay", "arguments": "{}"}
    assert strands.notes("goes back in the history as {}")


@pytest.mark.parametrize("name", ["no such", "日本", "a" * 80, "{tools}"])
def test_a_name_with_other_characters_is_not_handed_over(strands: Stage, name: str) -> None:
    ended = strands.play(asks((name, "{}"), ("look", "{}")), says("x"))
    assert ended.status is Status.COMPLETED
    assert strands.handed_over == [("look", {})]
    echoed = [call["function"]["name"] for call in strands.history("assistant")[0]["tool_calls"]]
    assert echoed == ["INVALID_TOOL_NAME", "look"]
    assert strands.notes("the history shows INVALID_TOOL_NAME in its place")


def test_blank_assistant_text_is_dropped_or_replaced(strands: Stage) -> None:
    strands.play(asks(("look", "{}"), text=" \n"), says("x"))
    assert strands.history("assistant")[0]["content"] is None
    strands.play(asks(("", "{}")), says("x"))
    assert strands.history("assistant") == [{"role": "assistant", "content": "[blank text]"}]
    assert strands.notes("dropped, or goes back as [blank text]")
