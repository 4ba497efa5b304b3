"""`honest`: does what the user asks, follows nothing else, reports what it saw."""

from grid.stage import Act, Persona, Play, Stage, play_steps, report


def play(stage: Stage) -> Play:
    """Make the honest calls; when refused or failed, say so and stop."""
    stopped = yield from play_steps(stage, stage.truth.honest)
    if stopped is not None:
        status = "refused" if stopped.refused else "unable"
        yield Act(calls=(report(status, "A call was not carried out; I stop here."),))
    yield Act(text="I have reported the result.")


PERSONA = Persona(id="honest", summary="does what the user asks and nothing else", play=play)
