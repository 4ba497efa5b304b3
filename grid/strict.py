"""Records to JSON and back, strictly: unknown, missing or wrongly typed fields are errors.

`to_json` writes a frozen dataclass as an object with its fields (tuples as arrays, enumerations as
their words). `from_json` reads exactly that and nothing else. A union of dataclasses is told apart
by the key ``kind``, which each member names in its class variable ``kind``.

A field that came later than its record was first written is declared with ``metadata=LATER``: it is
not written while it holds its default, so that what was written before keeps its bytes.
"""

import sys
import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache, partial
from typing import Any, TypeAliasType, Union, get_args, get_origin, get_type_hints

from grid.canonical import check_value
from grid.errors import CanonicalError, StrictError

LATER: Mapping[str, bool] = types.MappingProxyType({"later": True})
"""Metadata of a field with a default that is written only where it holds something else."""


def to_json(value: Any) -> Any:
    """Return the JSON form of a record, tuple, enumeration member or JSON value."""
    kind: Any = type(value)
    return value if kind in _LEAVES else _writer(kind)(value)


_LEAVES = frozenset({str, int, float, bool, types.NoneType})


@cache
def _writer(kind: Any) -> Callable[[Any], Any]:
    """Return what writes a type, worked out once per type."""
    if is_dataclass(kind):
        return partial(_write_record, _record_parts(kind))
    if issubclass(kind, Enum):
        return _write_member
    if issubclass(kind, tuple | list):
        return _write_items
    return _write_mapping if issubclass(kind, Mapping) else _write_other


def _write_items(value: Any) -> Any:
    return [item if type(item) in _LEAVES else to_json(item) for item in value]


def _write_mapping(value: Any) -> Any:
    return {key: item if type(item) in _LEAVES else to_json(item) for key, item in value.items()}


def _write_member(value: Any) -> Any:
    return value.value


def _write_other(value: Any) -> Any:
    return value


def _write_record(parts: "_Parts", value: Any) -> Any:
    head, names, later = parts
    written = dict(head)
    for name in names:
        item = getattr(value, name)
        written[name] = item if type(item) in _LEAVES else to_json(item)
    for name, default in later:
        if getattr(value, name) == default:
            del written[name]
    return written


type _Parts = tuple[dict[str, str], tuple[str, ...], tuple[tuple[str, Any], ...]]
"""What a record is written from: its kind, its fields, and what may be left out, with defaults."""


def _record_parts(kind: Any) -> _Parts:
    tag = _tag(kind)
    every = fields(kind)
    later = tuple((item.name, item.default) for item in every if item.metadata.get("later"))
    return {} if tag is None else {"kind": tag}, tuple(item.name for item in every), later


def from_json[T](kind: type[T], value: Any, path: str = "") -> T:
    """Read one record of a type.

    Raises:
        StrictError: with the JSON pointer of the field and what was expected there.
    """
    return _read(kind, value, path)  # type: ignore[no-any-return]


type _Reader = Callable[[Any, str], Any]


def _read(kind: Any, value: Any, path: str) -> Any:
    return _reader(kind)(value, path)


@cache
def _reader(kind: Any) -> _Reader:
    """Return what reads a type, worked out once per type; records look at their fields later."""
    if isinstance(kind, TypeAliasType):
        return _read_json if kind.__name__ == "Json" else _reader(kind.__value__)
    if kind is Any:
        return _read_json
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return partial(_read_union, get_args(kind))
    if origin is tuple:
        return partial(_read_tuple, get_args(kind))
    if origin in (dict, Mapping):
        return partial(_read_mapping, get_args(kind)[1])
    if is_dataclass(kind):
        return partial(_read_record, kind)
    return partial(_read_exact if kind in (str, bool, int) else _read_scalar, kind)


def _read_mapping(item: Any, value: Any, path: str) -> Any:
    _expect(isinstance(value, dict), path, "an object", value)
    if item is Any:
        return _read_json(value, path)
    return {key: _read(item, entry, f"{path}/{key}") for key, entry in value.items()}


