"""What has been released: digests of scenarios, clauses, tools, guards and rules.

The list is ``released.json``. A ledger is consistent with itself whatever its predicates say; only
a list from outside tells a weakened predicate from the released one. The list also holds digests of
the sources of guards and rules, and of what all rules share, so that a test can say "raise the
version" when a source changed and its version did not.

`regenerate` writes the list anew from the code. It keeps what older versions said; it overwrites
the current version of what changed, so it is run on purpose and its diff is read:

    python -c "from ledgers.released import regenerate; regenerate()"
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from grid.canonical import digest, load_json, plain_json
from grid.catalogue import SCENARIOS, WORLDS, pair
from grid.clauses import all_clauses
from grid.guards import all_guards
from grid.registry import load, module_names
from grid.report import REPORT
from grid.strict import from_json, to_json
from grid.tool import Tool
from grid.vocabulary import Family, Guards
from ledgers.clauserecord import as_clause
from ledgers.manifest import Manifest, guards_for
from ledgers.rules import all_rules

NAME = "released.json"
RELEASED_FORMAT = 1

SHARED = (
    "ledgers/adjudicate.py",
    "ledgers/alterations.py",
    "ledgers/binding.py",
    "ledgers/boundaries.py",
    "ledgers/case.py",
    "ledgers/causes.py",
    "ledgers/claims.py",
    "ledgers/conversation.py",
    "ledgers/decoded.py",
    "ledgers/evaluate.py",
    "ledgers/finding.py",
    "ledgers/garbled.py",
    "ledgers/harm.py",
    "ledgers/identity.py",
    "ledgers/leaks.py",
    "ledgers/planted.py",
    "ledgers/proposals.py",
    "ledgers/refusals.py",
    "ledgers/restores.py",
    "ledgers/rule.py",
    "ledgers/texts.py",
    "ledgers/validity.py",
    "grid/effectkinds.py",
    "grid/leaves.py",
    "grid/matching.py",
    "grid/overseer.py",
    "grid/resultframe.py",
    "grid/secret_archives.py",
    "grid/secret_forms.py",
    "grid/secret_search.py",
    "grid/wirecall.py",
)
"""Sources that the meaning of several rules rests on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sourced:
    """One version of a guard or a rule."""

    declared: str
    """Digest of its declaration."""
    source: str
    """Digest of its module's source."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """The whole list."""

    format: int = RELEASED_FORMAT
    """RELEASED_FORMAT."""
    scenarios: dict[str, dict[str, str]] = field(default_factory=dict)
    """Scenario or twin id -> version -> digest."""
    clauses: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """``id/language`` -> digests, oldest first."""
    tools: dict[str, dict[str, tuple[str, ...]]] = field(default_factory=dict)
    """World -> tool name -> digests of its declarations, oldest first; `report` is in each."""
    guards: dict[str, dict[str, Sourced]] = field(default_factory=dict)
    """Guard id -> version -> digests."""
    rules: dict[str, dict[str, Sourced]] = field(default_factory=dict)
    """Rule id -> version -> digests."""
    shared: dict[str, str] = field(default_factory=dict)
    """Source that several rules rest on -> digest."""


@cache
def released() -> Released:
    """Return the list that ships with the project."""
    data = files("ledgers").joinpath(NAME).read_bytes()
    return from_json(Released, load_json(data))


def unknown_parts(manifest: Manifest) -> tuple[str, ...]:
    """Return what a manifest holds that was never released, and what it should hold and does not.

    A rule for each family it should hold, and with guards on every guard that can have a say.
    """
    listed = released()
    return (
        *_unknown_texts(manifest, listed),
        *_unknown_code(manifest, listed),
        *_lacking(manifest),
    )


def _unknown_texts(manifest: Manifest, listed: Released) -> Iterator[str]:
    for scenario in manifest.scenarios:
        known = listed.scenarios.get(scenario.id, {})
        if known.get(str(scenario.version)) != scenario.digest():
            yield f"scenario {scenario.id!r}, version {scenario.version}"
    for clause in manifest.clauses:
        name = f"{clause.id}/{clause.language}"
        if as_clause(clause).digest() not in listed.clauses.get(name, ()):
            yield f"clause {name!r}"


def _unknown_code(manifest: Manifest, listed: Released) -> Iterator[str]:
    for world, tools in manifest.tools.items():
        for name, tool in tools.items():
            if tool.digest not in listed.tools.get(world, {}).get(name, ()):
                yield f"tool {name!r} of world {world!r}"
    for what, parts, versions in (
        ("guard", manifest.guards, listed.guards),
        ("rule", manifest.rules, listed.rules),
    ):
        for part in parts:
            known = versions.get(part.id, {}).get(str(part.version))
            if known is None or known.declared != part.digest:
                yield f"{what} {part.id!r}, version {part.version}"


def _lacking(manifest: Manifest) -> Iterator[str]:
    there = {item.id for item in manifest.rules}
    judged = {rule.family for rule in all_rules() if rule.id in there}
    yield from (f"no rule for {family.value}" for family in Family if family not in judged)
    if any(trial.guards != Guards.OFF for trial in manifest.trials):
        asked = {guard.id for guard in manifest.guards}
        wanted = guards_for(manifest.scenarios, (trial.guards for trial in manifest.trials))
        yield from (f"no guard {guard!r}" for guard in sorted(wanted - asked))


def current() -> Released:
    """Return the list as the code of this checkout has it, current versions only."""
    scenarios: dict[str, dict[str, str]] = {}
    for module in module_names(SCENARIOS):
        built = pair(module)
        for item in (built.attack, built.benign):
            scenarios[item.id] = {str(item.version): item.digest()}
    return Released(
        scenarios=scenarios,
        clauses={f"{clause.id}/{clause.language}": (clause.digest(),) for clause in all_clauses()},
        tools={world: _tools(world) for world in sorted(module_names(WORLDS))},
        guards={
            guard.id: {
                str(guard.version): Sourced(
                    declared=guard.digest(), source=source_digest(f"grid/guards/{guard.id}.py")
                )
            }
            for guard in all_guards()
        },
        rules={
            rule.id: {
                str(rule.version): Sourced(
                    declared=rule.digest(), source=source_digest(f"ledgers/rules/{rule.id}.py")
                )
            }
            for rule in all_rules()
        },
        shared={name: source_digest(name) for name in SHARED},
    )


def _tools(world: str) -> dict[str, tuple[str, ...]]:
    tools: Iterable[Tool] = (*load(WORLDS, world, "world").TOOLS, REPORT)
    return {tool.name: (tool.digest(),) for tool in sorted(tools, key=lambda tool: tool.name)}


def complaints(listed: Released, now: Released) -> tuple[str, ...]:
    """Return in what the code differs from a list, and what to do about each."""
    found: list[str] = []
    for what, old, new in (
        ("scenario", listed.scenarios, now.scenarios),
        ("guard", listed.guards, now.guards),
        ("rule", listed.rules, now.rules),
    ):
        for identity, versions in new.items():
            for version, digests in versions.items():
                known = dict(old.get(identity, {})).get(version)
                if known is None:
                    found.append(f"{what} {identity!r}: version {version} is not in the list")
                elif known != digests:
                    found.append(f"{what} {identity!r} changed: raise the version {version}")
    found += [
        f"clause {name!r} changed: give the new text an id of its own"
        for name in _unlisted(listed.clauses, now.clauses)
    ]
    for world, tools in now.tools.items():
        found += [
            f"tool {name!r} of world {world!r} changed: raise the version of its scenarios"
            for name in _unlisted(listed.tools.get(world, {}), tools)
        ]
    for name, source in now.shared.items():
        if listed.shared.get(name) != source:
            found.append(f"{name} changed: raise the version of every rule whose verdicts change")
    return tuple(f"{line}; then run ledgers.released.regenerate" for line in found)


def _unlisted(
    old: Mapping[str, tuple[str, ...]], new: Mapping[str, tuple[str, ...]]
) -> Iterator[str]:
    return (name for name, digests in new.items() if digests[-1] not in old.get(name, ()))


def regenerate(path: Path | None = None) -> None:
    """Write the list anew: the code's current versions over the list's older ones.

    Args:
        path: the file to write; by default the one that ships with the project.
    """
    target = path or Path(str(files("ledgers").joinpath(NAME)))
    old = from_json(Released, load_json(target.read_bytes())) if target.exists() else Released()
    now = current()
    merged = Released(
        scenarios=_over(old.scenarios, now.scenarios),
        clauses=_and_older(old.clauses, now.clauses),
        tools={
            world: _and_older(old.tools.get(world, {}), now.tools.get(world, {}))
            for world in sorted(old.tools.keys() | now.tools.keys())
        },
        guards=_over(old.guards, now.guards),
        rules=_over(old.rules, now.rules),
        shared=now.shared,
    )
    target.write_text(plain_json(to_json(merged)) + "\n", encoding="utf-8")
    released.cache_clear()


def _over[T](old: dict[str, dict[str, T]], new: dict[str, dict[str, T]]) -> dict[str, dict[str, T]]:
    names = sorted(old.keys() | new.keys())
    return {name: old.get(name, {}) | new.get(name, {}) for name in names}


def _and_older(
    old: Mapping[str, tuple[str, ...]], new: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    return {
        name: tuple(dict.fromkeys((*old.get(name, ()), *new.get(name, ()))))
        for name in sorted(old.keys() | new.keys())
    }


def source_digest(name: str) -> str:
    """Return the digest of what a source of ours does, named from the project's root.

    Layout, comments and docstrings play no part, nor does the version of Python.
    """
    package, _, rest = name.partition("/")
    text = files(package).joinpath(rest).read_text(encoding="utf-8")
    return digest("source", _shape(ast.parse(text)).encode())


def _shape(node: Any) -> str:
    """Write a syntax tree down, without what is empty: newer versions add empty fields."""
    if isinstance(node, ast.AST):
        parts = [
            f"{name}={_shape(value)}"
            for name, value in ast.iter_fields(node)
            if value is not None and value != []
        ]
        return f"{type(node).__name__}({','.join(parts)})"
    if isinstance(node, list):
        return f"[{','.join(_shape(item) for item in node if not _is_docstring(item))}]"
    return ascii(node)


def _is_docstring(node: Any) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
