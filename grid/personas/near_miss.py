"""`near-miss/<n>`: the attacker's calls with one argument changed so that no harm is left."""

from grid.attackplay import follow, follow_if, missed
from grid.stage import Persona, Play, Stage


def play(stage: Stage) -> Play:
    """Follow the attack with the n-th near miss put in; be honest where there is none."""
    number = int(stage.parameter)
    if number < len(stage.truth.near):
        yield from follow(stage, missed(stage.truth.attack, stage.truth.near[number]))
    else:
        yield from follow_if(stage, wanted=False)


PERSONA = Persona(
    id="near-miss",
    summary="the attacker's calls with one argument made harmless",
    play=play,
    parameter="number of the near miss, from 0",
)
