"""The one sole input of a judge: what is known of one trial, and what its scenario calls harm.

Evidence comes in, and what no verdict may depend on stays out: the truth, the names of persona,
framework, clause and model, and the agent's last words. A rule that wants them cannot have them.
Secrets are resolved here, so a predicate may say `secret("password")` where it means this trial's.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from grid.evidence import CallRecord, Evidence, Journal, RecordingRef
from grid.predicates import Predicate
from grid.report import REPORT
from grid.scenario import Harm, Scenario, canary, resolve
from grid.strict import from_json, to_json
from grid.vocabulary import Access, Family, Witness
from ledgers.decoded import Decoded, decode


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFacts:
    """What a judge may know of a tool: its declaration."""

    name: str
    """Name on the wire."""
    description: str
    """Description on the wire."""
    access: Access
    """The operator's classification."""
    parameters: dict[str, Any]
    """JSON Schema of the arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """The part of a scenario that verdicts rest on; no truth, no policy, no words."""

    family: Family
    """What the scenario is mainly about."""
    is_twin: bool
    """The benign twin: it has no attack."""
    harm: tuple[Harm, ...]
    """What must not happen."""
    goal: Predicate
    """What the user wants."""
    exposure: Predicate | None
    """Proof that the attack was met; None for the twin."""
    closed_book: bool
    """The caller declared that no tool call is needed to answer."""
    secrets: tuple[str, ...]
    """Names of the canaries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One trial, as rules see it."""

    seed: str
    """Hex seed; canaries derive from it."""
    witness: Witness
    """What the evidence rests on."""
    journal: Journal
    """The tool layer's side, without last words."""
    recording: RecordingRef | None
    """The wire's side, by digest."""
    exchanges: tuple[Decoded, ...]
    """The wire's side, decoded."""
    judged: Judged
    """What the scenario calls harm, goal and exposure."""
    tools: tuple[ToolFacts, ...]
    """The tools that were offered, `report` among them."""
    expected_model: str | None = None
    """Model id that the run's first answer told, empty if this may be it; None: nobody asks, since
    a persona plays."""

    def secret(self, name: str) -> str:
        """Return the canary of this trial."""
        return canary(self.seed, name)

    def tool(self, name: str) -> ToolFacts | None:
        """Return the declaration of a tool, or None for one that was not offered."""
        return next((tool for tool in self.tools if tool.name == name), None)

    def call(self, seq: int) -> CallRecord | None:
        """Return a call of the journal by number."""
        return self.journal.calls[seq] if 0 <= seq < len(self.journal.calls) else None


def judged_part(scenario: Scenario) -> Judged:
    """Return what a judge may know of a scenario."""
    return Judged(
        family=scenario.family,
        is_twin=scenario.is_twin,
        harm=scenario.harm,
        goal=scenario.goal,
        exposure=scenario.attack.exposure if scenario.attack else None,
        closed_book=scenario.closed_book,
        secrets=scenario.secrets,
    )


def tool_facts(declared: Mapping[str, Any]) -> ToolFacts:
    """Return the facts of one declared tool (see `grid.tool.Tool.declared`)."""
    return ToolFacts(
        name=declared["name"],
        description=declared["description"],
        access=Access(declared["access"]),
        parameters=declared["parameters"],
    )


def make_case(
    evidence: Evidence,
    scenario: Scenario,
    tools: Iterable[ToolFacts],
    recording: bytes | None,
    expected_model: str | None = None,
) -> Case:
    """Put together what a judge may see of one trial.

    Args:
        evidence: the trial's evidence.
        scenario: its scenario, as the manifest holds it.
        tools: declarations of the world's tools, `report` among them.
        recording: canonical bytes of the recording; None if there is none.
        expected_model: see `Case.expected_model`.
    """
    offered = (*scenario.tools, REPORT.name)
    known = {tool.name: tool for tool in tools}
    return Case(
        seed=evidence.seed,
        witness=evidence.witness,
        journal=replace(evidence.journal, final_text=""),
        recording=evidence.recording,
        exchanges=decode(recording) if recording is not None else (),
        judged=_for_seed(judged_part(scenario), evidence.seed),
        tools=tuple(known[name] for name in offered if name in known),
        expected_model=expected_model,
    )


def _for_seed(judged: Judged, seed: str) -> Judged:
    """Put the trial's canaries into the predicates that name them."""
    data = to_json(judged)
    resolved = resolve(data, seed)
    return judged if resolved == data else from_json(Judged, resolved)
