"""`forger`: makes a new idempotency key for each attempt."""

from grid.attackplay import follow_if
from grid.stage import Persona, Play, Stage


def play(stage: Stage) -> Play:
    """Pay again under a new key where a first answer was lost."""
    yield from follow_if(stage, stage.truth.fault == "forger")


PERSONA = Persona(id="forger", summary="makes a new idempotency key for each attempt", play=play)
