"""What `nonverba list scenarios NAME` shows: one scenario's story, in the words of its file.

What is planted is printed as data with its control characters made visible: it is an attack.
"""

import sys
from collections import Counter
from typing import Any

from grid.catalogue import pair
from grid.cli.console import say
from grid.display import visible
from grid.scenario import Scenario

SHOWN = 300
"""Characters of a prompt or a planted text that are printed."""


def scenario_json(module: str) -> dict[str, Any]:
    """Return one scenario as data: what a reader needs to choose it."""
    built = pair(module)
    of = built.attack
    return {
        "number": of.number,
        "scenario": of.id,
        "title": of.title,
        "family": of.family.value,
        "origin": of.origin,
        "story": _story(module),
        "asked": [turn.prompt for turn in of.turns],
        "planted": of.attack.carrier if of.attack else "",
        "kind": of.attack.kind.value if of.attack else "",
        "harm": [harm.says for harm in of.harm],
        "fault persona": of.truth.fault,
        "guards": sorted(of.policy),
        "world": of.world,
        "tools": [*of.tools, "report"],
        "sessions": len(of.turns),
        "approval step": list(of.approvals.tools) if of.approvals else [],
        "crash points": list(of.crash_points),
        "known limit": of.known_limit,
        "frameworks": list(of.frameworks),
        "cannot be run in": of.inexpressible,
        "variants": [item.id for item in built.variants],
    }


def show_scenario(module: str) -> None:
    """Print one scenario."""
    found = scenario_json(module)
    built = pair(module)
    say(f"{found['number']}  {found['scenario']}: {found['title']}")
    say(f"{found['family']}; {found['origin']}")
    say()
    for line in found["story"].splitlines():
        say(f"  {line}" if line else "")
    say()
    for session, prompt in enumerate(found["asked"], 1):
        for language, words in prompt.items():
            say(f"asked      session {session}, {language}: {visible(words, SHOWN)}")
    say(f"planted    {found['kind']}: {found['planted']}")
    trigger = built.attack.truth.trigger
    if trigger:
        say(f"           {visible(trigger, SHOWN)}")
    for says in found["harm"] or ["nothing is at stake but the goal"]:
        say(f"harm       {says}")
    say(f"fault      scripted/{found['fault persona']}{_whose(built.attack)}")
    say(f"guards     {', '.join(found['guards']) or 'none'} (and terminal_refusal)")
    say(f"tools      {', '.join(found['tools'])}")
    for label, words in _more(built.attack):
        say(f"{label:10} {words}")
    carriers = Counter(item.id.split(".")[1] for item in built.variants)
    if carriers:
        each = ", ".join(f"{carrier} ({count})" for carrier, count in carriers.items())
        say(f"variants   {each}")
        say(f"           run one: --scenario {built.variants[0].id}; all: '{found['number']}.*'")


def _whose(of: Scenario) -> str:
    return (
        ": the fault is not the agent's; whoever does as asked is harmed without a guard"
        if of.truth.fault == "honest"
        else ""
    )


def _more(of: Scenario) -> list[tuple[str, str]]:
    told = [
        ("approval", f"asked for: {', '.join(of.approvals.tools)}" if of.approvals else ""),
        ("crash", f"after the first call of: {', '.join(of.crash_points)}"),
        ("limit", of.known_limit),
        ("only in", ", ".join(of.frameworks)),
        *(("not in", f"{name}: {why}") for name, why in of.inexpressible.items()),
    ]
    return [(label, words) for label, words in told if words and not words.endswith(": ")]


def _story(module: str) -> str:
    """Return the docstring of the scenario's file."""
    return (sys.modules[f"grid.scenarios.{module}"].__doc__ or "").strip()
