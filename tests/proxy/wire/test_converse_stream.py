from typing import Any

import pytest

from grid.errors import StrictError
from proxy.wire.answer import Finding
from proxy.wire.aws_eventstream import read_messages
from proxy.wire.converse_stream import merge_messages
from proxy.wire.draft import AnswerDraft, SentError
from tests.proxy.wire.eventstream import (
    counts,
    delta,
    end,
    event,
    exception,
    framed,
    header,
    piece,
    start,
    stop,
    text,
    tool,
)


def merged(*messages: bytes) -> AnswerDraft:
    return merge_messages(read_messages(b"".join(messages)))


def shape(draft: AnswerDraft) -> list[tuple[str, str, str]]:
    return [(call.id, call.name, call.arguments) for call in draft.calls]


def test_words_calls_and_counts_are_put_together() -> None:
    draft = merged(
        start(),
        text("mo"),
        text("on"),
        end(),
        tool(1),
        piece("", 1),
        piece('{"amt', 1),
        piece('":5}', 1),
        end(1),
        stop("tool_use"),
        counts(),
    )
    assert (draft.text, shape(draft)) == ("moon", [("t1", "pay", '{"amt":5}')])
    assert (draft.finish_reason, draft.model, draft.findings) == ("tool_use", "", [])
    assert draft.usage == {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3}


def test_calls_that_grow_at_once_are_put_together_by_index() -> None:
    draft = merged(
        start(),
        tool(0, "x", "a"),
        tool(1, "y", "b"),
        piece("1", 0),
        piece("2", 1),
        piece("3", 0),
        end(1),
        end(0),
        stop(),
    )
    assert shape(draft) == [("a", "x", "13"), ("b", "y", "2")]
    assert draft.findings == []


def test_thoughts_and_citations_are_no_words() -> None:
    draft = merged(
        start(),
        delta({"reasoningContent": {"text": "hm"}}),
        delta({"reasoningContent": {"signature": "s"}}),
        end(),
        text("x", 1),
        delta({"citation": {"title": "t"}}, 1),
        end(1),
        stop(),
    )
    assert (draft.text, draft.findings) == ("x", [])


def test_a_block_of_words_without_a_word_is_nothing() -> None:
    assert merged(start(), end(), tool(1), end(1), stop()).text is None
    assert merged(start(), opened({}), text("x"), end(), stop()).text == "x"
    assert merged(start(), text(""), end(), stop()).text == ""


def test_without_an_index_a_delta_goes_to_the_open_block() -> None:
    draft = merged(
        start(), text("x", None), end(None), tool(None), piece("{}", None), end(None), stop()
    )
    assert (draft.text, shape(draft)) == ("x", [("t1", "pay", "{}")])
    assert set(draft.findings) == {Finding.INDEX_MISSING}
    one = merged(start(), tool(0), piece("{}", None), end(0), stop())
    assert shape(one) == [("t1", "pay", "{}")]
    assert one.findings == [Finding.INDEX_MISSING]


def test_an_index_that_comes_again_after_its_end_is_a_call_of_its_own() -> None:
    draft = merged(
        start(), tool(0, "x", "a"), end(0), tool(0, "y", "b"), piece("{}", 0), end(0), stop()
    )
    assert shape(draft) == [("a", "x", ""), ("b", "y", "{}")]
    assert draft.findings == [Finding.INDEX_REUSED]


@pytest.mark.parametrize(
    ("messages", "finding"),
    [
        ([text("x"), stop()], Finding.NOT_ENDED),
        ([text("x", 1), end(1), stop()], Finding.INDEX_SKIPPED),
        ([event("ping", {}), text("x"), end(), stop()], Finding.UNKNOWN_EVENT),
        ([event("initial-response", b"?"), text("x"), end(), stop()], Finding.UNKNOWN_EVENT),
        ([event("contentBlockDelta", b'{"delta":{"text":"\xff"},"contentBlockIndex":0}'), end(),
          stop()], Finding.INVALID_UTF8),
    ],
)  # fmt: skip
def test_what_is_odd_and_has_one_reading_is_told(messages: list[bytes], finding: Finding) -> None:
    draft = merged(start(), *messages)
    assert draft.text in ("x", "\\xff")
    assert draft.findings == [finding]


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [start()],
        [start(), text("x"), end()],
        [start(), tool(0), piece("{}", 0), end(0), counts()],
    ],
)
def test_a_stream_that_just_stops_is_refused(messages: list[bytes]) -> None:
    with pytest.raises(StrictError, match="stops before messageStop"):
        merged(*messages)


def test_a_cut_inside_a_message_is_the_reason_and_names_its_byte() -> None:
    whole = start() + text("x") + end()
    with pytest.raises(StrictError, match=f"cut inside the message at byte {len(whole)}"):
        merged(whole + stop()[:-1])


def test_a_stream_without_counts_is_finished_all_the_same() -> None:
    assert merged(start(), text("x"), end(), stop()).usage is None


