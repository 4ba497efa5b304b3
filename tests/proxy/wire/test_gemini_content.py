import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.wire.answer import Asked, Finding, ProviderError, Undecodable
from proxy.wire.exchange import ErrorKind
from proxy.wire.gemini_content import decode_answer, decode_request, is_own
from proxy.wire.protocol import decoder_of
from tests.proxy.wire.anything import JSON, check
from tests.proxy.wire.gemini import (
    ARGUMENTS,
    ARRAY,
    EVENTS,
    MODEL,
    USAGE,
    WHOLE,
    array,
    assistant,
    body,
    call,
    chunk,
    exchange,
    reason,
    sse,
    written,
)

BUSY = {"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}}
PIECES = [
    chunk({"text": "月"}, finish=None),
    chunk({"text": "の"}, call(json.loads(ARGUMENTS)), finish=None),
    chunk({"text": ""}),
]


def test_words_calls_usage_reason_and_model_are_read() -> None:
    answer = assistant(exchange(body({"text": "done"}, call({"a": 1}))))
    assert (answer.text, answer.refusal, answer.finish_reason) == ("done", None, "STOP")
    assert (answer.model, answer.usage) == ("g-001", USAGE)
    assert [(c.id, c.name, c.raw_arguments) for c in answer.calls] == [("c1", "pay", '{"a": 1}')]
    assert answer.findings == ()


def test_arguments_are_the_raw_text_of_the_body() -> None:
    raw = '{ "amount" : 1.0,\n "big":12345678901234567890123, "to": "\\u9ad9\\ud83c\\udf63" }'
    data = body(call({"here": 0})).replace(b'{"here": 0}', raw.encode())
    [one] = assistant(exchange(data)).calls
    assert one.raw_arguments == raw
    [one] = assistant(exchange(b"[" + data + b"]", ARRAY)).calls
    assert one.raw_arguments == raw
    [one] = assistant(exchange(sse(data.replace(b"\n", b" ")), EVENTS)).calls
    assert one.raw_arguments == raw.replace("\n", " ")


def test_both_forms_of_a_stream_and_a_whole_body_give_the_same_answer() -> None:
    """C61."""
    plain = assistant(exchange(body({"text": "月の"}, call(json.loads(ARGUMENTS)))))
    by_events = assistant(exchange(sse(*PIECES), EVENTS))
    assert by_events == plain
    by_array = assistant(exchange(array(*PIECES), ARRAY))
    [one], [other] = by_array.calls, plain.calls
    assert json.loads(one.raw_arguments) == json.loads(other.raw_arguments)
    assert (by_array.text, by_array.usage) == (plain.text, plain.usage)


@pytest.mark.parametrize(
    "fields", [{}, {"id": None}, {"id": ""}, {"args": None}, {"willContinue": False}]
)
def test_a_call_without_id_or_arguments_is_a_call(fields: dict[str, Any]) -> None:
    """C59: an empty id is told; none is made up."""
    data = body({"functionCall": {"name": "now"} | fields})
    answer = assistant(exchange(data))
    assert [(c.id, c.name, c.raw_arguments) for c in answer.calls] == [("", "now", "{}")]
    assert answer.findings == (Finding.EMPTY_CALL_ID,)


@pytest.mark.parametrize(
    ("ids", "findings"),
    [
        (("", ""), {Finding.EMPTY_CALL_ID}),
        ((None, "a"), {Finding.EMPTY_CALL_ID}),
        (("get_weather", "get_weather"), {Finding.DUPLICATE_CALL_ID}),
        (("a", "b"), set()),
    ],
)
def test_calls_with_empty_or_repeated_ids_are_all_kept(
    ids: tuple[Any, Any], findings: set[Finding]
) -> None:
    """C59: two parallel calls stay two, whatever their ids are, in one piece or in two."""
    calls = [call({"city": "NYC"}, ids[0]), call({"city": "SF"}, ids[1])]
    for found in [
        exchange(body(*calls)),
        exchange(sse(chunk(calls[0], finish=None), chunk(calls[1])), EVENTS),
    ]:
        answer = assistant(found)
        told = [one.raw_arguments for one in answer.calls]
        assert told == ['{"city": "NYC"}', '{"city": "SF"}']
        assert set(answer.findings) == findings


def test_thoughts_and_empty_parts_are_no_words() -> None:
    parts = [{"text": "hm", "thought": True}, {}, {"text": "x"}, {"thoughtSignature": "s"}]
    answer = assistant(exchange(body(*parts)))
    assert (answer.text, answer.findings) == ("x", ())


@pytest.mark.parametrize(
    "content",
    [None, {}, {"role": "model"}, {"parts": []}, {"parts": [{}]}, {"parts": [{"text": ""}]}],
)
@pytest.mark.parametrize("finish", ["STOP", "SAFETY", "MALFORMED_FUNCTION_CALL"])
def test_a_candidate_with_nothing_in_it_is_told_as_such(content: Any, finish: str) -> None:
    """It was sent, with a reason of its own; a call that the provider held back is not one."""
    candidate = {"content": content, "finishReason": finish, "finishMessage": "pay(1)"}
    answer = assistant(exchange(written({"candidates": [candidate]})))
    assert (answer.text or None, answer.calls, answer.finish_reason) == (None, (), finish)
    assert answer.findings == (Finding.NO_CONTENT,)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "not JSON"),
        (b"<html>", "not JSON"),
        (b"[]", "no JSON object"),
        (array(chunk({"text": "x"})), "no JSON object"),
        (b"{}", "/candidates is empty"),
        (b'{"candidates":[]}', "/candidates is empty"),
        (b'{"promptFeedback":{"safetyRatings":[]}}', "/candidates is empty"),
        (b'{"candidates":[{}]}', "finishReason is missing"),
        (b'{"candidates":[null]}', "no list of objects"),
        (b'{"candidates":{}}', "no list of objects"),
        (body({"text": "x"}, finish=None), "finishReason is missing"),
        (body({"text": "x"}, finish=""), "finishReason is missing"),
        (body({"text": "x"}, finish="FINISH_REASON_UNSPECIFIED"), "finishReason is missing"),
        (body({"text": "x"}, finish=1), "finish reason is no text"),
        (body(candidates=chunk({"text": "x"})["candidates"] * 2), "more than one candidate"),
        (body(candidates=[{"index": 1, "finishReason": "STOP"}]), "more than one candidate"),
        (body(candidates=[{"content": "x", "finishReason": "STOP"}]), "no object of the model"),
        (
            body(candidates=[{"content": {"role": "user"}, "finishReason": "STOP"}]),
            "no object of the model",
        ),
        (body(None), "parts is no list of objects"),
        (body("x"), "parts is no list of objects"),
        (body({"text": 5}), "text is no text"),
        (body({"text": 5, "thought": True}), "thought is no text"),
        (body({"text": "x"} | call({})), "of 2 kinds"),
        (body({"function_call": {"name": "x"}}), "of no known kind"),
        (body({"inlineData": {}}), "kind inlineData"),
        (body({"executableCode": {}}), "kind executableCode"),
        (body({"functionResponse": {}}), "kind functionResponse"),
        (body({"toolCall": {}}), "kind toolCall"),
        (body({"functionCall": "x"}), "functionCall is no object"),
        (body({"functionCall": {}}), "tool call 0 has no name"),
        (body(call({}, name="")), "tool call 0 has no name"),
        (body(call({}, identity=5)), "id is no text"),
        (body(call("{}")), "args of a functionCall are no object"),
        (body(call([])), "args of a functionCall are no object"),
        (body({"functionCall": {"name": "x", "willContinue": True}}), "in pieces"),
        (body({"functionCall": {"name": "x", "partialArgs": []}}), "in pieces"),
        (body({"text": "x"}, promptFeedback={"blockReason": "SAFETY"}), "beside that stands"),
        (b'{"candidates":[],"candidates":[]}', "stands twice"),
        (b"[" * 100_000, "not JSON"),
    ],
)
def test_what_is_no_answer_is_undecodable_never_an_empty_message(data: bytes, words: str) -> None:
    assert words in reason(exchange(data))
    assert reason(exchange(sse(data), EVENTS))


