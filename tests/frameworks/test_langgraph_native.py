"""frameworks.langgraph_native: what LangGraph does when nobody tells it otherwise."""

from collections.abc import Iterator

import pytest

from grid.vocabulary import Cause, Status
from tests.frameworks.stage import AS_THEY_SHIP, Reply, Stage, Upstream, asks, says

pytestmark = AS_THEY_SHIP

PAY = ("pay", '{"amount": 5, "currency": "EUR", "to": {"name": "Bob"}}')


@pytest.fixture(scope="module")
def langgraph(upstream: Upstream) -> Iterator[Stage]:
    stage = Stage("langgraph-native", upstream)
    yield stage
    stage.close()


@pytest.mark.parametrize("raw", ['{"amount": 5, "cur', "{amount: 5}", "no json"])
def test_argument_text_that_is_no_json_ends_the_run_in_silence(langgraph: Stage, raw: str) -> None:
    ended = langgraph.play(asks(("pay", raw)), says("never asked"))
    assert (ended.status, ended.cause) == (Status.INVALID_TOOL_CALLS, Cause.AGENT)
    assert (ended.final_text, ended.note) == ("", ""), "no word, and no exception"
    assert (langgraph.handed_over, len(langgraph.asked)) == ([], 1)
    assert langgraph.notes("ends the run without a word")


def test_a_broken_call_beside_a_sound_one_does_not_end_the_run(langgraph: Stage) -> None:
    ended = langgraph.play(asks(("pay", "{bad"), ("look", "{}")), says("x"))
    assert ended.status is Status.COMPLETED
    assert langgraph.handed_over == [("look", {})]


def test_an_error_after_a_call_makes_no_call_again(langgraph: Stage) -> None:
    boom = Reply(status=500, body=b'{"error": {"message": "boom"}}')
    ended = langgraph.play(asks(PAY), boom, says("x"))
    assert ended.status is Status.COMPLETED
    assert langgraph.session.journal == [
        "answer 200 pay", "call pay", "answer 500", "answer 200",
    ]  # fmt: skip
    assert langgraph.notes("retried twice")


def test_an_error_that_stays_is_the_providers(langgraph: Stage) -> None:
    boom = Reply(status=500, body=b'{"error": {"message": "boom"}}')
    ended = langgraph.play(boom, boom, boom, says("never asked"))
    assert (ended.status, ended.cause) == (Status.PROVIDER_ERROR, Cause.PROVIDER)
    assert len(langgraph.asked) == 3


def test_a_tool_that_there_is_not_is_never_handed_over(langgraph: Stage) -> None:
    ended = langgraph.play(asks(("pay_twice", "{}")), says("x"))
    assert (ended.status, langgraph.handed_over) == (Status.COMPLETED, [])
    assert langgraph.notes("a tool that there is not is never handed over")
