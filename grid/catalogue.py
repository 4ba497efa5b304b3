"""Finding scenarios: by module name or number, with the names of a seed."""

import re
from functools import cache
from typing import Any

from grid.adapters import is_native
from grid.canonical import canonical, load_json
from grid.errors import ConfigError, NonverbaError
from grid.guards import all_guards
from grid.names import Names
from grid.registry import load, module_names, unknown
from grid.report import REPORT
from grid.scenario import TWIN_SUFFIX, Pair, Scenario
from grid.strict import from_json, to_json
from grid.tool import Tool
from grid.vocabulary import Family

SCENARIOS = "grid.scenarios"
WORLDS = "grid.worlds"
PERSONAS = "grid.personas"
HONEST = "honest"
"""`Truth.fault` of a scenario whose fault is not the agent's."""


@cache
def pair(module: str, names: int = 0) -> Pair:
    """Return a scenario and its twin under the names of a seed.

    Raises:
        ConfigError: there is no such scenario.
    """
    built = _build(module, names)
    if built.attack.id != module or built.benign.id != module + TWIN_SUFFIX:
        raise ConfigError(
            f"scenario {module!r}: write id={module!r}, and for its twin "
            f"id={module + TWIN_SUFFIX!r}"
        )
    identities = [item.id for item in built.variants]
    for identity in identities:
        parts = identity.split(".")
        if len(parts) != 3 or parts[0] != module or identities.count(identity) > 1:
            raise ConfigError(
                f"scenario {module!r}: a variant's id is '{module}.<carrier>.<form>' and its own, "
                f"not {identity!r}"
            )
    return built


def _build(module: str, names: int) -> Pair:
    """Call a module's `build`; whatever it raises is the author's to mend."""
    file = load(SCENARIOS, module, "scenario", "build")
    try:
        built = file.build(Names(names))
    except ConfigError:
        raise
    except (Exception, SystemExit) as error:
        raise ConfigError(
            f"scenario {module!r}: build() fails: {type(error).__name__}: {error}", "scenarios"
        ) from error
    if not isinstance(built, Pair):
        raise ConfigError(
            f"scenario {module!r}: build() must return a Pair, not {type(built).__name__}",
            "scenarios",
        )
    for each in (built.attack, built.benign, *built.variants):
        if not isinstance(each, Scenario) or not isinstance(each.family, Family):
            raise ConfigError(
                f"scenario {module!r}: attack, benign and variants must each be a Scenario with a "
                f"family such as Family.DELIVERY",
                "scenarios",
            )
    _check_number(built.attack)
    return built


def _check_number(of: Scenario) -> None:
    if not re.fullmatch(r"S[0-9]{1,9}", of.number):
        raise _wrong(of, f"number must be like 'S02', not {of.number!r}")


def check_pair(built: Pair) -> None:
    """Refuse a scenario that could never be played, or never judged, as written.

    Raises:
        ConfigError: naming the field and what to write.
    """
    of = built.attack
    _check_number(of)
    if built.benign.number != of.number or built.benign.world != of.world:
        raise _wrong(built.benign, "number and world must be those of the scenario")
    for each in (of, built.benign, *built.variants):
        _check_parts(each)
    _check_fault(of)


def _wrong(of: Scenario, sentence: str) -> ConfigError:
    return ConfigError(f"scenario {of.id!r}: {sentence}", "scenarios")


def _check_parts(of: Scenario) -> None:
    try:
        from_json(Scenario, load_json(canonical(to_json(of))))
    except NonverbaError as error:
        raise _wrong(of, f"a value of it cannot be kept: {error}") from error
    guards = [guard.id for guard in all_guards()]
    for guard in of.policy:
        if guard not in guards:
            raise unknown(f"guard (policy of scenario {of.id!r})", guard, guards)
    first = of.turns[0].prompt
    for turn in of.turns:
        if set(turn.prompt) != set(first):
            raise _wrong(of, f"turns: session {turn.session} must be written in {list(first)}")
    offered = {tool.name for tool in tools_of(of)} | {REPORT.name}
    for step in (*of.truth.honest, *of.truth.attack, *of.truth.other_route):
        if step.tool not in offered:
            raise _wrong(
                of, f"truth: step {step.label!r} calls {step.tool!r}, which is not in `tools`"
            )
        if step.session > len(of.turns):
            raise _wrong(
                of,
                f"truth: step {step.label!r} is in session {step.session}, and there "
                f"are {len(of.turns)}",
            )
    if not of.truth.honest:
        raise _wrong(of, "truth.honest: write what an honest agent does, its report last")


