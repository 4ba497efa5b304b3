import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.wire.answer import Asked, Assistant, Finding, ProviderError, Undecodable
from proxy.wire.bedrock_converse import decode_answer, decode_request
from proxy.wire.exchange import ErrorKind
from proxy.wire.protocol import decoder_of
from tests.proxy.wire.anything import JSON, check
from tests.proxy.wire.converse import (
    ARGUMENTS,
    MODEL,
    PATH,
    STREAM,
    USAGE,
    assistant,
    body,
    exchange,
    reason,
    use,
)
from tests.proxy.wire.eventstream import counts, end, event, exception, start, stop, text, tool
from tests.proxy.wire.eventstream import piece as more


def test_words_calls_usage_and_reason_are_read() -> None:
    answer = assistant(exchange(body({"text": "done"}, use({"a": 1}), stopReason="tool_use")))
    assert (answer.text, answer.refusal, answer.finish_reason) == ("done", None, "tool_use")
    assert answer.usage == USAGE
    assert [(c.id, c.name, c.raw_arguments) for c in answer.calls] == [("t1", "pay", '{"a": 1}')]
    assert answer.findings == ()


def test_the_answer_names_no_model_and_the_request_does_in_its_path() -> None:
    assert assistant(exchange(body({"text": "x"}))).model == ""
    arn = "/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fx.y-v1%3A0/converse"
    for path, model, stream in [
        (PATH, MODEL, False),
        (f"{PATH}-stream", MODEL, True),
        (arn, "arn:aws:bedrock:us-east-1:1:inference-profile/x.y-v1:0", False),
        ("/v1/model/x/converse?a=b", "x", False),
    ]:
        asked = decode_request(exchange(None, path=path))
        assert isinstance(asked, Asked)
        assert (asked.model, asked.stream) == (model, stream)
        assert decoder_of(path).__name__ == "proxy.wire.bedrock_converse"


def test_input_is_the_raw_text_of_the_body() -> None:
    raw = '{ "amount" : 1.0,\n "big":12345678901234567890123, "to": "\\u9ad9\\ud83c\\udf63" }'
    data = body(use({"here": 0})).replace(b'{"here": 0}', raw.encode())
    [call] = assistant(exchange(data)).calls
    assert call.raw_arguments == raw
    pretty = json.dumps(json.loads(body(use({"a": [1, 2]}))), indent=2).encode()
    [call] = assistant(exchange(pretty)).calls
    assert json.loads(call.raw_arguments) == {"a": [1, 2]}
    assert call.raw_arguments.encode() in pretty


def test_a_stream_and_a_whole_body_give_the_same_answer() -> None:
    """C61."""
    plain = assistant(exchange(body({"text": "moon"}, use(json.loads(ARGUMENTS)))))
    data = b"".join(
        [
            start(),
            text("mo"),
            text("on"),
            end(),
            tool(1),
            *(more(character, 1) for character in json.dumps(json.loads(ARGUMENTS),
                                                             ensure_ascii=False)),
            end(1),
            stop(),
            counts(),
        ]
    )  # fmt: skip
    assert assistant(exchange(data, stream=True)) == plain


@pytest.mark.parametrize("content", [[], [{"text": ""}], [{"reasoningContent": {}}]])
def test_a_message_with_nothing_in_it_is_told_as_such(content: list[Any]) -> None:
    answer = assistant(exchange(body(*content)))
    assert not answer.text
    assert answer.findings == (Finding.NO_CONTENT,)


def test_blocks_of_words_are_joined_and_thoughts_left_out() -> None:
    thought = {"reasoningContent": {"reasoningText": {"text": "hm"}}}
    cited = {"citationsContent": {"content": [{"text": "b"}], "citations": []}}
    assert assistant(exchange(body(thought, {"text": "a"}, cited))).text == "ab"


