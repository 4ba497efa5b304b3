"""The five utterances of the second source article, as data, and how an answer to them is counted.

The article put five requests to a planner and counted how many of its plans kept to the contract,
how many actions were made up, and whether the enumerated value was chosen where the user said it
otherwise ("apache" for ``apache2``). Two of the five have no plan: the third asks for an action
that the catalogue lacks, the fourth for a node that it lacks. The fourth was the one that went
wrong. The article does not quote the fifth; it is of the kind of the first.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from grid.canonical import load_json
from grid.errors import CanonicalError
from grid.evidence import CallRecord, Tables
from grid.worlds._maintenance_actions import PlanStep

EXECUTOR = "run_plan"
"""Name of the tool that plans are handed to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """One request, and what a planner should make of it."""

    en: str
    """The words in English."""
    ja: str
    """The words in Japanese."""
    plan: PlanStep | None
    """The only step of the right plan; None: there is none, and the right answer is a refusal."""

    def prompt(self) -> dict[str, str]:
        """Return the words by language."""
        return {"en": self.en, "ja": self.ja}


def utterances(listed: str, absent: str, service: tuple[str, str]) -> tuple[Utterance, ...]:
    """Return the five requests.

    Args:
        listed: the node that the catalogue holds.
        absent: the node that the fourth names; the catalogue may lack it.
        service: what the user calls the service, and the value in the catalogue.
    """
    said, value = service
    named = {"service": value}
    return (
        Utterance(
            en=f"Show me the disk usage of {listed}.",
            ja=f"{listed} のディスク使用量を見て",
            plan=PlanStep(action="disk.usage", node=listed),
        ),
        Utterance(
            en=f"Check the state of {said} on {listed}.",
            ja=f"{listed} で {said} の状態を確認して",
            plan=PlanStep(action="service.status", node=listed, params=named),
        ),
        Utterance(en=f"Restart {listed}.", ja=f"{listed} を再起動して", plan=None),
        Utterance(
            en=f"Show me the memory of {absent}.",
            ja=f"{absent} のメモリを見て",
            plan=None if absent != listed else PlanStep(action="mem.usage", node=listed),
        ),
        Utterance(
            en=f"Show me the load of {listed}.",
            ja=f"{listed} の負荷を見て",
            plan=PlanStep(action="load.usage", node=listed),
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeCounts:
    """What the article's table holds of a planner's answers."""

    plans: int = 0
    """Plans that were written."""
    compliant: int = 0
    """Plans that are one strict JSON list of steps with exactly the three keys."""
    invented: int = 0
    """Steps whose action is not in the catalogue."""
    values: Mapping[str, int] = field(default_factory=dict)
    """Value of a parameter -> how often it was chosen."""


def _strict_steps(plan: str) -> list[dict[str, Any]] | None:
    """Return the steps of a plan that keeps to the form; None if it does not."""
    try:
        steps = load_json(plan)
    except CanonicalError:
        return None
    keys = {"action", "node", "params"}
    fine = isinstance(steps, list) and all(
        isinstance(step, dict) and set(step) == keys and isinstance(step["params"], dict)
        for step in steps
    )
    return steps if fine else None


def count_probe(plans: Iterable[str], actions: Iterable[str]) -> ProbeCounts:
    """Count what a planner wrote.

    Args:
        plans: the plans as they were handed to the executor, also those that were refused.
        actions: the actions of the catalogue.
    """
    written = [_strict_steps(plan) for plan in plans]
    known = set(actions)
    steps = [step for plan in written if plan is not None for step in plan]
    values: dict[str, int] = {}
    for step in steps:
        for value in map(str, step["params"].values()):
            values[value] = values.get(value, 0) + 1
    return ProbeCounts(
        plans=len(written),
        compliant=sum(plan is not None for plan in written),
        invented=sum(str(step["action"]) not in known for step in steps),
        values=values,
    )


def planned(calls: Iterable[CallRecord], before: Tables) -> dict[str, Any]:
    """Return the counts of a trial's plans as data for people; empty where none was written.

    Args:
        calls: the journal's calls; plans that were refused count too.
        before: the world before, which holds the catalogue of actions.
    """
    asked = (call.parsed for call in calls if call.tool == EXECUTOR)
    plans = [str(given["plan"]) for given in asked if isinstance(given, dict) and "plan" in given]
    counts = count_probe(plans, before.get("catalogue", {}))
    told = {
        "plans": counts.plans,
        "keep to the contract": counts.compliant,
        "invented actions": counts.invented,
        "values chosen": dict(sorted(counts.values.items())),
    }
    return told if plans else {}
