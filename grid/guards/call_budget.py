"""`call_budget`: how often something is tried is decided outside the model.

A model that is told to try again does so, a little differently each time. Each budget is shared by
some tools: calls of them are counted whatever became of them, and the same arguments are taken a
few times only. When a budget is spent, nothing but the report is left of the run.

Policy::

    {"budgets": [{"tools": [...],     the tools that share it; ["*"] is every tool but `report`
                  "calls": n,         the most calls of them in one run
                  "same": n}]}        the most of these with the same arguments

A spent budget is outside the user's authority. The same call once more can be put right, by doing
something else or by a report.
"""

from dataclasses import dataclass

from grid.evidence import Decision
from grid.guard import Guard, GuardView, PastCall, refuse
from grid.matching import equal
from grid.report import REPORT
from grid.strict import from_json

ANY_TOOL = "*"
_LEFT = "report status 'unable' or 'refused' with what is known; call nothing else"


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What some tools may be called."""

    tools: tuple[str, ...]
    """Names of the tools, or ``*``."""
    calls: int
    """The most calls."""
    same: int
    """The most calls with the same arguments."""

    def covers(self, tool: str) -> bool:
        """Tell whether calls of a tool count."""
        return tool in self.tools or (ANY_TOOL in self.tools and tool != REPORT.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The operator's settings, read strictly."""

    budgets: tuple[Budget, ...]
    """All budgets; each holds on its own."""


def _spent(past: PastCall) -> bool:
    return past.decision.by == GUARD.id and past.decision.terminal


def _over(budget: Budget, view: GuardView) -> Decision | None:
    made = [past for past in view.past if budget.covers(past.tool)]
    if len(made) >= budget.calls:
        reason = f"{len(made)} calls were made, of {budget.calls} allowed in this run"
        return refuse(GUARD.id, reason, terminal=True, next_step=_LEFT)
    same = [
        past for past in made if past.tool == view.tool and equal(past.arguments, view.arguments)
    ]
    if len(same) >= budget.same:
        reason = f"this very call was made {len(same)} times; once more changes nothing"
        next_step = "do something else that the user asked for, or report 'unable'"
        return refuse(GUARD.id, reason, terminal=False, next_step=next_step)
    return None


def before(view: GuardView) -> Decision | None:
    """Refuse a call that no budget is left for."""
    if view.policy is None or view.tool == REPORT.name:
        return None
    if any(map(_spent, view.past)):
        return refuse(GUARD.id, "the budget of this run is spent", terminal=True, next_step=_LEFT)
    for budget in from_json(Policy, view.policy).budgets:
        decision = _over(budget, view) if budget.covers(view.tool) else None
        if decision is not None:
            return decision
    return None


GUARD = Guard(
    id="call_budget",
    summary="tools are called no more often than the operator allows, and then nothing is",
    before=before,
)
