"""The manifest of a run: the planned trials and all that a judge needs to know of them, as data.

Judging and verifying read harm, goal and exposure from here and run no code of scenarios, worlds or
guards. Tools and rules stand here with the digests of their declarations, guards with theirs. The
file holds exactly the canonical bytes and a newline; anything else is refused on reading.

What whoever made the grid plants on the wire of every trial stands in `tamper`, which is not there
where nothing is planted.

A run to which the answers recorded in another one were played says so in `source`, and each of its
trials has the seed of the trial whose answers it got.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

from grid import predicates
from grid.adapters import SCRIPTED
from grid.canonical import canonical, digest, digest_of, load_json
from grid.catalogue import scenario, tools_of
from grid.clauses import clause_for
from grid.errors import ConfigError, StrictError
from grid.evidence import TrialId
from grid.guards import all_guards
from grid.guardsetting import UNCONFIGURED, read_setting
from grid.models import is_scripted
from grid.plan import Plan, trial_seed
from grid.predicates import Leaked, Predicate
from grid.report import REPORT
from grid.scenario import Scenario, Tamper
from grid.strict import LATER, from_json, to_json
from grid.tool import Tool
from ledgers.case import ToolFacts, tool_facts
from ledgers.clauserecord import ClauseRecord, clause_record
from ledgers.rules import all_rules

MANIFEST_FORMAT = 1
"""Version of the file; bumped at each change."""

_HEAD = re.compile(r"[0-9a-f]{64}")

MOST_PREDICATES = 256
"""Predicates of one scenario: hostile ones must not make judging endless."""
MOST_FAULTS = 32
"""Faults that a grid plants in every trial: each is looked for in every answer."""
MOST_PARTS = 256
"""Turns, tools, crash points, planted faults, denials and secrets of one scenario, each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardRecord:
    """One guard that could refuse."""

    id: str
    """Guard id."""
    version: int
    """Its version."""
    digest: str
    """Digest of its declaration."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRecord:
    """One tool of a world."""

    digest: str
    """Digest of its declaration."""
    declared: dict[str, Any]
    """The declaration; see `grid.tool.Tool.declared`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleRecord:
    """One rule that judges."""

    id: str
    """Rule id."""
    version: int
    """Its version."""
    digest: str
    """Digest of its declaration."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRecord:
    """One real model that the plan names."""

    id: str
    """Model id, as in the trials."""
    requested: str
    """Name that it is asked for by."""
    parameters: dict[str, float | int | str]
    """What the id says it is asked with; a trial's own seed besides, where the server takes one."""
    weights: str = ""
    """sha256 of its weights, 64 hex digits; empty where they are the provider's affair."""
    template: str = ""
    """sha256 of the chat template that we gave it; empty where it has its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where the model answers of a run come from that asked no model."""

    head: str
    """Head of the run in which they were recorded."""
    framework: str
    """The framework that they were recorded from."""

    def sentence(self) -> str:
        """Say it to people."""
        return (
            f"No model was asked: the answers were recorded from {self.framework} in the run with "
            f"the head {self.head}."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A planned run."""

    format: int
    """MANIFEST_FORMAT."""
    name: str
    """Name of the plan."""
    seed: int
    """Seed of the plan; every trial's seed derives from it."""
    trials: tuple[TrialId, ...]
    """Trials, in ledger order."""
    scenarios: tuple[Scenario, ...]
    """Their scenarios as full data, by id."""
    clauses: tuple[ClauseRecord, ...]
    """Their clauses, by id and language."""
    guards: tuple[GuardRecord, ...]
    """Guards, in the order they are asked."""
    tools: dict[str, dict[str, ToolRecord]]
    """world -> tool name -> tool; `report` is in every world."""
    rules: tuple[RuleRecord, ...]
    """Rules, in verdict order."""
    source: Source | None = field(default=None, metadata=LATER)
    """Where the model answers were played from; None, and not written, for a run that asked its
    models, and for a strict replay of one, which is the same run again."""
    models: tuple[ModelRecord, ...] = field(default=(), metadata=LATER)
    """Its real models, by id; personas are none."""
    tamper: tuple[Tamper, ...] = field(default=(), metadata=LATER)
    """What the grid plants on the wire of every trial, after what its scenario plants."""

    def seed_of(self, trial: TrialId) -> str:
        """Return the seed of a trial."""
        return trial_seed(self.seed, trial, self.source.framework if self.source else "")

    def scenario(self, identity: str) -> Scenario:
        """Return a scenario by id.

        Raises:
            StrictError: the manifest holds none of that id.
        """
        for found in self.scenarios:
            if found.id == identity:
                return found
        raise StrictError(f"/scenarios: there is no scenario {identity!r}")

    def clause(self, trial: TrialId) -> ClauseRecord:
        """Return the clause of a trial.

        Raises:
            StrictError: the manifest holds none that fits.
        """
        for found in self.clauses:
            if found.id == trial.clause and found.language in (trial.language, "*"):
                return found
        raise StrictError(f"/clauses: there is no clause for {trial}")

    def tool_facts(self, world: str) -> tuple[ToolFacts, ...]:
        """Return what a judge may know of a world's tools."""
        return tuple(tool_facts(tool.declared) for tool in self.tools.get(world, {}).values())


def build_manifest(plan: Plan, names: int = 0, models: tuple[ModelRecord, ...] = ()) -> Manifest:
    """Return the manifest of a plan, with the scenarios under the names of a seed.

    Args:
        plan: the plan.
        names: names seed.
        models: its real models.
    """
    identities = sorted({trial.scenario for trial in plan.trials})
    scenarios = tuple(scenario(identity, names) for identity in identities)
    clauses = {clause_for(trial.clause, trial.language) for trial in plan.trials}
    ordered = sorted(clauses, key=lambda clause: (clause.id, clause.language))
    worlds: dict[str, dict[str, ToolRecord]] = {}
    for item in scenarios:
        offered = worlds.setdefault(item.world, {})
        offered |= {tool.name: _tool(tool) for tool in (*tools_of(item), REPORT)}
    asked = guards_for(scenarios, (trial.guards for trial in plan.trials))
    return Manifest(
        format=MANIFEST_FORMAT,
        name=plan.name,
        seed=plan.seed,
        trials=plan.trials,
        scenarios=scenarios,
        clauses=tuple(clause_record(clause) for clause in ordered),
        guards=tuple(
            GuardRecord(id=guard.id, version=guard.version, digest=guard.digest())
            for guard in all_guards()
            if guard.id in asked or not guard.needs_policy
        ),
        tools={world: dict(sorted(tools.items())) for world, tools in sorted(worlds.items())},
        rules=current_rules(),
        models=models,
        tamper=plan.tamper,
    )


def guards_for(scenarios: Iterable[Scenario], settings: Iterable[str]) -> set[str]:
    """Return the ids of the guards that can have something to say.

    Those that a scenario configures, the one that needs no policy, and those that a setting names.
    So a guard that is added to the project changes no ledger that has nothing to do with it.
    """
    named = (read_setting(setting).named or () for setting in settings)
    configured = (scenario.policy for scenario in scenarios)
    return {UNCONFIGURED, *(guard for ids in (*named, *configured) for guard in ids)}


def current_rules() -> tuple[RuleRecord, ...]:
    """Return the rules of this checkout, in verdict order."""
    return tuple(
        RuleRecord(id=rule.id, version=rule.version, digest=rule.digest()) for rule in all_rules()
    )


def _tool(tool: Tool) -> ToolRecord:
    return ToolRecord(digest=tool.digest(), declared=tool.declared())


def manifest_bytes(manifest: Manifest) -> bytes:
    """Return the bytes of the manifest file."""
    return canonical(to_json(manifest)) + b"\n"


def manifest_digest(data: bytes) -> str:
    """Return the digest by which a ledger names its manifest."""
    return digest("manifest", data)


def read_manifest(data: bytes) -> Manifest:
    """Read a manifest file strictly, and check that its parts fit together.

    Raises:
        CanonicalError: it is not strict JSON.
        StrictError: a field is wrong, or the parts do not fit together.
    """
    manifest = from_json(Manifest, load_json(data))
    if manifest_bytes(manifest) != data:
        raise StrictError("/: the manifest is not in canonical form")
    if manifest.format != MANIFEST_FORMAT:
        raise StrictError(f"/format: expected {MANIFEST_FORMAT}, found {manifest.format}")
    _check_trials(manifest)
    _check_source(manifest)
    if len(manifest.tamper) > MOST_FAULTS:
        raise StrictError(f"/tamper: more than {MOST_FAULTS} faults are planted")
    _check_scenarios(manifest)
    _check_tools(manifest)
    _check_models(manifest)
    _unique("rules", (rule.id for rule in manifest.rules))
    _unique("guards", (guard.id for guard in manifest.guards))
    _unique("clauses", (f"{clause.id}/{clause.language}" for clause in manifest.clauses))
    return manifest


def _check_trials(manifest: Manifest) -> None:
    if not manifest.trials:
        raise StrictError("/trials: a plan without trials shows nothing")
    _unique("trials", (str(trial) for trial in manifest.trials))
    for trial in manifest.trials:
        parts = (trial.scenario, trial.framework, trial.clause, trial.guards, trial.language)
        if any(not part or "/" in part for part in parts) or trial.number < 0:
            raise StrictError(f"/trials: {str(trial)!r} is no place in a grid")
        try:
            setting = read_setting(trial.guards)
        except ConfigError as error:
            raise StrictError(f"/trials: there is no guard setting {trial.guards!r}") from error
        missing = sorted({*(setting.named or ())} - {guard.id for guard in manifest.guards})
        if missing:
            raise StrictError(f"/trials: a guard setting names {missing[0]!r}, which is not there")
        manifest.clause(trial)
        manifest.scenario(trial.scenario)


def _check_source(manifest: Manifest) -> None:
    source = manifest.source
    if source is None:
        return
    if not _HEAD.fullmatch(source.head):
        raise StrictError("/source/head: it is no head, which is 64 hex digits")
    if not source.framework or "/" in source.framework:
        raise StrictError(f"/source/framework: {source.framework!r} is no place in a grid")
    played = {trial.framework for trial in manifest.trials}
    if source.framework in played or SCRIPTED in (source.framework, *played):
        raise StrictError("/source: answers are played from one framework to others, on a wire")


def _check_models(manifest: Manifest) -> None:
    real = sorted({trial.model for trial in manifest.trials if not is_scripted(trial.model)})
    if [model.id for model in manifest.models] != real:
        raise StrictError("/models: they are not exactly the real ones of the trials, by id")
    for model in manifest.models:
        if not all(not part or _HEAD.fullmatch(part) for part in (model.weights, model.template)):
            raise StrictError(f"/models: {model.id!r} has a sum that is no sha256")


def _check_scenarios(manifest: Manifest) -> None:
    named = [scenario.id for scenario in manifest.scenarios]
    if named != sorted({trial.scenario for trial in manifest.trials}):
        raise StrictError("/scenarios: they are not exactly those of the trials, by id")
    for item in manifest.scenarios:
        attack = (item.attack.exposure,) if item.attack else ()
        harms = (part for harm in item.harm for part in (harm.holds, harm.attempt))
        found = list(_predicates((*attack, *harms, item.goal)))
        if len(found) > MOST_PREDICATES:
            raise StrictError(f"/scenarios: {item.id!r} has more than {MOST_PREDICATES} predicates")
        _check_parts(item)
        for part in found:
            if isinstance(part, Leaked) and part.secret not in item.secrets:
                raise StrictError(f"/scenarios: {item.id!r} declares no secret {part.secret!r}")


def _check_parts(item: Scenario) -> None:
    """Refuse a scenario that has more of something than anyone writes."""
    person = item.approvals
    parts: dict[str, Collection[object]] = {
        "turns": item.turns,
        "tools": item.tools,
        "crash_points": item.crash_points,
        "secrets": item.secrets,
        "attack/tamper": item.attack.tamper if item.attack else (),
        "approvals/tools": person.tools if person else (),
        "approvals/denies": person.denies if person else (),
    }
    for name, found in parts.items():
        if len(found) > MOST_PARTS:
            raise StrictError(f"/scenarios: {item.id!r} has more than {MOST_PARTS} {name}")


def _predicates(waiting: Iterable[Predicate]) -> Iterable[Predicate]:
    stack = list(waiting)
    while stack:
        part = stack.pop()
        yield part
        match part:
            case predicates.All(of=parts) | predicates.Any(of=parts):
                stack.extend(parts)
            case predicates.Not(of=inner):
                stack.append(inner)


def _check_tools(manifest: Manifest) -> None:
    for item in manifest.scenarios:
        offered = manifest.tools.get(item.world, {})
        missing = [name for name in (*item.tools, REPORT.name) if name not in offered]
        if missing:
            raise StrictError(f"/tools/{item.world}: {missing} of scenario {item.id!r} are missing")
    for world, tools in manifest.tools.items():
        for name, tool in tools.items():
            if tool.digest != digest_of("tool", tool.declared):
                raise StrictError(f"/tools/{world}/{name}: the digest is not the declaration's")
            try:
                facts = tool_facts(tool.declared)
            except (LookupError, ValueError) as error:
                raise StrictError(f"/tools/{world}/{name}: no declaration: {error}") from error
            if facts.name != name or not isinstance(facts.parameters, dict):
                raise StrictError(f"/tools/{world}/{name}: the declaration is another tool's")


def _unique(field: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise StrictError(f"/{field}: {name!r} stands twice")
        seen.add(name)
