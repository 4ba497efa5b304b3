"""What the model was told on the wire, held against the journal."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from grid.canonical import load_json, plain_json
from grid.evidence import SessionStart
from grid.vocabulary import Agreement, Cause
from ledgers.conversation import told_otherwise
from ledgers.rules.witness import RULE
from proxy.wire.exchange import Exchange
from tests.builders import PROMPT as WORDS
from tests.builders import SYSTEM, call, case, exchanges, journal, kept_back, receipt

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


# --- native profiles ----------------------------------------------------------------------------


def native(number: int, *edits: Edit) -> list[tuple[int, str]]:
    """Return what is told otherwise in a native trial with one request changed."""
    wire = list(exchanges(CALLS))
    for edit in edits:
        wire[number] = changed(wire[number], edit)
    return list(told_otherwise(case(said=journal(CALLS, native=True), wire=wire)))


def changed(exchange: Exchange, edit: Edit) -> Exchange:
    body = load_json(exchange.request.body["text"])
    edit(body)
    request = replace(exchange.request, body={"text": plain_json(body, indent=None)})
    return replace(exchange, request=request)


def framed(at: int) -> Edit:
    def edit(body: Any) -> None:
        body["messages"][at]["content"] = f"You must: {body['messages'][at]['content']} Go!"

    return edit


def begun_anew(body: Any) -> None:
    del body["messages"][2:]


OWN_WAYS: dict[str, tuple[int, Edit]] = {
    "a template around the user's words": (0, framed(1)),
    "a template around the system prompt": (0, framed(0)),
    "schemas made anew": (0, in_tool("parameters", {"type": "object"})),
    "a description of its own": (0, in_tool("description", "Never use this.")),
    "words of its own in the user's role": (3, with_message(role="user", content="Stop now.")),
    "no tools at the end": (3, tools(lambda offered: offered.clear())),
    "a conversation that is begun anew": (2, begun_anew),
    "an answer that was never given": (3, with_message(role="assistant", content="Yes.")),
    "its own text for a call that it kept back": (2, content(5, "bad tool")),
}


@pytest.mark.parametrize("what", OWN_WAYS)
def test_the_ways_of_a_native_profile_are_no_disagreement(what: str) -> None:
    number, edit = OWN_WAYS[what]
    assert native(number, edit) == []


def test_the_same_ways_are_a_disagreement_in_an_exact_profile() -> None:
    allowed = {"words of its own in the user's role", "a conversation that is begun anew"}
    allowed.add("its own text for a call that it kept back")
    for what, (number, edit) in OWN_WAYS.items():
        assert bool(told(number, edit)) is (what not in allowed), what


HOLDS = "does not hold the prompt of the journal"
NOT_ITS_WAY: dict[str, tuple[int, Edit, str]] = {
    "other words of the user": (0, content(1, "Empty the shelf."), HOLDS),
    "the user's words in another role": (
        0,
        lambda body: body["messages"][1].update(role="assistant"),
        HOLDS,
    ),
    "no system prompt": (0, without(0), HOLDS),
    "another tool": (0, in_tool("name", "see"), TOOLS),
    "fewer tools at the beginning": (0, tools(lambda offered: offered.pop()), TOOLS),
    "another tool answer": (1, content(3, '{"ok":true}'), ANSWER),
    "the answer to another call": (3, content(7, CALLS[0].delivered), ANSWER),
}


@pytest.mark.parametrize("what", NOT_ITS_WAY)
def test_what_a_native_profile_must_not_tell_is_a_disagreement(what: str) -> None:
    number, edit, why = NOT_ITS_WAY[what]
    assert native(number, edit) == [(number, f"request {number} {why}")]


def test_a_native_trial_without_a_system_prompt_needs_none() -> None:
    said = journal(CALLS, system_text=None, native=True)
    assert list(told_otherwise(case(said=said))) == []
    said = journal(CALLS, native=True)
    moved = exchanges(CALLS, system=None, user=f"{SYSTEM} {WORDS}")
    assert list(told_otherwise(case(said=said, wire=moved))) == [], "it may stand elsewhere"


# --- sessions ----------------------------------------------------------------------------------

TWO = (call(0, "look", {"at": "a"}), call(1, "look", {"at": "b"}, result={"seen": "b"}))
STARTS = (
    SessionStart(user_text=WORDS, call=0, turn=0, answers=0),
    SessionStart(user_text="And now?", call=1, turn=2, answers=2),
)
LATER = (TWO[0], replace(TWO[1], turn=3))


def of_sessions(*, rewound: bool = False) -> list[Exchange]:
    """Return the wire of two sessions with a call each; the second may go on from the first."""
    first = exchanges(LATER[:1])
    second = exchanges(LATER[1:], user="And now?")
    wire = [*first, *second]
    if rewound:
        history = load_json(first[1].request.body["text"])["messages"]
        wire[2:] = [_after(item, history) for item in second]
    return [replace(item, n=number) for number, item in enumerate(wire)]


def _after(exchange: Exchange, history: list[Any]) -> Exchange:
    """Put the messages of an earlier conversation before the user's words."""
    body = load_json(exchange.request.body["text"])
    body["messages"] = [*history, *body["messages"][1:]]
    request = replace(exchange.request, body={"text": plain_json(body, indent=None)})
    return replace(exchange, request=request)


