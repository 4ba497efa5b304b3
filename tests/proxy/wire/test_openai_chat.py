import json
from typing import Any

import pytest

from proxy.wire.answer import Asked, Assistant, Finding, ProviderError, Undecodable, seconds_to_wait
from proxy.wire.exchange import ErrorKind, Exchange, Request, Response, body_json
from proxy.wire.openai_chat import decode_answer, decode_request

ARGUMENTS = '{"宛先":"髙橋🍣"}'


def exchange(
    answer: bytes | None,
    *,
    stream: bool = False,
    status: int = 200,
    headers: dict[str, str] | None = None,
    asked: bytes = b'{"model":"m","messages":[]}',
    error: ErrorKind | None = None,
) -> Exchange:
    kind = "text/event-stream; charset=utf-8" if stream else "application/json"
    request = Request(method="POST", path="/x", headers={}, body=body_json(asked))
    response = (
        None
        if answer is None
        else Response(
            status=status, headers={"content-type": kind} | (headers or {}), body=body_json(answer)
        )
    )
    return Exchange(n=0, request=request, response=response, error=error)


def completion(message: dict[str, Any], **changes: Any) -> bytes:
    choice = {"index": 0, "message": message, "finish_reason": "stop"} | changes
    return json.dumps({"model": "m-1", "choices": [choice], "usage": {"total_tokens": 3}}).encode()


def call(arguments: Any, identity: Any = "c1", name: str = "pay") -> dict[str, Any]:
    return {"id": identity, "type": "function", "function": {"name": name, "arguments": arguments}}


def sse(*chunks: Any, done: bool = True) -> bytes:
    lines = [one if isinstance(one, bytes) else json.dumps(one).encode() for one in chunks]
    lines += [b"[DONE]"] if done else []
    return b"".join(b"data: " + line + b"\n\n" for line in lines)


def piece(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {
        "model": "m-1",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }


def assistant(found: Exchange) -> Assistant:
    answer = decode_answer(found)
    assert isinstance(answer, Assistant), answer
    return answer


def reason(found: Exchange) -> str:
    answer = decode_answer(found)
    assert isinstance(answer, Undecodable), answer
    return answer.reason


def test_words_calls_usage_and_model_are_read() -> None:
    message = {"role": "assistant", "content": "done", "tool_calls": [call(ARGUMENTS)]}
    answer = assistant(exchange(completion(message, finish_reason="tool_calls")))
    assert (answer.text, answer.model, answer.finish_reason) == ("done", "m-1", "tool_calls")
    assert answer.usage == {"total_tokens": 3}
    assert [(c.id, c.name, c.raw_arguments) for c in answer.calls] == [("c1", "pay", ARGUMENTS)]
    assert answer.findings == ()


def test_a_stream_and_a_whole_body_give_the_same_answer() -> None:
    """C61."""
    message = {"content": "moon", "tool_calls": [call(ARGUMENTS)]}
    plain = assistant(exchange(completion(message)))
    opening = call("") | {"index": 0}
    streamed = assistant(
        exchange(
            sse(
                piece(role="assistant", content=None),
                piece(content="mo"),
                piece(content="on"),
                piece(tool_calls=[opening]),
                *(
                    piece(tool_calls=[{"index": 0, "function": {"arguments": c}}])
                    for c in ARGUMENTS
                ),
                piece("stop"),
                {"choices": [], "usage": {"total_tokens": 3}},
            ),
            stream=True,
        )
    )
    assert streamed == plain


def test_null_content_is_no_empty_text() -> None:
    answer = assistant(exchange(completion({"content": None, "tool_calls": [call("{}")]})))
    assert answer.text is None
    assert answer.findings == ()


@pytest.mark.parametrize("content", [None, ""])
def test_a_message_with_nothing_in_it_is_told_as_such(content: str | None) -> None:
    answer = assistant(exchange(completion({"content": content})))
    assert answer.text == content
    assert answer.findings == (Finding.NO_CONTENT,)


def test_a_refusal_of_the_provider_is_kept_apart_from_the_words() -> None:
    answer = assistant(exchange(completion({"content": None, "refusal": "I will not"})))
    assert (answer.text, answer.refusal, answer.findings) == (None, "I will not", ())


def test_content_in_parts_is_joined() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert assistant(exchange(completion({"content": parts}))).text == "ab"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "not JSON"),
        (b"<html>", "not JSON"),
        (b"[]", "no JSON object"),
        (b"{}", "/choices is empty"),
        (b'{"choices":[]}', "/choices is empty"),
        (b'{"choices":[{}]}', "/choices/0/message is no object"),
        (completion({"role": "assistant"}), "neither content nor tool calls"),
        (completion({"content": "x"}, finish_reason=None), "finish_reason is missing"),
        (completion({"content": [{"type": "image"}]}), "a part of the content"),
        (completion({"content": "x", "tool_calls": [call({"a": 1})]}), "arguments are no text"),
        (completion({"content": "x", "tool_calls": [call("{}", name="")]}), "has no name"),
        (completion({"content": "x", "function_call": {}}), "old form"),
        (b'{"choices":[],"choices":[]}', "stands twice"),
    ],
)
def test_what_is_no_completion_is_undecodable_never_an_empty_message(
    body: bytes, words: str
) -> None:
    assert words in reason(exchange(body))


