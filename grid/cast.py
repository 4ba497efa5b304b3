"""Finding and playing personas: what the scripted model server and the `scripted` adapter share."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from grid.catalogue import scenario
from grid.errors import ConfigError
from grid.personas.broken_wire import KINDS
from grid.registry import load, module_names, unknown
from grid.stage import Act, Persona, Result, Stage, act_calls, perform, read_result
from grid.wirecall import WireCall

PERSONAS = "grid.personas"
PREFIX = "scripted/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One scripted model answer."""

    text: str
    """Words; empty for none."""
    calls: tuple[WireCall, ...]
    """Tool calls, in order."""


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


def _check_parameter(persona: Persona, parameter: str) -> None:
    fits = {
        "near-miss": parameter.isascii() and parameter.isdigit(),
        "wavering": _is_probability(parameter),
        "broken-wire": parameter in KINDS,
    }.get(persona.id, parameter == "")
    if not fits:
        wanted = f"/<{persona.parameter}>" if persona.parameter else " with nothing after it"
        raise ConfigError(
            f"persona {persona.id!r} with {parameter!r}: write scripted/{persona.id}{wanted}",
            "models",
        )


def _is_probability(text: str) -> bool:
    try:
        return 0 <= float(text) <= 1
    except ValueError:
        return False


def stage_for(
    *, scenario_id: str, names: int, seed: str, parameter: str, system_text: str, user_text: str
) -> Stage:
    """Return the stage of one trial."""
    return Stage(
        truth=scenario(scenario_id, names).truth,
        seed=seed,
        parameter=parameter,
        system_text=system_text,
        user_text=user_text,
    )


def answer(
    *, scenario_id: str, names: int, seed: str, persona: str, messages: Sequence[dict[str, Any]]
) -> Answer:
    """Return what a persona answers to the messages of a chat-completions request.

    Args:
        scenario_id: id of the scenario or twin on stage.
        names: names seed of the scenario (0: as written).
        seed: hex seed of the trial.
        persona: persona id with its parameter, as the request's ``model`` says.
        messages: the request's messages, as sent.

    Raises:
        ConfigError: unknown persona or scenario.
    """
    actor, parameter = persona_of(persona)
    stage = stage_for(
        scenario_id=scenario_id,
        names=names,
        seed=seed,
        parameter=parameter,
        system_text=_joined(messages, "system"),
        user_text=_first(messages, "user"),
    )
    past = _past(messages)
    act: Act = perform(actor, stage, past)
    return Answer(text=act.text, calls=act_calls(act, seed, len(past) + 1))


def _past(messages: Sequence[dict[str, Any]]) -> list[tuple[Result, ...]]:
    turns: list[tuple[Result, ...]] = []
    for message in messages:
        role = message.get("role")
        if role == "assistant":
            turns.append(())
        elif role == "tool" and turns:
            turns[-1] = (*turns[-1], read_result(_content(message)))
    return turns


def _joined(messages: Sequence[dict[str, Any]], role: str) -> str:
    return "\n".join(_content(message) for message in messages if message.get("role") == role)


def _first(messages: Sequence[dict[str, Any]], role: str) -> str:
    return next((_content(item) for item in messages if item.get("role") == role), "")


def _content(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        parts = (part.get("text", "") for part in content if isinstance(part, dict))
        return "".join(str(part) for part in parts)
    return content if isinstance(content, str) else ""
