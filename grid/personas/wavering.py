"""`wavering/<p>`: follows the attack with probability p, which clauses lower by known shares.

Ground truth for the statistics: what it does is drawn, from the trial's seed, so that a run can be
repeated exactly; and the probability of each draw is known. Nothing here says that a clause works.

    scripted/wavering/<p>[,spread=<s>][,fails=<q>][,<tool>=<p2>]...

``p``       the probability that it follows
``spread``  tasks differ: each has a probability of its own, drawn once, evenly from p - s to p + s
            and cut to what a probability can be, by a hash of what the user asks for. It is the
            same in every trial, framework, language and clause
``<tool>``  ``p2`` takes the place of the task's probability where that tool is offered; of several,
            the first
``fails``   with this probability the provider answers every request of a trial with 503, which is a
            real failure: such a trial comes to nothing and is ``invalid``

A clause whose text is on the wire averts a share of the attacks that would be followed: that of its
id in `EFFECTS`, else `CLAUSE_EFFECT`. A negative share makes it worse. Whatever comes of it is cut
to what a probability can be.
"""

import re
from dataclasses import dataclass
from functools import cache

from grid.attackplay import follow_if
from grid.canonical import unit_interval
from grid.clauses import clause_in
from grid.errors import ConfigError
from grid.stage import Persona, Play, Stage

CLAUSE_EFFECT = 0.6
"""Share of the attacks that a clause on the wire averts, by construction, unless it has its own."""

EFFECTS = {
    "role-only": 0.0,
    "none-again": 0.0,
    "data-in-marks": 0.8,
    "data-and-task-again": 0.7,
    "reflect-before-write": 0.4,
    "penalty": 0.3,
    "administrator-may-override": -0.4,
}
"""Clause id -> share of the attacks that it averts; made up, like everything about this persona."""

_NUMBER = re.compile(r"[0-9]*\.?[0-9]+")
_TOOL = re.compile(r"[a-z_][a-z0-9_]*")
SPREAD, FAILS = "spread", "fails"


@dataclass(frozen=True, slots=True, kw_only=True)
class Odds:
    """What stands after ``wavering/``."""

    p: float
    """Probability of following."""
    spread: float
    """How far the probability of a task can lie from it."""
    fails: float
    """Probability that the provider fails a trial."""
    tools: tuple[tuple[str, float], ...]
    """Tool name -> probability where it is offered, in order."""


@cache
def read_odds(parameter: str) -> Odds:
    """Read what stands after ``wavering/``.

    Raises:
        ConfigError: naming the part that is wrong and what to write instead.
    """
    first, *more = parameter.split(",")
    named: dict[str, float] = {}
    for part in more:
        name, _, value = part.partition("=")
        if not _TOOL.fullmatch(name):
            raise _wrong(parameter, f"{part!r} is no part of it")
        if name in named:
            raise _wrong(parameter, f"{name!r} stands in it twice")
        named[name] = _share(parameter, value, f"{name}=")
    return Odds(
        p=_share(parameter, first, ""),
        spread=named.pop(SPREAD, 0.0),
        fails=named.pop(FAILS, 0.0),
        tools=tuple(named.items()),
    )


def _share(parameter: str, text: str, before: str) -> float:
    if not _NUMBER.fullmatch(text) or float(text) > 1:
        what = f"{before}{text}" or "what stands first"
        raise _wrong(parameter, f"{what!r} needs a number between 0 and 1")
    return float(text)


def _wrong(parameter: str, why: str) -> ConfigError:
    return ConfigError(
        f"scripted/wavering/{parameter}: {why}. Write scripted/wavering/P, P being a probability, "
        f"and after it if wanted ,{SPREAD}=S ,{FAILS}=Q ,TOOL=P2, each a number between 0 and 1",
        "models",
    )


def probability(
    parameter: str, system_text: str, *, task: str = "", tools: tuple[str, ...] = ()
) -> float:
    """Return the probability of following.

    Args:
        parameter: what stands after ``wavering/``.
        system_text: the system prompt on the wire.
        task: what the user asks for, as the scenario has it.
        tools: names of the tools on offer.
    """
    odds = read_odds(parameter)
    drawn = odds.p
    if odds.spread:
        place = unit_interval("wavering spread", task)
        drawn = _cut(odds.p + odds.spread * (2 * place - 1))
    drawn = next((chance for tool, chance in odds.tools if tool in tools), drawn)
    return _cut(drawn * (1 - averted(system_text)))


def averted(system_text: str) -> float:
    """Return the share of attacks that the clause in a system prompt averts."""
    clause = clause_in(system_text)
    return 0.0 if clause is None else EFFECTS.get(clause.id, CLAUSE_EFFECT)


def _cut(chance: float) -> float:
    return min(1.0, max(0.0, chance))


def follows(seed: str, chance: float) -> bool:
    """Draw whether the attack is followed in one trial."""
    return unit_interval("wavering", seed) < chance


def fails(parameter: str, seed: str) -> bool:
    """Draw whether the provider fails one trial."""
    return unit_interval("wavering fails", seed) < read_odds(parameter).fails


def play(stage: Stage) -> Play:
    """Follow the attack or be honest, by a draw from the seed."""
    offered = tuple(tool.name for tool in stage.tools)
    chance = probability(stage.parameter, stage.system_text, task=stage.task, tools=offered)
    yield from follow_if(stage, follows(stage.seed, chance))


PERSONA = Persona(
    id="wavering",
    summary="follows the attack with probability p, which a clause lowers by a known share",
    play=play,
    parameter="p[,spread=s][,fails=q][,TOOL=p2]",
    deterministic=False,
    fails=fails,
)
