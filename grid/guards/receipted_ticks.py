"""`receipted_ticks`: an item of a form is ticked only on the receipt of a check of that very item.

A form that has a box for "checked" invites the tick: filling it in is the expected shape of the
answer. This guard turns the tick into a question that can be answered by looking: which call of
this run checked this item? That call must have run, must not have been refused or have failed, and
must have been given the item's name. One receipt never stands for two items.

Policy::

    {"forms": {tool: {...}}}     the tools that hand in a form, each with:
         "items": "...",         argument that lists the items
         "item": "...",          field of an item that holds its name
         "state": "...",         field of an item that says whether it was checked
         "ticked": [...],        states that count as a tick
         "receipt": "..."        field of an item that holds the receipt
    "checks": {tool: argument}   the tools that check an item, and the argument that names it

An item that is not ticked needs nothing. A refusal can be put right: by checking and citing, or by
handing the item in as not checked.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from grid.evidence import Decision
from grid.guard import Guard, GuardView, PastCall, refuse
from grid.matching import equal
from grid.strict import from_json
from grid.vocabulary import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """How a tool's arguments hold a form."""

    items: str
    """Argument that lists the items."""
    item: str
    """Field that holds an item's name."""
    state: str
    """Field that says whether it was checked."""
    ticked: tuple[str, ...]
    """States that count as a tick."""
    receipt: str
    """Field that holds the receipt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The operator's settings, read strictly."""

    forms: Mapping[str, Form]
    """Tool that hands in a form -> how its arguments hold it."""
    checks: Mapping[str, str]
    """Tool that checks an item -> argument that names the item."""


def _faults(policy: Policy, form: Form, view: GuardView) -> Iterator[str]:
    """Yield what is wrong with each tick that no check stands behind."""
    past = {call.receipt: call for call in reversed(view.past)}
    used: set[str] = set()
    for entry in view.arguments[form.items]:
        if entry[form.state] not in form.ticked:
            continue
        name, receipt = entry[form.item], entry[form.receipt]
        fault = _fault(policy, past.get(receipt), name)
        if not fault and receipt in used:
            fault = "cites a receipt that stands for another item already"
        used.add(receipt)
        if fault:
            yield f"item {name!r} {fault}"


def _fault(policy: Policy, cited: PastCall | None, name: str) -> str:
    if cited is None:
        return "cites no call of this run"
    if cited.tool not in policy.checks:
        return f"cites a call of {cited.tool!r}, which checks nothing"
    if cited.decision.verdict is Verdict.REFUSE or cited.error or cited.arguments is None:
        return "cites a call that was not carried out"
    if not equal(cited.arguments.get(policy.checks[cited.tool]), name):
        return "cites the check of something else"
    return ""


def before(view: GuardView) -> Decision | None:
    """Refuse a form with a tick that no check of this run stands behind."""
    if view.policy is None:
        return None
    policy = from_json(Policy, view.policy)
    form = policy.forms.get(view.tool)
    fault = next(_faults(policy, form, view), "") if form is not None else ""
    if not fault:
        return None
    return refuse(
        "receipted_ticks",
        fault,
        terminal=False,
        next_step="check the item and cite the receipt of that check, or do not tick it",
    )


GUARD = Guard(
    id="receipted_ticks",
    summary="an item is ticked only on the receipt of a check of that very item in this run",
    before=before,
)
