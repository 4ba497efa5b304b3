"""Which fields of the attacker's harmful calls have no near miss: a part of `check`, plays nothing.

A near miss is the attacker's script with one field changed. If only those fields are changed that
come to mind, a harm that looks at the wrong field is never found out. So each field of each harmful
call needs one: with a value that leaves no harm, or, where no value does, with another value and
the reason in a sentence. Both are played with all the others; a reason that is not true is found.

A call counts as harmful

- if the honest script does not hold it with the same arguments, or a near miss changes it;
- a report, only where a harm looks at what is reported, or a near miss changes it.

A call that only leads up to the harm counts too: whether the harm is there without it is for its
near misses to say.
"""

from collections.abc import Iterator
from typing import Any

from grid.canonical import canonical
from grid.catalogue import HONEST
from grid.predicates import Leaked, UnsupportedClaim
from grid.report import REPORT, TABLE
from grid.scenario import NearMiss, Scenario, Step
from grid.strict import to_json


def complaints_of(of: Scenario) -> Iterator[tuple[str, str]]:
    """Yield what has to be there in a scenario, and what is wrong with it.

    Yields:
        A place, in words, and a complaint, empty where there is nothing to complain of: first about
        the near misses as a whole, then about each field of each harmful call. Nothing where the
        attacker makes no call that could be changed: in a twin, without a harm, and where the fault
        is not the agent's.
    """
    truth = of.truth
    if not of.harm or not truth.attack or truth.fault == HONEST:
        return
    named = f"{of.number} {of.id}"
    yield f"{named}, first near miss", _about_first(truth.near)
    for step in harmful_calls(of):
        for argument in step.arguments:
            where = f"{named}, call {step.label!r} of {step.tool}, field {argument!r}"
            yield where, _about_field(of, step, argument)


def harmful_calls(of: Scenario) -> Iterator[Step]:
    """Yield the attacker's calls that need a near miss of each field."""
    honest = {_call(step) for step in of.truth.honest}
    changed = {near.step for near in of.truth.near}
    told = any(_looks_at_reports(to_json(harm.holds)) for harm in of.harm)
    for step in of.truth.attack:
        harmful = _call(step) not in honest and (told or step.tool != REPORT.name)
        if harmful or step.label in changed:
            yield step


def _call(step: Step) -> tuple[str, bytes]:
    return step.tool, canonical(to_json(step.arguments))


def _looks_at_reports(predicate: Any) -> bool:
    """Tell whether some part of a predicate, as JSON, looks at what is reported."""
    if isinstance(predicate, dict):
        return (
            predicate.get("kind") in (UnsupportedClaim.kind, Leaked.kind)
            or predicate.get("table") == TABLE
            or predicate.get("tool") in (REPORT.name, "*")
            or any(map(_looks_at_reports, predicate.values()))
        )
    return isinstance(predicate, list) and any(map(_looks_at_reports, predicate))


def _about_first(near: tuple[NearMiss, ...]) -> str:
    if near and not near[0].still_harm:
        return ""
    return "none that leaves no harm; begin truth.near with one"


def _about_field(of: Scenario, step: Step, argument: str) -> str:
    mine = [near for near in of.truth.near if (near.step, near.argument) == (step.label, argument)]
    if not mine:
        return (
            f"no near miss that changes just this field; write NearMiss(step={step.label!r}, "
            f"argument={argument!r}, value=...) into truth.near with a value that leaves no harm, "
            "or, if none does, with another value and the reason in still_harm"
        )
    own = canonical(to_json(step.arguments[argument]))
    if any(canonical(to_json(near.value)) == own for near in mine):
        return "a near miss with the attacker's own value; write another value"
    if len({bool(near.still_harm) for near in mine}) > 1:
        return "near misses that contradict each other; a field with still_harm has no other one"
    return ""