@pytest.mark.parametrize("path", [WHOLE, EVENTS, ARRAY])
def test_an_answer_cut_at_any_byte_is_undecodable(path: str) -> None:
    data = {WHOLE: body({"text": "月"}), EVENTS: sse(*PIECES), ARRAY: array(*PIECES)}[path]
    for cut in range(len(data.rstrip())):
        found = reason(exchange(data[:cut], path))
        assert any(words in found for words in ("not JSON", "stops without", "inside an event"))


@pytest.mark.parametrize(
    "pieces",
    [
        [],
        [chunk({"text": "x"}, finish=None)],
        [chunk({"text": "x"}, finish="FINISH_REASON_UNSPECIFIED")],
        [chunk({"text": "x"}), chunk({"text": "y"}, finish=None)],
        [chunk({"text": "x"}), chunk(call({}), finish=None)],
        [{"usageMetadata": USAGE}],
        [{"promptFeedback": {}}],
    ],
)
def test_a_stream_that_just_stops_is_undecodable(pieces: list[Any]) -> None:
    assert "without a finish reason" in reason(exchange(sse(*pieces), EVENTS))
    assert "without a finish reason" in reason(exchange(array(*pieces), ARRAY))


@pytest.mark.parametrize(
    "pieces",
    [
        [chunk(), chunk({"text": "x"}, finish=None), chunk()],
        [chunk({"text": "x"}), {"usageMetadata": USAGE}],
        [chunk({"text": "x"}), chunk({}, finish=None), chunk({"text": ""}, finish=None)],
        [chunk({"text": "x"}, finish=None), {"candidates": [{"finishReason": "STOP"}]}],
    ],
)
def test_a_stream_that_went_on_after_a_reason_and_named_one_again_is_whole(
    pieces: list[Any],
) -> None:
    answer = assistant(exchange(sse(*pieces), EVENTS))
    assert (answer.text, answer.finish_reason, answer.findings) == ("x", "STOP", ())
    assert answer.usage == USAGE


