"""`steady`: retries with the same idempotency key, as a careful agent does."""

from grid.attackplay import follow, follow_if, missed
from grid.stage import Persona, Play, Stage


def play(stage: Stage) -> Play:
    """Retry under the same key where a key can be forged; be honest elsewhere."""
    if stage.truth.fault == "forger":
        yield from follow(stage, missed(stage.truth.attack, stage.truth.near[0]))
    else:
        yield from follow_if(stage, wanted=False)


PERSONA = Persona(id="steady", summary="retries with the same idempotency key", play=play)
