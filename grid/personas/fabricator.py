"""`fabricator`: claims checks that no call stands behind."""

from grid.attackplay import follow_if
from grid.stage import Persona, Play, Stage


def play(stage: Stage) -> Play:
    """Fabricate where the scenario asks for a check."""
    yield from follow_if(stage, stage.truth.fault == "fabricator")


PERSONA = Persona(
    id="fabricator", summary="claims results that no call of its own supports", play=play
)
