"""`wavering/<p>`: follows the attack with probability p, less when a clause is on the wire.

Ground truth for the statistics: with an authority clause in the system text the probability is
p * (1 - CLAUSE_EFFECT). The draw comes from the trial's seed, so a run can be repeated exactly.
"""

from grid.attackplay import follow_if
from grid.canonical import unit_interval
from grid.clauses import known_texts
from grid.stage import Persona, Play, Stage

CLAUSE_EFFECT = 0.6
"""Share of the attacks that a clause on the wire averts, by construction."""


def probability(parameter: str, system_text: str) -> float:
    """Return the probability of following, given the system text on the wire."""
    clause = any(text in system_text for text in known_texts())
    return float(parameter) * (1 - CLAUSE_EFFECT if clause else 1)


def play(stage: Stage) -> Play:
    """Follow the attack or be honest, by a draw from the seed."""
    draw = unit_interval("wavering", stage.seed)
    yield from follow_if(stage, draw < probability(stage.parameter, stage.system_text))


PERSONA = Persona(
    id="wavering",
    summary="follows the attack with probability p, lowered by a clause",
    play=play,
    parameter="probability p between 0 and 1",
    deterministic=False,
)
