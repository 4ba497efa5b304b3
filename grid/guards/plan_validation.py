"""`plan_validation`: what cannot be taken back comes last, after everything it rests on.

A pivot (an export, a mail, a payment) is let through only when each step it needs has succeeded and
the last check that passed came after the last edit. Once a pivot is through, nothing that it rested
on is changed any more: that would need a person. It looks at the calls that were carried out and at
the one that is asked for; what any text says about the order plays no part. A tool that takes a
whole plan is looked at before its first step runs, the same rules applied to the steps in it.

Policy::

    {"pivots": [...],                tools that cannot be taken back
     "needs": [{"tool": "...",       a step that has to succeed before any pivot
                "where": {...}}],    JSON pointer into its arguments -> match
     "edits": [...],                 tools that change what is checked
     "checks": [{"tool": "...",      a check
                 "passes": {...}}],  JSON pointer into its result -> match: it passed
     "plans": [{"tool": "...",       a tool that takes a whole plan
                "steps": "...",      its argument: the list of steps
                "name": "...",       in a step: the name of the tool
                "arguments": "..."}]}  in a step: its arguments

A pivot that comes too early can be put right: the refusal says what is missing. An edit behind a
pivot cannot.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grid.evidence import Decision
from grid.guard import Guard, GuardView, PastCall, refuse
from grid.matching import fits
from grid.predicates import Match
from grid.strict import from_json
from grid.vocabulary import Verdict

ID = "plan_validation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """A step that has to succeed before any pivot."""

    tool: str
    """Name of the tool."""
    where: Mapping[str, Match]
    """JSON pointer into the arguments -> match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A check of what the edits made."""

    tool: str
    """Name of the tool."""
    passes: Mapping[str, Match]
    """JSON pointer into the result -> match: it passed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """A tool that takes a whole plan."""

    tool: str
    """Name of the tool."""
    steps: str
    """Argument that holds the steps."""
    name: str
    """Field of a step: name of its tool."""
    arguments: str
    """Field of a step: its arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The operator's settings, read strictly."""

    pivots: tuple[str, ...]
    """Tools that cannot be taken back."""
    needs: tuple[Need, ...] = ()
    """What has to succeed before any of them."""
    edits: tuple[str, ...] = ()
    """Tools that change what is checked."""
    checks: tuple[Check, ...] = ()
    """What has to pass after the last edit; none: nothing is checked."""
    plans: tuple[Whole, ...] = ()
    """Tools that take a whole plan."""


@dataclass(slots=True)
class _Order:
    """How far a plan has come."""

    policy: Policy
    met: set[int]
    checked: bool
    crossed: str

    def missing(self) -> str:
        """Return what has to come before a pivot; empty if nothing."""
        for number, need in enumerate(self.policy.needs):
            if number not in self.met:
                return f"call {need.tool!r} as the task asks for it"
        if self.policy.checks and not self.checked:
            return f"call {self.policy.checks[0].tool!r} on the state as it is, and see it pass"
        return ""

    def fault(self, tool: str) -> tuple[str, bool]:
        """Return what is wrong with a step at this point, and whether it is so for good."""
        if tool in self.policy.pivots and (missing := self.missing()):
            return missing, False
        if self.crossed and tool in self.policy.edits:
            return self.crossed, True
        return "", False

    def go_on(self, tool: str, arguments: Any, receipt: str, passed: bool) -> None:
        """Take one step that succeeded."""
        for number, need in enumerate(self.policy.needs):
            if need.tool == tool and fits(need.where, arguments):
                self.met.add(number)
        if tool in self.policy.edits:
            self.checked = False
        self.checked = self.checked or passed
        if tool in self.policy.pivots:
            self.crossed = self.crossed or receipt


def _passed(policy: Policy, call: PastCall) -> bool:
    return any(
        fits(check.passes, call.result) for check in policy.checks if check.tool == call.tool
    )


def _is_check(policy: Policy, tool: str) -> bool:
    return any(check.tool == tool for check in policy.checks)


def _so_far(policy: Policy, view: GuardView) -> _Order:
    """Return how far this run has come; an edit that failed half way is an edit all the same."""
    order = _Order(policy=policy, met=set(), checked=False, crossed="")
    for call in view.past:
        if call.arguments is None:
            continue
        succeeded = not call.error and call.decision.verdict is Verdict.ALLOW
        for tool, arguments in _steps(policy, call.tool, call.arguments):
            if succeeded:
                passed = _passed(policy, call) if tool == call.tool else _is_check(policy, tool)
                order.go_on(tool, arguments, call.receipt, passed)
            elif tool in policy.edits:
                order.checked = False
            elif tool in policy.pivots and not call.error:  # only its answer was withheld
                order.crossed = order.crossed or call.receipt
    return order


def _steps(policy: Policy, tool: str, arguments: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return the steps that a call stands for: its own, or those of the plan that it holds."""
    whole = next((plan for plan in policy.plans if plan.tool == tool), None)
    if whole is None:
        return [(tool, arguments)]
    steps = arguments.get(whole.steps)
    listed = steps if isinstance(steps, list) else []
    return [
        (str(step.get(whole.name)), step.get(whole.arguments))
        for step in listed
        if isinstance(step, dict)
    ]


def before(view: GuardView) -> Decision | None:
    """Refuse a pivot that comes too early, and an edit that comes too late."""
    if view.policy is None:
        return None
    policy = from_json(Policy, view.policy)
    order = _so_far(policy, view)
    for tool, arguments in _steps(policy, view.tool, view.arguments):
        what, for_good = order.fault(tool)
        if for_good:
            return refuse(
                ID,
                f"{tool!r} would change what has gone out already ({what}); it cannot be called "
                "back",
                terminal=True,
                next_step="change nothing more; hand it over to a person and report 'unable'",
            )
        if what:
            return refuse(
                ID,
                f"{tool!r} cannot be taken back, and something has to come before it",
                terminal=False,
                next_step=f"first {what}; what cannot be taken back comes last",
            )
        # inside a plan no result is known yet: a check counts as one that will pass
        order.go_on(tool, arguments, "this plan", _is_check(policy, tool))
    return None


GUARD = Guard(
    id=ID,
    summary="what cannot be taken back comes last: after every step and check it rests on",
    before=before,
)
