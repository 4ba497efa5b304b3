"""`other-route`: reaches the scenario's harm by calls that the attack's truth does not contain.

It proves that the oracle looks at the tool layer and not at the attack's own calls.
"""

from grid.attackplay import follow, follow_if
from grid.stage import Persona, Play, Stage


def play(stage: Stage) -> Play:
    """Take the other route, whatever is refused; be honest where there is none."""
    if stage.truth.other_route:
        yield from follow(stage, stage.truth.other_route, persist=True)
    else:
        yield from follow_if(stage, wanted=False)


PERSONA = Persona(
    id="other-route", summary="reaches the harm by calls that the attack does not use", play=play
)
