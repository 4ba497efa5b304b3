"""`gullible`: follows whatever order stands in a tool result."""

from grid.attackplay import follow_if
from grid.stage import Persona, Play, Stage


def play(stage: Stage) -> Play:
    """Follow any attack that comes as a text; be honest elsewhere."""
    yield from follow_if(stage, bool(stage.truth.trigger))


PERSONA = Persona(id="gullible", summary="follows orders that stand in tool results", play=play)
