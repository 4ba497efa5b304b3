from typing import Any

import pytest

from grid.errors import StrictError
from proxy.wire.chat_stream import ChatDraft, merge_stream
from proxy.wire.draft import SentError


def delta(*calls: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {"tool_calls": list(calls)} | fields}]}


def call(index: Any = 0, arguments: str | None = None, **more: Any) -> dict[str, Any]:
    function: dict[str, Any] = {} if arguments is None else {"arguments": arguments}
    if "name" in more:
        function["name"] = more.pop("name")
    item = {"function": function} | more
    return item if index is None else {"index": index} | item


def shape(draft: ChatDraft) -> list[tuple[str, str, str]]:
    return [(one.id, one.name, one.arguments) for one in draft.calls]


def test_two_entries_for_one_call_in_one_delta_are_one_call() -> None:
    """C51: the first delta already holds id and name, and the opening of the arguments."""
    draft = merge_stream(
        [
            delta(call(id="c1", name="pay", arguments=""), call(arguments="{")),
            delta(call(arguments='"amt":5}')),
        ]
    )
    assert shape(draft) == [("c1", "pay", '{"amt":5}')]
    assert draft.findings == []


@pytest.mark.parametrize(
    "pieces",
    [['{"city":"Kyoto"', "}", '{"city":"Kyoto"}'], ["{", '{"city":"Kyoto"}']],
)
def test_arguments_that_come_twice_stay_as_they_came(pieces: list[str]) -> None:
    """C53: one call with broken text, neither a clean call nor two."""
    first = delta(call(id="c1", name="weather", arguments=""))
    draft = merge_stream([first, *(delta(call(arguments=piece)) for piece in pieces)])
    assert shape(draft) == [("c1", "weather", "".join(pieces))]


def test_interleaved_calls_are_put_together_by_index() -> None:
    draft = merge_stream(
        [
            delta(call(0, id="a", name="x", arguments="1")),
            delta(call(1, id="b", name="y", arguments="2")),
            delta(call(0, "3"), call(1, "4")),
        ]
    )
    assert shape(draft) == [("a", "x", "13"), ("b", "y", "24")]


def test_calls_of_their_own_that_share_an_index_stay_apart() -> None:
    draft = merge_stream(
        [
            delta(call(0, id="a", name="x", arguments="{}")),
            delta(call(0, id="b", name="y", arguments="{")),
            delta(call(0, "}")),
        ]
    )
    assert shape(draft) == [("a", "x", "{}"), ("b", "y", "{}")]
    assert draft.findings == ["index_reused"]


def test_without_an_index_a_new_id_starts_a_call() -> None:
    draft = merge_stream(
        [
            delta(call(None, id="a", name="x", arguments="1")),
            delta(call(None, "2")),
            delta(call(None, id="a", arguments="3")),
            delta(call(None, id="b", name="y", arguments="4")),
        ]
    )
    assert shape(draft) == [("a", "x", "123"), ("b", "y", "4")]
    assert set(draft.findings) == {"index_missing"}


@pytest.mark.parametrize(
    "chunks",
    [
        [delta(call(None, "{}"))],
        [delta(call(id="a", name="x")), delta(call(name="y"))],
        [delta(call(True, "x"))],
        [delta(call("0", "x"))],
        [delta(call(arguments=None, id=5))],
        [delta({"index": 0, "function": {"arguments": {"a": 1}}})],
        [delta({"index": 0, "function": "pay"})],
        [delta({"index": 0, "type": "custom", "custom": {}})],
        [delta("no object")],  # type: ignore[arg-type]
        [{"choices": [{"index": 0, "delta": "x"}]}],
        [{"choices": [{"index": 1, "delta": {}}]}],
        [{"choices": [{"delta": {}}, {"delta": {}}]}],
        [{"choices": "x"}],
        [delta(content=5)],
        [delta(function_call={"name": "x"})],
        [{"choices": [{"index": 0, "delta": {}, "finish_reason": 5}]}],
    ],
)
def test_what_can_be_read_in_more_than_one_way_is_refused(chunks: list[Any]) -> None:
    with pytest.raises(StrictError):
        merge_stream(chunks)


def test_an_error_inside_a_stream_is_the_providers() -> None:
    with pytest.raises(SentError) as caught:
        merge_stream([delta(content="x"), {"error": {"code": 502, "message": "overloaded"}}])
    assert (caught.value.code, caught.value.message) == ("502", "overloaded")
    with pytest.raises(SentError, match="only text"):
        merge_stream([{"error": "only text"}])


def test_a_chunk_that_is_no_object_is_skipped_and_told() -> None:
    assert merge_stream([None, [], delta(content="x")]).findings == ["bad_event", "bad_event"]
