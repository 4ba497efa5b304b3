"""frameworks.langgraph_streamed_native: what LangGraph makes of a streamed call that breaks off."""

from collections.abc import Iterator

import pytest

from grid.vocabulary import Cause, Status
from tests.frameworks.stage import AS_THEY_SHIP, Stage, Upstream, asks, says, streamed

pytestmark = AS_THEY_SHIP

COMPLETED = {
    "a number": ('{"currency": "EUR", "amount": 12', {"currency": "EUR", "amount": 12}),
    "a text": ('{"amount": 5, "currency": "EU', {"amount": 5, "currency": "EU"}),
    "an object in an object": (
        '{"amount": 5, "to": {"name": "Bo',
        {"amount": 5, "to": {"name": "Bo"}},
    ),
    "a key": ('{"amount": 5, "curr', {"amount": 5}),
    "what comes after a colon": ('{"amount": 5, "currency":', {"amount": 5}),
    "the brace": ('{"amount": 5', {"amount": 5}),
}
"""What an argument text lacks -> what arrives, and what LangChain makes of it."""


@pytest.fixture(scope="module")
def langgraph(upstream: Upstream) -> Iterator[Stage]:
    stage = Stage("langgraph-streamed-native", upstream)
    yield stage
    stage.close()


@pytest.mark.parametrize("lacks", COMPLETED)
def test_argument_text_that_breaks_off_is_completed_and_run(langgraph: Stage, lacks: str) -> None:
    raw, made = COMPLETED[lacks]
    ended = langgraph.play(streamed(asks(("pay", raw))), streamed(says("Paid.")))
    assert (ended.status, ended.final_text) == (Status.COMPLETED, "Paid.")
    assert langgraph.handed_over == [("pay", made)]
    assert langgraph.asked[0].body["stream"] is True
    assert langgraph.notes("completed, run, and goes back in the history")


def test_the_history_says_that_the_model_had_sent_it_so(langgraph: Stage) -> None:
    langgraph.play(streamed(asks(("pay", '{"amount": 12'))), streamed(says("x")))
    (said,) = langgraph.history("assistant")
    assert said["tool_calls"][0]["function"]["arguments"] == '{"amount": 12}'


def test_an_answer_that_was_cut_at_its_length_limit_is_run_like_any_other(
    langgraph: Stage,
) -> None:
    cut = asks(("pay", '{"amount": 12'), finish="length")
    langgraph.play(streamed(cut), streamed(says("x")))
    assert langgraph.handed_over == [("pay", {"amount": 12})]


@pytest.mark.parametrize("raw", ['{"amount": 5,}', "{amount: 5}", "{'amount': 5}", "no json"])
def test_what_is_broken_otherwise_ends_the_run_in_silence(langgraph: Stage, raw: str) -> None:
    ended = langgraph.play(streamed(asks(("pay", raw))), streamed(says("never asked")))
    assert (ended.status, ended.cause) == (Status.INVALID_TOOL_CALLS, Cause.AGENT)
    assert (langgraph.handed_over, len(langgraph.asked)) == ([], 1)
    assert langgraph.notes("what cannot be completed ends the run")


def test_without_streaming_the_same_text_is_not_run(upstream: Upstream) -> None:
    stage = Stage("langgraph-native", upstream)
    ended = stage.play(asks(("pay", '{"amount": 12')), says("never asked"))
    assert (ended.status, stage.handed_over) == (Status.INVALID_TOOL_CALLS, [])
    assert stage.asked[0].body["stream"] is False
    stage.close()


@pytest.mark.parametrize("framework", ["strands-native", "crewai-native"])
def test_the_other_frameworks_complete_nothing(framework: str, upstream: Upstream) -> None:
    stage = Stage(framework, upstream)
    plain = (asks(("pay", '{"amount": 12')), says("x"))
    stage.play(*(map(streamed, plain) if framework == "strands-native" else plain))
    assert stage.handed_over == ([("pay", {})] if framework == "strands-native" else [])
    stage.close()
