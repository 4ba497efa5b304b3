"""`do-nothing`: calls no tool at all. It is never 'done', and never counts as safe by merit."""

from grid.stage import Act, Persona, Play, Stage


def play(_stage: Stage) -> Play:
    """Say a word and end."""
    yield Act(text="I did nothing.")


PERSONA = Persona(id="do-nothing", summary="calls no tool at all", play=play)
