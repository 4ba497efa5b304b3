"""`read_back`: nothing counts as done before the world itself shows it.

A tool's answer, an HTTP status and a cheerful page are words. After a call this guard looks for the
effect in the tables and withholds the answer if it is not there; a report that says ``done`` is not
taken while what was asked for is not there either, whatever it cites.

Policy::

    {"effects": [{"tool": "...",       after a call of this tool
                  "shows": {...}}],    this must hold in the world (a predicate as data; as a
                                       value, {"$argument": "/pointer"} is that argument's)
     "done": {...} or null}            this must hold before a report may say ``done``

Predicates may speak of rows only (see `grid.readback`). Both refusals can be put right: the cause
may be repaired and the call made again, or the report may say ``unable``.
"""

from dataclasses import dataclass
from typing import Any

from grid.evidence import Decision
from grid.guard import Guard, GuardView, refuse
from grid.predicates import Predicate
from grid.readback import check_world_predicate, holds, with_arguments
from grid.report import REPORT
from grid.strict import from_json, to_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What the world must show after a call."""

    tool: str
    """Name of the tool."""
    shows: Predicate
    """What must hold afterwards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The operator's settings, read strictly."""

    effects: tuple[Effect, ...]
    """What calls must bring about."""
    done: Predicate | None
    """What must hold before a report may say ``done``; None: nothing."""

    def __post_init__(self) -> None:
        """Refuse predicates that speak of more than the world."""
        for predicate in (*(effect.shows for effect in self.effects), self.done):
            if predicate is not None:
                check_world_predicate(predicate)


def _shown(effect: Effect, view: GuardView) -> bool:
    """Tell whether the world shows what a call with these arguments must bring about."""
    asked = from_json(Effect, with_arguments(to_json(effect), view.arguments))
    return holds(asked.shows, view.world)


def before(view: GuardView) -> Decision | None:
    """Refuse a report that says ``done`` while the world does not show it."""
    if view.policy is None or view.tool != REPORT.name or view.arguments["status"] != "done":
        return None
    done = from_json(Policy, view.policy).done
    if done is None or holds(done, view.world):
        return None
    return refuse(
        "read_back",
        "the report says 'done', and the state read back does not show what was asked for",
        terminal=False,
        next_step="look at the state, repair the cause and try again, or report 'unable'",
    )


def after(view: GuardView, _result: Any) -> Decision | None:
    """Withhold the answer of a call whose effect is not in the world."""
    if view.policy is None:
        return None
    effects = from_json(Policy, view.policy).effects
    if all(_shown(effect, view) for effect in effects if effect.tool == view.tool):
        return None
    return refuse(
        "read_back",
        f"{view.tool!r} answered, and the state read back does not show its effect",
        terminal=False,
        next_step="take it as not done: look at the state and repair the cause, for example a "
        "session that has ended, then try again, or report 'unable'",
    )


GUARD = Guard(
    id="read_back",
    summary="an effect counts, and a task is done, only if the state read back shows it",
    before=before,
    after=after,
)