def test_a_missing_body_is_missing_evidence_never_zero_calls() -> None:
    """C61."""
    assert "no response" in reason(exchange(None))
    assert "client_left" in reason(exchange(body({"text": "x"}), error=ErrorKind.CLIENT_LEFT))
    assert "client_left" in reason(exchange(b"", status=500, error=ErrorKind.CLIENT_LEFT))


def test_keep_alives_and_framings_change_nothing() -> None:
    """C55: `data: : PROCESSING` is one bad event, counted; the rest is kept."""
    noise = b"\xef\xbb\xbf: ping\r\n\r\n:\r\n\r\nevent: keepalive\r\n\r\nretry: 3000\r\n\r\nid\r\n"
    data = noise + sse(PIECES[0], b": PROCESSING", *PIECES[1:]) + b": bye\r\n\r\n"
    for form in (data, data.replace(b"\r\n", b"\n"), data.replace(b"data: ", b"data:")):
        answer = assistant(exchange(form, EVENTS))
        assert (answer.text, answer.skipped) == ("月の", 1)
        assert answer.findings == (Finding.BAD_EVENT,)
    assert "inside an event" in reason(exchange(sse(*PIECES).rstrip(), EVENTS))


def test_an_event_that_is_no_object_is_a_bad_one() -> None:
    answer = assistant(exchange(sse(*PIECES, b"null", b"[1]"), EVENTS))
    assert (answer.text, answer.skipped) == ("月の", 2)
    assert "no JSON array of objects" in reason(exchange(array(*PIECES, None), ARRAY))
    assert "no JSON array of objects" in reason(exchange(body({"text": "x"}), ARRAY))