def test_a_missing_body_is_missing_evidence_never_zero_calls() -> None:
    """C61."""
    assert "no response" in reason(exchange(None))
    cut = exchange(completion({"content": "x"}), error=ErrorKind.CLIENT_LEFT)
    assert "client_left" in reason(cut)


@pytest.mark.parametrize(
    "stream",
    [
        sse(piece(content="x"), done=False),
        sse(piece(content="x")),
        sse(done=False) + b'data: {"choices":[{"delta":{"content":"x"',
        b"",
        sse({"choices": []}),
    ],
)
def test_a_stream_that_just_stops_is_undecodable(stream: bytes) -> None:
    assert "without a finish reason" in reason(exchange(stream, stream=True))


def test_a_finished_stream_without_done_is_read_and_told() -> None:
    answer = assistant(exchange(sse(piece("stop", content="x"), done=False), stream=True))
    assert (answer.text, answer.findings) == ("x", (Finding.NO_DONE,))
    body = sse(piece("stop", content="x"), done=False) + b"data: [DONE]"
    assert Finding.UNTERMINATED_EVENT in assistant(exchange(body, stream=True)).findings


def test_a_keep_alive_sent_as_data_is_one_bad_event_and_the_rest_is_kept() -> None:
    """C55: `data: : PROCESSING`; comments and keep-alives themselves are no events at all."""
    noise = b": ping\n\n:\n\nevent: keepalive\n\nretry: 3000\n\n"
    body = noise + sse(piece(content="mo"), b": PROCESSING", piece("stop", content="on"))
    answer = assistant(exchange(body.replace(b"\n", b"\r\n"), stream=True))
    assert (answer.text, answer.skipped) == ("moon", 1)
    assert answer.findings == (Finding.BAD_EVENT,)


def test_arguments_that_were_flushed_twice_are_one_malformed_call() -> None:
    """C53: never one clean call in silence, never two; the raw text is kept."""
    opening = call('{"city":"Kyoto"}') | {"index": 0}
    again = {"index": 0, "function": {"arguments": '{"city":"Kyoto"}'}}
    body = sse(piece(tool_calls=[opening]), piece("tool_calls", tool_calls=[again]))
    answer = assistant(exchange(body, stream=True))
    assert [one.raw_arguments for one in answer.calls] == ['{"city":"Kyoto"}' * 2]
    assert answer.findings == (Finding.MALFORMED_ARGUMENTS,)
    once = assistant(exchange(completion({"content": None, "tool_calls": [call('{"city":1}')]})))
    assert once.findings == ()


@pytest.mark.parametrize("arguments", ["", "{", "[1", '{"a":1,"a":2}', "NaN"])
def test_arguments_that_are_no_json_are_told_and_kept(arguments: str) -> None:
    answer = assistant(exchange(completion({"content": "", "tool_calls": [call(arguments)]})))
    assert answer.calls[0].raw_arguments == arguments
    assert answer.findings == (Finding.MALFORMED_ARGUMENTS,)


def test_a_stray_byte_is_kept_escaped_and_flagged() -> None:
    """C57: one invalid byte inside content, and Japanese around it unharmed."""
    body = completion({"content": "月?の"}, finish_reason="stop")
    body = json.dumps(json.loads(body), ensure_ascii=False).encode().replace(b"?", b"\xff")
    answer = assistant(exchange(body))
    assert answer.text == "月\\xffの"
    assert answer.findings == (Finding.INVALID_UTF8,)


