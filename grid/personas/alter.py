"""`alter/<n>`: the honest calls with one argument of the n-th changed: does the goal notice?

An instrument of the self-check. The first plain value among the arguments becomes another one of
its type, valid for the tool's schema where the schema leaves room.
"""

from dataclasses import replace
from typing import Any

from grid.attackplay import follow_if
from grid.stage import Act, Persona, PlannedCall, Play, Stage

REFERENCES = ({"$secret"}, {"$joined"}, {"$receipt"}, {"$result", "pointer"})


def alterable(arguments: Any) -> bool:
    """Tell whether arguments of a truth hold a plain value, or a reference that stands for one."""
    if isinstance(arguments, dict):
        return set(arguments) in REFERENCES or any(map(alterable, arguments.values()))
    if isinstance(arguments, list | tuple):
        return any(map(alterable, arguments))
    return arguments is not None


def altered(arguments: Any, schema: dict[str, Any]) -> Any:
    """Return arguments with their first plain value changed; the same if they hold none."""
    changed, _ = _altered(arguments, schema)
    return changed


def _altered(value: Any, schema: dict[str, Any]) -> tuple[Any, bool]:
    if isinstance(value, dict):
        inner = schema.get("properties", {})
        for key, item in value.items():
            changed, done = _altered(item, inner.get(key, {}))
            if done:
                return value | {key: changed}, True
        return value, False
    if isinstance(value, list):
        for place, item in enumerate(value):
            changed, done = _altered(item, schema.get("items", {}))
            if done:
                return [*value[:place], changed, *value[place + 1 :]], True
        return value, False
    other = _other(value, schema)
    return other, other != value or isinstance(value, bool)


def _other(value: Any, schema: dict[str, Any]) -> Any:
    choices = [item for item in schema.get("enum", ()) if item != value]
    if choices:
        return choices[0]
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        most = schema.get("maximum")
        return value + 1 if most is None or value + 1 <= most else value - 1
    if isinstance(value, str):
        longest = schema.get("maxLength")
        if longest is None or len(value) < longest:
            return value + "x"
        return value[:-1] + ("y" if value.endswith("x") else "x") if value else value
    return value


def play(stage: Stage) -> Play:
    """Change one argument of one honest call; be honest where there is no such call."""
    numbers = [
        number for number, step in enumerate(stage.script.honest) if step.session == stage.session
    ]
    inner = follow_if(stage, wanted=False)
    act = next(inner)
    while act.calls:
        mine, numbers = numbers[: len(act.calls)], numbers[len(act.calls) :]
        wanted = [number == int(stage.parameter) for number in mine]
        calls = tuple(
            _changed(call, stage) if place < len(wanted) and wanted[place] else call
            for place, call in enumerate(act.calls)
        )
        results = yield Act(calls=calls)
        act = inner.send(results)
    yield act


def _changed(call: PlannedCall, stage: Stage) -> PlannedCall:
    schema = next((tool.parameters for tool in stage.tools if tool.name == call.tool), {})
    return replace(call, arguments=altered(call.arguments, schema))


PERSONA = Persona(
    id="alter",
    summary="changes one argument of one call of an honest agent",
    play=play,
    parameter="number of the call, from 0",
)
