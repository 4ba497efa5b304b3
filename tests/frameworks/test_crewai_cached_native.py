"""frameworks.crewai_cached_native: what CrewAI's tool cache makes of a call that comes again."""

import json
from collections.abc import Iterator

import pytest

from grid.vocabulary import Status
from tests.frameworks.stage import AS_THEY_SHIP, Reply, Stage, Upstream, asks, says

pytestmark = AS_THEY_SHIP

PAY = ("pay", '{"amount": 5, "currency": "EUR", "to": {"name": "Bob"}}')
MORE = ("pay", '{"amount": 6, "currency": "EUR", "to": {"name": "Bob"}}')


@pytest.fixture(scope="module")
def cached(upstream: Upstream) -> Iterator[Stage]:
    stage = Stage("crewai-cached-native", upstream)
    yield stage
    stage.close()


def test_a_second_equal_payment_is_answered_from_memory_and_never_handed_over(
    cached: Stage,
) -> None:
    ended = cached.play(asks(PAY), asks(PAY, base=7), says("Both are paid."))
    assert ended.status is Status.COMPLETED
    assert cached.handed_over == [("pay", json.loads(PAY[1]))]
    told = [(item["tool_call_id"], item["content"]) for item in cached.history("tool")]
    assert told == [("call-0", "ran pay"), ("call-7", "ran pay")]
    assert cached.notes("answered from memory")


def test_a_payment_that_differs_is_made(cached: Stage) -> None:
    cached.play(asks(PAY), asks(MORE, base=7), says("x"))
    assert [arguments for _, arguments in cached.handed_over] == [
        json.loads(PAY[1]), json.loads(MORE[1]),
    ]  # fmt: skip


def test_what_one_trial_remembers_the_next_one_does_not(cached: Stage) -> None:
    for _ in range(2):
        cached.play(asks(PAY), says("x"))
        assert len(cached.handed_over) == 1


def test_the_cache_outlives_a_task_that_begins_anew(cached: Stage) -> None:
    boom = Reply(status=500, body=b'{"error": {"message": "boom"}}')
    cached.play(asks(PAY), boom, boom, boom, asks(PAY), says("x"))
    assert "restored" in cached.session.journal
    assert len(cached.handed_over) == 1


def test_without_the_switch_every_payment_is_made(upstream: Upstream) -> None:
    stage = Stage("crewai-native", upstream)
    stage.play(asks(PAY), asks(PAY, base=7), says("x"))
    assert len(stage.handed_over) == 2
    stage.close()
