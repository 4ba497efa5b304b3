"""`nonverba list`: what there is to choose from."""

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Any

import typer

from grid.adapters import SCRIPTED, adapter_module, framework_names
from grid.catalogue import PERSONAS, module_of, numbers, pair
from grid.clauses import Placement, clauses_by_id
from grid.cli.console import say, show_json, show_table
from grid.cli.options import Load
from grid.cli.scenarioview import scenario_json, show_scenario
from grid.display import visible
from grid.errors import ConfigError
from grid.guards import all_guards
from grid.models import LOCAL, PROVIDERS, Provider
from grid.registry import load, module_names, unknown
from grid.resultframe import Results
from grid.stage import Persona
from ledgers.rules import all_rules
from proxy.weights import LOCAL_MODELS


class Kind(StrEnum):
    """What can be listed."""

    SCENARIOS = "scenarios"
    CLAUSES = "clauses"
    GUARDS = "guards"
    FRAMEWORKS = "frameworks"
    MODELS = "models"
    PERSONAS = "personas"
    RULES = "rules"


def list_command(
    kind: Annotated[Kind, typer.Argument(help="What to list.")],
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="For scenarios: number or name; for clauses: id."),
    ] = None,
    wire: Annotated[
        bool, typer.Option("--wire", help="For frameworks: what still differs on the wire.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    load: Load = None,
) -> None:
    """List scenarios, clauses, guards, frameworks, models, personas or rules."""
    if name is not None:
        _one(kind, name, as_json)
        return
    rows = LISTS[kind](wire)
    if as_json:
        show_json(rows)
    elif rows:
        shown = [{key: row[key] for key in BRIEF.get(kind, row)} for row in rows]
        show_table("", list(shown[0]), [[str(item) for item in row.values()] for row in shown])
    if kind is Kind.SCENARIOS and not as_json:
        say("One of them in full: nonverba list scenarios S11. All columns: --json.")
    if kind is Kind.CLAUSES and not as_json:
        say("One of them in full: nonverba list clauses data-in-marks. All columns: --json.")
    if kind in (Kind.MODELS, Kind.PERSONAS) and not as_json:
        say("Scripted personas are instruments with known faults; they stand for no real model.")


BRIEF = {
    Kind.SCENARIOS: ("number", "scenario", "family", "title"),
    Kind.CLAUSES: ("clause", "languages", "system prompt", "tool results", "summary"),
}
"""Columns of a table that would be too wide with all of them; ``--json`` has the rest."""


IN_PROMPT = {
    Placement.APPEND: "gains the clause",
    Placement.NOTHING: "as it is",
    Placement.NO_SYSTEM: "left out",
}
TO_RESULTS = {
    Results.PLAIN: "as they are",
    Results.MARKED: "between marks with a nonce",
    Results.TASK_AGAIN: "with the task again after each",
}


def _one(kind: Kind, name: str, as_json: bool) -> None:
    """Show one scenario or clause."""
    if kind is Kind.CLAUSES:
        if name not in clauses_by_id():
            raise unknown("clause", name, clauses_by_id())
        if as_json:
            show_json(_clause(name))
        else:
            _show_clause(name)
        return
    if kind is not Kind.SCENARIOS:
        raise ConfigError(
            f"list {kind.value}: takes no name; write one with 'list scenarios' or 'list clauses'"
        )
    module = module_of(name)
    if as_json:
        show_json(scenario_json(module))
    else:
        show_scenario(module)


def _scenarios(_wire: bool) -> list[dict[str, Any]]:
    pairs = [pair(module) for module in numbers().values()]
    return [
        {
            "number": entry.attack.number,
            "scenario": entry.attack.id,
            "family": entry.attack.family.value,
            "title": entry.attack.title,
            "languages": " ".join(entry.attack.turns[0].prompt),
            "variants": len(entry.variants),
            "guards": " ".join(sorted(entry.attack.policy)),
            "fault persona": entry.attack.truth.fault,
            "origin": entry.attack.origin,
        }
        for entry in pairs
    ]


def _clauses(_wire: bool) -> list[dict[str, Any]]:
    return [_clause(identity) for identity in clauses_by_id()]


def _clause(identity: str) -> dict[str, Any]:
    written = clauses_by_id()[identity]
    first = written[0]
    return {
        "clause": identity,
        "languages": " ".join(clause.language for clause in written),
        "system prompt": IN_PROMPT[first.placement],
        "tool results": TO_RESULTS[first.results],
        "summary": first.summary,
        "texts": {clause.language: clause.text for clause in written},
        "sha256": {clause.language: clause.digest() for clause in written},
    }


def _show_clause(identity: str) -> None:
    found = _clause(identity)
    say(f"{identity}: {found['summary']}")
    say(f"system prompt: {found['system prompt']}; tool results: {found['tool results']}")
    for language, text in found["texts"].items():
        if text:
            say(f"{language}  {visible(text)}")


def _guards(_wire: bool) -> list[dict[str, Any]]:
    return [{"guard": guard.id, "guarantees": guard.summary} for guard in all_guards()]


def _frameworks(wire: bool) -> list[dict[str, Any]]:
    if not wire:
        return [
            {"framework": name, "witness": "journal" if name == SCRIPTED else "proxy and journal"}
            for name in framework_names()
        ]
    return [
        {"framework": name, "what differs": note}
        for name in framework_names()
        for note in adapter_module(name).WIRE_NOTES
    ]


def _personas(_wire: bool) -> list[dict[str, Any]]:
    found: list[Persona] = [
        load(PERSONAS, module, "persona").PERSONA for module in module_names(PERSONAS)
    ]
    return [
        {
            "model": f"scripted/{persona.id}"
            + (f"/<{persona.parameter}>" * bool(persona.parameter)),
            "behaviour": persona.summary,
            "repeats are samples": "no" if persona.deterministic else "yes",
        }
        for persona in found
    ]


def _models(_wire: bool) -> list[dict[str, Any]]:
    fault = {
        "model": "scripted/fault",
        "behaviour": "the persona with the fault each scenario looks for",
        "repeats are samples": "no",
    }
    local = [
        {"model": f"{LOCAL}/{model.name}", "behaviour": f"{model.summary}; {model.licence}"}
        for model in LOCAL_MODELS.values()
    ]
    served = [
        {"model": f"{provider.id}/<name>", "behaviour": f"{provider.summary}{_key(provider)}"}
        for provider in PROVIDERS.values()
        if provider.id != LOCAL
    ]
    real = [{**row, "repeats are samples": "unless at temperature=0"} for row in local]
    real += [{**row, "repeats are samples": "yes"} for row in served]
    return [*real, fault, *_personas(False)]


def _key(provider: Provider) -> str:
    where = f"; {provider.url_variable} or {provider.base_url}" if provider.base_url else ""
    return where + (f"; key in {provider.key_variable}" if provider.key_variable else "")


def _rules(_wire: bool) -> list[dict[str, Any]]:
    return [
        {
            "rule": rule.id,
            "version": rule.version,
            "family": rule.family.value,
            "statement": rule.statement,
        }
        for rule in all_rules()
    ]


LISTS: dict[Kind, Callable[[bool], list[dict[str, Any]]]] = {
    Kind.SCENARIOS: _scenarios,
    Kind.CLAUSES: _clauses,
    Kind.GUARDS: _guards,
    Kind.FRAMEWORKS: _frameworks,
    Kind.MODELS: _models,
    Kind.PERSONAS: _personas,
    Kind.RULES: _rules,
}
