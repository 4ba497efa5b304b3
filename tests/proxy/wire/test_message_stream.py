import json
from typing import Any

import pytest

from grid.errors import StrictError
from proxy.wire.answer import Finding
from proxy.wire.draft import SentError
from proxy.wire.message_stream import MessageDraft
from proxy.wire.typed_events import TypedEvent

START = {"type": "message_start", "message": {"role": "assistant", "model": "m-1", "content": []}}
TOOL = {"type": "tool_use", "id": "c1", "name": "pay", "input": {}}


def begin(index: Any, block: dict[str, Any]) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def text(index: Any, piece: Any) -> dict[str, Any]:
    delta = {"type": "text_delta", "text": piece}
    return {"type": "content_block_delta", "index": index, "delta": delta}


def more(index: Any, piece: Any) -> dict[str, Any]:
    delta = {"type": "input_json_delta", "partial_json": piece}
    return {"type": "content_block_delta", "index": index, "delta": delta}


def end(index: Any) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


def stop(reason: Any = "tool_use", **fields: Any) -> dict[str, Any]:
    return {"type": "message_delta", "delta": {"stop_reason": reason} | fields}


STOP = {"type": "message_stop"}
WORDS = {"type": "text", "text": ""}


def merged(*bodies: Any, named: bool = True) -> MessageDraft:
    draft = MessageDraft()
    for body in bodies:
        draft.take_event(
            TypedEvent(type=body["type"], named=named, body=body, raw=json.dumps(body))
        )
    draft.finish()
    return draft


def whole(*blocks: str, **changes: Any) -> MessageDraft:
    head = {"type": "message", "role": "assistant", "model": "m-1", "stop_reason": "end_turn"}
    draft = MessageDraft()
    content = f'"content": [{", ".join(blocks)}]'
    draft.take_whole(f"{json.dumps(head | changes)[:-1]}, {content}}}")
    return draft


def shape(draft: MessageDraft) -> list[tuple[str, str, str]]:
    return [(one.id, one.name, one.arguments) for one in draft.calls]


def test_the_input_of_a_whole_body_is_the_text_that_was_sent() -> None:
    """Written anew, 1.0 would be 1, a long number would be rounded and the escape would be gone."""
    sent = '{ "n" :1.0, "id": 12345678901234567890, "e": 1E+2,\n "\\u00e9": "\\ud83c" }'
    draft = whole(
        '{"type": "text", "text": "I pay."}',
        f'{{"input": {sent}, "type": "tool_use", "id": "c1", "name": "pay"}}',
        '{"type": "tool_use", "id": "c2", "name": "stop", "input": {}}',
    )
    assert shape(draft) == [("c1", "pay", sent), ("c2", "stop", "{}")]
    assert draft.text == "I pay."


def test_the_input_of_a_stream_is_its_pieces_as_they_came() -> None:
    draft = merged(
        START,
        begin(0, TOOL),
        more(0, ""),
        more(0, '{"n" : 1.'),
        more(0, "0 }"),
        end(0),
        stop(),
        STOP,
    )
    assert shape(draft) == [("c1", "pay", '{"n" : 1.0 }')]
    assert draft.findings == []


@pytest.mark.parametrize("given", [{}, {"a": 1.0}])
def test_a_call_without_pieces_has_the_input_of_its_beginning(given: dict[str, Any]) -> None:
    for pieces in ([], [more(0, "")]):
        draft = merged(START, begin(0, TOOL | {"input": given}), *pieces, end(0), stop(), STOP)
        assert shape(draft) == [("c1", "pay", json.dumps(given))]


@pytest.mark.parametrize("given", ["missing", None, "", {}])
def test_a_beginning_that_says_nothing_gives_way_to_the_pieces(given: Any) -> None:
    block = {key: value for key, value in (TOOL | {"input": given}).items() if value != "missing"}
    draft = merged(START, begin(0, block), more(0, '{"a":1}'), end(0), stop(), STOP)
    assert shape(draft) == [("c1", "pay", '{"a":1}')]


