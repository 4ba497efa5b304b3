from typing import Any

import pytest

from grid.errors import StrictError
from proxy.wire.response_items import ARGUMENTS, REFUSAL, WORDS, Item, whole_items

CALL = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "pay", "arguments": ""}
MESSAGE: dict[str, Any] = {"type": "message", "id": "msg_1", "role": "assistant", "content": []}
ARGS = (0, ARGUMENTS)


def part(text: Any, kind: str = WORDS) -> dict[str, Any]:
    return {"type": kind, "refusal" if kind == REFUSAL else "text": text}


def message(*parts: dict[str, Any]) -> dict[str, Any]:
    return MESSAGE | {"content": list(parts)}


def test_a_text_that_is_said_five_times_is_one_text() -> None:
    item = Item.begin(CALL, 0)
    for piece in ('{"a"', ":1}"):
        item.grow(ARGS, piece)
    item.settle(ARGS, '{"a":1}')
    item.settle(ARGS, '{"a":1}')
    item.close(CALL | {"arguments": '{"a":1}'})
    item.close(CALL | {"arguments": '{"a":1}'})
    assert item.said == {ARGS: '{"a":1}'}
    assert item.call is not None
    assert (item.call.id, item.call.name, item.id) == ("c1", "pay", "fc_1")


@pytest.mark.parametrize("how", ["settled", "closed"])
def test_a_text_without_pieces_is_taken_where_it_is_first_said(how: str) -> None:
    item = Item.begin(CALL, 0)
    if how == "settled":
        item.settle(ARGS, "{}")
    item.close(CALL | {"arguments": "{}"})
    assert item.said == {ARGS: "{}"}


def test_pieces_go_on_with_what_stood_in_the_beginning() -> None:
    item = Item.begin(CALL | {"arguments": '{"a"'}, 0)
    item.grow(ARGS, ":1}")
    assert item.said == {ARGS: '{"a":1}'}


def test_words_and_refusals_have_parts_of_their_own() -> None:
    item = Item.begin(MESSAGE, 0)
    item.open_part(part(""), 0)
    item.grow((0, WORDS), "moon")
    item.close_part(part("moon"), 0)
    item.open_part(part("", REFUSAL), 1)
    item.grow((1, REFUSAL), "no")
    item.close(message(part("moon"), part("no", REFUSAL)))
    assert item.said == {(0, WORDS): "moon", (1, REFUSAL): "no"}


def test_pieces_that_end_between_the_halves_of_a_character_say_the_same() -> None:
    item = Item.begin(MESSAGE, 0)
    item.grow((0, WORDS), "\ud83c")
    item.grow((0, WORDS), "\udf63")
    item.settle((0, WORDS), "🍣")


def test_reasoning_has_parts_that_are_no_words() -> None:
    item = Item.begin({"type": "reasoning", "id": "rs", "summary": []}, 0)
    item.open_part({"type": "reasoning_text", "text": "hm"}, 0)
    item.close_part({"type": "reasoning_text", "text": "hm"}, 0)
    item.close({"type": "reasoning", "content": [{"type": "reasoning_text", "text": "hm"}]})
    assert item.said == {}


def grown(text: str = "{}") -> Item:
    item = Item.begin(CALL, 0)
    item.grow(ARGS, text)
    return item


def spoken(text: str = "moon") -> Item:
    item = Item.begin(MESSAGE, 0)
    item.grow((0, WORDS), text)
    return item


@pytest.mark.parametrize(
    ("refused", "words"),
    [
        (lambda: Item.begin({"type": "web_search_call"}, 0), "'web_search_call'"),
        (lambda: Item.begin({"type": "custom_tool_call"}, 0), "'custom_tool_call'"),
        (lambda: Item.begin({}, 0), "'None'"),
        (lambda: Item.begin(MESSAGE | {"role": "user"}, 0), "not the assistant's"),
        (lambda: Item.begin(CALL | {"id": 5}, 0), "id is no text"),
        (lambda: Item.begin(CALL | {"call_id": 5}, 0), "id is no text"),
        (lambda: Item.begin(CALL | {"arguments": {"a": 1}}, 0), "no text"),
        (lambda: Item.begin(message({"type": "output_audio"}), 0), "'output_audio'"),
        (lambda: Item.begin(message({"type": []}), 0), "type"),
        (lambda: spoken().open_part({"type": {}}, 1), "type"),
        (lambda: grown().settle(ARGS, "{} "), "two different things"),
        (lambda: grown().settle(ARGS, None), "no text"),
        (lambda: grown().close(CALL | {"arguments": '{"a":1}'}), "two different things"),
        (lambda: grown().close(CALL | {"name": "stop", "arguments": "{}"}), "name changes"),
        (lambda: grown().close(CALL | {"call_id": "c2", "arguments": "{}"}), "id changes"),
        (lambda: grown().close(MESSAGE), "changes its type"),
        (lambda: grown().close({"type": "function_call"}), "no text"),
        (lambda: grown().grow((0, WORDS), "x"), "piece of output_text in an output item"),
        (lambda: grown().open_part(part(""), 0), "in an item of 'function_call'"),
        (lambda: spoken().grow(ARGS, "x"), "piece of arguments in an output item"),
        (lambda: spoken().grow((0, REFUSAL), "x"), "words and a refusal at once"),
        (lambda: spoken().grow((0, WORDS), 5), "no text"),
        (lambda: spoken().open_part(part(""), 0), "begins twice"),
        (lambda: spoken().open_part({"type": "audio"}, 1), "'audio'"),
        (lambda: spoken().close(MESSAGE), "lacks"),
        (lambda: spoken().close(message(part("moon", REFUSAL))), "at once"),
        (lambda: spoken().close(message(part("noon"))), "two different things"),
    ],
)
def test_what_can_be_read_in_more_than_one_way_is_refused(refused: Any, words: str) -> None:
    with pytest.raises(StrictError, match=words):
        refused()


def test_nothing_is_added_to_a_text_that_is_whole() -> None:
    item = grown()
    item.settle(ARGS, "{}")
    with pytest.raises(StrictError, match="after its end"):
        item.grow(ARGS, " ")


def test_the_output_is_a_list_of_items() -> None:
    assert whole_items({"output": [MESSAGE]}) == [MESSAGE]
    for output in (None, "x", {}, ["x"]):
        with pytest.raises(StrictError):
            whole_items({"output": output})