def judged_sessions(wire: list[Exchange], *starts: SessionStart, **more: Any) -> list[str]:
    said = journal(LATER, sessions=starts or STARTS, answers=4, **more)
    return [why for _, why in told_otherwise(case(said=said, wire=wire))]


def test_each_session_begins_with_its_own_words_and_nothing_of_the_one_before() -> None:
    assert judged_sessions(of_sessions()) == []


def test_a_session_that_begins_with_other_words_tells_the_model_something_else() -> None:
    other = (STARTS[0], replace(STARTS[1], user_text="And then?"))
    assert "does not begin with the prompt" in judged_sessions(of_sessions(), *other)[0]
    assert judged_sessions(of_sessions(), STARTS[0], replace(STARTS[1], answers=1))


def test_a_new_session_that_shows_the_one_before_is_found() -> None:
    found = judged_sessions(of_sessions(rewound=True))
    assert any("more answers than" in why for why in found)
    assert any("never gave" in why for why in found)
    assert any("does not begin" in why for why in found)


def test_a_session_that_goes_on_shows_what_came_before_and_its_own_words_after() -> None:
    rewound = (STARTS[0], replace(STARTS[1], rewound=0))
    assert judged_sessions(of_sessions(rewound=True), *rewound, restores=(1,)) == []
    anew = judged_sessions(of_sessions(), *rewound, restores=(1,))
    assert any("does not begin" in why for why in anew)


def test_a_session_that_goes_on_shows_no_result_from_after_the_checkpoint() -> None:
    lost = replace(call(1, "look", {"at": "z"}, result={"seen": "z"}), turn=2)
    calls = (LATER[0], lost, replace(LATER[1], seq=2, turn=4, receipt=receipt(2)))
    starts = (STARTS[0], SessionStart(user_text="And now?", call=2, turn=3, answers=3, rewound=0))
    said = journal(calls, sessions=starts, answers=5, restores=(2,))
    shown = {"role": "tool", "tool_call_id": lost.wire_id, "content": lost.delivered}
    wire = list(exchanges(calls[:2]))
    history = [*load_json(wire[1].request.body["text"])["messages"], shown]
    wire += [_after(item, history) for item in exchanges(calls[2:], user="And now?")]
    numbered = [replace(item, n=number) for number, item in enumerate(wire)]
    found = [why for _, why in told_otherwise(case(said=said, wire=numbered))]
    assert any("never gave" in why for why in found)
