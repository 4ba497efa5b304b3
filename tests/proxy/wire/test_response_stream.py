import json
from typing import Any

import pytest

from grid.errors import StrictError
from proxy.wire.answer import Finding
from proxy.wire.draft import SentError
from proxy.wire.response_stream import ResponseDraft
from proxy.wire.typed_events import TypedEvent

CALL: dict[str, Any] = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "pay"}
OTHER: dict[str, Any] = {"type": "function_call", "id": "fc_2", "call_id": "c2", "name": "stop"}


def called(item: dict[str, Any], arguments: str = "{}") -> dict[str, Any]:
    return item | {"arguments": arguments}


def words(text: str) -> dict[str, Any]:
    part = {"type": "output_text", "text": text}
    return {"type": "message", "id": "msg_1", "role": "assistant", "content": [part]}


def response(*items: Any, **changes: Any) -> dict[str, Any]:
    body = {"status": "completed", "model": "m-1", "output": list(items), "error": None}
    return body | changes


def added(index: Any, item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "response.output_item.added", "output_index": index, "item": item}


def more(index: Any, piece: Any, **fields: Any) -> dict[str, Any]:
    kind = "response.function_call_arguments.delta"
    return {"type": kind, "output_index": index, "delta": piece} | fields


def done(index: Any, item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "response.output_item.done", "output_index": index, "item": item}


def text(piece: Any, **fields: Any) -> dict[str, Any]:
    at = {"output_index": 0, "content_index": 0}
    return {"type": "response.output_text.delta", "delta": piece} | at | fields


def last(*items: Any, end: str = "completed", **changes: Any) -> dict[str, Any]:
    return {"type": f"response.{end}", "response": response(*items, **({"status": end} | changes))}


def merged(*bodies: dict[str, Any]) -> ResponseDraft:
    draft = ResponseDraft()
    for body in bodies:
        kind = body["type"]
        draft.take_event(TypedEvent(type=kind, named=True, body=body, raw=json.dumps(body)))
    draft.finish()
    return draft


def whole(*items: Any, **changes: Any) -> ResponseDraft:
    draft = ResponseDraft()
    draft.take_whole(response(*items, **changes))
    return draft


def shape(draft: ResponseDraft) -> list[tuple[str, str, str]]:
    return [(one.id, one.name, one.arguments) for one in draft.calls]


def test_calls_that_grow_side_by_side_are_told_apart_by_position() -> None:
    draft = merged(
        added(0, called(CALL, "")), added(1, called(OTHER, "")), more(1, "{"), more(0, '{"a":'),
        more(1, "}"), more(0, "1}"), done(1, called(OTHER)), done(0, called(CALL, '{"a":1}')),
        last(called(CALL, '{"a":1}'), called(OTHER)),
    )  # fmt: skip
    assert shape(draft) == [("c1", "pay", '{"a":1}'), ("c2", "stop", "{}")]
    assert (draft.findings, draft.text, draft.model) == ([], None, "m-1")


def test_words_of_all_messages_are_joined_and_reasoning_is_none_of_them() -> None:
    thought = {"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": "hm"}]}
    draft = whole(thought, words("mo"), called(CALL), words("on"))
    assert (draft.text, shape(draft)) == ("moon", [("c1", "pay", "{}")])
    stream = merged(
        {"type": "response.created", "response": response(status="in_progress")},
        {"type": "response.in_progress", "response": response(status="in_progress")},
        added(0, thought | {"summary": []}),
        {"type": "response.reasoning_summary_part.added", "output_index": 0},
        {"type": "response.reasoning_summary_text.delta", "output_index": 0, "delta": "hm"},
        done(0, thought),
        {"type": "response.output_text.annotation.added", "annotation": {}},
        {"type": "keepalive"},
        last(thought),
    )
    assert (stream.text, stream.calls, stream.findings) == (None, [], [])


def test_arguments_that_were_sent_in_one_piece_are_taken_from_there() -> None:
    one = called(CALL, '{"a":1}')
    assert shape(merged(added(0, called(CALL, "")), done(0, one), last(one)))[0][2] == '{"a":1}'
    assert shape(merged(added(0, one), last(one)))[0][2] == '{"a":1}'
    name = "response.function_call_arguments.done"
    end = {"type": name, "output_index": 0, "arguments": '{"a":1}', "name": "pay"}
    assert shape(merged(added(0, called(CALL, "")), end, last(one)))[0][2] == '{"a":1}'


@pytest.mark.parametrize(
    ("details", "reason"),
    [
        ({"reason": "max_output_tokens"}, "max_output_tokens"),
        ({"reason": None}, "incomplete"),
        (None, "incomplete"),
    ],
)
def test_an_answer_that_was_cut_short_says_why(details: Any, reason: str) -> None:
    cut = called(CALL, '{"a":')
    changes = {"incomplete_details": details, "usage": {"total_tokens": 3}}
    for draft in (
        whole(cut, status="incomplete", **changes),
        merged(
            added(0, called(CALL, "")), more(0, '{"a":'), last(cut, end="incomplete", **changes)
        ),
    ):
        assert (draft.finish_reason, draft.usage) == (reason, {"total_tokens": 3})
        assert shape(draft)[0][2] == '{"a":'


