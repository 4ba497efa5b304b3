"""Where two conversations part, and what is no difference at all."""

import json
from dataclasses import replace
from typing import Any

import pytest

from ledgers.divergence import ASKED, TOOLS, UNREADABLE, WORDS, Divergence, first_divergence
from proxy.wire.exchange import Exchange, Request

ARGUMENTS = '{"node": "moon", "deep": 1}'


def call(arguments: str = ARGUMENTS, **changes: Any) -> dict[str, Any]:
    function = {"name": "look", "arguments": arguments}
    return {"id": "call_1", "type": "function", "function": function} | changes


def system() -> dict[str, Any]:
    return {"role": "system", "content": "You are an agent."}


def user() -> dict[str, Any]:
    return {"role": "user", "content": "Look at the moon."}


def own(**changes: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": [call()]} | changes


def tool(content: str = '{"seen": "a moon"}', **changes: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": "call_1", "content": content} | changes


OFFERED = {
    "type": "function",
    "function": {"name": "look", "description": "Looks.", "parameters": {"type": "object"}},
}


def asked(n: int, *messages: dict[str, Any], **more: Any) -> Exchange:
    body = {"model": "m", "messages": messages, "tools": [OFFERED]} | more
    request = Request(
        method="POST", path="/chat/completions", headers={}, body={"text": json.dumps(body)}
    )
    return Exchange(n=n, request=request, response=None, error=None)


def talk(*last: dict[str, Any], **more: Any) -> tuple[Exchange, ...]:
    """Return a conversation of two turns; what is given stands after the tool's answer."""
    return (
        asked(0, system(), user(), **more),
        asked(1, system(), user(), own(), *(last or (tool(),)), **more),
    )


def parted(shown: tuple[Exchange, ...], recorded: tuple[Exchange, ...] | None = None) -> Divergence:
    found = first_divergence(recorded or talk(), shown, spent=False)
    assert found is not None
    return found


def test_the_same_conversation_does_not_part() -> None:
    assert first_divergence(talk(), talk(), spent=False) is None


@pytest.mark.parametrize(
    "message",
    [
        own(tool_calls=[call('{ "deep":1.0,"node" : "moon"}')]),
        own(content=""),
        own(content=[]),
        own(refusal=None, audio=None),
        {"content": None, "tool_calls": [call()], "role": "assistant"},
    ],
)
def test_another_spelling_of_the_same_shows_nothing_new(message: dict[str, Any]) -> None:
    shown = (talk()[0], asked(1, system(), user(), message, tool()))
    assert first_divergence(talk(), shown, spent=False) is None


def test_parts_of_text_the_developers_role_and_settings_show_nothing_new() -> None:
    parts = [{"type": "text", "text": "Look at "}, {"type": "text", "text": "the moon."}]
    shown = (
        asked(0, system() | {"role": "developer"}, user() | {"content": parts}, stream=True),
        asked(1, system(), user(), own(), tool(), model="other", temperature=0.7),
    )
    assert first_divergence(talk(), shown, spent=False) is None


@pytest.mark.parametrize(
    ("last", "part", "pointer", "recorded", "shown"),
    [
        ((tool('{"seen": "mars"}'),), WORDS["tool"], "/messages/3/text",
         """'{"seen": "a moon"}'""", """'{"seen": "mars"}'"""),
        ((tool(tool_call_id="call_2"),), WORDS["tool"], "/messages/3/answers",
         "'call_1'", "'call_2'"),
        ((tool(name="look"),), WORDS["tool"], "/messages/3/more", "'{}'",
         """'{"name": "look"}'"""),
        ((user(),), f"{WORDS['tool']}, where {WORDS['user']} stands", "/messages/3/role",
         None, None),
        ((tool(), user()), WORDS["user"], "/messages/4", "nothing", None),
        ((tool(role="function"),),
         "a tool's answer, where a message of the role 'function' stands",
         "/messages/3/role", None, None),
    ],
)  # fmt: skip
def test_what_a_framework_shows_otherwise_is_named_at_its_turn(
    last: Any, part: str, pointer: str, recorded: str | None, shown: str | None
) -> None:
    found = parted(talk(*last))
    assert (found.turn, found.part, found.pointer) == (2, part, pointer)
    assert found.recorded == (recorded or found.recorded)
    assert found.shown == (shown or found.shown)
    assert found.recorded != found.shown


def test_a_message_that_is_left_out_is_missed_at_its_turn() -> None:
    found = parted((talk()[0], asked(1, system(), user(), own())))
    assert (found.turn, found.part, found.pointer) == (2, WORDS["tool"], "/messages/3")
    assert found.shown == "nothing"


@pytest.mark.parametrize(
    ("message", "part"),
    [
        (own(tool_calls=[call("{}")]), "the model's own words, shown again"),
        (own(tool_calls=[call("{broken")]), "the model's own words, shown again"),
        (own(tool_calls=[call(id="call_9")]), "the model's own words, shown again"),
        (own(tool_calls=[]), "the model's own words, shown again"),
        (own(content="I look."), "the model's own words, shown again"),
        (own(tool_calls=[call('{"node": "moon", "deep": true}')]), WORDS["assistant"]),
    ],
)
def test_a_history_that_was_changed_is_told_from_one_that_was_written_anew(
    message: dict[str, Any], part: str
) -> None:
    found = parted((talk()[0], asked(1, system(), user(), message, tool())))
    assert (found.turn, found.part) == (2, part)
    assert found.pointer.startswith("/messages/2/")


def test_broken_arguments_are_the_same_only_letter_by_letter() -> None:
    def with_arguments(text: str) -> tuple[Exchange, ...]:
        return (asked(0, system(), user(), own(tool_calls=[call(text)])),)

    broken = with_arguments('{"node": ')
    assert first_divergence(broken, broken, spent=False) is None
    assert first_divergence(broken, with_arguments('{"node":'), spent=False) is not None


@pytest.mark.parametrize(
    ("tools", "pointer"),
    [
        ([], "/tools/0"),
        ([OFFERED, OFFERED], "/tools/1"),
        ([{**OFFERED, "function": OFFERED["function"] | {"description": "Looks!"}}], "/tools/0"),  # type: ignore[operator]
        ([OFFERED | {"strict": True}], "/tools/0"),
    ],
)
def test_other_tools_part_a_conversation_where_they_are_offered(tools: Any, pointer: str) -> None:
    found = parted(talk(tools=tools))
    assert (found.turn, found.part, found.pointer) == (1, TOOLS, pointer)


def test_the_first_turn_counts_and_in_it_the_tools_come_before_the_messages() -> None:
    other = system() | {"content": "You are another agent."}
    shown = (asked(0, other, user(), tools=[]), asked(1, other, user(), own()))
    found = parted(shown)
    assert (found.turn, found.part) == (1, TOOLS)
    found = parted((asked(0, other, user()), talk()[1]))
    assert (found.turn, found.part, found.pointer) == (1, WORDS["system"], "/messages/0/text")


def test_asking_less_often_is_a_divergence_at_the_turn_that_was_not_taken() -> None:
    assert parted(talk()[:1]) == Divergence(
        turn=2, part=ASKED, pointer="", recorded="twice", shown="once"
    )


def test_asking_for_more_than_there_is_is_one_after_the_last_turn() -> None:
    assert first_divergence(talk(), talk(), spent=True) == Divergence(
        turn=3, part=ASKED, pointer="", recorded="twice", shown="3 times"
    )


def test_what_was_shown_before_the_recording_was_used_up_comes_first() -> None:
    found = first_divergence(talk(), talk(tool("other")), spent=True)
    assert found is not None
    assert (found.turn, found.part) == (2, WORDS["tool"])


def test_requests_that_cannot_be_decoded_are_compared_as_they_are() -> None:
    def raw(text: str) -> tuple[Exchange, ...]:
        one = asked(0)
        return (replace(one, request=replace(one.request, body={"text": text})),)

    assert first_divergence(raw("no json"), raw("no json"), spent=False) is None
    found = parted(raw("no jason"), raw("no json"))
    assert (found.turn, found.part, found.recorded) == (1, UNREADABLE, "'no json'")
    assert parted(raw("no json"), talk()[:1]).part == UNREADABLE


def test_long_answers_are_cut_where_they_part() -> None:
    same = "the same words, " * 100
    found = parted(talk(tool(same + "mars")), talk(tool(same + "moon")))
    assert "moon" in found.recorded
    assert "mars" in found.shown
    assert len(found.recorded) < 200


def test_a_part_that_is_no_text_is_no_empty_text() -> None:
    image = [{"type": "image_url", "image_url": {"url": "data:,x"}}]
    found = parted((asked(0, system(), user() | {"content": image}), talk()[1]))
    assert (found.turn, found.pointer) == (1, "/messages/1/text")
    assert "image_url" in found.shown
