"""Finding and playing personas: what the scripted model server and the `scripted` adapter share."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from grid.adapter import ToolSpec
from grid.canonical import text_json
from grid.catalogue import PERSONAS, WORLDS, scenario
from grid.errors import ConfigError
from grid.personas.broken_wire import KINDS
from grid.personas.wavering import FAILS, SPREAD, read_odds
from grid.registry import load, module_names, unknown
from grid.report import REPORT
from grid.scenario import resolve
from grid.stage import (
    NO_RESULT,
    Act,
    Part,
    Persona,
    Result,
    Stage,
    act_calls,
    converse,
    read_result,
)
from grid.wirecall import WireCall

PREFIX = "scripted/"
NUMBERED = ("near-miss", "skip", "alter")
"""Personas whose parameter is a number."""

TOOLLESS = Act(text="I cannot go on: I am offered no tools any more.")
"""What is said in place of calls where the tools that were there before are offered no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One scripted model answer."""

    text: str
    """Words; empty for none."""
    calls: tuple[WireCall, ...]
    """Tool calls, in order."""
    failed: bool = False
    """There is none: the provider fails this trial."""


def persona_of(name: str) -> tuple[Persona, str]:
    """Return a persona and its parameter from ``id`` or ``id/parameter``.

    Raises:
        ConfigError: unknown persona, or a parameter that it does not take.
    """
    identity, _, parameter = name.partition("/")
    module = identity.replace("-", "_")
    if module not in module_names(PERSONAS) or identity != module.replace("_", "-"):
        known = [*(entry.replace("_", "-") for entry in module_names(PERSONAS)), "fault"]
        raise unknown("persona", identity, known)
    persona: Persona = load(PERSONAS, module, "persona").PERSONA
    _check_parameter(persona, parameter)
    return persona, parameter


def provider_fails(name: str, seed: str) -> bool:
    """Tell whether the provider of a persona answers nothing at all in one trial.

    Args:
        name: persona id with its parameter.
        seed: hex seed of the trial.
    """
    persona, parameter = persona_of(name)
    return persona.fails is not None and persona.fails(parameter, seed)


def _check_parameter(persona: Persona, parameter: str) -> None:
    if persona.id == "wavering":
        _check_tools(parameter)
        return
    fits = {
        **dict.fromkeys(NUMBERED, parameter.isascii() and parameter.isdigit()),
        "broken-wire": parameter in KINDS,
    }.get(persona.id, parameter == "")
    if not fits:
        wanted = f"/<{persona.parameter}>" if persona.parameter else " with nothing after it"
        raise ConfigError(
            f"persona {persona.id!r} with {parameter!r}: write scripted/{persona.id}{wanted}",
            "models",
        )


def _check_tools(parameter: str) -> None:
    """Refuse odds about a tool that no world has: they would never matter."""
    for tool, _ in read_odds(parameter).tools:
        if tool not in _known_tools():
            words = (SPREAD, FAILS, *_known_tools())
            near = difflib.get_close_matches(tool, words, n=3, cutoff=0.5)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise ConfigError(
                f"scripted/wavering/{parameter}: no world has a tool {tool!r}{hint}", "models"
            )


@cache
def _known_tools() -> tuple[str, ...]:
    """Return the names of the tools of all worlds."""
    worlds = (load(WORLDS, name, "world", "TOOLS", tuple).TOOLS for name in module_names(WORLDS))
    found = {REPORT.name, *(tool.name for tools in worlds for tool in tools)}
    return tuple(sorted(found))


def stage_for(
    *,
    scenario_id: str,
    names: int,
    seed: str,
    parameter: str,
    system_text: str,
    tools: Sequence[ToolSpec],
) -> Stage:
    """Return the stage of one conversation, before the user says anything."""
    of = scenario(scenario_id, names)
    stage = Stage(
        truth=of.truth,
        seed=seed,
        parameter=parameter,
        system_text=system_text,
        user_text="",
        tools=tools,
    )
    stage.task = text_json([turn.prompt for turn in of.turns])
    return stage


def answer(
    *,
    scenario_id: str,
    names: int,
    seed: str,
    persona: str,
    messages: Sequence[dict[str, Any]],
    tools: Sequence[dict[str, Any]] | None = None,
) -> Answer:
    """Return what a persona answers to the messages of a chat-completions request.

    Args:
        scenario_id: id of the scenario or twin on stage.
        names: names seed of the scenario (0: as written).
        seed: hex seed of the trial.
        persona: persona id with its parameter, as the request's ``model`` says.
        messages: the request's messages, as sent.
        tools: the tools that the request offers, as sent; None: it is not said. Where there are
            none, and calls were made before, the answer is one of words.

    Raises:
        ConfigError: unknown persona or scenario.
    """
    if provider_fails(persona, seed):
        return Answer(text="", calls=(), failed=True)
    actor, parameter = persona_of(persona)
    stage = stage_for(
        scenario_id=scenario_id,
        names=names,
        seed=seed,
        parameter=parameter,
        system_text=_joined(messages, "system"),
        tools=_specs(tools or ()),
    )
    parts = _parts(messages, prompts(scenario_id, names, seed))
    act: Act = converse(actor, stage, parts)
    called = any(message.get("tool_calls") for message in messages)
    if act.calls and called and tools is not None and not tools:
        act = TOOLLESS
    last = parts[-1]
    return Answer(text=act.text, calls=act_calls(act, seed, len(last.past) + 1, last.session))


def prompts(scenario_id: str, names: int, seed: str) -> tuple[tuple[str, ...], ...]:
    """Return the user's words of each session, in every language that they are written in."""
    turns = scenario(scenario_id, names).turns
    return tuple(tuple(resolve(turn.prompt, seed).values()) for turn in turns)