def test_an_event_that_may_have_held_something_is_not_skipped() -> None:
    for damage in (b'{"c":[', b'{"a":1,"a":2}', b'{"a":NaN}', b": PING\r\ndata: {}", b"[{}]"):
        assert "damaged" in reason(exchange(sse(PIECES[0], damage, *PIECES[1:]), EVENTS))


def test_a_stray_byte_is_kept_escaped_and_flagged() -> None:
    """C57: one invalid byte inside words, and Japanese around it unharmed."""
    data = body({"text": "月?の"}).replace(b"?", b"\xff")
    for found in (exchange(data), exchange(sse(data), EVENTS), exchange(b"[" + data + b"]", ARRAY)):
        answer = assistant(found)
        assert (answer.text, answer.findings) == ("月\\xffの", (Finding.INVALID_UTF8,))


def test_characters_cut_between_two_pieces_are_joined() -> None:
    first = written(chunk({"text": "?"}, finish=None)).replace(b"?", b"\\ud83c")
    second = written(chunk({"text": "?"})).replace(b"?", b"\\udf63")
    answer = assistant(exchange(sse(first, second), EVENTS))
    assert (answer.text, answer.findings) == ("🍣", ())
    alone = assistant(exchange(sse(second), EVENTS))
    assert (alone.text, alone.findings) == ("\\udf63", (Finding.HALF_CHARACTER,))


@pytest.mark.parametrize(
    ("data", "path"),
    [
        (written(BUSY), WHOLE),
        (array(BUSY), WHOLE),
        (sse(PIECES[0], BUSY), EVENTS),
        (sse(*PIECES, BUSY), EVENTS),
        (sse(PIECES[0]) + json.dumps(BUSY, indent=2).encode(), EVENTS),
        (sse(PIECES[0]) + array(BUSY), EVENTS),
        (json.dumps(BUSY, indent=2).replace("\n", "\r\n").encode(), EVENTS),
        (sse(PIECES[0]) + b"data: " + written(BUSY), EVENTS),
        (array(BUSY), ARRAY),
        (array(PIECES[0], BUSY), ARRAY),
        (written(BUSY), ARRAY),
    ],
)
def test_an_error_with_status_200_is_the_providers_wherever_it_stands(
    data: bytes, path: str
) -> None:
    assert decode_answer(exchange(data, path)) == ProviderError(
        status=200, code="UNAVAILABLE", message="overloaded", retry_after=None
    )


@pytest.mark.parametrize("path", [WHOLE, EVENTS, ARRAY])
@pytest.mark.parametrize("before", [False, True])
def test_a_blocked_prompt_is_the_providers_refusal_and_no_answer(path: str, before: bool) -> None:
    feedback = {"blockReason": "PROHIBITED_CONTENT", "blockReasonMessage": "not this"}
    blocked = {"promptFeedback": feedback, "usageMetadata": USAGE}
    pieces = [PIECES[0], blocked] if before and path != WHOLE else [blocked]
    data = {WHOLE: written(blocked), EVENTS: sse(*pieces), ARRAY: array(*pieces)}[path]
    assert decode_answer(exchange(data, path)) == ProviderError(
        status=200, code="PROHIBITED_CONTENT", message="not this", retry_after=None
    )


@pytest.mark.parametrize(
    ("data", "code", "words"),
    [
        (written(BUSY), "UNAVAILABLE", "overloaded"),
        (array(BUSY), "UNAVAILABLE", "overloaded"),
        (b'{"error":{"code":429,"message":"m"}}', "429", "m"),
        (b'{"error":{}}', "", ""),
        (b'{"error":"busy"}', "", "busy"),
        (b"<html>busy</html>", "", "<html>busy</html>"),
        (b"[]", "", "[]"),
        (b"", "", ""),
    ],
)
@pytest.mark.parametrize("path", [WHOLE, EVENTS, ARRAY])
def test_an_error_page_in_any_form_is_the_providers(
    data: bytes, code: str, words: str, path: str
) -> None:
    """C65: with the header as it was sent."""
    found = decode_answer(exchange(data, path, status=503, headers={"retry-after": "-1"}))
    assert found == ProviderError(status=503, code=code, message=words, retry_after="-1")


