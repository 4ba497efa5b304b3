from dataclasses import replace
from typing import Any

import pytest

from grid.errors import CanonicalError, StrictError
from ledgers.decoded import Decoded, decode, without_own_messages
from proxy.wire.exchange import ErrorKind, Exchange, exchange_lines
from tests.builders import completion, exchange, message, wire_call

CALL = wire_call("c1", "pay", '{"to": "Bob"}')
ASKED = {
    "model": "scripted-name",
    "messages": [
        {"role": "user", "content": "please pay"},
        {"role": "user", "content": "", "tool_calls": [{"note": "no call of the agent"}]},
        {"role": "assistant", "content": "my own words", "refusal": "never", "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c1", "content": '{"lines": ["first\\nsecond"]}'},
    ],
    "tools": [{"type": "function", "function": {"name": "pay", "description": "sends money"}}],
    "metadata": {"note": "beside the messages"},
}  # fmt: skip


def one(found: Exchange) -> Decoded:
    return decode(exchange_lines([found]))[0]


def shown(asked: Any) -> list[str]:
    return [strand.text for strand in one(exchange(0, asked, completion(message()))).shown]


def test_a_request_shows_everything_but_the_agents_messages_and_the_model() -> None:
    texts = shown(ASKED)
    for text in (
        "please pay",
        "no call of the agent",
        "first\nsecond",
        "sends money",
        "beside the messages",
    ):
        assert text in texts
    own = ("my own words", "never", "scripted-name", '{"to": "Bob"}', "Bob")
    assert not [text for text in texts if text in own]


def test_a_request_that_is_no_json_still_shows_its_text() -> None:
    found = one(exchange(0, "key=abc", completion(message())))
    assert "key=abc" in [strand.text for strand in found.shown]
    assert found.trouble == "the request cannot be decoded"


def test_the_path_is_shown_too() -> None:
    assert "/chat/completions" in shown(ASKED)


@pytest.mark.parametrize("body", [[], "text", 3, {"messages": "none"}, {"messages": [1, None]}])
def test_bodies_of_other_shapes_lose_nothing_but_the_model(body: Any) -> None:
    assert without_own_messages(body) == body


def test_calls_and_words_of_an_answer_are_kept_apart() -> None:
    found = one(exchange(0, ASKED, completion(message([CALL], "I pay now."))))
    assert [(call.id, call.name, call.raw_arguments) for call in found.calls] == [
        ("c1", "pay", '{"to": "Bob"}')
    ]
    assert found.words == ("I pay now.",)
    assert (found.responded, found.answered, found.trouble) == (True, True, "")


def test_an_observation_in_the_words_is_no_call() -> None:
    words = 'Action: pay\nAction Input: {"to": "Bob"}\nObservation: paid\nFinal Answer: paid'
    found = one(exchange(0, ASKED, completion(message(words=words))))
    assert found.calls == ()
    assert found.words == (words,)


def test_a_providers_error_is_a_response_and_no_trouble() -> None:
    found = one(exchange(0, ASKED, {"error": {"message": "busy"}}, status=503))
    assert (found.responded, found.answered, found.calls, found.trouble) == (True, False, (), "")


def test_an_answer_that_is_no_completion_is_trouble() -> None:
    found = one(exchange(0, ASKED, '{"choices": ['))
    assert found.trouble == "the answer cannot be decoded"
    assert found.calls == ()


def test_an_exchange_without_a_whole_answer_is_no_response() -> None:
    cut = replace(exchange(0, ASKED, completion(message([CALL]))), error=ErrorKind.DISCONNECT)
    found = one(cut)
    assert (found.responded, found.answered, found.calls, found.trouble) == (False, False, (), "")


def test_what_is_no_recording_is_refused() -> None:
    with pytest.raises(StrictError, match="cut"):
        decode(b'{"n":0')
    with pytest.raises(CanonicalError):
        decode(b"{}{}\n")