def test_blocks_that_grow_side_by_side_are_told_apart_by_index() -> None:
    other = TOOL | {"id": "c2", "name": "stop"}
    draft = merged(
        START, begin(0, TOOL), begin(1, other), more(1, "{"), more(0, '{"a":'), more(1, "}"),
        more(0, "1}"), end(1), end(0), stop(), STOP,
    )  # fmt: skip
    assert shape(draft) == [("c1", "pay", '{"a":1}'), ("c2", "stop", "{}")]


def test_thinking_is_no_words_and_a_citation_is_none() -> None:
    thinking = [
        begin(0, {"type": "thinking", "thinking": ""}),
        {"type": "content_block_delta", "index": 0}
        | {"delta": {"type": "thinking_delta", "thinking": "secret plan"}},
        {"type": "content_block_delta", "index": 0}
        | {"delta": {"type": "signature_delta", "signature": "s"}},
        end(0),
        begin(1, {"type": "redacted_thinking", "data": "x"}),
        end(1),
    ]
    cited = {"type": "content_block_delta", "index": 2}
    cited |= {"delta": {"type": "citations_delta", "citation": {}}}
    draft = merged(
        START, *thinking, begin(2, WORDS), text(2, "mo"), cited, text(2, "on"), end(2), stop(), STOP
    )
    assert (draft.text, draft.calls, draft.findings) == ("moon", [], [])
    only = merged(START, *thinking, stop("end_turn"), STOP)
    assert only.text is None
    assert whole('{"type": "thinking", "thinking": "x", "signature": "s"}').text is None


def test_token_counts_of_the_end_replace_those_of_the_beginning() -> None:
    start = {"type": "message_start", "message": {"usage": {"input_tokens": 5, "output_tokens": 1}}}
    last = stop() | {"usage": {"output_tokens": 7, "input_tokens": None}}
    assert merged(start, last, STOP).usage == {"input_tokens": 5, "output_tokens": 7}
    assert merged(START, last, STOP).usage == {"output_tokens": 7, "input_tokens": None}
    assert merged(START, stop(), STOP).usage is None


def test_a_refusal_is_told_in_the_providers_own_words() -> None:
    details = {"type": "refusal", "category": "cyber", "explanation": "against the rules"}
    for draft in (
        merged(START, stop("refusal", stop_details=details), STOP),
        whole(stop_reason="refusal", stop_details=details),
    ):
        assert (draft.finish_reason, draft.refusal, draft.text) == (
            "refusal",
            "against the rules",
            None,
        )
    assert whole(stop_reason="refusal", stop_details=None).refusal is None
    assert whole(stop_reason="end_turn", stop_details=details).refusal is None


def test_events_without_an_index_belong_to_the_only_block_under_way() -> None:
    draft = merged(
        START, begin(None, TOOL), more(None, "{}"), end(None),
        begin(None, TOOL | {"id": "c2"}), more(None, '{"a":1}'), end(1), stop(), STOP,
    )  # fmt: skip
    assert shape(draft) == [("c1", "pay", "{}"), ("c2", "pay", '{"a":1}')]
    assert set(draft.findings) == {Finding.INDEX_MISSING}


def test_a_gap_in_the_indices_is_told() -> None:
    draft = merged(START, begin(1, TOOL), more(1, "{}"), end(1), stop(), STOP)
    assert (shape(draft), draft.findings) == ([("c1", "pay", "{}")], [Finding.INDEX_SKIPPED])


def test_a_block_that_was_never_said_to_be_over_and_a_stream_without_its_last_word_are_told() -> (
    None
):
    draft = merged(START, begin(0, TOOL), more(0, "{}"), stop())
    assert (shape(draft), draft.findings) == (
        [("c1", "pay", "{}")],
        [Finding.NOT_ENDED, Finding.NO_DONE],
    )


def test_events_without_names_are_read_and_told_since_some_clients_do_not_see_them() -> None:
    draft = merged(START, begin(0, TOOL), more(0, "{}"), end(0), stop(), STOP, named=False)
    assert shape(draft) == [("c1", "pay", "{}")]
    assert set(draft.findings) == {Finding.UNNAMED_EVENT}


BEGUN = (START, begin(0, TOOL))