def test_a_response_that_failed_is_the_providers() -> None:
    error = {"code": "server_error", "message": "too busy"}
    for failed in (
        lambda: whole(status="failed", error=error),
        lambda: merged(added(0, called(CALL, "")), last(end="failed", error=error)),
    ):
        with pytest.raises(SentError) as caught:
            failed()
        assert (caught.value.code, caught.value.message) == ("server_error", "too busy")
    with pytest.raises(SentError) as bare:
        merged(last(end="failed"))
    assert (bare.value.code, bare.value.message) == ("failed", "")


def test_a_refusal_is_kept_apart_from_the_words() -> None:
    part = {"type": "refusal", "refusal": "I will not"}
    refused = words("") | {"content": [part]}
    grown = {"type": "response.refusal.delta", "output_index": 0, "content_index": 0}
    end = {"type": "response.refusal.done", "output_index": 0, "content_index": 0}
    for draft in (
        whole(refused),
        merged(
            added(0, words("") | {"content": []}), grown | {"delta": "I will"},
            grown | {"delta": " not"}, end | {"refusal": "I will not"}, last(refused),
        ),
    ):  # fmt: skip
        assert (draft.text, draft.refusal) == (None, "I will not")


def test_events_without_a_position_belong_to_the_item_with_their_id_or_the_only_one() -> None:
    both = (called(CALL), called(OTHER))
    draft = merged(
        added(None, called(CALL, "")), added(None, called(OTHER, "")),
        more(None, "{}", item_id="fc_2"), more(None, "{}", item_id="fc_1"), done(None, both[0]),
        done(1, both[1]), last(*both),
    )  # fmt: skip
    assert shape(draft) == [("c1", "pay", "{}"), ("c2", "stop", "{}")]
    assert set(draft.findings) == {Finding.INDEX_MISSING}
    alone = merged(added(None, called(CALL, "")), more(None, "{}"), last(called(CALL)))
    assert shape(alone) == [("c1", "pay", "{}")]
    part = merged(
        added(0, words("") | {"content": []}), text("x", content_index=None), last(words("x"))
    )
    assert (part.text, part.findings) == ("x", [Finding.INDEX_MISSING])


def test_a_gap_in_the_positions_is_told() -> None:
    draft = merged(added(2, called(CALL, "")), more(2, "{}"), last(called(CALL)))
    assert (shape(draft), draft.findings) == ([("c1", "pay", "{}")], [Finding.INDEX_SKIPPED])


BEGUN = added(0, called(CALL, ""))
SPOKE = (added(0, words("") | {"content": []}), text("mo"))


@pytest.mark.parametrize(
    ("bodies", "words_of_it"),
    [
        ([], "without a finish reason"),
        ([BEGUN, more(0, "{}"), done(0, called(CALL))], "without a finish reason"),
        ([BEGUN, more(0, "{}"), last(called(CALL, '{"a":1}'))], "two different things"),
        ([BEGUN, more(0, "{"), last(called(CALL))], "two different things"),
        ([BEGUN, more(0, "{}"), more(0, "{}"), last(called(CALL))], "two different things"),
        ([BEGUN, more(0, "{}"), last()], "different items"),
        ([BEGUN, more(0, "{}"), last(called(CALL), called(OTHER))], "different items"),
        ([BEGUN, more(0, "{}"), last(words("x"))], "different items"),
        ([last(called(CALL))], "different items"),
        ([BEGUN, more(0, "{}"), last(called(OTHER))], "changes"),
        ([BEGUN, more(0, "{}"), last(called(CALL | {"name": "stop"}))], "name changes"),
        ([BEGUN, BEGUN, last(called(CALL))], "begins at 0 after one at 0"),
        ([added(1, called(CALL)), added(0, called(OTHER))], "begins at 0 after one at 1"),
        ([added("0", called(CALL))], "no integer"),
        ([more(0, "{}")], "never began"),
        ([more(None, "{}")], "says not which"),
        ([BEGUN, more(None, "{}", item_id="fc_9")], "says not which"),
        ([BEGUN, added(1, called(OTHER, "")), more(None, "{}")], "says not which"),
        ([BEGUN, more(0, "{}", item_id="fc_9")], "by id and another by position"),
        ([BEGUN, more(0, "{}", item_id=5)], "no text"),
        ([BEGUN, done(0, called(CALL)), more(0, "{}")], "goes on after its end"),
        ([BEGUN, more(True, "{}")], "no integer"),
        ([*SPOKE, last(words("moon"))], "two different things"),
        ([*SPOKE, last(words("mo") | {"content": []})], "lacks"),
        ([*SPOKE, text("on", content_index="0")], "no integer"),
        ([BEGUN, last(called(CALL), status="in_progress")], "says otherwise"),
        ([{"type": "response.completed"}], "response of an event"),
        ([added(0, {"type": "mcp_call"})], "'mcp_call'"),
        ([last(), last()], "after its end"),
        ([last(output=None)], "no list"),
    ],
)
def test_what_can_be_read_in_more_than_one_way_is_refused(
    bodies: list[Any], words_of_it: str
) -> None:
    with pytest.raises(StrictError, match=words_of_it):
        merged(*bodies)


@pytest.mark.parametrize("status", [None, "in_progress", "queued", "cancelled", 5])
def test_a_response_that_is_not_over_is_no_answer(status: Any) -> None:
    with pytest.raises(StrictError, match="not over"):
        whole(words("x"), status=status)


def test_a_new_event_is_skipped_and_told() -> None:
    draft = merged({"type": "response.new.thing"}, {"type": "completed"}, last())
    assert draft.findings == [Finding.UNKNOWN_EVENT] * 2
