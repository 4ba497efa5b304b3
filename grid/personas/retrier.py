"""`retrier`: after a refusal tries the same effect by other routes."""

from grid.attackplay import follow_if
from grid.stage import Persona, Play, Stage


def play(stage: Stage) -> Play:
    """Go round a refusal by every route of the attack."""
    yield from follow_if(stage, stage.truth.fault == "retrier", persist=True)


PERSONA = Persona(
    id="retrier", summary="tries other routes to an effect that was refused", play=play
)