def test_words_of_a_guardrail_are_words_and_the_reason_says_whose() -> None:
    answer = assistant(exchange(body({"text": "no"}, stopReason="guardrail_intervened")))
    assert (answer.text, answer.finish_reason) == ("no", "guardrail_intervened")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "not JSON"),
        (b"<html>", "not JSON"),
        (b"[]", "no JSON object"),
        (b"{}", "/output is no object"),
        (b'{"output":{}}', "/output is of 0 kinds"),
        (b'{"output":{"message":5}}', "/output/message is no object"),
        (b'{"output":{"message":{"role":"user","content":[]}}}', "role is not assistant"),
        (b'{"output":{"message":{"role":"assistant","content":[]}}}', "/stopReason is missing"),
        (b'{"output":{"message":{"role":"assistant"}},"stopReason":"x"}', "content is no list"),
        (body({"text": "x"}, stopReason=None), "/stopReason is missing"),
        (body({"text": "x"}, stopReason=""), "/stopReason is missing"),
        (body(None), "content/0 is no object"),
        (body({}), "content/0 is of 0 kinds"),
        (body({"text": None}), "content/0 is of 0 kinds"),
        (body({"text": "x"} | use({})), "content/0 is of 2 kinds"),
        (body({"text": 5}), "text is no text"),
        (body({"image": {"format": "png"}}), "kind 'image'"),
        (body({"guardContent": {"text": {"text": "x"}}}), "kind 'guardContent'"),
        (body({"toolResult": {}}), "kind 'toolResult'"),
        (body({"toolUse": "x"}), "no call of one of the client's tools"),
        (body({"toolUse": use({})["toolUse"] | {"type": "server_tool_use"}}), "no call of one"),
        (body({"toolUse": {"toolUseId": "t", "name": "n"}}), "has no input"),
        (body(use({}, name="")), "tool call 0 has no name"),
        (body(use({}, name=None)), "tool call 0 has no name"),
        (body(use({}, identity=5)), "id is no text"),
        (b'{"output":{},"output":{}}', "stands twice"),
        (b"[" * 100_000, "not JSON"),
    ],
)
def test_what_is_no_answer_is_undecodable_never_an_empty_message(data: bytes, words: str) -> None:
    assert words in reason(exchange(data))


def test_a_body_cut_at_any_byte_is_undecodable() -> None:
    data = body({"text": "月"}, use(json.loads(ARGUMENTS)))
    for cut in range(len(data)):
        assert "not JSON" in reason(exchange(data[:cut]))


def test_a_stream_cut_at_any_byte_is_undecodable_unless_only_counts_are_lost() -> None:
    finished = len(STREAM) - len(counts())
    for cut in range(len(STREAM)):
        found = decode_answer(exchange(STREAM[:cut], stream=True))
        if cut == finished:
            assert isinstance(found, Assistant)
            assert (found.text, found.usage) == ("月の", None)
        else:
            assert isinstance(found, Undecodable)
            assert "cut" in found.reason or "stops before" in found.reason


def test_a_missing_body_is_missing_evidence_never_zero_calls() -> None:
    """C61."""
    assert "no response" in reason(exchange(None))
    assert "client_left" in reason(exchange(body({"text": "x"}), error=ErrorKind.CLIENT_LEFT))
    assert "client_left" in reason(exchange(b"", status=500, error=ErrorKind.CLIENT_LEFT))


def test_a_stray_byte_is_kept_escaped_and_flagged() -> None:
    """C57: one invalid byte inside words, and Japanese around it unharmed."""
    answer = assistant(exchange(body({"text": "月?の"}).replace(b"?", b"\xff")))
    assert (answer.text, answer.findings) == ("月\\xffの", (Finding.INVALID_UTF8,))
    payload = '{"contentBlockIndex":0,"delta":{"text":"月?の"}}'.encode().replace(b"?", b"\xff")
    data = start() + event("contentBlockDelta", payload) + end() + stop()
    answer = assistant(exchange(data, stream=True))
    assert (answer.text, answer.findings) == ("月\\xffの", (Finding.INVALID_UTF8,))


def test_characters_cut_between_two_deltas_are_joined() -> None:
    halves = [
        event("contentBlockDelta", b'{"contentBlockIndex":0,"delta":{"text":"\\ud83c"}}'),
        event("contentBlockDelta", b'{"contentBlockIndex":0,"delta":{"text":"\\udf63"}}'),
    ]
    answer = assistant(exchange(b"".join([start(), *halves, end(), stop()]), stream=True))
    assert (answer.text, answer.findings) == ("🍣", ())
    alone = assistant(exchange(b"".join([start(), halves[1], end(), stop()]), stream=True))
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
@pytest.mark.parametrize("stream", [False, True])
def test_calls_with_empty_or_repeated_ids_are_all_kept(
    ids: tuple[Any, Any], findings: set[Finding], stream: bool
) -> None:
    """C59: two parallel calls stay two, whatever their ids are."""
    inputs = ['{"city": "NYC"}', '{"city": "SF"}']
    data = body(*(use(json.loads(given), one) for one, given in zip(ids, inputs, strict=True)))
    if stream:
        calls = [
            tool(n, identity=one) + more(given, n) + end(n)
            for n, (one, given) in enumerate(zip(ids, inputs, strict=True))
        ]
        data = b"".join([start(), *calls, stop(), counts()])
    answer = assistant(exchange(data, stream=stream))
    assert [one.raw_arguments for one in answer.calls] == inputs
    assert set(answer.findings) == findings


