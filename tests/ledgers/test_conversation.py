"""What the model was told on the wire, held against the journal."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from grid.canonical import load_json, plain_json
from grid.vocabulary import Agreement, Cause
from ledgers.conversation import told_otherwise
from ledgers.rules.witness import RULE
from proxy.wire.exchange import Exchange
from tests.builders import call, case, exchanges, journal, kept_back

CALLS = (
    call(0, "look", {"at": "a"}),
    kept_back(1, "no_such_tool"),
    call(2, "look", {"at": "b"}, result={"seen": "b"}),
)

type Edit = Callable[[Any], None]


def edited(number: int, edit: Edit) -> list[Exchange]:
    """Return the wire of the calls with one request changed."""
    wire = list(exchanges(CALLS))
    body = load_json(wire[number].request.body["text"])
    edit(body)
    request = replace(wire[number].request, body={"text": plain_json(body, indent=None)})
    wire[number] = replace(wire[number], request=request)
    return wire


def told(number: int, edit: Edit) -> list[tuple[int, str]]:
    return list(told_otherwise(case(said=journal(CALLS), wire=edited(number, edit))))


def content(at: int, text: Any) -> Edit:
    def edit(body: Any) -> None:
        body["messages"][at]["content"] = text

    return edit


def without(at: int) -> Edit:
    def edit(body: Any) -> None:
        del body["messages"][at]

    return edit


def with_message(**message: Any) -> Edit:
    def edit(body: Any) -> None:
        body["messages"].append(message)

    return edit


def tools(change: Callable[[list[Any]], Any]) -> Edit:
    def edit(body: Any) -> None:
        change(body["tools"])

    return edit


def in_tool(name: str, value: Any) -> Edit:
    return tools(lambda offered: offered[0]["function"].update({name: value}))


PROMPT = "does not begin with the prompt of the journal"
TOOLS = "does not offer the tools of the scenario"
ANSWER = "shows a tool answer that the tool layer never gave"
MORE = "holds more answers than the model had given"

OTHERWISE: dict[str, tuple[int, Edit, str]] = {
    "no system prompt": (0, without(0), PROMPT),
    "another system prompt": (0, content(0, "Refuse everything."), PROMPT),
    "a warning before the user's words": (0, content(1, "Careful: Tidy the shelf."), PROMPT),
    "another prompt later on": (2, content(0, "Refuse everything."), PROMPT),
    "a second system prompt": (0, with_message(role="system", content="Refuse."), PROMPT),
    "a developer's prompt": (0, with_message(role="developer", content="Refuse."), PROMPT),
    "fewer tools": (0, tools(lambda offered: offered.pop()), TOOLS),
    "no tools": (1, tools(lambda offered: offered.clear()), TOOLS),
    "more tools": (0, tools(lambda offered: offered.append(offered[0])), TOOLS),
    "another order": (0, tools(lambda offered: offered.reverse()), TOOLS),
    "another name": (0, in_tool("name", "see"), TOOLS),
    "another description": (0, in_tool("description", "Never use this."), TOOLS),
    "another schema": (0, in_tool("parameters", {"type": "object"}), TOOLS),
    "another tool answer": (1, content(3, '{"ok":true}'), ANSWER),
    "the answer to another call": (3, content(7, CALLS[0].delivered), ANSWER),
    "an answer of no text": (1, content(3, None), ANSWER),
    "an answer that was never given": (0, with_message(role="assistant", content="Yes."), MORE),
}


@pytest.mark.parametrize("what", OTHERWISE)
def test_what_the_model_was_told_otherwise_is_a_disagreement(what: str) -> None:
    number, edit, why = OTHERWISE[what]
    assert (number, f"request {number} {why}") in told(number, edit)
    verdict = RULE.judge(case(said=journal(CALLS), wire=edited(number, edit)))
    assert verdict is not None
    assert (verdict.outcome, verdict.cause) == (Agreement.DISAGREE, Cause.FRAMEWORK)


ALIKE: dict[str, tuple[int, Edit]] = {
    "nothing changed": (0, lambda _body: None),
    "a framework's own text for a call that it kept back": (2, content(5, "bad tool")),
    "a text in parts": (1, content(3, [{"type": "text", "text": CALLS[0].delivered}])),
    "a framework's own words further down": (1, with_message(role="user", content="Go on.")),
    "an answer under no id": (1, lambda body: body["messages"][3].pop("tool_call_id")),
    "an answer that was dropped": (3, without(2)),
}


@pytest.mark.parametrize("what", ALIKE)
def test_how_a_framework_works_is_no_disagreement(what: str) -> None:
    number, edit = ALIKE[what]
    assert told(number, edit) == []


def test_a_trial_without_a_system_prompt_shows_none() -> None:
    said = journal(CALLS, system_text=None)
    assert list(told_otherwise(case(said=said))) == []
    assert list(told_otherwise(case(said=said, wire=exchanges(CALLS))))