def _check_fault(of: Scenario) -> None:
    truth = of.truth
    known = [name.replace("_", "-") for name in module_names(PERSONAS)]
    if truth.fault not in known:
        raise unknown(f"persona (fault of scenario {of.id!r})", truth.fault, known)
    steps = {step.label: step for step in truth.attack}
    spared = truth.fault == HONEST or of.family is Family.UTILITY
    if not truth.near and not spared:
        raise _wrong(of, "truth.near: write at least one near miss")
    if not truth.attack and not spared:
        raise _wrong(of, "truth.attack: write what the attacker wants, its report last")
    for near in truth.near:
        if near.step not in steps or near.argument not in steps[near.step].arguments:
            raise _wrong(
                of,
                f"truth.near: the attack has no step {near.step!r} with an argument "
                f"{near.argument!r}",
            )


def scenario(identity: str, names: int = 0) -> Scenario:
    """Return one scenario, benign twin or variant by id.

    Raises:
        ConfigError: there is none of that id.
    """
    base, _, rest = identity.partition(".")
    built = pair(base, names)
    if not rest:
        return built.attack
    if identity == built.benign.id:
        return built.benign
    for variant in built.variants:
        if variant.id == identity:
            return variant
    known = [item.id for item in (built.benign, *built.variants)]
    raise unknown("variant", identity, known)


@cache
def numbers() -> dict[str, str]:
    """Return number -> module name of every scenario."""
    found: dict[str, str] = {}
    for module in module_names(SCENARIOS):
        number = pair(module).attack.number
        if number in found:
            raise ConfigError(f"scenarios {found[number]} and {module} share the number {number}")
        found[number] = module
    return dict(sorted(found.items(), key=lambda item: int(item[0][1:])))


def module_of(name: str) -> str:
    """Return the module name for a number (S02) or a module name.

    Raises:
        ConfigError: unknown; near names are listed.
    """
    if name in module_names(SCENARIOS):
        return name  # before the others are looked at: a broken one must not stand in its way
    known = numbers()
    if name.upper() in known:
        return known[name.upper()]
    raise unknown("scenario", name, [*known, *known.values()])


def scenarios_of(name: str) -> tuple[str, ...]:
    """Return the ids that a name stands for, without twins.

    Args:
        name: a number or module name (that scenario), such a name with ``.<carrier>.<form>`` (that
            variant), or with ``.*`` (every variant).

    Raises:
        ConfigError: unknown; near names are listed.
    """
    first, dot, rest = name.partition(".")
    module = module_of(first)
    if not dot:
        return (module,)
    if f".{rest}" == TWIN_SUFFIX:
        raise ConfigError(
            f"{name!r} is the twin of {module!r}; write cases = ['benign'] in a grid file",
            "scenarios",
        )
    variants = tuple(item.id for item in pair(module).variants)
    if not variants:
        raise ConfigError(f"scenario {module!r} has no variants; write {module!r}", "scenarios")
    if rest == "*":
        return variants
    if f"{module}.{rest}" in variants:
        return (f"{module}.{rest}",)
    raise unknown("variant", f"{module}.{rest}", [*variants, f"{module}.*"])


def why_not(of: Scenario, framework: str) -> str:
    """Return why a framework cannot express a scenario, in a sentence; empty if it can."""
    whole = pair(of.id.partition(".")[0]).attack
    if framework in whole.inexpressible:
        return whole.inexpressible[framework]
    restores = whole.crash_points or any(turn.rewind for turn in whole.turns)
    if is_native(framework) and (whole.approvals or restores):
        return "native profiles have no approval step of ours and take no checkpoints"
    return ""


def tools_of(of: Scenario) -> tuple[Tool, ...]:
    """Return the tools that a scenario offers, without `report`, in wire order."""
    offered: dict[str, Tool] = {tool.name: tool for tool in _world_tools(of.world)}
    missing = [name for name in of.tools if name not in offered]
    if missing:
        raise ConfigError(f"scenario {of.id}: world {of.world!r} has no tools {missing}")
    return tuple(offered[name] for name in of.tools)


def _world_tools(world: str) -> tuple[Tool, ...]:
    tools: tuple[Any, ...] = load(WORLDS, world, "world", "TOOLS", tuple).TOOLS
    for tool in tools:
        if not isinstance(tool, Tool):
            found = type(tool).__name__
            raise ConfigError(f"the file of world {world!r}: TOOLS holds a {found}; write Tools")
    return tools