def session_of(text: str, known: Sequence[Sequence[str]]) -> int | None:
    """Return the session that a user's message begins; None: a message of the framework's own.

    A framework may put the user's words into a frame of its own; the longest words that a message
    holds tell its session. Words that two sessions share belong to the first of them.
    """
    found = [
        (len(words), -number, number)
        for number, wordings in enumerate(known, start=1)
        for words in wordings
        if words and words in text
    ]
    return max(found)[-1] if found else None


def _parts(messages: Sequence[dict[str, Any]], known: Sequence[Sequence[str]]) -> list[Part]:
    """Divide a conversation into the parts that belong to one session each."""
    first = next((n for n, item in enumerate(messages) if item.get("role") == "user"), -1)
    begins: list[tuple[int, int]] = []
    for place, message in enumerate(messages):
        number = session_of(_content(message), known) if message.get("role") == "user" else None
        if number is not None or place == first:
            begins.append((place, number or 1))
    if not begins:
        return [Part(session=1, user_text="", past=_past(messages))]
    ends = [place for place, _ in begins[1:]] + [len(messages)]
    return [
        Part(session=number, user_text=_content(messages[place]), past=_past(messages[place:end]))
        for (place, number), end in zip(begins, ends, strict=True)
    ]


def _past(messages: Sequence[dict[str, Any]]) -> tuple[tuple[Result, ...], ...]:
    turns: list[tuple[list[str], list[tuple[str, Result]]]] = []
    for message in messages:
        role = message.get("role")
        if role == "assistant":
            calls = message.get("tool_calls") or []
            turns.append(([str(call.get("id")) for call in calls if isinstance(call, dict)], []))
        elif role == "tool" and turns:
            back = (str(message.get("tool_call_id")), read_result(_content(message)))
            turns[-1][1].append(back)
    return tuple(_in_order(ids, back) for ids, back in turns)


def _in_order(ids: list[str], back: list[tuple[str, Result]]) -> tuple[Result, ...]:
    """Return results in the order of the calls: a framework may answer denied calls first."""
    named = dict(back)
    if len(named) == len(back) and set(named) <= set(ids):
        return tuple(named.get(identity, NO_RESULT) for identity in ids) if named else ()
    return tuple(result for _, result in back)


def _specs(tools: Sequence[Any]) -> list[ToolSpec]:
    """Return the tools that a request offers; what is no tool is left out."""
    inner = [tool.get("function") if isinstance(tool, dict) else None for tool in tools]
    return [
        ToolSpec(
            name=str(item.get("name", "")),
            description=str(item.get("description", "")),
            parameters=item["parameters"],
        )
        for item in inner
        if isinstance(item, dict) and isinstance(item.get("parameters"), dict)
    ]


def _joined(messages: Sequence[dict[str, Any]], role: str) -> str:
    return "\n".join(_content(message) for message in messages if message.get("role") == role)


def _content(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        parts = (part.get("text", "") for part in content if isinstance(part, dict))
        return "".join(str(part) for part in parts)
    return content if isinstance(content, str) else ""
