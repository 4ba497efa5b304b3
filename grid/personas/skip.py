"""`skip/<n>`: the honest calls without the n-th: does the goal notice?

An instrument of the self-check: a goal that holds although a call was left out asks for too little.
"""

from dataclasses import replace

from grid.attackplay import follow_if
from grid.scenario import Step
from grid.stage import Persona, Play, Stage


def without(steps: tuple[Step, ...], number: int) -> tuple[Step, ...]:
    """Return the steps without one; what stood beside it then begins an answer of its own."""
    if number >= len(steps):
        return steps
    left, right = steps[:number], steps[number + 1 :]
    if right and right[0].beside and not steps[number].beside:
        right = (replace(right[0], beside=False), *right[1:])
    return (*left, *right)


def play(stage: Stage) -> Play:
    """Leave one honest call out; be honest where there is no such call."""
    kept = without(stage.script.honest, int(stage.parameter))
    mine = tuple(step for step in kept if step.session == stage.session)
    stage.truth = replace(stage.truth, honest=mine)
    yield from follow_if(stage, wanted=False)


PERSONA = Persona(
    id="skip",
    summary="leaves out one call of an honest agent",
    play=play,
    parameter="number of the call, from 0",
)
