"""Guards as code, one file each: a module holds one public constant, GUARD."""

from functools import cache

from grid.errors import ConfigError
from grid.guard import Guard
from grid.registry import load, module_names


@cache
def all_guards() -> tuple[Guard, ...]:
    """Return every guard, in the order they are asked (by id).

    Raises:
        ConfigError: a file holds no guard, or one under another id than its own name.
    """
    found: list[Guard] = []
    for name in module_names(__name__):
        guard: Guard = load(__name__, name, "guard", "GUARD", Guard).GUARD
        if guard.id != name:  # so no two can share an id, and no shipped one is stood in for
            raise ConfigError(f"the file of guard {name!r}: write id={name!r}", "guards")
        found.append(guard)
    return tuple(sorted(found, key=lambda guard: guard.id))
