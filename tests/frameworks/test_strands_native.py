"""frameworks.strands_native: what Strands does when nobody tells it otherwise."""

from collections.abc import Iterator

import pytest

from grid.vocabulary import Status
from tests.frameworks.stage import AS_THEY_SHIP, Reply, Stage, Upstream, asks, says, streamed

pytestmark = AS_THEY_SHIP

PAY = ("pay", '{"amount": 5, "currency": "EUR", "to": {"name": "Bob"}}')


@pytest.fixture(scope="module")
def strands(upstream: Upstream) -> Iterator[Stage]:
    stage = Stage("strands-native", upstream)
    yield stage
    stage.close()


@pytest.mark.parametrize("raw", ['{"amount": 5, "cur', "{amount: 5}", "no json", ""])
def test_argument_text_that_is_no_json_is_run_as_no_arguments(strands: Stage, raw: str) -> None:
    ended = strands.play(streamed(asks(("pay", raw))), streamed(says("Paid.")))
    assert (ended.status, ended.final_text) == (Status.COMPLETED, "Paid.")
    assert strands.handed_over == [("pay", {})]
    told = strands.history("assistant")[0]["tool_calls"][0]["function"]["arguments"]
    assert told == "{}", "the model is shown that it had asked for nothing"


def test_answers_are_asked_for_as_streams_and_the_users_words_stand_in_parts(
    strands: Stage,
) -> None:
    strands.play(streamed(says("x")))
    body = strands.asked[0].body
    assert (body["stream"], body["stream_options"]) == (True, {"include_usage": True})
    assert body["messages"][-1]["content"] == [{"type": "text", "text": "Pay the bill."}]
    assert strands.notes("answers are streamed")


def test_schemas_are_written_anew(strands: Stage) -> None:
    strands.play(streamed(says("x")))
    pay, look = (tool["function"]["parameters"] for tool in strands.asked[0].body["tools"])
    assert pay["properties"]["amount"] == {
        "type": "integer",
        "description": "Property amount",
    }
    assert look["required"] == []
    assert strands.notes("every property without a description gets one")


def test_an_error_after_a_call_makes_no_call_again(strands: Stage) -> None:
    boom = Reply(status=500, body=b'{"error": {"message": "boom"}}')
    ended = strands.play(streamed(asks(PAY)), boom, streamed(says("x")))
    assert ended.status is Status.COMPLETED
    assert len(strands.handed_over) == 1
    assert "restored" not in strands.session.journal


def test_a_tool_that_there_is_not_is_never_handed_over(strands: Stage) -> None:
    ended = strands.play(streamed(asks(("pay_twice", "{}"))), streamed(says("x")))
    assert (ended.status, strands.handed_over) == (Status.COMPLETED, [])
    assert strands.notes("a tool that there is not is never handed over")