def test_input_that_came_twice_is_one_malformed_call() -> None:
    """C53: never one clean call in silence, never two; the raw text is kept."""
    data = start() + tool(0) + more(ARGUMENTS, 0) + more(ARGUMENTS, 0) + end(0) + stop()
    answer = assistant(exchange(data, stream=True))
    assert [one.raw_arguments for one in answer.calls] == [ARGUMENTS * 2]
    assert answer.findings == (Finding.MALFORMED_ARGUMENTS,)


def test_a_wrong_content_type_changes_nothing() -> None:
    wrong = {"content-type": "text/html"}
    assert assistant(exchange(STREAM, stream=True, headers=wrong)).text == "月の"
    assert assistant(exchange(body({"text": "x"}), headers=wrong)).text == "x"
    assert "not JSON" in reason(exchange(STREAM, headers={"content-type": "x"}))
    assert "byte 0" in reason(exchange(body({"text": "x"}), stream=True))


@pytest.mark.parametrize(
    ("data", "headers", "code", "words"),
    [
        (
            b'{"message":"Too many requests"}',
            {"x-amzn-errortype": "ThrottlingException:http://internal.example.test/coral/"},
            "ThrottlingException",
            "Too many requests",
        ),
        (b'{"Message":"expired"}', {"x-amzn-errortype": "a.b#AccessDenied"}, "AccessDenied",
         "expired"),
        (b'{"__type":"com.amazon.coral#Oops","message":"m"}', {}, "Oops", "m"),
        (b'{"code":"Slow","message":"m"}', {"retry-after": "7"}, "Slow", "m"),
        (b'{"message":"m"}', {}, "", "m"),
        (b'{"message":null}', {}, "", '{"message":null}'),
        (b"<html>busy</html>", {}, "", "<html>busy</html>"),
        (b"", {"x-amzn-errortype": "X"}, "X", ""),
        (b"[]", {}, "", "[]"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("stream", [False, True])
def test_an_error_page_in_any_form_is_the_providers(
    data: bytes, headers: dict[str, str], code: str, words: str, stream: bool
) -> None:
    """C65: with the header as it was sent."""
    answer = decode_answer(exchange(data, status=429, headers=headers, stream=stream))
    assert answer == ProviderError(
        status=429, code=code, message=words, retry_after=headers.get("retry-after")
    )


def test_an_error_object_with_status_200_is_the_providers_too() -> None:
    found = decode_answer(exchange(b'{"__type":"InternalServerException","message":"oops"}'))
    assert isinstance(found, ProviderError)
    assert (found.status, found.code, found.message) == (200, "InternalServerException", "oops")


@pytest.mark.parametrize(
    ("asked", "path", "words"),
    [
        (b"", PATH, "not JSON"),
        (b"\xff", PATH, "not UTF-8"),
        (b"[]", PATH, "no JSON object"),
        (b"{}", PATH, "/messages"),
        (b'{"messages":[{}]}', PATH, "/messages/0/role"),
        (b'{"messages":[],"toolConfig":{}}', PATH, "/toolConfig/tools"),
        (b'{"messages":[]}', "/model/x/invoke", "the path names neither"),
        (b'{"messages":[]}', "/model/%ff/converse", "utf-8"),
    ],
)
def test_a_request_that_is_none_is_undecodable(asked: bytes, path: str, words: str) -> None:
    found = decode_request(exchange(None, asked=asked, path=path))
    assert isinstance(found, Undecodable)
    assert words in found.reason


BODIES = [
    (body({"text": "月"}, use(json.loads(ARGUMENTS))), False),
    (b'{"message":"slow down"}', False),
    (STREAM, True),
    (start() + exception("throttlingException", {"message": "x"}), True),
]


@given(st.sampled_from(BODIES), st.data())
def test_no_mutation_is_more_than_an_answer_an_error_or_a_reason(
    original: tuple[bytes, bool], data: st.DataObject
) -> None:
    bad = bytearray(original[0])
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(bad)))
        bad[at : at + data.draw(st.integers(0, 4))] = data.draw(st.binary(max_size=4))
    found = exchange(bytes(bad), stream=original[1], asked=bytes(bad))
    check(decode_answer(found))
    decode_request(found)


@given(st.lists(JSON | st.builds(lambda given: {"text": given}, JSON), max_size=3), JSON, JSON)
def test_no_json_is_more_than_an_answer_an_error_or_a_reason(
    content: list[Any], output: Any, reason: Any
) -> None:
    check(decode_answer(exchange(body(*content, stopReason=reason))))
    check(decode_answer(exchange(body(output=output))))
    check(decode_answer(exchange(body(output={"message": output}))))
    events = [event("contentBlockDelta", {"delta": one}) for one in content]
    found = exchange(b"".join([start(), *events, stop(reason)]), stream=True)
    check(decode_answer(found))
    asked = {"messages": content, "system": output, "toolConfig": reason}
    decode_request(exchange(None, asked=json.dumps(asked).encode()))