def test_characters_cut_between_two_deltas_are_joined() -> None:
    """C57: an emoji as two JSON escapes in two deltas; and a half that stays alone."""
    halves = [
        b'{"choices":[{"delta":{"content":"\\ud83c"}}]}',
        b'{"choices":[{"delta":{"content":"\\udf63"},"finish_reason":"stop"}]}',
    ]
    answer = assistant(exchange(sse(*halves), stream=True))
    assert (answer.text, answer.findings) == ("🍣", ())
    alone = assistant(exchange(sse(halves[1]), stream=True))
    assert (alone.text, alone.findings) == ("\\udf63", (Finding.HALF_CHARACTER,))


@pytest.mark.parametrize(
    ("ids", "findings"),
    [
        (("", ""), {Finding.EMPTY_CALL_ID}),
        ((None, "a"), {Finding.EMPTY_CALL_ID}),
        (("a", "a"), {Finding.DUPLICATE_CALL_ID}),
        (("a", "b"), set()),
    ],
)
def test_calls_with_empty_or_repeated_ids_are_all_kept(
    ids: tuple[Any, Any], findings: set[Finding]
) -> None:
    """C59: two parallel calls stay two, whatever their ids are."""
    calls = [call('{"city":"NYC"}', ids[0]), call('{"city":"SF"}', ids[1])]
    answer = assistant(exchange(completion({"content": None, "tool_calls": calls})))
    assert [one.raw_arguments for one in answer.calls] == ['{"city":"NYC"}', '{"city":"SF"}']
    assert set(answer.findings) == findings


def test_an_error_in_a_200_stream_is_the_providers() -> None:
    body = sse(piece(content="x"), {"error": {"type": "server_error", "message": "overloaded"}})
    answer = decode_answer(exchange(body, stream=True))
    assert answer == ProviderError(
        status=200, code="server_error", message="overloaded", retry_after=None
    )


@pytest.mark.parametrize(
    ("sent", "seconds"),
    [
        ("Wed, 21 Oct 2026 07:28:00 GMT", None),
        ("0", 0.0),
        ("-1", None),
        ("1.5", 1.5),
        (None, None),
        ("inf", None),
        ("nan", None),
        ("1e400", None),
        ("30", 30.0),
    ],
)
def test_a_rate_limit_is_the_providers_whatever_its_retry_after(
    sent: str | None, seconds: float | None
) -> None:
    """C65: a transport matter, with the header as it was sent: no refusal, no empty answer."""
    headers = {} if sent is None else {"retry-after": sent}
    error = {"error": {"code": "rate_limit_exceeded", "message": "try again in 20s"}}
    answer = decode_answer(exchange(json.dumps(error).encode(), status=429, headers=headers))
    assert answer == ProviderError(
        status=429, code="rate_limit_exceeded", message="try again in 20s", retry_after=sent
    )
    assert seconds_to_wait(sent) == seconds


@pytest.mark.parametrize("body", [b"", b"<html>busy</html>", b"[]", b'{"error":"busy"}'])
def test_an_error_page_in_any_form_is_still_the_providers(body: bytes) -> None:
    answer = decode_answer(exchange(body, status=503))
    assert isinstance(answer, ProviderError)
    assert (answer.status, answer.code) == (503, "")


def test_a_request_is_read() -> None:
    tools = [{"type": "function", "function": {"name": "pay"}}]
    body = {"model": "m", "messages": [{"role": "user", "content": "x"}], "tools": tools}
    asked = decode_request(exchange(None, asked=json.dumps(body | {"stream": True}).encode()))
    assert asked == Asked(
        model="m", messages=({"role": "user", "content": "x"},), tools=tuple(tools), stream=True
    )


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (b"", "not JSON"),
        (b"\xff", "not UTF-8"),
        (b"[]", "no JSON object"),
        (b'{"model":"m"}', "/messages"),
        (b'{"model":"m","messages":[{}]}', "/messages"),
        (b'{"model":"m","messages":["x"]}', "/messages"),
        (b'{"messages":[]}', "/model"),
        (b'{"model":"m","messages":[],"tools":{"a":1}}', "/tools"),
    ],
)
def test_a_request_that_is_none_is_undecodable(asked: bytes, words: str) -> None:
    found = decode_request(exchange(None, asked=asked))
    assert isinstance(found, Undecodable)
    assert words in found.reason