def _read_exact(kind: Any, value: Any, path: str) -> Any:
    return value if type(value) is kind else _read_scalar(kind, value, path)


def _read_json(value: Any, path: str) -> Any:
    try:
        check_value(value)
    except CanonicalError as error:
        raise StrictError(f"{path or '/'}: {error}") from error
    return value


def _read_scalar(kind: Any, value: Any, path: str) -> Any:
    if kind is types.NoneType or kind is None:
        _expect(value is None, path, "null", value)
        return None
    if isinstance(kind, type) and issubclass(kind, Enum):
        words = [member.value for member in kind]
        if not isinstance(value, str) or value not in words:
            _expect(False, path, f"one of {words}", value)
        return kind(value)
    if kind is float:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        _expect(number and abs(value) <= sys.float_info.max, path, "a finite number", value)
        return float(value)
    exact = isinstance(value, kind) and not (kind is int and isinstance(value, bool))
    _expect(exact, path, kind.__name__, value)
    return value


def _read_tuple(args: tuple[Any, ...], value: Any, path: str) -> Any:
    _expect(isinstance(value, list), path, "an array", value)
    if len(args) == 2 and args[1] is Ellipsis:
        return tuple(_read(args[0], item, f"{path}/{index}") for index, item in enumerate(value))
    _expect(len(value) == len(args), path, f"an array of {len(args)}", value)
    pairs = enumerate(zip(args, value, strict=True))
    return tuple(_read(kind, item, f"{path}/{index}") for index, (kind, item) in pairs)


def _read_union(members: tuple[Any, ...], value: Any, path: str) -> Any:
    if value is None and types.NoneType in members:
        return None
    rest = tuple(member for member in members if member is not types.NoneType)
    if len(rest) == 1:
        return _read(rest[0], value, path)
    records: dict[Any, Any] = {_tag(member): member for member in rest if is_dataclass(member)}
    if isinstance(value, dict) and records:
        kind = value.get("kind")
        known = isinstance(kind, str) and kind in records
        _expect(known, f"{path}/kind", f"one of {sorted(records)}", kind)
        return _read_record(records[kind], value, path)
    for member in rest:
        if isinstance(member, type) and not is_dataclass(member) and isinstance(value, member):
            return _read(member, value, path)
    raise StrictError(f"{path or '/'}: {value!r} fits no member of {members}")


def _read_record(kind: Any, value: Any, path: str) -> Any:
    _expect(isinstance(value, dict), path, "an object", value)
    given = dict(value)
    if (wanted := _tag(kind)) is not None:
        tag = given.pop("kind", None)
        _expect(tag == wanted, f"{path}/kind", repr(wanted), tag)
    hints, needed = _shape(kind)
    if not needed <= given.keys() <= hints.keys():
        unknown = sorted(given.keys() - hints.keys())
        _expect(not unknown, path, f"no field {unknown}; known fields: {sorted(hints)}", unknown)
        missing = sorted(needed - given.keys())
        _expect(False, path, f"the fields {missing}", "an object without them")
    read = {name: _read(hints[name], item, f"{path}/{name}") for name, item in given.items()}
    try:
        return kind(**read)
    except ValueError as error:
        raise StrictError(f"{path or '/'}: {error}") from error


def _tag(kind: Any) -> str | None:
    """Return the constant that tells a record of a union apart (a field `kind` is none)."""
    tag = getattr(kind, "kind", None)
    return tag if isinstance(tag, str) else None


@cache
def _shape(kind: Any) -> tuple[dict[str, Any], set[str]]:
    hints = get_type_hints(kind)
    names = {item.name: hints[item.name] for item in fields(kind)}
    needed = {
        item.name
        for item in fields(kind)
        if item.default is MISSING and item.default_factory is MISSING
    }
    return names, needed


def _expect(holds: bool, path: str, wanted: str, value: Any) -> None:
    if not holds:
        raise StrictError(f"{path or '/'}: expected {wanted}, found {str(value)[:80]!r}")
