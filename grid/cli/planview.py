"""A plan for people and as data: a row per model, what it rests on, and what it can find."""

from collections.abc import Sequence
from typing import Any

from grid.cli.console import say, show_table
from grid.cli.planeffect import Detectable, PerCell
from grid.cli.planestimate import Basis, ModelPlan, Span, groups_used
from grid.cli.planfootprint import CJK_BYTES, DATA_BYTES, PROSE_BYTES
from grid.cli.planlike import GROUPS
from grid.cli.planprices import HOW
from grid.display import visible
from grid.plan import Plan
from grid.strict import to_json
from ledgers.stats.power import POWER

HEADS = ("model", "cells", "trials", "model calls", "tokens in", "tokens out", "time", "cost")
NONE = "none"
MINUTE, HOUR = 60, 3600


def plan_json(
    plan: Plan, plans: Sequence[ModelPlan], found: Sequence[Detectable], basis: Basis
) -> dict[str, Any]:
    """Return a plan as data; null stands for what no evidence tells."""
    return {
        "name": plan.name,
        "cells": sum(one.cells for one in plans),
        "trials": len(plan.trials),
        "jobs": basis.jobs,
        "models": [to_json(one) for one in plans],
        "detectable": [to_json(one) for one in found],
        "power": POWER,
        "rests_on": list(rests_on(plan, plans, basis)),
    }


def show_plan(
    plan: Plan, plans: Sequence[ModelPlan], found: Sequence[Detectable], basis: Basis
) -> None:
    """Print a plan."""
    cells = sum(one.cells for one in plans)
    show_table(f"{plan.name}: {cells} cells, {len(plan.trials)} trials", HEADS, map(_row, plans))
    for sentence in rests_on(plan, plans, basis):
        say(sentence)
    say()
    alike: dict[str, list[str]] = {}
    for one in found:
        alike.setdefault(effect(one), []).append(visible(one.model))
    for sentence, models in alike.items():
        say(f"{', '.join(models)}: {sentence}")


def _row(one: ModelPlan) -> tuple[str, ...]:
    work = one.work
    counts = (work.calls, work.input_tokens, work.output_tokens)
    return (
        one.model,
        f"{one.cells:,}",
        f"{one.trials:,}",
        *(_number(span) for span in counts),
        _time(one.wall),
        NONE if one.cost is None else f"{_money(one.cost)} {one.currency}",
    )


def _between(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"


def _number(span: Span | None) -> str:
    return NONE if span is None else _between(f"{span.low:,.0f}", f"{span.high:,.0f}")


def _money(span: Span) -> str:
    return _between(f"{span.low:,.2f}", f"{span.high:,.2f}")


def _time(span: Span | None) -> str:
    return NONE if span is None else _between(_clock(span.low), _clock(span.high))


def _clock(seconds: float) -> str:
    if seconds < MINUTE:
        return f"{seconds:.0f} s"
    if seconds < HOUR:
        return f"{seconds / MINUTE:.0f} min"
    return f"{seconds / HOUR:,.1f} h"


def rests_on(plan: Plan, plans: Sequence[ModelPlan], basis: Basis) -> tuple[str, ...]:
    """Return in sentences what the estimates rest on, and what is missing."""
    said = ["These are estimates, and retries, failures and a framework's own prompts add to them."]
    said += _evidence(plan, basis)
    if any(one.wired < one.trials for one in plans):
        said.append("Trials of the framework `scripted` ask no model: they count as trials alone.")
    if any(one.wall is None for one in plans):
        said.append(
            "Time is none: give --seconds-per-call, or --like with a run of the same model."
        )
    elif basis.seconds_per_call is not None:
        said.append(
            f"Time: {basis.seconds_per_call:g} s a call, {basis.jobs} workers; frameworks and "
            "tools come on top."
        )
    if any(one.cost is None for one in plans):
        said.append(f"Cost is none without a price and tokens: {HOW}.")
    return tuple(said)


def _evidence(plan: Plan, basis: Basis) -> list[str]:
    if basis.like is None:
        return [
            "Calls and tokens: each scenario was played once, by the persona itself where it is a "
            "deterministic one, else by the honest and by the faulty agent, which give the two "
            "ends. Their words are short: a real model's words and reasoning come on top.",
            f"Tokens: {PROSE_BYTES} bytes of prompts and tool declarations, {DATA_BYTES} of "
            f"arguments and results, and {CJK_BYTES} of Chinese, Japanese or Korean characters are "
            "taken for one; nothing was asked of a tokenizer.",
        ]
    used = groups_used(plan, basis.like)
    shares = ", ".join(f"{count:,} on {GROUPS[group]}" for group, count in sorted(used.items()))
    time = "" if basis.seconds_per_call is not None else "; time: wall time of its trials"
    return [
        f"Calls and tokens: means of {visible(str(basis.like.path))}, tokens as its provider "
        f"counted them{time}. Of the trials, {shares or 'none'} rest."
    ]


def effect(one: Detectable) -> str:
    """Return in sentences what can be detected with a model."""
    if one.why_not:
        return f"smallest effect: {NONE}; {one.why_not}."
    pooled = ", ".join(
        f"{_points(item.difference)} at a mean rate of {item.rate:.0%}" for item in one.pooled
    )
    cells = "; ".join(map(_cell, one.per_cell))
    return (
        f"smallest effect that is found in {POWER:.0%} of runs.\n"
        f"  Two arms (clauses, or models on this grid) of {_many(one.scenarios, 'scenario')} x "
        f"{_many(one.trials, 'trial')}, difference of their mean rates of harm: {pooled}. "
        "Scenarios are taken to react alike; where they do not, it is larger.\n"
        f"  Cell gate with {_many(one.cell_trials, 'trial')} a cell and "
        f"{_many(one.tests, 'cell')} in a family, rate of harm of the new cell: {cells}."
    )


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _points(difference: float | None) -> str:
    return NONE if difference is None else f"{100 * difference:.0f} points"


def _cell(item: PerCell) -> str:
    found = NONE if item.rate is None else f"{item.rate:.0%}"
    return f"{found} against a baseline with {item.hits} harmed"