def test_the_path_says_model_and_method() -> None:
    vertex = "/v1/projects/p/locations/l/publishers/google/models/g-2:streamGenerateContent"
    for path, model, stream in [
        (WHOLE, MODEL, False),
        (f"{WHOLE}?key=[client key]", MODEL, False),
        (EVENTS, MODEL, True),
        (vertex, "g-2", True),
        ("/v1beta/tunedModels/my%2Dmodel%3AgenerateContent?$alt=sse", "my-model", False),
    ]:
        asked = decode_request(exchange(None, path))
        assert isinstance(asked, Asked)
        assert (asked.model, asked.stream) == (model, stream)
        assert decoder_of(path).__name__ == "proxy.wire.gemini_content"
    assert assistant(exchange(sse(*PIECES), f"{vertex}?%24alt=sse")).text == "月の"
    assert "not JSON" in reason(exchange(sse(*PIECES), vertex))
    assert is_own({"role": "model"})
    assert not is_own({"role": "user"})


@pytest.mark.parametrize(
    ("asked", "path", "words"),
    [
        (b"", WHOLE, "not JSON"),
        (b"\xff", WHOLE, "not UTF-8"),
        (b"[]", WHOLE, "no JSON object"),
        (b"{}", WHOLE, "/contents"),
        (b'{"contents":[],"tools":"x"}', WHOLE, "/tools"),
        (b'{"contents":[]}', "/v1beta/models/x:countTokens", "the path names neither"),
        (b'{"contents":[]}', "/v1beta/models/%ff:generateContent", "utf-8"),
    ],
)
def test_a_request_that_is_none_is_undecodable(asked: bytes, path: str, words: str) -> None:
    found = decode_request(exchange(None, path, asked=asked))
    assert isinstance(found, Undecodable)
    assert words in found.reason


BODIES = [
    (body({"text": "月"}, call(json.loads(ARGUMENTS))), WHOLE),
    (sse(*PIECES), EVENTS),
    (sse(PIECES[0], BUSY), EVENTS),
    (array(*PIECES), ARRAY),
]


@given(st.sampled_from(BODIES), st.data())
def test_no_mutation_is_more_than_an_answer_an_error_or_a_reason(
    original: tuple[bytes, str], data: st.DataObject
) -> None:
    bad = bytearray(original[0])
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(bad)))
        bad[at : at + data.draw(st.integers(0, 4))] = data.draw(st.binary(max_size=4))
    found = exchange(bytes(bad), original[1], asked=bytes(bad))
    check(decode_answer(found))
    decode_request(found)


@given(
    st.lists(JSON | st.builds(lambda one: {"text": one}, JSON) | st.builds(call, JSON), max_size=3),
    JSON,
    JSON,
)
def test_no_json_is_more_than_an_answer_an_error_or_a_reason(
    parts: list[Any], anything: Any, finish: Any
) -> None:
    pieces: list[Any] = [
        chunk(*parts, finish=finish),
        chunk(candidates=[{"content": anything}]),
        chunk(candidates=anything, promptFeedback=finish),
        chunk(promptFeedback={"blockReason": anything}, error=finish),
    ]
    for one in pieces:
        check(decode_answer(exchange(written(one))))
        check(decode_answer(exchange(sse(one, anything), EVENTS)))
        check(decode_answer(exchange(array(one, anything), ARRAY)))
    asked = {"contents": parts, "tools": anything, "systemInstruction": finish}
    decode_request(exchange(None, asked=written(asked)))
    decode_request(exchange(None, asked=written({"contents": [{"parts": parts}]})))
