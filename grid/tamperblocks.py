"""``[[tamper]]`` blocks of a grid file: faults of one's own on the wire of every trial.

Off unless written. A run states them in its manifest, its table and `nonverba show`; without a
block nothing of that is there. They are applied in attacks and twins alike, after what a scenario
plants itself (see `grid.tampering`). Evidence tells what was changed, not whose plan it was: where
a scenario's own attack is a changed answer, one that is changed here counts as met too.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from grid.canonical import check_value, text_json
from grid.catalogue import scenario, tools_of
from grid.display import visible
from grid.errors import CanonicalError, ConfigError
from grid.plan import Plan
from grid.report import REPORT
from grid.scenario import Tamper
from grid.vocabulary import TamperKind

ERRORS = range(400, 600)
"""Statuses that an error can have."""

_CALLS = ("answer", "rate", "tool")
_TAKES: dict[TamperKind, tuple[str, ...]] = {
    TamperKind.ARGUMENT: ("argument", "value", *_CALLS),
    TamperKind.TEXT: ("value", *_CALLS),
    TamperKind.MODEL: ("value", "answer", "rate"),
    TamperKind.STATUS: ("value", "answer", "rate", "retry_after"),
    TamperKind.CUT: ("answer", "rate"),
    TamperKind.INJECT: ("argument", "value", "tool"),
    TamperKind.DROP: _CALLS,
    TamperKind.DUPLICATE: _CALLS,
    TamperKind.TIMEOUT: ("answer", "rate"),
}
"""Keys that each kind takes beside `kind`."""

SHOWN = 60
"""Characters of a value that a sentence quotes."""


def read_block(data: Mapping[str, Any]) -> Tamper:
    """Read one block that fits the published JSON Schema.

    Raises:
        ConfigError: its parts do not fit together; with the key and what to write instead.
    """
    kind = TamperKind(data["kind"])
    takes = sorted(_TAKES[kind])
    for key in sorted(set(data) - {"kind", *takes}):
        raise ConfigError(
            f"kind {kind.value!r} does not take it; it takes: {', '.join(takes)}", key
        )
    value = data.get("value")
    if "value" in takes and value is None:
        raise ConfigError(f"the key 'value' is missing, which kind {kind.value!r} needs")
    if kind is TamperKind.STATUS and (type(value) is not int or value not in ERRORS):
        raise ConfigError(
            "an error's status is a whole number from 400 to 599, such as 429", "value"
        )
    try:
        check_value(value)
        return Tamper(
            kind=kind,
            answer=data.get("answer", 0),
            tool=data.get("tool", ""),
            argument=data.get("argument", ""),
            value=value,
            rate=float(data["rate"]) if "rate" in data else None,
            retry_after=data.get("retry_after"),
        )
    except CanonicalError as error:
        raise ConfigError(f"{error}; write what JSON can hold", "value") from error
    except ValueError as error:
        raise ConfigError(str(error).removeprefix("tamper: ")) from error


def idle_faults(plan: Plan) -> tuple[str, ...]:
    """Return which faults are about a tool or an argument that no scenario of the plan has."""
    offered = {tool for trial in plan.trials for tool in scenario(trial.scenario).tools}
    missing = {tamper.tool for tamper in plan.tamper} - offered - {REPORT.name, ""}
    known = ", ".join(sorted({*offered, REPORT.name}))
    return tuple(
        f"no scenario here offers the tool {name!r}, so the [[tamper]] about it changes nothing; "
        f"they offer: {known}"
        for name in sorted(missing)
    ) + tuple(_idle_arguments(plan))


def _idle_arguments(plan: Plan) -> Iterator[str]:
    """Yield a sentence for each argument that its tool does not take."""
    tools = {REPORT.name: REPORT}
    for name in dict.fromkeys(trial.scenario for trial in plan.trials):
        tools |= {tool.name: tool for tool in tools_of(scenario(name))}
    for tamper in plan.tamper:
        if tamper.kind is not TamperKind.ARGUMENT or tamper.tool not in tools:
            continue
        takes = tools[tamper.tool].parameters.get("properties", {})
        if tamper.argument not in takes:
            yield (
                f"the tool {tamper.tool!r} has no argument {visible(tamper.argument)!r}, so the "
                f"[[tamper]] about it changes nothing; it has: {', '.join(sorted(takes))}"
            )


def told(tamper: Tamper) -> str:
    """Return what is planted, in a few words."""
    return _WORDS[tamper.kind](tamper) + _when(tamper)


def _when(tamper: Tamper) -> str:
    if tamper.rate is not None:
        return f", in {tamper.rate:.4g} of all answers (drawn from each trial's seed)"
    if tamper.answer:
        return f", in answer {tamper.answer}"
    if tamper.kind is TamperKind.INJECT:
        return ", in every request that shows it"
    if "tool" in _TAKES[tamper.kind]:
        return ", in the first answer that has one"
    return ", in every answer"


def _calls(tamper: Tamper) -> str:
    return f"each call of {visible(tamper.tool)!r}" if tamper.tool else "each tool call"


def _value(tamper: Tamper) -> str:
    return visible(text_json(tamper.value), SHOWN)


def _error(tamper: Tamper) -> str:
    wait = "" if tamper.retry_after is None else f" with Retry-After: {tamper.retry_after}"
    return f"an error {_value(tamper)}{wait} comes in place of the answer"


def _injected(tamper: Tamper) -> str:
    of = f" of {visible(tamper.tool)!r}" if tamper.tool else ""
    return f"{_value(tamper)} is put into each tool result{of} on its way to the model"


_WORDS: dict[TamperKind, Callable[[Tamper], str]] = {
    TamperKind.ARGUMENT: lambda it: (
        f"argument {visible(it.argument)!r} of {_calls(it)} becomes {_value(it)}"
    ),
    TamperKind.TEXT: lambda it: f"the argument text of {_calls(it)} becomes {_value(it)}",
    TamperKind.MODEL: lambda it: f"the answer says that it comes from {_value(it)}",
    TamperKind.STATUS: _error,
    TamperKind.CUT: lambda _: "the answer breaks off half way",
    TamperKind.INJECT: _injected,
    TamperKind.DROP: lambda it: f"{_calls(it)} is taken out of the answer",
    TamperKind.DUPLICATE: lambda it: f"{_calls(it)} stands in the answer twice",
    TamperKind.TIMEOUT: lambda _: "the answer never comes: the agent gets a 504",
}
