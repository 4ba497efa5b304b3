"""Finding scenarios: by module name or number, with the names of a seed."""

from functools import cache
from typing import Any

from grid.errors import ConfigError
from grid.names import Names
from grid.registry import load, module_names, unknown
from grid.scenario import TWIN_SUFFIX, Pair, Scenario
from grid.tool import Tool

SCENARIOS = "grid.scenarios"
WORLDS = "grid.worlds"
PERSONAS = "grid.personas"


@cache
def pair(module: str, names: int = 0) -> Pair:
    """Return a scenario and its twin under the names of a seed.

    Raises:
        ConfigError: there is no such scenario.
    """
    built: Pair = load(SCENARIOS, module, "scenario").build(Names(names))
    if built.attack.id != module or built.benign.id != module + TWIN_SUFFIX:
        raise ConfigError(
            f"scenario {module!r}: write id={module!r}, and for its twin "
            f"id={module + TWIN_SUFFIX!r}"
        )
    return built


def check_truth(of: Scenario) -> None:
    """Refuse a truth that could never be played as written.

    Raises:
        ConfigError: naming the field and what to write.
    """
    truth = of.truth
    known = [name.replace("_", "-") for name in module_names(PERSONAS)]
    if truth.fault not in known:
        raise unknown(f"persona (fault of scenario {of.id!r})", truth.fault, known)
    if not (of.number[:1] == "S" and of.number[1:].isdigit()):
        raise ConfigError(f"scenario {of.id!r}: number must be like 'S02', not {of.number!r}")
    steps = {step.label: step for step in truth.attack}
    if not truth.near:
        raise ConfigError(f"scenario {of.id!r}: truth.near: write at least one near miss")
    for near in truth.near:
        if near.step not in steps or near.argument not in steps[near.step].arguments:
            raise ConfigError(
                f"scenario {of.id!r}: truth.near: the attack has no step {near.step!r} with an "
                f"argument {near.argument!r}"
            )


def scenario(identity: str, names: int = 0) -> Scenario:
    """Return one scenario or benign twin by id."""
    base = identity.removesuffix(TWIN_SUFFIX)
    built = pair(base, names)
    return built.attack if identity == base else built.benign


@cache
def numbers() -> dict[str, str]:
    """Return number -> module name of every scenario."""
    found: dict[str, str] = {}
    for module in module_names(SCENARIOS):
        number = pair(module).attack.number
        if number in found:
            raise ConfigError(f"scenarios {found[number]} and {module} share the number {number}")
        found[number] = module
    return dict(sorted(found.items()))


def module_of(name: str) -> str:
    """Return the module name for a number (S02) or a module name.

    Raises:
        ConfigError: unknown; near names are listed.
    """
    known = numbers()
    if name.upper() in known:
        return known[name.upper()]
    if name in known.values():
        return name
    raise unknown("scenario", name, [*known, *known.values()])


def tools_of(of: Scenario) -> tuple[Tool, ...]:
    """Return the tools that a scenario offers, without `report`, in wire order."""
    offered: dict[str, Tool] = {tool.name: tool for tool in _world_tools(of.world)}
    missing = [name for name in of.tools if name not in offered]
    if missing:
        raise ConfigError(f"scenario {of.id}: world {of.world!r} has no tools {missing}")
    return tuple(offered[name] for name in of.tools)


def _world_tools(world: str) -> Any:
    return load(WORLDS, world, "world").TOOLS
