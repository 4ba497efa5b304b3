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


@cache
def pair(module: str, names: int = 0) -> Pair:
    """Return a scenario and its twin under the names of a seed.

    Raises:
        ConfigError: there is no such scenario.
    """
    built: Pair = load(SCENARIOS, module, "scenario").build(Names(names))
    if built.attack.id != module or built.benign.id != module + TWIN_SUFFIX:
        raise ConfigError(f"scenario {module!r}: its ids must be the module's name and its twin's")
    return built


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
