"""ledgers.usage: tokens as providers count them, and no count where one of them said nothing."""

from dataclasses import replace
from typing import Any

import pytest

from ledgers.usage import Usage, usage_of
from proxy.wire.exchange import ErrorKind, Exchange, Response
from tests.builders import completion, exchange, message

SAID = {"prompt_tokens": 30, "completion_tokens": 4, "total_tokens": 34}


def chat(usage: Any, n: int = 0) -> Exchange:
    told = {} if usage is None else {"usage": usage}
    return exchange(n, {"model": "m", "messages": []}, completion(message(words="x")) | told)


def at(path: str, answer: dict[str, Any]) -> Exchange:
    made = exchange(0, {"model": "m", "messages": []}, answer)
    return replace(made, request=replace(made.request, path=path))


def anthropic(usage: dict[str, int]) -> Exchange:
    return at(
        "/v1/messages",
        {
            "id": "m", "type": "message", "role": "assistant", "model": "m",
            "content": [{"type": "text", "text": "x"}], "stop_reason": "end_turn", "usage": usage,
        },
    )  # fmt: skip


def gemini(usage: dict[str, int]) -> Exchange:
    said = {"content": {"role": "model", "parts": [{"text": "x"}]}, "finishReason": "STOP"}
    return at("/v1beta/models/m:generateContent", {"candidates": [said], "usageMetadata": usage})


def bedrock(usage: dict[str, int]) -> Exchange:
    said = {"message": {"role": "assistant", "content": [{"text": "x"}]}}
    return at("/model/m/converse", {"output": said, "stopReason": "end_turn", "usage": usage})


def counts(*found: Exchange) -> tuple[int | None, int | None]:
    usage = usage_of(found)
    return usage.input_tokens, usage.output_tokens


def test_the_counts_of_all_answers_are_summed() -> None:
    assert counts(chat(SAID), chat({"prompt_tokens": 50, "completion_tokens": 0}, 1)) == (80, 4)


def test_a_trial_that_asked_nothing_took_nothing() -> None:
    assert usage_of(()) == Usage(input_tokens=0, output_tokens=0)


def test_one_answer_without_a_count_leaves_the_trial_without_one() -> None:
    assert counts(chat(SAID), chat(None, 1)) == (None, None)
    assert counts(chat(SAID), chat({"prompt_tokens": 1}, 1)) == (31, None), "the other one is whole"


@pytest.mark.parametrize("wrong", [True, -1, 2.5, "30", None, 2**53])
def test_what_is_no_number_of_tokens_is_no_count(wrong: Any) -> None:
    assert counts(chat(SAID | {"prompt_tokens": wrong})) == (None, 4)


def test_cached_tokens_and_thoughts_are_counted_where_the_protocol_counts_them_apart() -> None:
    cached = {"cache_creation_input_tokens": 5, "cache_read_input_tokens": 7}
    assert counts(anthropic({"input_tokens": 10, "output_tokens": 3} | cached)) == (22, 3)
    aside = {"cacheReadInputTokens": 4, "cacheWriteInputTokens": 2}
    assert counts(bedrock({"inputTokens": 1, "outputTokens": 2} | aside)) == (7, 2)
    thought = {"promptTokenCount": 9, "candidatesTokenCount": 2, "thoughtsTokenCount": 30}
    assert counts(gemini(thought)) == (9, 32)


def test_cached_tokens_that_are_already_in_the_count_are_not_counted_twice() -> None:
    within = SAID | {"prompt_tokens_details": {"cached_tokens": 20}}
    assert counts(chat(within)) == (30, 4)
    assert counts(gemini({"promptTokenCount": 9, "candidatesTokenCount": 2,
                          "cachedContentTokenCount": 8})) == (9, 2)  # fmt: skip


def test_an_error_in_the_providers_own_words_cost_nothing() -> None:
    busy = exchange(1, {"model": "m", "messages": []}, {"error": {"message": "busy"}}, 429)
    assert counts(chat(SAID), busy) == (30, 4)


def test_an_answer_that_never_came_whole_told_nothing() -> None:
    cut = replace(chat(SAID, 1), error=ErrorKind.DISCONNECT)
    gone = replace(chat(SAID, 1), response=None, error=ErrorKind.TIMEOUT)
    assert counts(chat(SAID), cut) == (None, None)
    assert counts(chat(SAID), gone) == (None, None)


def test_what_the_provider_sent_counts_where_a_planted_fault_changed_it() -> None:
    whole = chat(SAID)
    error = Response(status=503, headers={}, body={"text": "{}"})
    assert counts(replace(whole, sent=whole.response, response=error)) == (30, 4)
    assert counts(replace(whole, sent=whole.response, error=ErrorKind.DISCONNECT)) == (30, 4)


def test_a_sum_that_no_provider_can_have_counted_is_no_count() -> None:
    most = SAID | {"prompt_tokens": 2**53 - 1}
    assert counts(chat(most)) == (2**53 - 1, 4)
    assert counts(chat(most), chat(SAID, 1)) == (None, 8), "a frame holds 64 bits a number"
    assert counts(anthropic({"input_tokens": 2**53 - 1, "cache_read_input_tokens": 1,
                             "output_tokens": 3})) == (None, 3)  # fmt: skip
