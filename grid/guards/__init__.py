"""Guards as code, one file each: a module holds one public constant, GUARD."""

from functools import cache

from grid.guard import Guard
from grid.registry import load, module_names


@cache
def all_guards() -> tuple[Guard, ...]:
    """Return every guard, in the order they are asked (by id)."""
    found = [load(__name__, name, "guard", "GUARD").GUARD for name in module_names(__name__)]
    return tuple(sorted(found, key=lambda guard: guard.id))