def test_counts_that_hold_none_take_nothing_away() -> None:
    more = event("metadata", {"metrics": {"latencyMs": 5}})
    draft = merged(start(), text("x"), end(), stop(), counts(), more)
    assert draft.usage == {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3}


def opened(what: Any) -> bytes:
    return event("contentBlockStart", {"start": what, "contentBlockIndex": 0})


CALLED = [start(), tool(0), piece("{}", 0)]


@pytest.mark.parametrize(
    "messages",
    [
        [text("x"), end(), stop()],
        [counts(), start(), text("x"), end(), stop()],
        [start(), start(), stop()],
        [event("messageStart", {"role": "user"}), stop()],
        [event("messageStart", {}), stop()],
        [event("messageStart", b"[]"), stop()],
        [start(), event("contentBlockDelta", b"{"), stop()],
        [start(), event("contentBlockDelta", b'{"delta":{"text":"x"},"delta":{}}'), stop()],
        [start(), event("contentBlockDelta", b"null"), stop()],
        [start(), delta({}), stop()],
        [start(), delta(None), stop()],
        [start(), delta({"text": None}), stop()],
        [start(), delta({"text": 5}), stop()],
        [start(), delta({"text": "x", "toolUse": {"input": "{}"}}), stop()],
        [start(), delta({"image": {}}), stop()],
        [start(), delta({"toolResult": [{"text": "x"}]}), stop()],
        [start(), piece("{}", 0), end(0), stop()],
        [start(), text("x"), piece("{}", 0), end(0), stop()],
        [start(), piece("{}", None), stop()],
        [*CALLED, text("x", 0), end(0), stop()],
        [*CALLED, end(0), piece("{}", 0), stop()],
        [*CALLED, end(0), end(0), stop()],
        [*CALLED, tool(0, "x", "b"), end(0), stop()],
        [*CALLED, tool(None, "x", "b"), end(None), end(0), stop()],
        [*CALLED, stop("tool_use")],
        [*CALLED, delta({"toolUse": {"input": {"a": 1}}}), end(0), stop()],
        [*CALLED, delta({"toolUse": {}}), end(0), stop()],
        [start(), tool(0, name=5), end(0), stop()],
        [start(), tool(0, identity=5), end(0), stop()],
        [start(), tool(True), end(0), stop()],
        [start(), tool(-1), end(-1), stop()],
        [start(), text("x"), tool(0), end(0), stop()],
        [start(), opened({"toolUse": {"name": "x", "type": "server_tool_use"}}), end(0), stop()],
        [start(), opened({"image": {"format": "png"}}), end(0), stop()],
        [start(), text("x", 0), text("y", 1), text("z", 0), end(0), end(1), stop()],
        [start(), text("x"), end(), stop(""), counts()],
        [start(), text("x"), end(), stop(None), counts()],
        [start(), text("x"), end(), stop(5), counts()],
        [start(), text("x"), end(), stop(), text("y", 1)],
        [start(), text("x"), end(), stop(), stop()],
        [start(), framed(header(":event-type", "ping"), b"{}"), stop()],
        [start(), framed(header(":message-type", "event"), b"{}"), stop()],
        [start(), framed(header(":message-type", "event") + header(":event-type", b"x", 6), b"{}"),
         stop()],
    ],
)  # fmt: skip
def test_what_can_be_read_in_more_than_one_way_is_refused(messages: list[bytes]) -> None:
    with pytest.raises(StrictError):
        merged(*messages)


SENT: dict[str, tuple[bytes, str, str]] = {
    "modelled": (
        exception("throttlingException", {"message": "slow down"}),
        "throttlingException",
        "slow down",
    ),
    "with the model's own words": (
        exception("modelStreamErrorException", {"message": None, "originalMessage": "CUDA"}),
        "modelStreamErrorException",
        "CUDA",
    ),
    "with a capital": (
        exception("validationException", {"Message": "bad"}),
        "validationException",
        "bad",
    ),
    "unmodelled": (
        framed(
            header(":message-type", "error")
            + header(":error-code", "InternalError")
            + header(":error-message", "it broke"),
            b"",
        ),
        "InternalError",
        "it broke",
    ),
    "in no JSON": (
        framed(header(":message-type", "exception"), b"<html>"),
        "",
        "<html>",
    ),
}


@pytest.mark.parametrize("name", SENT)
@pytest.mark.parametrize("before", [[], [start(), text("x")], [start(), text("x"), end(), stop()]])
def test_an_error_inside_a_stream_is_the_providers(name: str, before: list[bytes]) -> None:
    sent, code, words = SENT[name]
    cut_after = [text("y")[:-3]]
    with pytest.raises(SentError) as caught:
        merged(*before, sent, *cut_after)
    assert (caught.value.code, caught.value.message) == (code, words)


def test_events_of_every_kind_may_carry_padding() -> None:
    padded: Any = {"contentBlockIndex": 0, "delta": {"text": "x"}, "p": "abcdefghijk"}
    draft = merged(start(), event("contentBlockDelta", padded), end(), stop())
    assert (draft.text, draft.findings) == ("x", [])