@pytest.mark.parametrize(
    ("bodies", "words"),
    [
        ([STOP], "wrong place"),
        ([START, START], "wrong place"),
        ([begin(0, TOOL)], "wrong place"),
        ([{"type": "message_start"}], "message of an event"),
        ([{"type": "message_start", "message": {"role": "user"}}], "not the assistant's"),
        ([*BEGUN, begin(0, TOOL | {"id": "c2"})], "index 0 after one with 0"),
        ([START, begin(1, TOOL), begin(0, TOOL)], "index 0 after one with 1"),
        ([START, begin(-1, TOOL)], "index -1"),
        ([START, begin("0", TOOL)], "no integer"),
        ([START, begin(True, TOOL)], "no integer"),
        ([START, more(0, "{}")], "never began"),
        ([START, more(None, "{}")], "says not which"),
        ([*BEGUN, begin(1, TOOL), more(None, "{}")], "says not which"),
        ([*BEGUN, more(0, "{}"), end(0), more(0, "{}")], "after its end"),
        ([*BEGUN, more(0, "{}"), end(0), end(0)], "after its end"),
        ([*BEGUN, text(0, "x")], "'text_delta' in a block of 'tool_use'"),
        ([START, begin(0, WORDS), more(0, "{}")], "'input_json_delta' in a block of 'text'"),
        ([*BEGUN, more(0, {"a": 1})], "no text"),
        ([*BEGUN, more(0, None)], "is no text"),
        ([START, begin(0, WORDS), text(0, None)], "is no text"),
        ([*BEGUN, {"type": "content_block_delta", "index": 0}], "delta of an event"),
        (
            [START, begin(0, TOOL | {"input": {"a": 1}}), more(0, '{"a":1}'), end(0)],
            "comes in pieces too",
        ),
        ([START, begin(0, {"type": "tool_use", "name": "x"}), end(0)], "no input"),
        ([START, begin(0, TOOL | {"id": 5})], "id is no text"),
        ([START, begin(0, {"type": "server_tool_use"})], "type 'server_tool_use'"),
        ([START, begin(0, {"type": "web_search_tool_result"})], "'web_search_tool_result'"),
        ([START, begin(0, {})], "type 'None'"),
        ([START, stop("tool_use"), stop("end_turn")], "changes"),
        ([START, stop(5)], "no text"),
        ([START, stop(), STOP, STOP], "after its end"),
        ([START, STOP], "without a finish reason"),
        ([START], "without a finish reason"),
        ([], "without a finish reason"),
        ([START, stop(None), STOP], "without a finish reason"),
    ],
)
def test_what_can_be_read_in_more_than_one_way_is_refused(bodies: list[Any], words: str) -> None:
    with pytest.raises(StrictError, match=words):
        merged(*bodies)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("[]", "no JSON object"),
        ("{}", "no message"),
        ('{"type":"completion","content":[]}', "no message"),
        ('{"content":[]}', "stop_reason is missing"),
        ('{"content":[],"stop_reason":""}', "stop_reason is missing"),
        ('{"content":[],"stop_reason":"x","role":"user"}', "not the assistant's"),
        ('{"content":"moon","stop_reason":"x"}', "no list"),
        ('{"content":[{"type":"image"}],"stop_reason":"x"}', "type 'image'"),
        ('{"content":[{"type":"text"}],"stop_reason":"x"}', "no text"),
        ('{"content":[{"type":"tool_use","name":"x"}],"stop_reason":"x"}', "no input"),
        ('{"content":[],"content":[],"stop_reason":"x"}', "stands twice"),
        (
            '{"content":[{"type":"tool_use","name":"x","input":{"a":1,"a":2}}],"stop_reason":"x"}',
            "stands twice",
        ),
    ],
)
def test_a_body_that_is_no_message_is_refused(body: str, words: str) -> None:
    with pytest.raises(StrictError, match=words):
        MessageDraft().take_whole(body)


def test_an_error_in_a_whole_body_is_the_providers() -> None:
    with pytest.raises(SentError, match="too busy"):
        MessageDraft().take_whole('{"type":"error","error":{"type":"t","message":"too busy"}}')
