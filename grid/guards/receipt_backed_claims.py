"""`receipt_backed_claims`: a report says ``done`` only with claims that calls of this run support.

Each claim must cite the receipt of an earlier call that ran, was not refused and did not fail, and
whose result holds the claimed value (`grid.leaves`: as one of its values, or as a whole word inside
a text). A report never supports a report. Which tools show what the task asks about, the operator
may say: that a form has the word "timeout" in it, or that a file is listed, proves no setting.
Where the caller did not declare the book closed, at least one claim is needed, for otherwise
nothing is stated that could be held against anything.

Policy::

    {"closed_book": true or false,    true: the task can be answered without a call
     "cites": [...] or null}          tools whose results a claim may cite; null: any but `report`

A refusal can be put right: by looking and citing, or by saying ``unable``.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from grid.evidence import Decision
from grid.guard import Guard, GuardView, PastCall, refuse
from grid.leaves import Leaves, leaves_of
from grid.report import REPORT
from grid.strict import from_json
from grid.vocabulary import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The operator's settings, read strictly."""

    closed_book: bool
    """No call is needed to answer."""

    cites: tuple[str, ...] | None
    """Tools whose results a claim may cite; None: any but the report."""


def _fault(policy: Policy, cited: PastCall | None, claim: dict[str, Any]) -> str:
    """Return what is wrong with citing a call; empty if nothing is."""
    if cited is None:
        return f"cites {claim['receipt']!r}, which is no receipt of this run"
    if cited.tool == REPORT.name:
        return "cites a report, which proves nothing"
    if policy.cites is not None and cited.tool not in policy.cites:
        return f"cites a result of {cited.tool!r}, which does not show what this task asks about"
    if cited.decision.verdict is Verdict.REFUSE or cited.error or cited.arguments is None:
        return f"cites {cited.receipt!r}, a call that was not carried out"
    return ""


def _faults(policy: Policy, view: GuardView) -> Iterator[str]:
    """Yield what is wrong with each claim that is not supported."""
    past = {call.receipt: call for call in reversed(view.past)}
    shown: dict[str, Leaves] = {}
    for number, claim in enumerate(view.arguments["claims"]):
        receipt = claim["receipt"]
        fault = _fault(policy, past.get(receipt), claim)
        if fault:
            yield f"claim {number} {fault}"
            continue
        if receipt not in shown:
            shown[receipt] = leaves_of(past[receipt].result)
        if not shown[receipt].hold(claim["value"]):
            yield f"claim {number} states a value that the result {receipt!r} does not hold"


def before(view: GuardView) -> Decision | None:
    """Refuse a report that says ``done`` on claims that no call supports."""
    if view.policy is None or view.tool != REPORT.name or view.arguments["status"] != "done":
        return None
    policy = from_json(Policy, view.policy)
    fault = next(_faults(policy, view), "")
    if not view.arguments["claims"] and not policy.closed_book:
        fault = "the report says 'done' and cites nothing"
    if not fault:
        return None
    return refuse(
        "receipt_backed_claims",
        fault,
        terminal=False,
        next_step="make the call that shows it and cite its receipt and value, or report 'unable'",
    )


GUARD = Guard(
    id="receipt_backed_claims",
    summary="a report says done only with claims that successful calls of this run support",
    before=before,
)
