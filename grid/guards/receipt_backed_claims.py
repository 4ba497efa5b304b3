"""`receipt_backed_claims`: a report says ``done`` only with claims that calls of this run support.

Each claim must cite the receipt of an earlier call that ran, was not refused and did not fail, and
whose result holds the claimed value (`grid.leaves`: as one of its values, or as a whole word inside
a text). A report never supports a report. Which tools show what the task asks about, the operator
may say: that a form has the word "timeout" in it, or that a file is listed, proves no setting.
Where the caller did not declare the book closed, at least one claim is needed, for otherwise
nothing is stated that could be held against anything.

Where a task asks about several things, the operator may name them. Then each of them needs a claim
of its own that names it and nothing else of them, and its evidence must be about it: the cited call
was given its name, or the cited result shows the value under its name. One host that answered does
not stand for five, and the value of one setting not for another. What somebody wrote inside a
result, such as the report of an agent that was sent, is hearsay and holds no value. A claim that
names none of them is beside the matter: any call that succeeded may support it, and it stands for
nothing that was asked. Upper and lower case are the same, unless two names differ by nothing else.

Policy::

    {"closed_book": true or false,    true: the task can be answered without a call
     "cites": [...] or null,          tools whose results a claim may cite; null: any but `report`
     "about": [...],                  names of what the task asks about; left out: it is not said
     "named_by": {tool: argument},    the argument by which a call of this tool names one of them
     "shown_at": {tool: pointer},     the object in a result of this tool that holds values by name
     "hearsay": {tool: [pointer]}}    parts of a result of this tool that are somebody's words

The last four may be left out. A refusal can be put right: by looking and citing, or by saying
``unable``.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from grid.evidence import Decision
from grid.guard import Guard, GuardView, PastCall, refuse
from grid.leaves import Leaves, leaves_of
from grid.matching import equal, pointed
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

    about: tuple[str, ...] = ()
    """Names of what the task asks about; none: it is not said."""

    named_by: Mapping[str, str] = field(default_factory=dict)
    """Tool -> argument that names what a call of it is about."""

    shown_at: Mapping[str, str] = field(default_factory=dict)
    """Tool -> JSON pointer to the values by name in a result of it."""

    hearsay: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Tool -> JSON pointers to what is somebody's words in a result of it."""


def _fault(cited: PastCall | None, claim: dict[str, Any], cites: tuple[str, ...] | None) -> str:
    """Return what is wrong with citing a call; empty if nothing is."""
    if cited is None:
        return f"cites {claim['receipt']!r}, which is no receipt of this run"
    if cited.tool == REPORT.name:
        return "cites a report, which proves nothing"
    if cites is not None and cited.tool not in cites:
        return f"cites a result of {cited.tool!r}, which does not show what this task asks about"
    if cited.decision.verdict is Verdict.REFUSE or cited.error or cited.arguments is None:
        return f"cites {cited.receipt!r}, a call that was not carried out"
    return ""


def _faults(policy: Policy, view: GuardView) -> Iterator[str]:
    """Yield what is wrong with each claim that is not supported."""
    past = {call.receipt: call for call in reversed(view.past)}
    shown: dict[tuple[str, bool], Leaves] = {}
    for number, claim in enumerate(view.arguments["claims"]):
        receipt = claim["receipt"]
        names = _named(claim["statement"], policy.about)
        beside = bool(policy.about) and not names
        fault = _fault(past.get(receipt), claim, None if beside else policy.cites)
        if fault:
            yield f"claim {number} {fault}"
            continue
        cited = past[receipt]
        if (receipt, beside) not in shown:
            hearsay = () if beside else policy.hearsay.get(cited.tool, ())
            shown[receipt, beside] = leaves_of(_without(cited.result, hearsay))
        if not shown[receipt, beside].hold(claim["value"]):
            yield f"claim {number} states a value that the result {receipt!r} does not hold"
        elif names:
            yield from _about(policy, cited, claim, (number, names))
    yield from _silent(policy, view)


def _about(
    policy: Policy, cited: PastCall, claim: dict[str, Any], of: tuple[int, tuple[str, ...]]
) -> Iterator[str]:
    """Yield why the evidence of a claim is not about what the claim names."""
    number, names = of
    if len(names) != 1:
        yield f"claim {number} names {' and '.join(names)} at once"
        return
    argument, pointer = policy.named_by.get(cited.tool), policy.shown_at.get(cited.tool)
    if argument is not None and not equal(cited.arguments.get(argument), names[0]):
        yield f"claim {number} is about {names[0]!r}, but cites a call about something else"
    if pointer is None:
        return
    values = pointed(cited.result, pointer)
    under = values.get(names[0]) if isinstance(values, Mapping) else None
    if not leaves_of(under).hold(claim["value"]):
        yield f"claim {number} states a value that the cited result does not show for {names[0]!r}"


def _silent(policy: Policy, view: GuardView) -> Iterator[str]:
    """Yield what the task asks about and no claim names."""
    said = {
        name
        for claim in view.arguments["claims"]
        for name in _named(claim["statement"], policy.about)
    }
    yield from (f"no claim is about {name!r}" for name in policy.about if name not in said)


def _named(statement: str, about: tuple[str, ...]) -> tuple[str, ...]:
    """Return which names stand in a statement as whole words; a longer name hides one inside it."""
    folded = {name.casefold(): name for name in about}
    if len(folded) == len(about):
        return tuple(sorted(folded[name] for name in _standing(statement.casefold(), folded)))
    return tuple(sorted(_standing(statement, about)))


def _standing(statement: str, about: Iterable[str]) -> list[str]:
    found: list[str] = []
    for name in sorted(about, key=len, reverse=True):
        if leaves_of(statement).hold(name):
            found.append(name)
            statement = statement.replace(name, " ")
    return found


def _without(result: Any, pointers: tuple[str, ...], at: str = "") -> Any:
    """Return a result without the parts that pointers name."""
    if at in pointers:
        return None
    if isinstance(result, Mapping):
        return {
            key: _without(part, pointers, f"{at}/{key.replace('~', '~0').replace('/', '~1')}")
            for key, part in result.items()
        }
    if isinstance(result, list | tuple):
        return [_without(part, pointers, f"{at}/{place}") for place, part in enumerate(result)]
    return result


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
    version=3,
)
