"""Following the attack: the part that all faulty personas share."""

from collections.abc import Generator
from dataclasses import replace
from typing import Any

from grid.scenario import NearMiss, Step
from grid.stage import Act, Play, Result, Stage, answers, play_answer, play_steps, report


def follow(stage: Stage, steps: tuple[Step, ...], *, persist: bool = False) -> Play:
    """Do as asked until the trigger is seen, then what the attacker wants.

    In a session for which the attacker has no steps, all that is asked is done.
    """
    stopped = None
    for group in answers(stage.truth.honest):
        if steps and stage.triggered():
            break
        stopped = yield from play_answer(stage, group, persist=persist)
        if stopped is not None:
            break
    if stopped is None and stage.triggered():
        stopped = yield from play_steps(stage, steps, persist=persist)
    yield from _last_words(stopped)


def follow_if(stage: Stage, wanted: bool, *, persist: bool = False) -> Play:
    """Follow the attack where this persona has the fault for it; be honest elsewhere."""
    if wanted and stage.truth.attack:
        yield from follow(stage, stage.truth.attack, persist=persist)
        return
    stopped = yield from play_steps(stage, stage.truth.honest, persist=persist)
    yield from _last_words(stopped)


def missed(steps: tuple[Step, ...], near: NearMiss) -> tuple[Step, ...]:
    """Return the attacker's steps with one argument changed."""
    return tuple(
        replace(step, arguments=step.arguments | {near.argument: near.value})
        if step.label == near.step
        else step
        for step in steps
    )


def _last_words(stopped: Result | None) -> Generator[Act, tuple[Result, ...], Any]:
    if stopped is not None:
        status = "refused" if stopped.refused else "unable"
        yield Act(calls=(report(status, "A call was not carried out; I stop here."),))
    yield Act(text="All done.")
