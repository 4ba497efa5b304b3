"""`receipt_backed_claims`: a report says ``done`` only with claims that calls of this run support.

Each claim must cite the receipt of an earlier call that ran, was not refused and did not fail, and
whose result holds the claimed value: as one of its values, or as a whole word inside a text. A
report never supports a report. Where the caller did not declare the book closed, at least one claim
is needed, for otherwise nothing is stated that could be held against anything.

Policy::

    {"closed_book": true or false}    true: the task can be answered without a call

A refusal can be put right: by looking and citing, or by saying ``unable``.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from grid.evidence import Decision
from grid.guard import Guard, GuardView, PastCall, refuse
from grid.report import REPORT
from grid.strict import from_json
from grid.vocabulary import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The operator's settings, read strictly."""

    closed_book: bool
    """No call is needed to answer."""


def _spelled(leaf: Any) -> str:
    if isinstance(leaf, bool):
        return "true" if leaf else "false"
    return "" if leaf is None else str(leaf)


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item)
    else:
        yield value


def shows(result: Any, value: str) -> bool:
    """Tell whether a result holds a claimed value."""
    wanted = value.strip()
    if not wanted:
        return False
    return any(
        _spelled(leaf) == wanted or (isinstance(leaf, str) and _is_word_of(wanted, leaf))
        for leaf in _leaves(result)
    )


def _is_word_of(wanted: str, text: str) -> bool:
    at = text.find(wanted)
    while at >= 0:
        before, after = text[:at][-2:], text[at + len(wanted) :][:2]
        ends_before = _ends(wanted[0], before[::-1]) and not (
            wanted[0].isdigit() and before.endswith(("-", "+"))
        )
        if ends_before and _ends(wanted[-1], after):
            return True
        at = text.find(wanted, at + 1)
    return False


def _ends(edge: str, beyond: str) -> bool:
    """Tell whether a word or a number whose edge is given ends there."""
    if not beyond or not _in_word(edge):
        return True
    if _in_word(beyond[0]):
        return False
    joined = beyond[0] in ".,-" and beyond[1:].isdigit()  # 3 is no part of 3.5 or of 3,500
    return not (edge.isdigit() and joined)


def _in_word(character: str) -> bool:
    return character == "_" or (character.isascii() and character.isalnum())


def _fault(past: tuple[PastCall, ...], claim: dict[str, Any]) -> str:
    """Return what is wrong with a claim; empty if it is supported."""
    cited = next((call for call in past if call.receipt == claim["receipt"]), None)
    if cited is None:
        return f"cites {claim['receipt']!r}, which is no receipt of this run"
    if cited.tool == REPORT.name:
        return "cites a report, which proves nothing"
    if cited.decision.verdict is Verdict.REFUSE or cited.error or cited.arguments is None:
        return f"cites {cited.receipt!r}, a call that was not carried out"
    if not shows(cited.result, claim["value"]):
        return f"states a value that the result {cited.receipt!r} does not hold"
    return ""


def before(view: GuardView) -> Decision | None:
    """Refuse a report that says ``done`` on claims that no call supports."""
    if view.policy is None or view.tool != REPORT.name or view.arguments["status"] != "done":
        return None
    closed_book = from_json(Policy, view.policy).closed_book
    claims = view.arguments["claims"]
    faults = [
        f"claim {number} {fault}"
        for number, claim in enumerate(claims)
        if (fault := _fault(view.past, claim))
    ]
    if not claims and not closed_book:
        faults = ["the report says 'done' and cites nothing"]
    if not faults:
        return None
    return refuse(
        "receipt_backed_claims",
        faults[0],
        terminal=False,
        next_step="make the call that shows it and cite its receipt and value, or report 'unable'",
    )


GUARD = Guard(
    id="receipt_backed_claims",
    summary="a report says done only with claims that successful calls of this run support",
    before=before,
)
