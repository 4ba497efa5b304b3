import json
from typing import Any

import pytest

from grid.errors import StrictError
from proxy.wire.answer import Assistant, Finding, ProviderError, Undecodable
from proxy.wire.draft import (
    AnswerDraft,
    DraftCall,
    SentError,
    decode_response,
    joined,
    media_type,
    object_of,
    objects,
    once,
    optional_text,
)
from proxy.wire.exchange import ErrorKind, Exchange, Request, Response, body_json


def exchange(body: bytes = b"{}", status: int = 200, **headers: str) -> Exchange:
    request = Request(method="POST", path="/x", headers={}, body={"text": "{}"})
    head = {name.replace("_", "-"): value for name, value in headers.items()}
    response = Response(status=status, headers=head, body=body_json(body))
    return Exchange(n=0, request=request, response=response, error=None)


def draft(**changes: Any) -> AnswerDraft:
    fields: dict[str, Any] = {"text": "moon", "finish_reason": "stop", "model": "m"}
    return AnswerDraft(**(fields | changes))


def test_a_draft_becomes_an_answer_with_each_finding_once() -> None:
    made = draft(findings=[Finding.BAD_EVENT, Finding.NO_DONE, Finding.BAD_EVENT])
    answer = decode_response(exchange(), lambda _: made)
    assert isinstance(answer, Assistant)
    assert (answer.text, answer.findings, answer.skipped) == (
        "moon",
        (Finding.BAD_EVENT, Finding.NO_DONE),
        2,
    )


def test_half_characters_anywhere_in_an_answer_are_escaped_and_told() -> None:
    half = "x\ud83c"
    call = DraftCall(index=0, id=half, name=half, arguments="{}")
    for made in (
        draft(text=half),
        draft(refusal=half),
        draft(calls=[call]),
        draft(model=half),
        draft(finish_reason=half),
    ):
        answer = decode_response(exchange(), lambda _, made=made: made)
        assert isinstance(answer, Assistant)
        assert answer.findings == (Finding.HALF_CHARACTER,)
        assert "\\ud83c" in repr(answer)


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (StrictError("two ways"), Undecodable(reason="two ways")),
        (ValueError("no number"), Undecodable(reason="no number")),
        (
            SentError("busy", "come back"),
            ProviderError(status=200, code="busy", message="come back", retry_after="3"),
        ),
    ],
)
def test_what_a_reader_raises_is_an_answer_too(raised: Exception, expected: Any) -> None:
    def read(_: Response) -> AnswerDraft:
        raise raised

    assert decode_response(exchange(retry_after="3"), read) == expected


def test_without_a_whole_answer_nothing_is_read() -> None:
    def read(_: Response) -> AnswerDraft:
        pytest.fail("there is nothing to read")

    whole = exchange()
    none = Exchange(n=0, request=whole.request, response=None, error=None)
    cut = Exchange(n=0, request=whole.request, response=whole.response, error=ErrorKind.CLIENT_LEFT)
    lied = exchange(content_encoding="br")
    for one, words in ((none, "no response"), (cut, "client_left"), (lied, "'br'")):
        found = decode_response(one, read)
        assert isinstance(found, Undecodable)
        assert words in found.reason


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        (b'{"error":{"code":"c","type":"t","message":"m"}}', "c", "m"),
        (b'{"error":{"code":null,"type":"t","message":"m"}}', "t", "m"),
        (b'{"error":{"code":429,"message":"m"}}', "429", "m"),
        (b'{"type":"error","error":{"type":"t","message":"m"}}', "t", "m"),
        (b'{"error":"only words"}', "", "only words"),
        (b'{"error":{}}', "", ""),
        (b'{"error":{"code":"x\\ud83c"}}', "x\\ud83c", ""),
        (b"<html>busy</html>", "", "<html>busy</html>"),
        (b"[]", "", "[]"),
        (b"", "", ""),
        (b"\xff", "", "\\\\xff"),
    ],
)
def test_a_status_that_is_no_success_is_the_providers(body: bytes, code: str, message: str) -> None:
    found = decode_response(exchange(body, 503, content_encoding="br"), lambda _: draft())
    assert found == ProviderError(status=503, code=code, message=message, retry_after=None)


def test_a_long_error_is_cut() -> None:
    body = json.dumps({"error": {"message": "x" * 9000}}).encode()
    found = decode_response(exchange(body, 500), lambda _: draft())
    assert isinstance(found, ProviderError)
    assert len(found.message) == 2000


def test_a_media_type_is_what_stands_before_its_parameters() -> None:
    for value in ("text/event-stream", "TEXT/Event-Stream ; charset=utf-8"):
        response = exchange(content_type=value).response
        assert response is not None
        assert media_type(response) == "text/event-stream"
    bare = exchange().response
    assert bare is not None
    assert media_type(bare) == ""


def test_members_of_another_type_are_refused() -> None:
    assert objects({"a": [{}]}, "a") == [{}]
    assert objects({"a": None}, "a") == objects({}, "a") == []
    assert optional_text({"a": "x"}, "a") == "x"
    assert optional_text({}, "a") is None
    assert (joined(None, "x", "t"), joined("x", "y", "t"), joined("x", None, "t")) == (
        "x",
        "xy",
        "x",
    )
    assert (once("", "x", "id"), once("x", None, "id"), once("x", "x", "id")) == ("x", "x", "x")
    for refused in (
        lambda: objects({"a": {}}, "a"),
        lambda: objects({"a": [1]}, "a"),
        lambda: optional_text({"a": 1}, "a"),
        lambda: joined(None, 1, "t"),
        lambda: once("x", "y", "id"),
        lambda: once("", 1, "id"),
        lambda: object_of("[]", "body"),
        lambda: object_of("{", "body"),
    ):
        with pytest.raises(StrictError):
            refused()
