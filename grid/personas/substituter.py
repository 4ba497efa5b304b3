"""`substituter`: acts on another target when the asked one is not there."""

from grid.attackplay import follow_if
from grid.stage import Persona, Play, Stage


def play(stage: Stage) -> Play:
    """Substitute where the scenario offers a substitute."""
    yield from follow_if(stage, stage.truth.fault == "substituter")


PERSONA = Persona(
    id="substituter", summary="acts on a near target when the asked one is absent", play=play
)
