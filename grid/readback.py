"""What a predicate means over the world alone: the part of the language that a guard may be given.

`Row`, `Count`, `All`, `Any` and `Not` speak of tables as they are now. The other kinds speak of a
journal or a recording, which no guard may judge by; they are refused as soon as a policy is read,
also where an `Any` would never have got to them. Rows are matched as everywhere (`grid.matching`).

Where a predicate holds a value, a policy may name an argument of the call it is asked about:
``argument("/story")``. What a call puts there is compared and never read as policy itself.
"""

from collections.abc import Mapping
from typing import Any

from grid.canonical import Json
from grid.errors import ConfigError
from grid.matching import pointed, row_fits
from grid.predicates import All, Count, Match, Not, Predicate, Row
from grid.predicates import Any as AnyOf
from grid.world import WorldReader

ARGUMENT = "$argument"


def argument(pointer: str) -> Json:
    """Return policy data that stands for an argument of the call in question."""
    return {ARGUMENT: pointer}


def with_arguments(policy: Any, arguments: Mapping[str, Any]) -> Any:
    """Return policy data with the arguments of a call put in; what is not there becomes null."""
    if isinstance(policy, Mapping):
        if set(policy) == {ARGUMENT}:
            return _named(arguments, policy[ARGUMENT])
        return {key: with_arguments(item, arguments) for key, item in policy.items()}
    if isinstance(policy, list | tuple):
        return [with_arguments(item, arguments) for item in policy]
    return policy


def _named(arguments: Mapping[str, Any], pointer: str) -> Any:
    value = pointed(arguments, pointer)
    json = value is None or isinstance(value, bool | int | float | str | list | tuple | Mapping)
    return value if json else None


def check_world_predicate(predicate: Predicate) -> None:
    """Refuse a predicate that speaks of more than the world.

    Raises:
        ConfigError: naming the kind that cannot be read back.
    """
    match predicate:
        case Row() | Count():
            return
        case All(of=parts) | AnyOf(of=parts):
            for part in parts:
                check_world_predicate(part)
        case Not(of=part):
            check_world_predicate(part)
        case _:
            raise ConfigError(
                f"{predicate.kind!r} cannot be read back from the world; "
                "write row, count, all, any or not",
                "policy",
            )


def holds(predicate: Predicate, world: WorldReader) -> bool:
    """Tell whether a predicate holds in the world as it is now.

    Raises:
        ConfigError: it speaks of more than the world.
    """
    check_world_predicate(predicate)
    return _holds(predicate, world)


def _holds(predicate: Predicate, world: WorldReader) -> bool:
    match predicate:
        case Row(table=table, where=where):
            return _matching(world, table, where) > 0
        case Count(table=table, where=where, least=least, most=most):
            number = _matching(world, table, where)
            return least <= number and (most is None or number <= most)
        case All(of=parts):
            return all(_holds(part, world) for part in parts)
        case AnyOf(of=parts):
            return any(_holds(part, world) for part in parts)
        case Not(of=part):
            return not _holds(part, world)
    raise AssertionError(f"{predicate.kind} passed the check")


def _matching(world: WorldReader, table: str, where: Mapping[str, Match]) -> int:
    return sum(row_fits(where, key, row) for key, row in world.rows(table).items())
